"""Whether two calls of one function may both be made when it runs once: one of them can be reached from the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyrograph.scanner.analysis.columns import RowsByKey

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.label.facts import Facts


class Ways:
    """The ways through functions, exceptions included. Made when it is first asked for: two indexes of whole tables.
    A question costs one walk through the blocks of a function, at most.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = RowsByKey(facts.tables["blocks"]["function"])
        self.control = RowsByKey(facts.tables["control"]["origin"])
        self.known: dict[int, frozenset[int]] = {}  # ``after``

    def block_of(self, call: int) -> int:
        """The block of a call; -1 if its function has none."""
        result = self.facts.call_result[call]
        rows = self.blocks.of(int(self.facts.function_of[result]))
        firsts = self.facts.tables["blocks"]["first"][rows]
        return int(rows[max(0, int(firsts.searchsorted(result, "right")) - 1)]) if len(rows) else -1

    def after(self, block: int) -> frozenset[int]:
        """The blocks that can be reached from ``block``, itself included."""
        if block not in self.known:
            target = self.facts.tables["control"]["target"]
            found, work = {block}, [block]
            for each in work:  # grows
                fresh = [at for at in target[self.control.of(each)].tolist() if at not in found]
                found.update(fresh)
                work += dict.fromkeys(fresh)
            self.known[block] = frozenset(found)
        return self.known[block]

    def shared(self, call: int, others: Iterable[int]) -> list[int]:
        """Those of ``others`` that may be made in one run with ``call``, or that another function makes."""
        function, block = self.facts.function_of[self.facts.call_result[call]], self.block_of(call)
        found: list[int] = []
        for other in others:
            if block >= 0 and self.facts.function_of[self.facts.call_result[other]] == function:
                there = self.block_of(other)
                if there not in self.after(block) and block not in self.after(there):
                    continue
            found.append(other)
        return found
