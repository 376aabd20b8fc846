"""Values that become cells of tables of records (``records``): they have to exist before resolution begins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import Op
from pyrograph.policy.limits.resolution import MAX_RECORD_TABLES
from pyrograph.scanner.analysis.link import Program

Ints = npt.NDArray[np.int32]


def reserve_cells(program: Program, representative: Ints) -> tuple[Ints, range]:
    """Put values behind all others that become cells of tables; returns the representatives of all values, and them."""
    first = program.num_values
    count = min(2 * len(program.tables["owners"]["value"]) + MAX_RECORD_TABLES // 4, MAX_RECORD_TABLES) if first else 0
    empty = np.zeros(count, np.int32)
    cells = np.arange(first, first + count, dtype=np.int32)
    columns = {"op": np.full(count, Op.CELL, np.int32), "function": empty, "start": empty, "end": empty, "data": empty}
    program.append({"values": {name: [column] for name, column in columns.items()}}, empty)
    return np.concatenate([representative, cells]), range(first, first + count)
