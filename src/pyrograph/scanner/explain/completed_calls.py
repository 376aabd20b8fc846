"""Calls that a path enters and leaves again, where a constant that they pass keeps the data from the result.

``token_request("github", code)`` returns ``[GITHUB, form(code)]``, and ``[form(code)]`` only for another provider. A
path may go through what a call returns only if the blocks that its constants leave compute values by which the data
gets from the parameter to the result. The path that is shown is one of several, as is the way through a function: only
where no other one gets around what is excluded is the path impossible.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Final

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import FIRST_SUMMARY
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_DETOUR_EDGES, MAX_DETOURS
from pyrograph.scanner.analysis.assemble import Context
from pyrograph.scanner.analysis.search import Hit, Projection
from pyrograph.scanner.explain.branches import BranchCheck, Known
from pyrograph.scanner.explain.paths import CALL, RETURN, PathFinder
from pyrograph.scanner.explain.settled import PLACED

HEAP: Final = int(Context.HEAP)
COMPUTED: Final = PLACED | {Op.STORE}  # values that their block computes

Asked = tuple[int, int, tuple[tuple[int, str], ...]]  # graph, summary, and what is known around the call


class CompletedCalls:
    """Answers for one program."""

    def __init__(self, branches: BranchCheck, finder: PathFinder) -> None:
        self.branches = branches
        self.finder = finder
        self.control_flow = branches.control_flow
        self.value = finder.flow.value
        self.found: dict[Asked, bool] = {}
        self.left = MAX_DETOUR_EDGES  # edges that may still be gone through

    def is_possible(self, hit: Hit) -> bool:
        """Whether the data gets through each call that the path of a hit completes, or around those where it does not.

        At most ``MAX_DETOURS`` ways are looked at; one more counts as possible.
        """
        projection = hit.projection
        excluded = self.excluded_on(projection, [row for row, _ in self.finder.rows(hit)])
        for _ in range(MAX_DETOURS):
            if not excluded:
                return True
            rows = self.detour(hit, excluded)
            if rows is None:
                return False
            further = self.excluded_on(projection, rows)
            if not further:
                return True
            excluded |= further
        return True

    def excluded_on(self, projection: Projection, rows: list[int]) -> set[int]:
        """The summary edges of a path, as rows, through which the data does not get."""
        found: set[int] = set()
        known: Known = {}
        around: list[Known] = []
        finder, branches = self.finder, self.branches
        for row in rows:
            if row < 0:
                if not self.passes(projection, FIRST_SUMMARY - row, known, 0):
                    found.add(row)
                continue
            context = finder.context[row]
            if context == CALL:
                function = self.function_of(finder.target[row])
                around.append(known)
                known = branches.passed(branches.site[row], function, self.function_of(finder.origin[row]), known)
            elif context == RETURN:
                known = around.pop() if around else {}
            elif context == HEAP:
                known, around = {}, []
        return found

    def function_of(self, node: int) -> int:
        return int(self.control_flow.function[self.value[node]])

    def passes(self, projection: Projection, summary: int, known: Known, depth: int) -> bool:
        """Whether data gets through the call that a summary edge stands for, with the constants that it passes."""
        if depth == MAX_ASKED_DEPTH or self.left <= 0:
            return True
        name = id(projection), summary, tuple(sorted(known.items()))
        if name not in self.found:
            self.found[name] = True  # a function that calls itself: nothing is excluded by that
            self.found[name] = self.has_way(projection, summary, known, depth)
        return self.found[name]

    def has_way(self, projection: Projection, summary: int, known: Known, depth: int) -> bool:
        finder = self.finder
        site = int(projection.summaries.site[summary])
        if not 0 <= site < len(self.branches.results):  # no call that the program writes
            return True
        bodies = finder.bodies_of(projection, summary)
        inner = [self.branches.given(site, self.function_of(body.formal), known) for body in bodies]
        if not all(inner):  # of one function nothing is known
            return True
        expansion = finder.expand_summary(projection, summary)
        if expansion is None:
            return True
        at = bodies.index(expansion.body)
        if all(self.is_open(projection, expansion.body.formal, inner[at], depth, row) for row in expansion.inside):
            return True
        for body, given in zip(bodies, inner, strict=True):
            may_take = partial(self.is_open, projection, body.formal, given, depth)
            if finder.body(projection, body.formal, body.exits, may_take) is not None:
                return True
        return False

    def is_open(self, projection: Projection, formal: int, known: Known, depth: int, row: int) -> bool:
        """Whether an edge inside of a function may be taken: what it leads to is computed."""
        self.left -= 1
        if row < 0:
            summary = FIRST_SUMMARY - row
            target = int(projection.summaries.target[summary])
            if not self.passes(projection, summary, known, depth + 1):
                return False
        else:
            target = self.finder.target[row]
        value, function = self.value[target], self.function_of(formal)
        return self.control_flow.op[value] not in COMPUTED or self.branches.computes(value, function, known)

    def detour(self, hit: Hit, excluded: set[int]) -> list[int] | None:
        """The rows of a shortest path of a hit without ``excluded``; None where there is none, [] where the bound on
        work does not let it be found.
        """
        graph, rows = hit.projection.graph, hit.projection.rows.data
        offsets, targets = graph.offsets, graph.targets
        before: dict[int, tuple[int, int]] = {hit.source: (NONE, NONE)}
        waiting = deque([hit.source])
        while waiting:  # each node once, by ``before``
            node = waiting.popleft()
            if node == hit.sink:
                path = []
                while before[node][0] != NONE:  # up a tree
                    node, row = before[node]
                    path.append(row)
                return path[::-1]
            first, last = int(offsets[node]), int(offsets[node + 1])
            self.left -= last - first
            if self.left <= 0:
                return []
            for edge in range(first, last):
                target = int(targets[edge])
                if target not in before and rows[edge] not in excluded:
                    before[target] = (node, rows[edge])
                    waiting.append(target)
        return None
