"""Shared by the kernels of ``levels``: types, block sizes, the control array, and parameters for ``cudagraph``.

``control`` holds the state of a search in int32: WIDTH, the nodes waiting, comes first, because it is the condition of
the loop.

Numba's disk cache looks at the time of a kernel's own file alone: after a change of a constant here, empty the folder
``numba`` of the cache, or kernels run with the old one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.cuda import SIMULATED

I4, I8, U4, U8 = (np.dtype(kind) for kind in (np.int32, np.int64, np.uint32, np.uint64))

WIDTH, NEXT, SIDE, DEPTH, DONE, ROW = range(6)  # what stands where in ``control``
FIELDS = 8

THREADS = 2 if SIMULATED else 256
ALONE = 4 if SIMULATED else 1024  # threads of the one block that walks thin levels
THIN = 6 if SIMULATED else 512  # nodes (words, for 256 lanes) up to which a level is thin
HEAVY = 3 if SIMULATED else 128  # edges from which on a whole block takes a node
SLOTS = 64  # such nodes that a block may put aside at a time
TILE = 4 * THREADS  # elements of a prefix sum that a block takes at a time
WORDS = 4  # of 64 lanes each, in a row of ``levels.search``


def pins(access: Any, **kinds: np.dtype[Any]) -> list[cg.Pin | cg.Scalar]:
    """Array parameters by name."""
    return [cg.Pin(name, kind, access) for name, kind in kinds.items()]


def described(name: str, function: Any, *parameters: list[cg.Pin | cg.Scalar]) -> cg.Kernel:
    """A kernel with its parameters, in the order of its function."""
    return cg.Kernel(name, function, tuple(one for part in parameters for one in part))


QUEUED = pins("update", arriving=U8) + pins("write", queues=U4)
REPORTED = pins("update", reported_lane=U4, reported_node=U4, reported_depth=U4, reported_word=U8, count=I8)
