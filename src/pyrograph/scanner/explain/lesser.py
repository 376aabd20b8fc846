"""Two rules that say the same of one call: the finding of the graver one is enough.

Who chooses the host of a request chooses its path as well, by whichever part of what they send. A vulnerability names
those that include it (``part_of``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CONFIDENCES, Vulnerability
from pyrograph.scanner.explain.arguments import Reached


def without_lesser(found: Sequence[Reached], vulnerabilities: Mapping[str, Vulnerability]) -> list[Reached]:
    """``found`` without those that a finding of the same call includes, in the same order.

    That one has the same sources, or sources that the same functions read, such as two headers. One of lower confidence
    includes none. Linear in the findings.
    """
    at: dict[tuple[Place, str], list[Reached]] = {}
    for each in found:
        at.setdefault((each.finding.place, each.finding.vulnerability), []).append(each)

    def is_about(one: Reached, other: Reached) -> bool:
        return one.sources <= other.sources or (bool(one.readers) and one.readers <= other.readers)

    def is_included(one: Reached) -> bool:
        level = CONFIDENCES.index(one.finding.confidence)
        return any(
            is_about(one, other) and level <= CONFIDENCES.index(other.finding.confidence)
            for name in vulnerabilities[one.finding.vulnerability].part_of
            for other in at.get((one.finding.place, name), ())
        )

    return [each for each in found if not is_included(each)]
