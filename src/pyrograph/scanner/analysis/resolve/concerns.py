"""What ``propagation`` does with a state that arrives at a node, besides sending it along the node's edges."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.scanner.analysis.link import Program

MEMBERS: Final = 1  # a class gets its own members
BASES: Final = 2  # a class gets the members of a base
LOADS: Final = 4
CALLS: Final = 8
STORES: Final = 16
TYPES: Final = 32  # what is declared to have this type gets an instance
LISTENERS: Final = 64  # ``Solver.listeners``; added while the solver runs


def concerned(program: Program, rep: npt.NDArray[np.int32]) -> bytearray:
    """Of each node, by number: the sum of what is done with its states."""
    t = program.tables
    found = np.zeros(program.num_values, np.uint8)
    for what, values in (
        (MEMBERS, t["members"]["owner"]),
        (BASES, t["bases"]["base"]),
        (LOADS, t["loads"]["object"]),
        (CALLS, t["calls"]["callee"]),
        (STORES, t["stores"]["object"][t["stores"]["value"] >= 0]),
        (TYPES, t["types"]["type"]),
    ):
        found[rep[values]] |= what
    return bytearray(found.tobytes())
