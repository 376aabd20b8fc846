"""What a value is another name for: inputs of a merge, a default, what a function returns, a captured variable."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import Flow
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Program


class SameValues:
    """Built once of the flows and captures of a program, in O(n log n); a question takes the time of its answer."""

    def __init__(self, program: Program, rep: npt.NDArray[np.int32]) -> None:
        tables = program.tables
        flows, captures = tables["flows"], tables["captures"]
        same = flows["kind"] == int(Flow.SAME)
        self.outer: dict[int, int] = dict(zip(captures["inner"].tolist(), captures["outer"].tolist(), strict=True))
        self._rows = RowsByKey(rep[flows["target"][same]])
        self._origin = flows["origin"][same]

    def before(self, node: int) -> list[int]:
        """The values that flow unchanged into those with the representative ``node``, within their function."""
        found: list[int] = self._origin[self._rows.of(node)].tolist()
        return found
