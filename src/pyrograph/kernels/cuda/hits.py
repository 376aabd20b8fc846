"""From depths to hits in order, on the device: count the set entries of each row, sum the counts, write the hits.

``walk`` writes a row of depths for each source. A hit's place in the answer is the sum of the counts before its row and
of the entries before it, so that the order is that of rows and columns whatever threads do.
"""

# Numba reads what follows as it stands: module constants are constants there.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba
import numpy as np

from pyrograph.kernels.cuda.device import SIMULATED, cuda, inlined, kernel

TILE = 4 if SIMULATED else 256  # threads of these kernels


@kernel()
def count(depths, counts):
    """How many entries of each row are set; one block per row."""
    found = cuda.shared.array(1, numba.int32)
    if cuda.threadIdx.x == 0:
        found[0] = 0
    cuda.syncthreads()
    row = depths[cuda.blockIdx.x]
    mine = 0
    for i in range(cuda.threadIdx.x, row.size, cuda.blockDim.x):
        if row[i] != 0:
            mine += 1
    if mine:
        cuda.atomic.add(found, 0, mine)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = found[0]


@inlined
def _scan(shared, thread, value):
    """The sum of the values of this thread and those before it, in a block of TILE threads."""
    shared[thread] = value
    cuda.syncthreads()
    step = 1
    while step < TILE:
        before = shared[thread - step] if thread >= step else 0
        cuda.syncthreads()
        shared[thread] += before
        cuda.syncthreads()
        step *= 2
    return shared[thread]


@kernel()
def scan(counts, start):
    """``start[i]`` is the sum of the counts before ``i``, the last entry the sum of all; one block."""
    sums = cuda.shared.array(TILE, numba.int64)
    thread = cuda.threadIdx.x
    base = np.int64(0)
    for first in range(0, counts.size, TILE):
        i = first + thread
        value = np.int64(counts[i]) if i < counts.size else np.int64(0)
        through = _scan(sums, thread, value)
        if i < counts.size:
            start[i] = base + through - value
        base += sums[TILE - 1]
        cuda.syncthreads()
    if thread == 0:
        start[counts.size] = base


@kernel()
def fill(depths, start, reported, first_name, second_name, out):
    """Write the set entries of each row from ``start[row]`` on, in order; one block per row.

    Args:
        reported: (columns,) the number of the node that each column of ``depths`` stands for.
        first_name, second_name: (rows,) numbers of each row's search, written before and after node and depth.
        out: (4, capacity) uint32.
    """
    sums = cuda.shared.array(TILE, numba.int64)
    thread = cuda.threadIdx.x
    row = depths[cuda.blockIdx.x]
    place = start[cuda.blockIdx.x]
    first = first_name[cuda.blockIdx.x]
    second = second_name[cuda.blockIdx.x]
    for begin in range(0, row.size, TILE):
        i = begin + thread
        depth = row[i] if i < row.size else np.uint32(0)
        through = _scan(sums, thread, np.int64(1) if depth != 0 else np.int64(0))
        if depth != 0:
            at = place + through - 1
            out[0, at] = first
            out[1, at] = reported[i]
            out[2, at] = np.uint32(depth - np.uint32(1))
            out[3, at] = second
        place += sums[TILE - 1]
        cuda.syncthreads()


@kernel()
def clear(table):
    """Set a table to zero."""
    for i in range(cuda.grid(1), table.size, cuda.gridsize(1)):
        table[i] = 0
