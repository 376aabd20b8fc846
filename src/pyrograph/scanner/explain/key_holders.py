"""Whether only who has the operator's key gets to a function: the operator, or another service of theirs."""

from __future__ import annotations

from pyrograph.scanner.explain.callers import SHOWN, Callers
from pyrograph.scanner.explain.key_regions import BY_TRUTH, KeyRegions


class KeyHolders(Callers):
    """The search for checks in front of a handler, where the check is a comparison with such a key."""

    regions: KeyRegions

    @classmethod
    def of(cls, callers: Callers) -> KeyHolders:
        """The same program; what both need of it is shared."""
        regions = KeyRegions.of(callers.regions)
        other = cls.__new__(cls)
        other.__dict__.update(callers.about(regions.question, {}).__dict__)
        other.regions = regions
        return other

    def alone_get_to(self, value: int) -> bool:
        """Whether ``value`` is computed for those who have the key only."""
        return self.evidence_at(value) == SHOWN

    def is_predicate(self, function: int) -> bool:
        """Whether a function returns whether the key is equal."""
        return self.regions.grants(function) == BY_TRUTH
