"""Numba kernels for one CUDA device: one block per source, its visited bitmap in shared memory where that fits.

A block takes the next source, walks it level by level with ``syncthreads`` as the only barrier, and takes another: no
level of any source waits for the whole grid. The bitmap lies in shared memory up to the device's opt-in limit (227 KiB
of an H200: graphs of 1.8 million nodes) and in global memory beyond. Depths go to a (source, sink) table without any
append, so the hits come out counted, scanned and filled, in order, whatever the blocks did.

Facts (``flow``, ``apply``) use two words per node and block in global memory; their rows are appended, and sorted by
the caller. Pruning is left to the other kernels: it is one search, too narrow for a device.

No kernel links CUDA source, so compiled code is found again in Numba's disk cache. Never fork after this module was
used. With ``NUMBA_ENABLE_CUDASIM=1`` everything but the warp-level push runs in Numba's simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cachefolder
from pyrograph.kernels.arrays import Block, Index, Numbers, Words
from pyrograph.kernels.errors import BackendError, LimitError

CACHED = cachefolder.choose()
import numba  # noqa: E402  (it reads the choice)
from numba import cuda as _cuda  # noqa: E402

_config: Any = numba.config  # it has no type information
cuda: Any = _cuda  # nor has this
SIMULATED = bool(_config.ENABLE_CUDASIM)
CACHED = CACHED and not SIMULATED
STATIC_SHARED = 48 << 10  # bytes of shared memory a kernel may use without asking
MAX_NODES = 1 << 30  # two bits of a column word are flags
MAX_EDGES = 1 << 32

SINK = np.uint32(1 << 31)  # flag of a column word: the target is told
ON = np.uint32(1 << 30)  # flag of a column word: something leaves the target
NODE = np.uint32((1 << 30) - 1)
HEAVY = 256  # out-degree from which on a whole block takes a node's edges
HEAVY_SLOTS = 64  # heavy nodes a level may hand over; further ones are walked by one thread
TILE = 4 if SIMULATED else 256  # threads of the kernels that clear, count and fill

if not cuda.is_available():
    raise BackendError(
        "backend 'cuda' found no CUDA device; it needs an NVIDIA driver (525 or newer for the extra cuda12, 580 or "
        "newer for cuda13) and a visible GPU (CUDA_VISIBLE_DEVICES); use --device cpu to search without one"
    )


def search(
    offsets: Index,
    targets: Numbers,
    report: npt.NDArray[np.bool_],
    sources: Index,
    max_depth: int,
    *,
    bitmap: str = "auto",
    threads: int = 0,
    blocks: int = 0,
    aggregated: bool = False,
) -> Iterator[Block]:
    """As ``vectorised.search``; hits come in the order (lane, node).

    Args:
        bitmap: Where visited bits lie: "shared", "global", or "auto".
        threads: Threads a block; 0 for the measured choice.
        blocks: Blocks in the grid; 0 for as many as fit the device.
        aggregated: Push to the queue once per warp instead of once per thread.

    Raises:
        LimitError: More than 2**30 nodes or 2**32 edges, or one source does not fit the device's memory.
    """
    searcher = Searcher(offsets, targets, report, bitmap=bitmap, threads=threads, blocks=blocks, aggregated=aggregated)
    for first in range(0, len(sources), searcher.at_once):
        searcher.launch(sources[first : first + searcher.at_once], max_depth)
        lane, node, depth = searcher.hits()
        yield Block(lane.astype(np.intp) + first, node, depth, np.ones(len(lane), np.uint64))


class Searcher:
    """A graph on the device, ready for chunks of sources; ``launch`` is what a benchmark times."""

    def __init__(
        self,
        offsets: Index,
        targets: Numbers,
        report: npt.NDArray[np.bool_],
        *,
        bitmap: str = "auto",
        threads: int = 0,
        blocks: int = 0,
        aggregated: bool = False,
    ) -> None:
        n, m = len(offsets) - 1, len(targets)
        for resource, need, limit in (("nodes on the device", n, MAX_NODES), ("edges on the device", m, MAX_EDGES)):
            if need > limit:
                raise LimitError(resource, need, limit, "use --device cpu")
        self._n = n
        self._words = -(-n // 32)
        count = np.diff(offsets)
        column = targets.astype(np.uint32)
        column |= np.where(report[targets], SINK, np.uint32(0)) | np.where(count[targets] > 0, ON, np.uint32(0))
        begin = offsets[:-1].astype(np.uint64)
        only = np.flatnonzero(count == 1)
        begin[only] = column[offsets[only]]  # a single successor stands in the record itself
        sinks = np.flatnonzero(report)
        rank = np.zeros(n, np.uint32)
        rank[sinks] = np.arange(len(sinks))
        self._num_sinks = len(sinks)
        self._bitmap, self._threads, self._grid = _shape(self._words * 4, bitmap, threads, blocks)
        self._shared = self._words * 4 if self._bitmap == "shared" else 0

        fixed = 8 * n + 4 * m + 8 * n
        per_block = 4 * n + (0 if self._shared else 4 * self._words)
        free = _free_memory()
        if fixed + per_block > free:
            remedy = "prune the graph or use --device cpu"
            raise LimitError("bytes on the device", fixed + per_block, free, remedy)
        self._grid = max(1, min(self._grid, (free - fixed) // 2 // max(per_block, 1)))
        rest = free - fixed - self._grid * per_block
        self.at_once = int(max(1, min(rest // 3 // max(16 * self._num_sinks, 1), 1 << 20)))  # sources per launch

        self._record = cuda.to_device((count.astype(np.uint64) << np.uint64(32)) | begin)
        self._column = cuda.to_device(column if m else np.zeros(1, np.uint32))
        self._rank = cuda.to_device(rank)
        self._sinks = cuda.to_device(sinks.astype(np.uint32) if len(sinks) else np.zeros(1, np.uint32))
        self._queue = cuda.device_array((self._grid, n + 1), np.uint32)
        self._visited = cuda.device_array((self._grid, 1 if self._shared else self._words), np.uint32)
        self._kernel = _search_kernel(bool(self._shared), aggregated and not SIMULATED)
        self._depth: Any = None
        self._size = 0
        if self._shared > STATIC_SHARED and not self._allow_shared():
            other = Searcher(offsets, targets, report, bitmap="global", threads=threads, blocks=blocks)
            self.__dict__.update(other.__dict__)

    @property
    def shape(self) -> str:
        """Where the bitmap lies, and the launch, for people."""
        return f"{self._bitmap} bitmap, {self._threads} threads, {self._grid} blocks"

    def launch(self, sources: Index, max_depth: int = 1 << 30) -> None:
        """Search from some sources, clearing of the table included; returns before the device is done."""
        if self._depth is None or self._size < len(sources):
            self._depth = cuda.device_array((max(len(sources), 1), max(self._num_sinks, 1)), np.uint32)
        self._size = len(sources)
        if not len(sources):
            return
        self.start(cuda.to_device(sources.astype(np.uint32)), max_depth)

    def start(self, sources: Any, max_depth: int = 1 << 30) -> None:
        """As ``launch``, for (s,) uint32 sources on the device already, as many as the last ``launch`` had."""
        _clear[1 if SIMULATED else 1024, TILE](self._depth.reshape(self._depth.size))
        self._next = cuda.to_device(np.zeros(1, np.int32))
        self._run(sources, min(max_depth, 1 << 30), self._grid, self._shared)

    def hits(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """(lane, node, depth) of the last launch, in order; waits for the device."""
        if not self._size or not self._num_sinks:
            none = np.empty(0, np.uint32)
            return none, none, none
        counts = cuda.device_array(self._size, np.int32)
        _count[self._size, TILE](self._depth, counts)
        start = np.zeros(self._size + 1, np.int64)
        np.cumsum(counts.copy_to_host(), out=start[1:])
        total = int(start[-1])
        need, free = 12 * total, _free_memory()
        if need > free:
            raise LimitError("bytes of hits on the device", need, free, "give fewer sources or fewer sinks")
        out = cuda.device_array((3, max(total, 1)), np.uint32)
        _fill[self._size, TILE](self._depth, cuda.to_device(start), self._sinks, out)
        lane, node, depth = out.copy_to_host()[:, :total]
        return lane, node, depth

    def _run(self, sources: Any, max_depth: int, grid: int, shared: int) -> None:
        self._kernel[grid, self._threads, 0, shared](
            self._record, self._column, self._rank, sources, self._next, self._queue, self._visited, self._depth,
            self._words, max_depth,
        )  # fmt: skip

    def _allow_shared(self) -> bool:
        """Compile the kernel by running it on no sources, and ask the driver for the shared memory it needs."""
        self._depth = cuda.device_array((1, max(self._num_sinks, 1)), np.uint32)
        self._next = cuda.to_device(np.zeros(1, np.int32))
        self._run(cuda.device_array(0, np.uint32), 1, 1, 0)
        cuda.synchronize()
        return all(allow_shared(kernel, self._shared) for kernel in self._kernel.overloads.values())


def allow_shared(kernel: Any, nbytes: int) -> bool:
    """Let a compiled kernel use so much dynamic shared memory; False where the driver or Numba gives no way to.

    Numba has no public call for it. The handle is that of a CUkernel or a CUfunction, depending on the version.
    """
    try:
        from cuda.bindings import driver
    except ImportError:
        return False
    try:
        handle = kernel._codelibrary.get_cufunc().handle
        which = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        device = cuda.get_current_device().id
    except AttributeError:
        return False
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: driver.cuKernelSetAttribute(which, nbytes, driver.CUkernel(int(handle)), driver.CUdevice(device)),
        lambda: driver.cuFuncSetAttribute(driver.CUfunction(int(handle)), which, nbytes),
    )
    for attempt in attempts:
        try:
            (status,) = attempt()
        except (TypeError, ValueError, AttributeError):
            continue
        if status == driver.CUresult.CUDA_SUCCESS:
            return True
    return False


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
    """As ``cpu.apply``; the function is compiled for the device from its Python text."""
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
    free = _free_memory()
    per_block = 28 * n
    fixed = 8 * (n + 1) + 4 * len(targets) + 8 * len(metadata) + 8 * n
    if fixed + per_block > free:
        raise LimitError("bytes on the device", fixed + per_block, free, "prune the graph or use --device cpu")
    grid = int(max(1, min(_processors() * 4, len(seeds), (free - fixed) // 2 // per_block)))
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
        if 20 * capacity > _free_memory():
            raise LimitError("bytes of facts on the device", 20 * capacity, _free_memory(), "give fewer seeds")
    lane, node, depth = where.copy_to_host()[:, :total]
    yield Block(lane, node, depth, word.copy_to_host()[:total])


def _shape(bitmap_bytes: int, bitmap: str, threads: int, blocks: int) -> tuple[str, int, int]:
    """(place of the bitmap, threads a block, blocks): the best of those measured on an H200 for graphs of this size."""
    if SIMULATED:
        return ("global" if bitmap == "global" else "shared"), threads or 4, blocks or 2
    device = cuda.get_current_device()
    most = int(getattr(device, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", STATIC_SHARED))
    whole = int(getattr(device, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", STATIC_SHARED))
    place = bitmap
    if bitmap == "auto":
        place = "shared" if bitmap_bytes + 1024 <= most else "global"
    if place == "shared":
        resident = max(1, min(8, whole // (bitmap_bytes + 2048)))
    else:
        resident = 8 if bitmap_bytes <= 64 << 10 else 2
    size = threads or {1: 1024, 2: 1024, 3: 512, 4: 512}.get(resident, 256)
    return place, size, blocks or resident * _processors()


def _processors() -> int:
    return 2 if SIMULATED else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)


def _free_memory() -> int:
    """Bytes a search may use: nine tenths of what is free."""
    return 1 << 30 if SIMULATED else int(cuda.current_context().get_memory_info().free * 9 // 10)


# ---- kernels. Numba reads these as they stand; what is a plain Python constant here is one there.


@cache
def _search_kernel(in_shared: bool, aggregated: bool) -> Any:
    """The search, for one place of the bitmap and one way to push."""
    push = _push_by_warp() if aggregated else _push

    @cuda.jit(device=True)
    def visit(word, visited, queue, tail, rank, depth_of, depth):  # type: ignore[no-untyped-def]
        node = word & NODE
        bit = np.uint32(1) << (node & np.uint32(31))
        place = node >> np.uint32(5)
        if visited[place] & bit == 0 and cuda.atomic.or_(visited, place, bit) & bit == 0:
            if word & SINK:
                depth_of[rank[node]] = depth
            if word & ON:
                queue[push(tail)] = node

    @cuda.jit(cache=CACHED)
    def search(record, column, rank, sources, taken, queues, bitmaps, depths, words, max_depth):  # type: ignore[no-untyped-def]
        shared = cuda.shared.array(0, numba.uint32)
        tail = cuda.shared.array(1, numba.int32)
        heavy = cuda.shared.array(HEAVY_SLOTS, numba.uint64)
        control = cuda.shared.array(2, numba.int32)  # the source this block took; heavy nodes of the level
        thread = cuda.threadIdx.x
        threads = cuda.blockDim.x
        queue = queues[cuda.blockIdx.x]
        visited = shared if in_shared else bitmaps[cuda.blockIdx.x]
        while True:
            if thread == 0:
                control[0] = cuda.atomic.add(taken, 0, 1)
            cuda.syncthreads()
            lane = control[0]
            if lane >= sources.size:
                return
            for i in range(thread, words, threads):
                visited[i] = 0
            cuda.syncthreads()
            if thread == 0:
                start = sources[lane]
                visited[start >> np.uint32(5)] = np.uint32(1) << (start & np.uint32(31))
                queue[0] = start
                tail[0] = 1
                control[1] = 0
            cuda.syncthreads()
            depth_of = depths[lane]
            first = 0
            last = 1
            depth = 0
            while first < last and depth < max_depth:
                depth += 1
                for i in range(first + thread, last, threads):
                    entry = record[queue[i]]
                    count = np.int64(entry >> np.uint64(32))
                    low = np.uint32(entry)
                    if count == 1:
                        visit(low, visited, queue, tail, rank, depth_of, depth)
                    else:
                        slot = HEAVY_SLOTS
                        if count >= HEAVY:
                            slot = cuda.atomic.add(control, 1, 1)
                        if slot < HEAVY_SLOTS:
                            heavy[slot] = entry
                        else:
                            for edge in range(np.int64(low), np.int64(low) + count):
                                visit(column[edge], visited, queue, tail, rank, depth_of, depth)
                cuda.syncthreads()
                waiting = min(control[1], HEAVY_SLOTS)
                for slot in range(waiting):
                    begin = np.int64(np.uint32(heavy[slot]))
                    end = begin + np.int64(heavy[slot] >> np.uint64(32))
                    for edge in range(begin + thread, end, threads):
                        visit(column[edge], visited, queue, tail, rank, depth_of, depth)
                cuda.syncthreads()
                first = last
                last = tail[0]
                if thread == 0:
                    control[1] = 0
                cuda.syncthreads()

    return search


@cuda.jit(device=True)
def _push(tail):  # type: ignore[no-untyped-def]
    return cuda.atomic.add(tail, 0, 1)


@cache
def _push_by_warp() -> Any:
    """As ``_push``, with one atomic operation for all threads of a warp that push together; has no simulator twin."""

    @cuda.jit(device=True)
    def push(tail):  # type: ignore[no-untyped-def]
        together = cuda.activemask()
        below = cuda.popc(together & cuda.lanemask_lt())
        base = np.int32(0)
        if below == 0:
            base = cuda.atomic.add(tail, 0, cuda.popc(together))
        return cuda.shfl_sync(together, base, cuda.ffs(together) - 1) + below

    return push


@cuda.jit(cache=CACHED)
def _clear(table):  # type: ignore[no-untyped-def]
    for i in range(cuda.grid(1), table.size, cuda.gridsize(1)):
        table[i] = 0


@cuda.jit(cache=CACHED)
def _count(depths, counts):  # type: ignore[no-untyped-def]
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


@cuda.jit(cache=CACHED)
def _fill(depths, start, sinks, out):  # type: ignore[no-untyped-def]
    """Write the set entries of each row from ``start[row]`` on, in order; one block per row, a scan per tile."""
    scan = cuda.shared.array(TILE, numba.int32)
    thread = cuda.threadIdx.x
    row = depths[cuda.blockIdx.x]
    place = start[cuda.blockIdx.x]
    for tile in range(0, row.size, TILE):
        i = tile + thread
        depth = row[i] if i < row.size else np.uint32(0)
        scan[thread] = 1 if depth != 0 else 0
        cuda.syncthreads()
        step = 1
        while step < TILE:
            before = scan[thread - step] if thread >= step else 0
            cuda.syncthreads()
            scan[thread] += before
            cuda.syncthreads()
            step *= 2
        if depth != 0:
            at = place + scan[thread] - 1
            out[0, at] = cuda.blockIdx.x
            out[1, at] = sinks[i]
            out[2, at] = depth
        place += scan[TILE - 1]
        cuda.syncthreads()


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
        where, told_words, count, max_depth,
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
                    told = new & report[node]
                    if told != zero:
                        at = cuda.atomic.add(count, 0, 1)
                        if at < told_words.size:
                            where[0, at] = row
                            where[1, at] = node
                            where[2, at] = depth
                            told_words[at] = told
                cuda.syncthreads()
                if thread == 0:
                    control[1] = 0
                side = 1 - side
                cuda.syncthreads()
            for i in range(thread, control[2], threads):
                known[touched[i]] = zero
            cuda.syncthreads()

    return facts
