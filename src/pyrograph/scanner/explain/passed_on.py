"""Calls that data reaches and passes on to another call of the same rule: one finding, not two.

``http.NewRequest(method, address, body)`` makes a request, and ``client.Do(request)`` sends it. Each does the harm with
the other only, and code between the two may still decide against it. The finding is that of the last call, where it
stands in the function of the first one; where a helper that is given any request sends it, it is that of the first.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.model.vulnerability import CONFIDENCES
from pyrograph.scanner.explain.arguments import Reached, Spot


def without_repeats(found: Sequence[Reached]) -> list[Reached]:
    """``found`` without those whose data another one of them reports as well, in the same order.

    Linear in the findings and in the calls on their paths.
    """
    at: dict[Spot, list[Reached]] = {}
    for each in found:
        at.setdefault(each.spot, []).append(each)
    dropped: set[Spot] = set()
    for each in found:
        spots = [(each.spot[0], *place) for place in each.passed]
        before = [other for spot in spots if spot != each.spot for other in at.get(spot, ())]
        replaced = [other for other in before if is_replaced(other, each)]
        dropped.update(other.spot for other in replaced)
        if not replaced and each.sources <= frozenset().union(*(other.sources for other in before)):
            dropped.add(each.spot)
    return [each for each in found if each.spot not in dropped]


def is_replaced(first: Reached, last: Reached) -> bool:
    """Whether a finding says nothing that the one of a later call of the same function does not."""
    one, other = first.finding, last.finding
    return (
        (one.place.path, one.function) == (other.place.path, other.function)
        and CONFIDENCES.index(one.confidence) <= CONFIDENCES.index(other.confidence)
        and first.sources <= last.sources
    )
