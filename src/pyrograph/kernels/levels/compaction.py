"""Kernels that write down a pruned graph: what each edge carries, the reversed graph, prefix sums, and what is kept.

They stand apart from ``kernels``, which they share no device function with: Numba's simulator exchanges ``cuda`` file
by file.
"""

from __future__ import annotations

import numba
import numpy as np

from pyrograph.kernels.cuda import CACHED, cuda
from pyrograph.kernels.levels.parameters import HEAVY, I4, I8, SLOTS, THREADS, TILE, U4, U8, described, pins


@cuda.jit(cache=CACHED)
def _carry(offsets, edge_words, node_words, known, carried, origin):  # type: ignore[no-untyped-def]
    """The word that each edge carries, and its origin; large nodes by the whole block."""
    heavy = cuda.shared.array(SLOTS, numba.uint32)
    waiting = cuda.shared.array(1, numba.int32)
    thread = cuda.threadIdx.x
    if thread == 0:
        waiting[0] = 0
    cuda.syncthreads()
    first = cuda.blockIdx.x * cuda.blockDim.x
    while first < known.size:
        node = first + thread
        if node < known.size and known[node] != 0:
            begin = offsets[node]
            end = offsets[node + 1]
            if end - begin >= HEAVY:
                slot = cuda.atomic.add(waiting, 0, 1)
                if slot < SLOTS:
                    heavy[slot] = node
                    begin = end
            fact = known[node] & node_words[node if node_words.size > 1 else 0]
            for edge in range(begin, end):
                carried[edge] = fact & edge_words[edge if edge_words.size > 1 else 0]
                origin[edge] = node
        cuda.syncthreads()
        for slot in range(min(waiting[0], SLOTS)):
            one = heavy[slot]
            fact = known[one] & node_words[one if node_words.size > 1 else 0]
            for edge in range(offsets[one] + thread, offsets[one + 1], cuda.blockDim.x):
                carried[edge] = fact & edge_words[edge if edge_words.size > 1 else 0]
                origin[edge] = one
        cuda.syncthreads()
        if thread == 0:
            waiting[0] = 0
        cuda.syncthreads()
        first += cuda.gridDim.x * cuda.blockDim.x


@cuda.jit(cache=CACHED)
def _incoming(targets, carried, incoming):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if carried[edge] != 0:
            cuda.atomic.add(incoming, targets[edge], 1)


@cuda.jit(cache=CACHED)
def _reverse(targets, carried, origin, cursor, back_targets, back_words):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if carried[edge] != 0:
            at = cuda.atomic.add(cursor, targets[edge], 1)
            back_targets[at] = origin[edge]
            back_words[at] = carried[edge]


@cuda.jit(cache=CACHED)
def _meet(targets, known, alive, carried):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if carried[edge] != 0:
            carried[edge] &= alive[targets[edge]] & known[targets[edge]]


@cuda.jit(cache=CACHED)
def _nonzero(words, flags):  # type: ignore[no-untyped-def]
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        flags[i] = 1 if words[i] != 0 else 0


@cuda.jit(device=True)
def _before(scan, value):  # type: ignore[no-untyped-def]
    """The sum of ``value`` over the threads before this one; ``scan[-1]`` is then that over all of the block."""
    thread = cuda.threadIdx.x
    scan[thread] = value
    cuda.syncthreads()
    step = 1
    while step < THREADS:
        other = scan[thread - step] if thread >= step else 0
        cuda.syncthreads()
        scan[thread] += other
        cuda.syncthreads()
        step *= 2
    return scan[thread] - value


@cuda.jit(cache=CACHED)
def _tile_sums(counts, tiles):  # type: ignore[no-untyped-def]
    total = cuda.shared.array(1, numba.int64)
    for tile in range(cuda.blockIdx.x, tiles.size, cuda.gridDim.x):
        if cuda.threadIdx.x == 0:
            total[0] = 0
        cuda.syncthreads()
        mine = 0
        for i in range(tile * TILE + cuda.threadIdx.x, min((tile + 1) * TILE, counts.size), THREADS):
            mine += counts[i]
        if mine != 0:
            cuda.atomic.add(total, 0, mine)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            tiles[tile] = total[0]
        cuda.syncthreads()


@cuda.jit(cache=CACHED)
def _tile_starts(tiles):  # type: ignore[no-untyped-def]
    """Sums of tiles to where each tile starts; one block."""
    scan = cuda.shared.array(THREADS, numba.int64)
    carry = 0
    for first in range(0, tiles.size, THREADS):
        i = first + cuda.threadIdx.x
        value = tiles[i] if i < tiles.size else 0
        before = _before(scan, value)
        if i < tiles.size:
            tiles[i] = carry + before
        carry += scan[THREADS - 1]
        cuda.syncthreads()


@cuda.jit(cache=CACHED)
def _places(counts, tiles, sums):  # type: ignore[no-untyped-def]
    scan = cuda.shared.array(THREADS, numba.int64)
    for tile in range(cuda.blockIdx.x, tiles.size, cuda.gridDim.x):
        at = tiles[tile]
        for first in range(tile * TILE, min((tile + 1) * TILE, counts.size), THREADS):
            i = first + cuda.threadIdx.x
            value = np.int64(counts[i]) if i < counts.size else np.int64(0)
            before = _before(scan, value)
            if i < counts.size:
                sums[i] = at + before
            at += scan[THREADS - 1]
            cuda.syncthreads()


@cuda.jit(cache=CACHED)
def _keep_nodes(offsets, kept, place, ending, out_nodes, out_ends, totals):  # type: ignore[no-untyped-def]
    last = kept.size - 1
    for node in range(cuda.grid(1), last, cuda.gridsize(1)):
        if kept[node] != 0:
            out_nodes[place[node]] = node
            out_ends[place[node]] = ending[offsets[node + 1]]
    if cuda.grid(1) == 0:
        totals[0] = place[last]
        totals[1] = ending[ending.size - 1]


@cuda.jit(cache=CACHED)
def _keep_edges(targets, used, place, ending, carried, out_targets, out_words):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if used[edge] != 0:
            out_targets[ending[edge]] = place[targets[edge]]
            out_words[ending[edge]] = carried[edge]


CARRY = described(
    "carry",
    _carry,
    pins("read", offsets=I8, edge_words=U8, node_words=U8, known=U8),
    pins("update", carried=U8),
    pins("write", origin=U4),
)
INCOMING = described("incoming", _incoming, pins("read", targets=U4, carried=U8), pins("update", incoming=I4))
REVERSE = described(
    "reverse",
    _reverse,
    pins("read", targets=U4, carried=U8, origin=U4),
    pins("update", cursor=I8),
    pins("write", back_targets=U4, back_words=U8),
)
MEET = described("meet", _meet, pins("read", targets=U4, known=U8, alive=U8), pins("update", carried=U8))
NONZERO = described("nonzero", _nonzero, pins("read", words=U8), pins("update", flags=I4))
TILE_SUMS = described("tile sums", _tile_sums, pins("read", counts=I4), pins("write", tiles=I8))
TILE_STARTS = described("tile starts", _tile_starts, pins("update", tiles=I8))
PLACES = described("places", _places, pins("read", counts=I4, tiles=I8), pins("write", sums=I8))
KEEP_NODES = described(
    "keep nodes",
    _keep_nodes,
    pins("read", offsets=I8, kept=I4, place=I8, ending=I8),
    pins("write", out_nodes=U4, out_ends=I8, totals=I8),
)
KEEP_EDGES = described(
    "keep edges",
    _keep_edges,
    pins("read", targets=U4, used=I4, place=I8, ending=I8, carried=U8),
    pins("write", out_targets=U4, out_words=U8),
)
