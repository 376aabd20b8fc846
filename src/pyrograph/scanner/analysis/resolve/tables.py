"""Tables of the program, grouped by one of their columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import first_of_equals, stable_order
from pyrograph.scanner.analysis.link import Program

Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]


def grouped(program: Program, keys: npt.NDArray[np.int32]) -> dict[int, list[int]]:
    """Row numbers by key, ascending; rows with a negative key are left out. Time O(n log n)."""
    order = stable_order(keys)
    different, starts = runs(keys[order])
    rows = program.interned(order)
    bounds: list[int] = starts.tolist()
    found: dict[int, list[int]] = {}
    for at, key in enumerate(program.interned(different)):
        if key >= 0:
            found[key] = rows[bounds[at] : bounds[at + 1]]
    return found


def runs(ordered: Numbers) -> tuple[Numbers, npt.NDArray[np.intp]]:
    """The distinct values of ascending keys (n,), and where each begins (n + 1,): the last is the number of keys."""
    starts = first_of_equals(ordered)
    return ordered[starts], np.append(starts, len(ordered))
