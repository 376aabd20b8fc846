"""Answers that say that a value was refused: ``if not product_of(sku): return HttpResponseNotFound(sku)``.

What stands there runs for the values that were not found, or not allowed: for it, the condition is no check of them.
"""

from __future__ import annotations

from pyrograph.policy.names.questions import SAYS_REFUSED
from pyrograph.scanner.explain.regions import Regions


class RefusingAnswers:
    """What is said on the sides of conditions; each side is read once."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.known: dict[tuple[int, int], tuple[frozenset[int], bool]] = {}  # ``behind``

    def is_refusal(self, block: int, condition: int, side: int) -> bool:
        """Whether a block that only runs where a condition has this side says that the value is refused, and what runs
        on the other side does not.
        """
        for whole, at in self.branches(condition, side):
            blocks, refuses = self.behind(whole, at)
            if refuses and block in blocks and not self.behind(whole, 1 - at)[1]:
                return True
        return False

    def branches(self, condition: int, side: int) -> list[tuple[int, int]]:
        """The sides of conditions that may branch where this one has ``side``: it, and those that it is part of."""
        wholes = self.regions.wholes.get(condition, ())
        return [(condition, side), *((whole, int(wanted == side)) for whole, wanted in wholes)]

    def behind(self, condition: int, side: int) -> tuple[frozenset[int], bool]:
        """The blocks that run first where ``condition`` has ``side``, and only there; whether they say so."""
        known = self.known.get((condition, side))
        if known is None:
            blocks = frozenset(self.regions.only_behind(condition, side))
            refuses = SAYS_REFUSED.search(self.regions.text_behind(condition, side)) is not None
            known = self.known[condition, side] = blocks, refuses
        return known
