"""Whether a path takes a piece out of the text that it began with: ``req.url.substring(7)``, ``path.split("?")[0]``.

Then it is no longer the address of the request that goes on: ``/proxy/https://example.org`` loses its own path, and an
address its query.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import Op
from pyrograph.policy.names.requests import CUTS_TEXT
from pyrograph.scanner.analysis.assemble import Context
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.steps import Steps


class Cuts:
    """Answers for the paths of one program."""

    def __init__(self, callers: Callers, steps: Steps) -> None:
        self.callers = callers
        self.steps = steps

    def behind_last(self, edges: Sequence[Edge]) -> Sequence[Edge] | None:
        """The steps behind the last one that takes a piece out of the text; None if there is none. O(edges)."""
        for at in range(len(edges) - 1, -1, -1):
            if self.is_cut(edges[at]):
                return edges[at + 1 :]
        return None

    def is_cut(self, edge: Edge) -> bool:
        """Whether the text behind an edge is a piece of the text before it."""
        steps, value = self.steps, self.steps.flow.value[edge.target]
        if steps.context[edge.row] not in (Context.INTRA, Context.HEAP):
            return False
        if steps.op[value] == Op.CALL:
            return CUTS_TEXT.fullmatch(self.callers.name_of(steps.data[value])) is not None
        return value in self.callers.slices
