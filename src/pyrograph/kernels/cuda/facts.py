"""The fixpoint on the device: facts that flow through a transfer function, one block per row.

A row has two words per node in global memory: what is known, and what is arriving at the next level. Rows are reported
in the order in which blocks come to them, each exactly once, and sorted by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Block, Index, Numbers, Words
from pyrograph.kernels.cuda import device
from pyrograph.kernels.cuda.device import SIMULATED, cuda
from pyrograph.kernels.errors import LimitError


def flow(
    offsets: Index,
    targets: Numbers,
    edge_words: Words | None,
    report: Words,
    seeds: Index,
    seed_words: Words,
    max_depth: int,
) -> Iterator[Block]:
    """As ``vectorised.flow``, one block per seed."""
    words = np.full(1, ~np.uint64(0)) if edge_words is None else edge_words
    kernel = _facts_kernel(_masked if edge_words is not None else _everything)
    yield from _facts(kernel, offsets, targets, words, edge_words is not None, report, seeds, seed_words, max_depth)


def apply(
    offsets: Index,
    targets: Numbers,
    metadata: npt.NDArray[np.unsignedinteger],
    per_edge: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    transfer: Any,
    max_depth: int,
) -> Iterator[Block]:
    """As ``multicore.apply``; the function is compiled for the device from its Python text."""
    kernel = _facts_kernel(transfer.py_func)
    words = metadata.astype(np.uint64)
    yield from _facts(kernel, offsets, targets, words, per_edge, report, seeds, seed_words, max_depth)


def _facts(
    kernel: Any,
    offsets: Index,
    targets: Numbers,
    metadata: Words,
    per_edge: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    max_depth: int,
) -> Iterator[Block]:
    n = len(offsets) - 1
    if not len(seeds) or not n:
        return
    free = device.free_memory()
    per_block = 28 * n
    fixed = 8 * (n + 1) + 4 * len(targets) + 8 * len(metadata) + 8 * n
    if fixed + per_block > free:
        raise LimitError("bytes on the device", fixed + per_block, free, "prune the graph or use --device cpu")
    grid = int(max(1, min(device.processors() * 4, len(seeds), (free - fixed) // 2 // per_block)))
    threads = 4 if SIMULATED else 256
    graph = [cuda.to_device(array) for array in (
        offsets.astype(np.int64), targets.astype(np.uint32) if len(targets) else np.zeros(1, np.uint32),
        metadata if len(metadata) else np.zeros(1, np.uint64), report,
        seeds.astype(np.uint32), seed_words,
    )]  # fmt: skip
    known, arriving = (cuda.to_device(np.zeros((grid, n), np.uint64)) for _ in range(2))
    queues = cuda.device_array((grid, 3, n), np.uint32)
    capacity = 1 << 16
    while True:
        where = cuda.device_array((3, capacity), np.uint32)
        word = cuda.device_array(capacity, np.uint64)
        count = cuda.to_device(np.zeros(1, np.int64))
        taken = cuda.to_device(np.zeros(1, np.int32))
        kernel[grid, threads](
            *graph, per_edge, taken, known, arriving, queues, where, word, count, min(max_depth, 1 << 62)
        )
        total = int(count.copy_to_host()[0])
        if total <= capacity:
            break
        capacity = total  # nothing was lost but time: every row counts what it could not write
        if 20 * capacity > device.free_memory():
            raise LimitError("bytes of facts on the device", 20 * capacity, device.free_memory(), "give fewer seeds")
    if total:  # only what was written is copied
        lane, node, depth = (where[row][:total].copy_to_host() for row in range(3))
        yield Block(lane, node, depth, word[:total].copy_to_host())


def _masked(source: int, current: int, target: int, metadata: Any, fact: Any) -> Any:
    return fact & metadata


def _everything(source: int, current: int, target: int, metadata: Any, fact: Any) -> Any:
    return fact


@cache
def _facts_kernel(function: Callable[..., Any]) -> Any:
    """The fixpoint around a transfer function; one block per row."""
    transfer = cuda.jit(device=True)(function)

    @cuda.jit
    def facts(  # type: ignore[no-untyped-def]
        offsets, targets, metadata, report, seeds, words, per_edge, taken, known_all, arriving_all, queues,
        where, reported_words, count, max_depth,
    ):  # fmt: skip
        zero = np.uint64(0)
        control = cuda.shared.array(3, numba.int32)  # the row this block took; nodes of the next level; nodes touched
        thread = cuda.threadIdx.x
        threads = cuda.blockDim.x
        known = known_all[cuda.blockIdx.x]
        arriving = arriving_all[cuda.blockIdx.x]
        touched = queues[cuda.blockIdx.x, 2]
        while True:
            if thread == 0:
                control[0] = cuda.atomic.add(taken, 0, 1)
            cuda.syncthreads()
            row = control[0]
            if row >= seeds.size:
                return
            source = seeds[row]
            if thread == 0:
                known[source] = words[row]
                queues[cuda.blockIdx.x, 0, 0] = source
                touched[0] = source
                control[1] = 0
                control[2] = 1
            cuda.syncthreads()
            side = 0
            width = 1
            depth = 0
            while width > 0 and depth < max_depth:
                depth += 1
                here = queues[cuda.blockIdx.x, side]
                after = queues[cuda.blockIdx.x, 1 - side]
                for i in range(thread, width, threads):
                    node = here[i]
                    fact = known[node]
                    for edge in range(offsets[node], offsets[node + 1]):
                        target = targets[edge]
                        meta = metadata[edge if per_edge else (node if metadata.size > 1 else 0)]
                        flows = transfer(np.int64(source), np.int64(node), np.int64(target), meta, fact)
                        new = np.uint64(flows) & ~known[target]
                        if new != zero and cuda.atomic.or_(arriving, target, new) == zero:
                            after[cuda.atomic.add(control, 1, 1)] = target
                cuda.syncthreads()
                width = control[1]
                for i in range(thread, width, threads):
                    node = after[i]
                    new = arriving[node]
                    arriving[node] = zero
                    if known[node] == zero:
                        touched[cuda.atomic.add(control, 2, 1)] = node
                    known[node] |= new
                    reported = new & report[node]
                    if reported != zero:
                        at = cuda.atomic.add(count, 0, 1)
                        if at < reported_words.size:
                            where[0, at] = row
                            where[1, at] = node
                            where[2, at] = depth
                            reported_words[at] = reported
                cuda.syncthreads()
                if thread == 0:
                    control[1] = 0
                side = 1 - side
                cuda.syncthreads()
            for i in range(thread, control[2], threads):
                known[touched[i]] = zero
            cuda.syncthreads()

    return facts
