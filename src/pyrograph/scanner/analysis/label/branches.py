"""Whether two places of a function lie on branches that no run takes together."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_ROUND_STEPS
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts


class Branches:
    """The blocks behind each block that was asked for. The indexes are made with the first question."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = Blocks(facts)
        self.behind: dict[int, frozenset[int]] = {}  # a cache of ``blocks_behind``
        self.around: dict[tuple[int, frozenset[int]], frozenset[int]] = {}  # a cache of ``reached``

    def exclude(self, one: int, other: int) -> bool:
        """Whether no run of their function makes both of these values: control goes from neither to the other.

        False for values of different functions. Time linear in the blocks of the function, once for each block.
        """
        function = int(self.facts.function_of[one])
        if function != int(self.facts.function_of[other]):
            return False
        first, second = self.blocks.block_of(function, one), self.blocks.block_of(function, other)
        if NONE in (first, second) or first == second:
            return False
        return second not in self.blocks_behind(first) and first not in self.blocks_behind(second)

    def always_pass(self, places: Sequence[int], at: int) -> bool:
        """Whether each run of their function that makes ``at`` makes one of ``places`` before, or in the same block."""
        function = int(self.facts.function_of[at])
        passed = frozenset(self.blocks.block_of(function, each) for each in places)
        last = self.blocks.block_of(function, at)
        return last == NONE or last in passed or last not in self.reached(function, passed)

    def reached(self, function: int, passed: frozenset[int]) -> frozenset[int]:
        """The blocks that control reaches from the entry of a function through none of ``passed``."""
        known = self.around.get((function, passed))
        if known is None:
            control = self.facts.tables["control"]
            work = [each for each in self.blocks.rows("blocks", "function", function)[:1] if each not in passed]
            seen = {*work, *passed}
            for block in work:  # grows, each block once
                further = set(control["target"][self.blocks.rows("control", "origin", block)].tolist()) - seen
                seen |= further
                work += sorted(further)
            known = self.around[function, passed] = frozenset(work)
        return known

    def blocks_behind(self, block: int) -> frozenset[int]:
        """The blocks that control may reach from this one; all of the function where they are very many."""
        known = self.behind.get(block)
        if known is None:
            control = self.facts.tables["control"]
            found: dict[int, None] = {}
            work = [block]
            for at in work:  # grows, each block once
                if len(work) > MAX_ROUND_STEPS:
                    function = int(self.facts.tables["blocks"]["function"][block])
                    found = dict.fromkeys(self.blocks.rows("blocks", "function", function))
                    break
                for target in control["target"][self.blocks.rows("control", "origin", at)].tolist():
                    if target not in found:
                        found[target] = None
                        work.append(target)
            known = self.behind[block] = frozenset(found)
        return known
