"""Whether two places of a function lie on branches that no run takes together."""

from __future__ import annotations

from bisect import bisect_right

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_ROUND_STEPS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.facts import Facts


class Branches:
    """The blocks behind each block that was asked for. The indexes are made with the first question."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.of_function = RowsByKey(facts.tables["blocks"]["function"])
        self.leaving = RowsByKey(facts.tables["control"]["origin"])
        self.behind: dict[int, frozenset[int]] = {}  # a cache of ``blocks_behind``

    def exclude(self, one: int, other: int) -> bool:
        """Whether no run of their function makes both of these values: control goes from neither to the other.

        False for values of different functions. Time linear in the blocks of the function, once for each block.
        """
        function = int(self.facts.function_of[one])
        if function != int(self.facts.function_of[other]):
            return False
        first, second = self.block_of(function, one), self.block_of(function, other)
        if NONE in (first, second) or first == second:
            return False
        return second not in self.blocks_behind(first) and first not in self.blocks_behind(second)

    def block_of(self, function: int, value: int) -> int:
        rows = self.of_function.of(function)
        firsts = self.facts.tables["blocks"]["first"][rows].tolist()
        return int(rows[max(0, bisect_right(firsts, value) - 1)]) if firsts else NONE

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
                    found = dict.fromkeys(self.of_function.of(function).tolist())
                    break
                for target in control["target"][self.leaving.of(at)].tolist():
                    if target not in found:
                        found[target] = None
                        work.append(target)
            known = self.behind[block] = frozenset(found)
        return known
