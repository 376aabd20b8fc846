"""Kernels of levels and of summary edges: all that take nodes from a queue and put nodes into the next one.

Levels exist in two forms, made from one text: ``alone`` is one block that walks thin levels, as many as there are, with
its own barrier; the other form is one level by the whole device.

All of them stand in one file because Numba's simulator exchanges ``cuda`` file by file, and its disk cache looks at the
time of a kernel's own file alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.arrays import LANES
from pyrograph.kernels.cuda import CACHED, SIMULATED, cuda
from pyrograph.kernels.levels.parameters import (
    DEPTH,
    DONE,
    FIELDS,
    HEAVY,
    I4,
    I8,
    NEXT,
    QUEUED,
    REPORTED,
    ROW,
    SIDE,
    SLOTS,
    THIN,
    U4,
    U8,
    WIDTH,
    WORDS,
    described,
    pins,
)  # fmt: skip

# ---- levels. Numba reads these as they stand; what is a plain Python constant here is one there.


def masked(source: int, current: int, target: int, metadata: Any, fact: Any) -> Any:
    """The transfer function of masks."""
    return fact & metadata


def _claim_alone() -> Any:
    @cuda.jit(device=True)
    def claim(tail):  # type: ignore[no-untyped-def]
        return cuda.atomic.add(tail, NEXT, 1)

    return claim


def _claim_by_warp() -> Any:
    """One atomic operation for all threads of a warp that push together; has no simulator twin."""

    @cuda.jit(device=True)
    def claim(tail):  # type: ignore[no-untyped-def]
        together = cuda.activemask()
        below = cuda.popc(together & cuda.lanemask_lt())
        base = np.int32(0)
        if below == 0:
            base = cuda.atomic.add(tail, NEXT, cuda.popc(together))
        return cuda.shfl_sync(together, base, cuda.ffs(together) - 1) + below

    return claim


claim = _claim_alone() if SIMULATED else _claim_by_warp()  # a place in the queue of the next level


@cuda.jit(device=True)
def finish(control, side, depth):  # type: ignore[no-untyped-def]
    """The last block turns the queues over; every thread calls this once, at its end."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.threadfence()
        if cuda.atomic.add(control, DONE, 1) == cuda.gridDim.x - 1:
            # By an atomic operation, because a plain load may come from this multiprocessor's own cache.
            control[WIDTH] = cuda.atomic.exch(control, NEXT, 0)
            control[SIDE] = 1 - side
            control[DEPTH] = depth + 1
            control[DONE] = 0


@cuda.jit(device=True)
def _turned(tail):  # type: ignore[no-untyped-def]
    """The width of the next level, for the block that walks alone; every thread calls this."""
    cuda.syncthreads()
    width = tail[NEXT]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        tail[NEXT] = 0
    cuda.syncthreads()
    return width


@cuda.jit(device=True)
def _leave(control, width, side, depth):  # type: ignore[no-untyped-def]
    """Write the state of the block that walked alone to ``control``."""
    if cuda.threadIdx.x == 0:
        control[WIDTH] = width
        control[SIDE] = side
        control[DEPTH] = depth


@cache
def spread_of(transfer: Callable[..., Any], per_edge: bool) -> Any:
    """Offer a node's fact to its edges: by its own thread, or by the whole block where there are many."""
    function = cuda.jit(device=True)(transfer)

    @cuda.jit(device=True)
    def offer(source, node, fact, edge, targets, metadata, known, arriving, queues, tail, after):  # type: ignore[no-untyped-def]
        target = targets[edge]
        meta = metadata[(edge if per_edge else np.int64(node)) if metadata.size > 1 else 0]
        flows = function(np.int64(source), np.int64(node), np.int64(target), meta, fact)
        new = np.uint64(flows) & ~known[target]
        if new != 0 and cuda.atomic.or_(arriving, (after, target), new) == 0:
            queues[after, claim(tail)] = target

    @cuda.jit(device=True)
    def spread(  # type: ignore[no-untyped-def]
        source, node, fact, begin, end, heavy, words, waiting, offsets, targets, metadata, known, arriving, queues,
        tail, after,
    ):  # fmt: skip
        put_aside = 0
        if fact != 0:
            if end - begin >= HEAVY:
                slot = cuda.atomic.add(waiting, 0, 1)
                put_aside = 1
                if slot < SLOTS:
                    heavy[slot] = node
                    words[slot] = fact
                    begin = end
            for edge in range(begin, end):
                offer(source, node, fact, edge, targets, metadata, known, arriving, queues, tail, after)
        if cuda.syncthreads_or(put_aside):
            for slot in range(min(waiting[0], SLOTS)):
                one = heavy[slot]
                for edge in range(offsets[one] + cuda.threadIdx.x, offsets[one + 1], cuda.blockDim.x):
                    offer(source, one, words[slot], edge, targets, metadata, known, arriving, queues, tail, after)
            cuda.syncthreads()
            if cuda.threadIdx.x == 0:
                waiting[0] = 0
            cuda.syncthreads()

    return spread


@cache
def quiet(alone: bool) -> cg.Kernel:
    """Levels that report nothing: a pass of ``levels.prune``."""
    spread = spread_of(masked, True)

    @cuda.jit(cache=CACHED)
    def level(offsets, targets, metadata, leaving, known, arriving, queues, control):  # type: ignore[no-untyped-def]
        heavy = cuda.shared.array(SLOTS, numba.uint32)
        words = cuda.shared.array(SLOTS, numba.uint64)
        waiting = cuda.shared.array(1, numba.int32)
        own = cuda.shared.array(FIELDS, numba.int32)
        tail = own if alone else control
        width, side, depth = control[WIDTH], control[SIDE], control[DEPTH]
        if cuda.threadIdx.x == 0:
            waiting[0] = 0
            own[NEXT] = 0
        cuda.syncthreads()
        while width > 0 and (not alone or width <= THIN):
            first = 0 if alone else cuda.blockIdx.x * cuda.blockDim.x
            while first < width:
                i = first + cuda.threadIdx.x
                node = np.uint32(0)
                fact = np.uint64(0)
                begin = np.int64(0)
                end = np.int64(0)
                if i < width:
                    node = queues[side, i]
                    begin = offsets[node]
                    end = offsets[node + 1]
                    fresh = arriving[side, node] & ~known[node]
                    arriving[side, node] = 0
                    if fresh != 0:
                        known[node] |= fresh
                        fact = fresh & leaving[node if leaving.size > 1 else 0]
                spread(
                    0, node, fact, begin, end, heavy, words, waiting, offsets, targets, metadata, known, arriving,
                    queues, tail, 1 - side,
                )  # fmt: skip
                first += cuda.blockDim.x if alone else cuda.gridDim.x * cuda.blockDim.x
            if not alone:
                finish(control, side, depth)
                return
            width = _turned(tail)
            side = 1 - side
            depth += 1
        if alone:
            _leave(control, width, side, depth)

    return described(
        "thin levels" if alone else "wide level",
        level,
        pins("read", offsets=I8, targets=U4, metadata=U8, leaving=U8),
        pins("update", known=U8, arriving=U8, queues=U4, control=I4),
    )


@cache
def reporting(transfer: Callable[..., Any], per_edge: bool, alone: bool) -> cg.Kernel:
    """Levels that report each node's new words, and the level: ``levels.flow`` and ``apply``."""
    spread = spread_of(transfer, per_edge)

    @cuda.jit
    def level(  # type: ignore[no-untyped-def]
        offsets, targets, metadata, known, arriving, queues, control, report, seeds,
        reported_lane, reported_node, reported_depth, reported_word, count, max_depth,
    ):  # fmt: skip
        heavy = cuda.shared.array(SLOTS, numba.uint32)
        words = cuda.shared.array(SLOTS, numba.uint64)
        waiting = cuda.shared.array(1, numba.int32)
        own = cuda.shared.array(FIELDS, numba.int32)
        tail = own if alone else control
        width, side, depth, row = control[WIDTH], control[SIDE], control[DEPTH], control[ROW]
        source = seeds[row]
        if cuda.threadIdx.x == 0:
            waiting[0] = 0
            own[NEXT] = 0
        cuda.syncthreads()
        while width > 0 and (not alone or width <= THIN):
            first = 0 if alone else cuda.blockIdx.x * cuda.blockDim.x
            while first < width:
                i = first + cuda.threadIdx.x
                node = np.uint32(0)
                fact = np.uint64(0)
                begin = np.int64(0)
                end = np.int64(0)
                if i < width:
                    node = queues[side, i]
                    begin = offsets[node]
                    end = offsets[node + 1]
                    fresh = arriving[side, node] & ~known[node]
                    arriving[side, node] = 0
                    if fresh != 0:
                        known[node] |= fresh
                        reported = fresh & report[node]
                        if reported != 0 and depth > 0:
                            at = cuda.atomic.add(count, 0, 1)
                            if at < reported_lane.size:
                                reported_lane[at] = row
                                reported_node[at] = node
                                reported_depth[at] = depth
                                reported_word[at] = reported
                        if depth < max_depth:
                            fact = known[node]
                spread(
                    source, node, fact, begin, end, heavy, words, waiting, offsets, targets, metadata, known, arriving,
                    queues, tail, 1 - side,
                )  # fmt: skip
                first += cuda.blockDim.x if alone else cuda.gridDim.x * cuda.blockDim.x
            if not alone:
                finish(control, side, depth)
                return
            width = _turned(tail)
            side = 1 - side
            depth += 1
        if alone:
            _leave(control, width, side, depth)

    return described(
        "thin levels" if alone else "wide level",
        level,
        pins("read", offsets=I8, targets=U4, metadata=U8),
        pins("update", known=U8, arriving=U8, queues=U4, control=I4),
        pins("read", report=U8, seeds=U4),
        REPORTED,
        [cg.Scalar("max_depth", I4)],
    )


@cache
def lanes(alone: bool) -> cg.Kernel:
    """Levels of 256 lanes: a thread for each word of each waiting node: ``levels.search``."""

    @cuda.jit(cache=CACHED)
    def level(  # type: ignore[no-untyped-def]
        offsets, targets, known, arriving, queues, stamp, control, report, row,
        reported_lane, reported_node, reported_depth, reported_word, count, max_depth,
    ):  # fmt: skip
        heavy = cuda.shared.array(SLOTS, numba.uint32)
        words = cuda.shared.array(SLOTS, numba.uint64)
        columns = cuda.shared.array(SLOTS, numba.int32)
        waiting = cuda.shared.array(1, numba.int32)
        own = cuda.shared.array(FIELDS, numba.int32)
        tail = own if alone else control
        width, side, depth = control[WIDTH] * WORDS, control[SIDE], control[DEPTH]
        thread = cuda.threadIdx.x
        if thread == 0:
            waiting[0] = 0
            own[NEXT] = 0
        cuda.syncthreads()
        while width > 0 and (not alone or width <= THIN):
            first = 0 if alone else cuda.blockIdx.x * cuda.blockDim.x
            after = 1 - side
            while first < width:
                i = first + thread
                put_aside = 0
                if i < width:
                    node = queues[side, i // WORDS]
                    column = i % WORDS
                    begin = offsets[node]
                    end = offsets[node + 1]
                    fresh = arriving[side, node, column] & ~known[node, column]
                    arriving[side, node, column] = 0
                    if fresh != 0:
                        known[node, column] |= fresh
                        if report[node] != 0 and depth > 0:
                            at = cuda.atomic.add(count, 0, 1)
                            if at < reported_lane.size:
                                reported_lane[at] = row[0] * WORDS + column
                                reported_node[at] = node
                                reported_depth[at] = depth
                                reported_word[at] = fresh
                        if depth >= max_depth:
                            begin = end
                        if end - begin >= HEAVY:
                            slot = cuda.atomic.add(waiting, 0, 1)
                            put_aside = 1
                            if slot < SLOTS:
                                heavy[slot] = node
                                words[slot] = fresh
                                columns[slot] = column
                                begin = end
                        for edge in range(begin, end):
                            other = targets[edge]
                            _offer_lanes(fresh, column, other, known, arriving, queues, stamp, tail, after, depth)
                if cuda.syncthreads_or(put_aside):
                    for slot in range(min(waiting[0], SLOTS)):
                        one = heavy[slot]
                        word = words[slot]
                        place = columns[slot]
                        for edge in range(offsets[one] + thread, offsets[one + 1], cuda.blockDim.x):
                            other = targets[edge]
                            _offer_lanes(word, place, other, known, arriving, queues, stamp, tail, after, depth)
                    cuda.syncthreads()
                    if thread == 0:
                        waiting[0] = 0
                    cuda.syncthreads()
                first += cuda.blockDim.x if alone else cuda.gridDim.x * cuda.blockDim.x
            if not alone:
                finish(control, side, depth)
                return
            width = _turned(tail) * WORDS
            side = after
            depth += 1
        if alone:
            _leave(control, width // WORDS, side, depth)

    return described(
        "thin levels" if alone else "wide level",
        level,
        pins("read", offsets=I8, targets=U4),
        pins("update", known=U8, arriving=U8, queues=U4, stamp=I4, control=I4),
        pins("read", report=I4, row=I4),
        REPORTED,
        [cg.Scalar("max_depth", I4)],
    )


@cuda.jit(device=True)
def _offer_lanes(fresh, column, target, known, arriving, queues, stamp, tail, after, depth):  # type: ignore[no-untyped-def]
    new = fresh & ~known[target, column]
    if new != 0:
        cuda.atomic.or_(arriving, (after, target, column), new)
        # The stamp is the level of the last push plus two: the first word that arrives in a level pushes the node.
        if stamp[target] < depth + 2 and cuda.atomic.max(stamp, target, depth + 2) < depth + 2:
            queues[after, claim(tail)] = target


# ---- the queue of the first level


@cuda.jit(cache=CACHED)
def _seed(seeds, words, arriving, queues, control):  # type: ignore[no-untyped-def]
    for i in range(cuda.grid(1), seeds.size, cuda.gridsize(1)):
        node = seeds[i]
        if words[i] != 0 and cuda.atomic.or_(arriving, (0, node), words[i]) == 0:
            queues[0, claim(control)] = node


@cuda.jit(cache=CACHED)
def _turn(control):  # type: ignore[no-untyped-def]
    """Make the nodes pushed so far the queue of the first level."""
    control[WIDTH] = control[NEXT]
    control[NEXT] = 0


@cuda.jit(cache=CACHED)
def _start(row, seeds, words, arriving, queues, control):  # type: ignore[no-untyped-def]
    at = row[0]
    arriving[0, seeds[at]] = words[at]
    queues[0, 0] = seeds[at]
    for field in range(control.size):
        control[field] = 0
    control[WIDTH] = 1 if words[at] != 0 else 0
    control[ROW] = at


@cuda.jit(cache=CACHED)
def _start_lanes(row, seeds, arriving, queues, stamp, control):  # type: ignore[no-untyped-def]
    first = row[0] * WORDS * LANES
    last = min(first + WORDS * LANES, seeds.size)
    for i in range(first + cuda.threadIdx.x, last, cuda.blockDim.x):
        node = seeds[i]
        lane = i - first
        cuda.atomic.or_(arriving, (0, node, lane // LANES), np.uint64(1) << np.uint64(lane % LANES))
        if cuda.atomic.max(stamp, node, 1) == 0:
            queues[0, claim(control)] = node


@cuda.jit(cache=CACHED)
def _want(report, known, arriving, queues, control):  # type: ignore[no-untyped-def]
    for node in range(cuda.grid(1), known.size, cuda.gridsize(1)):
        wanted = known[node] & report[node]
        if wanted != 0:
            arriving[0, node] = wanted
            queues[0, claim(control)] = node


SEED = described("seed", _seed, pins("read", seeds=U4, words=U8), QUEUED, pins("update", control=I4))
TURN = described("turn", _turn, pins("update", control=I4))
START = described("start", _start, pins("read", row=I4, seeds=U4, words=U8), QUEUED, pins("write", control=I4))
START_LANES = described(
    "start lanes", _start_lanes, pins("read", row=I4, seeds=U4), QUEUED, pins("update", stamp=I4, control=I4)
)
WANT = described("want", _want, pins("read", report=U8, known=U8), QUEUED, pins("update", control=I4))


# ---- summary edges: what has arrived is settled by one kernel and offered by the next


@cuda.jit(cache=CACHED)
def _start_formals(seeds, arriving, queues, control):  # type: ignore[no-untyped-def]
    for i in range(cuda.grid(1), seeds.size, cuda.gridsize(1)):
        arriving[0, seeds[i]] = np.uint64(0xFFFFFFFFFFFFFFFF)
        queues[0, claim(control)] = seeds[i]


@cuda.jit(cache=CACHED)
def _settle(known, fresh, arriving, queues, control):  # type: ignore[no-untyped-def]
    side = control[SIDE]
    for i in range(cuda.grid(1), control[WIDTH], cuda.gridsize(1)):
        row = queues[side, i]
        fresh[i] = arriving[side, row] & ~known[row]
        known[row] |= fresh[i]
        arriving[side, row] = 0


@cuda.jit(device=True)
def _push_row(row, word, known, arriving, queues, control, after):  # type: ignore[no-untyped-def]
    new = word & ~known[row]
    if new != 0 and cuda.atomic.or_(arriving, (after, row), new) == 0:
        queues[after, claim(control)] = row


@cuda.jit(cache=CACHED)
def _offer(  # type: ignore[no-untyped-def]
    known, fresh, base, row_node, offsets, targets, masks, leaving, through, argument, ending, at_exit, formal,
    allowed, found, arriving, queues, control,
):  # fmt: skip
    side, depth = control[SIDE], control[DEPTH]
    after = 1 - side
    for i in range(cuda.grid(1), control[WIDTH], cuda.gridsize(1)):
        word = fresh[i]
        if word == 0:
            continue
        row = queues[side, i]
        node = row_node[row]
        own = row - base[node]
        for edge in range(offsets[node], offsets[node + 1]):
            _push_row(base[targets[edge]] + own, word & masks[edge], known, arriving, queues, control, after)
        for one in range(leaving[node], leaving[node + 1]):
            _push_row(base[through[one]] + own, word & found[one], known, arriving, queues, control, after)
        for place in range(ending[node], ending[node + 1]):
            one = at_exit[place]
            if formal[one] == own:
                new = word & allowed[one] & ~found[one]
                if new != 0:
                    cuda.atomic.or_(found, one, new)
                    begin = base[argument[one]]
                    there = base[through[one]]
                    for other in range(base[argument[one] + 1] - begin):
                        _push_row(there + other, known[begin + other] & new, known, arriving, queues, control, after)
    finish(control, side, depth)


START_FORMALS = described("start formals", _start_formals, pins("read", seeds=I8), QUEUED, pins("update", control=I4))
SETTLE = described(
    "settle",
    _settle,
    pins("update", known=U8),
    pins("write", fresh=U8),
    pins("update", arriving=U8),
    pins("read", queues=U4, control=I4),
)
OFFER = described(
    "offer",
    _offer,
    pins("read", known=U8, fresh=U8, base=I8, row_node=U4, offsets=I8, targets=U4, masks=U8),
    pins("read", leaving=I8, through=U4, argument=U4, ending=I8, at_exit=U4, formal=I4, allowed=U8),
    pins("update", found=U8, arriving=U8, queues=U4, control=I4),
)
