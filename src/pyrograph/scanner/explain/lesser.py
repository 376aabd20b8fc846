"""Two rules that say the same of one argument: the finding of the graver one is enough.

Who chooses the host of a request chooses its path as well. A vulnerability names those that include it (``part_of``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CONFIDENCES, Vulnerability
from pyrograph.scanner.explain.arguments import Reached


def without_lesser(found: Sequence[Reached], vulnerabilities: Mapping[str, Vulnerability]) -> list[Reached]:
    """``found`` without those that a finding at the same place and from the same sources includes, in the same order.

    One of lower confidence includes none. Linear in the findings.
    """
    at: dict[tuple[Place, str], list[Reached]] = {}
    for each in found:
        at.setdefault((each.finding.place, each.finding.vulnerability), []).append(each)

    def is_included(one: Reached) -> bool:
        level = CONFIDENCES.index(one.finding.confidence)
        return any(
            one.sources <= other.sources and level <= CONFIDENCES.index(other.finding.confidence)
            for name in vulnerabilities[one.finding.vulnerability].part_of
            for other in at.get((one.finding.place, name), ())
        )

    return [each for each in found if not is_included(each)]
