"""Another path of the same data, beside one that constants exclude.

    def page(query, counted=True):
        if counted:
            query, total = counted_page(query)
        else:
            query += " LIMIT 10"
        cursor.execute(query)

Each call of ``page`` counts, so that no run takes the shortest path, which goes through the branch that adds a limit.
The same data gets to the sink through ``counted_page``. So where a value on a path is never computed, or the constants
of a call that it enters exclude a later one, a path is searched without the edges that lead there.

Cost: one search for each path that is passed over, bounded by ``MAX_OTHER_PATHS`` for a source and a sink, and by
``MAX_OTHER_EDGES`` for a scan.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.explanation import MAX_OTHER_EDGES, MAX_OTHER_PATHS
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.branches import BranchCheck
from pyrograph.scanner.explain.paths import PathFinder
from pyrograph.scanner.explain.settled import Settled


class PossiblePaths:
    """Answers for one program."""

    def __init__(self, steps: PathFinder, branches: BranchCheck, settled: Settled) -> None:
        self.steps = steps
        self.branches = branches
        self.settled = settled
        self.edges_left = MAX_OTHER_EDGES

    def possible(self, hit: Hit) -> Sequence[int] | None:
        """The rows of a path from the source of a hit to its sink that neither settled values nor constants of its
        calls exclude; None if none is found.
        """
        labels = self.steps.labels
        call = labels.sinks[hit.sink_role].call
        fixed = [labels.sources[hit.source_role].value]  # each path has these
        if 0 <= call < len(self.branches.results):
            fixed.append(self.branches.results[call])
        if not self.settled.is_possible(fixed):
            return None
        for ahead in (0, 1):  # without the call that is excluded; without the one that passes the constants
            found = self.without(hit, ahead)
            if found is not None:
                return found
        return None

    def without(self, hit: Hit, ahead: int) -> Sequence[int] | None:
        """``possible``, by doing without the call of a path that is excluded, or without the one ``ahead`` of it."""
        rows: Sequence[int] | None = [row for row, _ in self.steps.rows(hit)]
        blocked: set[int] = set()
        for _ in range(MAX_OTHER_PATHS):  # ``blocked`` grows each time
            if rows is None:
                return None
            excluded = self.excluded(hit, rows, ahead)
            if not excluded:
                return rows
            self.edges_left -= len(hit.projection.rows)
            if excluded <= blocked or NONE in excluded or self.edges_left < 0:
                return None
            blocked |= excluded
            rows = self.steps.rows_without(hit, blocked)
        return None

    def excluded(self, hit: Hit, rows: Sequence[int], ahead: int) -> set[int]:
        """The rows of a path that no run takes; ``NONE`` among them where it is the sink that is excluded, and nothing
        else of the path decides.
        """
        steps, found = self.steps, set()
        placed = steps.with_depths(rows)
        edges = []
        for row, depth in placed:
            inside = steps.edges_along(hit, [(row, depth)])  # of a completed call: those of its body
            edges += inside
            if not self.settled.is_possible(steps.flow.value[edge.target] for edge in inside):
                found.add(row)
        if found:
            return found
        entered = self.branches.excluded_calls(edges, steps.labels.sinks[hit.sink_role])
        return {entered[max(0, len(entered) - 1 - ahead)]} if entered else set()
