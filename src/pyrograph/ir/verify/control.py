"""Control flow between the blocks of a unit: which blocks control gets to from a block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import EXCEPTIONAL, NONE
from pyrograph.ir.verify.tables import Tables

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class ControlFlow:
    """From which blocks control gets to which, by the table of control.

    Most questions are answered by dominance (Cooper, Harvey, Kennedy: A simple, fast dominance algorithm), the others
    by a walk from the block, once each. Nothing gets to blocks that no entry leads to: they are not asked about.
    """

    def __init__(self, tables: Tables) -> None:
        blocks, control = tables.tables["blocks"], tables.tables["control"]
        num = len(blocks["function"])
        before: list[list[int]] = [[] for _ in range(num)]
        self.after: list[list[int]] = [[] for _ in range(num)]
        self.function: list[int] = blocks["function"].tolist()
        self.handlers: dict[int, list[tuple[int, int]]] = {}  # by function: (block before what is tried, handler)
        edges = zip(control["origin"].tolist(), control["target"].tolist(), control["side"].tolist(), strict=True)
        for origin, target, side in edges:
            before[target].append(origin)
            self.after[origin].append(target)
            if side == EXCEPTIONAL:
                self.handlers.setdefault(self.function[target], []).append((origin, target))
        _, entries = np.unique(blocks["function"], return_index=True)
        self.reached: dict[int, set[int]] = {}
        parent = [NONE] * num  # the immediate dominator; of an entry itself
        order = self._postorder(entries.tolist(), num)
        number = [NONE] * num
        for place, at in enumerate(order):
            number[at] = place
        for entry in entries.tolist():
            parent[entry] = entry
        changed = True
        while changed:  # each round puts dominators further up; where loops have one entry, the second changes nothing
            changed = False
            for at in reversed(order):
                if parent[at] == at:
                    continue
                found = NONE
                for other in before[at]:
                    if parent[other] == NONE:
                        continue
                    if found == NONE:
                        found = other
                    while other != found:
                        while number[other] < number[found]:
                            other = parent[other]
                        while number[found] < number[other]:
                            found = parent[found]
                if parent[at] != found:
                    parent[at] = found
                    changed = True
        self._intervals(parent, order)

    def _postorder(self, entries: Sequence[int], num: int) -> list[int]:
        seen = [False] * num
        order: list[int] = []
        for entry in entries:
            seen[entry] = True
            stack = [(entry, iter(self.after[entry]))]
            while stack:
                at, rest = stack[-1]
                for following in rest:
                    if not seen[following]:
                        seen[following] = True
                        stack.append((following, iter(self.after[following])))
                        break
                else:
                    stack.pop()
                    order.append(at)
        return order

    def _intervals(self, parent: list[int], order: list[int]) -> None:
        """Number the tree of dominators, so that one block dominates another if its interval holds the other's."""
        children: dict[int, list[int]] = {}
        for at in order:
            if parent[at] != at:
                children.setdefault(parent[at], []).append(at)
        num = len(parent)
        self.first = np.full(num, NONE, np.int64)
        self.last = np.full(num, NONE, np.int64)
        clock = 0
        for root in (at for at in order if parent[at] == at):
            stack = [(root, False)]
            while stack:
                at, done = stack.pop()
                if done:
                    self.last[at] = clock
                    continue
                self.first[at] = clock
                clock += 1
                stack.append((at, True))
                stack += [(child, False) for child in children.get(at, ())]

    def leads(self, origin: Ints, target: Ints) -> Mask:
        """Whether control gets from each block of ``origin`` to that of ``target``; True for what is never reached."""
        found = (self.first[origin] < 0) | (self.first[target] < 0)
        found |= (self.first[origin] <= self.first[target]) & (self.first[target] < self.last[origin])
        for at in np.flatnonzero(~found).tolist():
            found[at] = int(target[at]) in self._from(int(origin[at]))
        return found

    def _from(self, block: int) -> set[int]:
        known = self.reached.get(block)
        if known is None:
            known = self.reached[block] = {block}
            work = [block]
            while work:
                at = work.pop()
                fresh = [each for each in (*self.after[at], *self._handlers(at)) if each not in known]
                known.update(fresh)
                work += fresh
        return known

    def _handlers(self, block: int) -> list[int]:
        """Where control gets from within what is tried: blocks have numbers between those before it and its handler."""
        found = self.handlers.get(self.function[block], ())
        return [handler for origin, handler in found if origin <= block < handler]
