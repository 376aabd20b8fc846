"""Calls that data reaches and passes on to another call of the same rule: one finding, not two.

``http.NewRequest(method, address, body)`` makes a request, and ``client.Do(request)`` sends it. Each does the harm with
the other only, and code between the two may still decide against it. The finding is that of the last call, where it
stands in the function of the first one; where a helper that is given any request sends it, it is that of the first.
What is more likely is never dropped for what is less likely: the compiler of a text may be a doubtful place, and what
runs its result a certain one.
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
        sure = [other for other in before if likelihood(other) >= likelihood(each)]
        if not replaced and sure and each.sources <= frozenset().union(*(other.sources for other in sure)):
            dropped.add(each.spot)
    return [each for each in found if each.spot not in dropped]


def is_replaced(first: Reached, last: Reached) -> bool:
    """Whether a finding says nothing that the one of a later call does not: of one in the same function, or of one that
    is more likely.
    """
    one, other = first.finding, last.finding
    is_local = (one.place.path, one.function) == (other.place.path, other.function)
    return first.sources <= last.sources and likelihood(first) <= likelihood(last) - (not is_local)


def likelihood(reached: Reached) -> int:
    """The rank of a finding's confidence."""
    return CONFIDENCES.index(reached.finding.confidence)
