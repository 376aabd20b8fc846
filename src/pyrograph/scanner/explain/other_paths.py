"""Other paths of the data of one source, beside one through code that only certain users reach.

    def read(request): return request.args["order"]

Many handlers call such a function. The shortest path to a sink leaves it to one of them, which may run for
administrators only, while another one takes the same data to the same sink for anybody. So where what the shortest path
shows keeps others from it, and not where its source is read, a path is searched that does without the functions that
show it, until one shows nothing.

Cost: one search for each path that is passed over, bounded by ``MAX_OTHER_WAYS`` for a source and a sink, and by
``MAX_OTHER_EDGES`` for a scan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_OTHER_EDGES, MAX_OTHER_WAYS
from pyrograph.scanner.analysis.assemble import Context
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.access_checks import UNKNOWN
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.paths import PathFinder

LEFT: Final = int(Context.RETURN)


class OtherPaths:
    """Paths that take a hit's data out of the function that reads it to other callers."""

    def __init__(self, steps: PathFinder) -> None:
        self.steps = steps
        self.flow = steps.flow
        self.edges_left = MAX_OTHER_EDGES

    @cached_property
    def function_of(self) -> npt.NDArray[np.int32]:
        """(edges of the flow graph,) the function that an edge leads into."""
        found: npt.NDArray[np.int32] = self.steps.function[np.array(self.flow.value)][self.flow.target]
        return found

    def of(self, hit: Hit, askers: Sequence[Callers]) -> Iterator[Hit]:
        """Hits of the same source and sink whose paths enter none of the functions that show, on the paths before, who
        may take them.
        """
        steps, projection = self.steps, hit.projection
        source = steps.labels.sources[hit.source_role].value
        if any(each.evidence_at(source) != UNKNOWN for each in askers):
            return
        rows = projection.rows
        path = [rows.data[edge] for edge in steps.graph_edges(hit)]
        functions = np.where(rows >= 0, self.function_of[np.maximum(rows, 0)], NONE)  # summaries enter none
        closed: set[int] = set()
        for _ in range(MAX_OTHER_WAYS):  # ``closed`` grows each time
            if not any(row >= 0 and steps.context[row] == LEFT for row in path):
                return
            shown = self.showing(path, askers)
            if not shown or shown <= closed:
                return
            closed |= shown
            self.edges_left -= len(rows)
            if self.edges_left < 0:
                return
            found = engine.path_avoiding(projection.graph, hit.source, hit.sink, among(functions, sorted(closed)))
            if found is None:
                return
            path = [rows.data[edge] for edge in found]
            left = [edge for edge in found if rows.data[edge] >= 0 and steps.context[rows.data[edge]] == LEFT]
            if left:
                yield hit._replace(through=left[-1])

    def showing(self, path: Sequence[int], askers: Sequence[Callers]) -> set[int]:
        """The functions on a path that run for certain users only."""
        found = set()
        for row in path:
            if row >= 0:
                value = self.flow.value[self.steps.target[row]]
                if any(each.evidence_at(value) != UNKNOWN for each in askers):
                    found.add(int(self.steps.function[value]))
        return found
