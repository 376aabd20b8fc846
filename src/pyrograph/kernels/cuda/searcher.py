"""Many searches on one device: what to launch, in chunks of sources that fit, with the hits in order.

Sources go to the device in chunks, two of them in flight: while one is searched, the hits of the one before are
fetched. Depths go to a (source, reported node) table without any append, so the hits come out counted, scanned and
filled, in order, whatever the blocks did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Ids, Index, Numbers
from pyrograph.kernels.cuda import device, hits, walk
from pyrograph.kernels.cuda.device import SIMULATED, OutOfDeviceMemoryError, cuda
from pyrograph.kernels.errors import LimitError

Kind = Literal["block", "gang", "thread"]

HELD = 2112  # bytes of shared memory that ``walk.by_block`` uses besides the bitmap
THREADS = 1600  # threads that a multiprocessor holds of ``walk.by_block``, by its registers
CHUNKS = 8  # in how many chunks a long list of sources goes, so that fetching hits overlaps with searching
ROUNDS = 8  # sources that each block should get from one chunk, at least
MOST_AT_ONCE = 1 << 20  # sources of one chunk
COPIED = 20  # bytes per source and reported node: the table, and a hit for each of its entries
GANG_THREADS = 4 if SIMULATED else 512  # threads of a block of a gang
GANG_BLOCKS = 1 if SIMULATED else 3  # such blocks on a multiprocessor; all must be there at a time
GANGED_BYTES = 24 << 20  # bytes of bitmaps that may be in use at a time, so that they stay in the second-level cache
_THREADS = 4 if SIMULATED else 256  # threads of a block of the small kernels
NO_LIMIT = (1 << 31) - 1  # stands for no limit of depth: no path is longer


@dataclass(frozen=True)
class Launch:
    """How a search is laid out on the device."""

    kind: Kind  # "block": a block per source, bitmap in shared memory; "gang": blocks together, bitmap in global memory
    threads: int  # threads a block
    blocks: int  # blocks in the grid
    size: int = 1  # blocks of a gang

    def __str__(self) -> str:
        """For people."""
        gangs = f" in gangs of {self.size}" if self.kind == "gang" else ""
        return f"{self.kind}: {self.blocks} x {self.threads} threads{gangs}"

    @property
    def searches(self) -> int:
        """Sources that are searched from at the same time."""
        return self.blocks // self.size


def best_launch(num_nodes: int, num_sources: int) -> Launch:
    """The layout for a graph of this size: the fastest of those measured on an H200 (docs/engine.md)."""
    if SIMULATED:
        return Launch("block", 4, 2)
    bitmap = 4 * -(-num_nodes // 32)
    processors = device.processors()
    fits = bitmap + HELD <= device.shared_limit()
    if fits and (num_sources * 2 > processors or bitmap < device.STATIC_SHARED):
        resident = max(1, min(16, device.shared_per_processor() // (bitmap + HELD + device.RESERVED_SHARED)))
        threads = min(1024, max(128, THREADS // resident // 32 * 32))
        return Launch("block", threads, resident * processors)
    blocks = GANG_BLOCKS * processors
    gangs = max(1, min(GANGED_BYTES // max(bitmap, 1), num_sources, blocks))
    size = blocks // gangs
    return Launch("gang", GANG_THREADS, size * gangs, size)


class Searcher:
    """A graph on the device, ready for any number of sources.

    Args:
        offsets, targets: (n + 1,) and (m,) of a graph without edges that must not be followed.
        report: (n,) nodes to report when they are reached.
        num_sources: About how many sources there will be; for the layout.
        launch: The layout; None for the measured choice.
        names: (n,) the numbers that hits have instead of nodes.

    Raises:
        LimitError: Too many nodes or edges, or one source does not fit the device's memory.
    """

    def __init__(
        self,
        offsets: Numbers,
        targets: Numbers,
        report: npt.NDArray[np.bool_],
        *,
        num_sources: int = MOST_AT_ONCE,
        launch: Launch | None = None,
        names: Ids | None = None,
    ) -> None:
        n, m = len(offsets) - 1, len(targets)
        device.check_sizes(n, m, walk.MAX_NODES, walk.MAX_EDGES)
        self.num_nodes = n
        self.words = -(-n // 32)
        self.launch = launch or best_launch(n, num_sources)
        self.num_edges = m
        self.num_reported = int(np.count_nonzero(report))
        self._slots: list[Slot] = []
        fixed = (16 + 4 + 4 + 4 + 1) * n + 8 * m
        need, free = fixed + self._per_search() + COPIED * self.num_reported, device.free_memory()
        remedy = "prune the graph or use --device cpu"
        if need > free:
            raise LimitError("bytes on the device", need, free, remedy)
        try:
            self.record = device.empty(max(4 * n, 1), np.uint32)
            self.column = device.empty(max(m, 1), np.uint32)
            self.rank = device.empty(max(n, 1), np.uint32)
            self.reported = device.empty(max(self.num_reported, 1), np.uint32)
            self.csr = tuple(
                device.empty(size, kind)
                for size, kind in ((n + 1, np.uint32), (max(m, 1), np.uint32), (max(n, 1), np.bool_))
            )
        except OutOfDeviceMemoryError as error:
            raise LimitError("bytes on the device", fixed, error.free, remedy) from error
        self.load(offsets, targets, report, names)

    def load(self, offsets: Numbers, targets: Numbers, report: npt.NDArray[np.bool_], names: Ids | None = None) -> None:
        """Bring a graph of this size, with as many nodes to report, to the device and encode it there.

        Args:
            names: (n,) the numbers that hits have instead of nodes.
        """
        if not self.num_nodes:
            return
        there_offsets, there_targets, there_report = self.csr
        there_offsets.copy_to_device(np.ascontiguousarray(offsets, np.uint32))
        if self.num_edges:
            there_targets.copy_to_device(np.ascontiguousarray(targets, np.uint32))
        there_report.copy_to_device(np.ascontiguousarray(report))
        walk.encode[_grid(self.num_nodes), _THREADS](*self.csr, self.record, self.column)
        if self.num_reported:
            reported = np.flatnonzero(report).astype(np.uint32)
            self.reported.copy_to_device(reported)
            walk.number[_grid(self.num_reported), _THREADS](self.reported, self.num_reported, self.rank)
            if names is not None:
                self.reported.copy_to_device(names[reported])
        device.wait()  # searches run on other streams

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Nodes, edges, and nodes to report."""
        return self.num_nodes, self.num_edges, self.num_reported

    def _per_search(self) -> int:
        """Bytes that each search in progress needs besides its row of the table."""
        return 4 * self.num_nodes + (0 if self.launch.kind == "block" else 4 * self.words) + 8 * (walk.NOTES)

    # ---- chunks

    def at_once(self, num_sources: int, slots: int = 2) -> int:
        """How many sources to search from in one chunk, for so many in all."""
        searches = num_sources if self.launch.kind == "thread" else self.launch.searches
        per_source = COPIED * max(self.num_reported, 1) + (self._per_search() if self.launch.kind == "thread" else 0)
        scratch = 0 if self.launch.kind == "thread" else searches * self._per_search()
        room = device.free_memory() // slots - scratch
        wanted = max(-(-num_sources // CHUNKS), ROUNDS * searches) if slots > 1 else num_sources
        return int(max(1, min(wanted, num_sources, room // per_source, MOST_AT_ONCE)))

    def slots(self, num_sources: int, most: int = 2) -> list[Slot]:
        """Memory for up to ``most`` chunks in flight; less of everything where the device has less.

        Raises:
            LimitError: Not even one source fits.
        """
        size = self.at_once(num_sources, most)
        count = min(most, max(1, -(-num_sources // size)))
        if len(self._slots) >= count and self._slots[0].size >= size:
            return self._slots[:count]
        self._slots = []
        searches = min(self.launch.searches, size)
        while True:
            try:
                self._slots = [Slot(self, size, searches) for _ in range(count)]
                if self._slots[0].may_run():
                    return self._slots
                self._slots = []
                self.launch = Launch("gang", GANG_THREADS, device.processors() * GANG_BLOCKS)
                return self.slots(num_sources, most)
            except OutOfDeviceMemoryError as error:
                if count > 1:
                    count = 1
                elif size > 1:
                    size //= 2
                    searches = min(searches, size)
                elif searches > 1:
                    searches //= 2
                else:
                    need = self._per_search() + COPIED * self.num_reported
                    remedy = "prune the graph, give fewer sinks, or use --device cpu"
                    raise LimitError("bytes on the device for one source", need, error.free, remedy) from error

    def chunks(self, sources: Ids, first_name: Ids, second_name: Ids, max_depth: int) -> Iterator[tuple[int, Slot]]:
        """(hits of a chunk, where they are), in order; they stay there until the next but one is asked for."""
        if not len(sources) or not self.num_reported:
            return
        slots = self.slots(len(sources))
        size = slots[0].size
        flying: list[Slot] = []
        for number, first in enumerate(range(0, len(sources), size)):
            slot = slots[number % len(slots)]
            if len(flying) == len(slots):
                done = flying.pop(0)
                yield done.total(), done
            part = slice(first, first + size)
            slot.load(sources[part], first_name[part], second_name[part])
            slot.search(max_depth)
            slot.collect()
            flying.append(slot)
        for slot in flying:
            yield slot.total(), slot


class Slot:
    """Device memory for one chunk of sources, and what is done to it; all on a stream of its own."""

    def __init__(self, searcher: Searcher, size: int, searches: int) -> None:
        self.searcher = searcher
        self.size = size
        self.launch = searcher.launch
        self.searches = size if self.launch.kind == "thread" else max(1, min(searches, self.launch.searches))
        n, columns = max(searcher.num_nodes, 1), max(searcher.num_reported, 1)
        self.stream: Any = 0 if SIMULATED else cuda.stream()
        self.table = device.empty((size, columns), np.uint32)
        self.queues = device.empty((self.searches, n), np.uint32)
        rows = 1 if self.launch.kind == "block" else self.searches  # a block's bitmap is in shared memory
        self.bitmaps = device.empty((rows, max(searcher.words, 1)), np.uint32)
        ganged = self.launch.kind == "gang"
        self.states = device.empty((rows, walk.STATE if ganged else 1), np.uint32)
        self.lists = device.empty((rows, walk.NOTES if ganged else 1), np.uint64)
        self.taken = device.empty(1, np.uint32)
        self.counts = device.empty(size, np.int32)
        self.start = device.empty(size + 1, np.int64)
        self.hits = device.empty((4, size * columns), np.uint32)
        self.names = device.empty((3, size), np.uint32)
        self.used = 0

    def load(self, sources: Ids, first_name: Ids, second_name: Ids) -> None:
        """Bring the chunk's sources and the names of their searches."""
        self.used = len(sources)
        host = np.zeros((3, self.size), np.uint32)
        for row, array in enumerate((sources, first_name, second_name)):
            host[row, : self.used] = array
        self.names.copy_to_device(host, stream=self.stream)

    def call(self, max_depth: int) -> tuple[Any, tuple[Any, ...]]:
        """The kernel of the layout, and its arguments."""
        of = self.searcher
        sources = self.names[0][: self.used]
        depth = min(max_depth, NO_LIMIT)
        if self.launch.kind == "block":
            return walk.by_block, (
                of.record, of.column, of.rank, sources, self.taken, self.queues, self.table, of.words, depth
            )  # fmt: skip
        if self.launch.kind == "thread":
            return walk.by_thread, (*of.csr, of.rank, sources, self.queues, self.bitmaps, self.table, depth)
        return walk.by_gang, (
            of.record, of.column, of.rank, sources, self.taken, self.queues, self.bitmaps, self.states, self.lists,
            self.table, self.launch.size, depth,
        )  # fmt: skip

    def may_run(self) -> bool:
        """Whether the driver gives the kernel the shared memory it needs; the kernel is compiled for that."""
        if self.launch.kind != "block":
            return True
        if 4 * self.searcher.words + HELD > device.shared_limit():
            return False
        self.used = 1
        kernel, arguments = self.call(NO_LIMIT)
        return device.allow_shared(device.compiled(kernel, arguments), 4 * self.searcher.words, HELD)

    def search(self, max_depth: int = NO_LIMIT) -> None:
        """Clear what must be clear and search; returns before the device is done. This is what a benchmark times."""
        rows = self.table[: self.used]
        _clear(rows.reshape(rows.size), self.stream)
        _clear(self.taken, self.stream)
        threads, blocks, shared = self.launch.threads, self.searches * self.launch.size, 0
        kernel, arguments = self.call(max_depth)
        if self.launch.kind == "thread":
            rows = self.bitmaps[: self.used]
            _clear(rows.reshape(rows.size), self.stream)
            blocks = -(-self.used // threads)
        elif self.launch.kind == "gang":
            _clear(self.states.reshape(self.states.size), self.stream)
            if self.launch.size > 1:
                device.together(device.compiled(kernel, arguments))
        else:
            shared = 4 * max(self.searcher.words, 1)
        kernel[blocks, threads, self.stream, shared](*arguments)

    def collect(self) -> None:
        """Put the hits in order, on the device."""
        rows = self.table[: self.used]
        counts, start = self.counts[: self.used], self.start[: self.used + 1]
        hits.count[self.used, hits.TILE, self.stream](rows, counts)
        hits.scan[1, hits.TILE, self.stream](counts, start)
        names = (self.names[1][: self.used], self.names[2][: self.used])
        hits.fill[self.used, hits.TILE, self.stream](rows, start, self.searcher.reported, *names, self.hits)

    def total(self) -> int:
        """How many hits there are; waits for the device."""
        last = np.empty(1, np.int64)
        self.start[self.used : self.used + 1].copy_to_host(last, stream=self.stream)
        self.wait()
        return int(last[0])

    def fetch(self, columns: npt.NDArray[np.uint32], at: int, count: int) -> None:
        """Copy the first ``count`` hits to (4, capacity) ``columns`` from place ``at`` on."""
        if count:
            for row in range(4):
                self.hits[row][:count].copy_to_host(columns[row, at : at + count], stream=self.stream)
            self.wait()

    def wait(self) -> None:
        """Until everything asked for is done."""
        if not SIMULATED:
            self.stream.synchronize()


def _grid(items: int) -> int:
    return 1 if SIMULATED else max(1, min(-(-items // 256), 4096))


def _clear(array: Any, stream: Any) -> None:
    hits.clear[_grid(array.size), hits.TILE, stream](array)


class Columns:
    """(4, capacity) uint32 of host memory that grows while chunks come in, and may be used again."""

    def __init__(self) -> None:
        self.used = 0
        self.data = np.empty((4, 0), np.uint32)

    def reserve(self, count: int, share: float, limit: int) -> int:
        """Room for ``count`` more hits; returns where. ``share`` of all sources are done with these.

        Raises:
            LimitError: There would be more than ``limit``.
        """
        need = self.used + count
        if need > limit:
            raise LimitError("hits in memory", need, limit, "set max_findings, or give fewer sources")
        if need > self.data.shape[1]:
            likely = int(need / share * 1.02) + 1024
            grown = np.empty((4, min(max(need, likely), limit)), np.uint32)
            grown[:, : self.used] = self.data[:, : self.used]
            self.data = grown
        at, self.used = self.used, need
        return at


def ordered(
    offsets: Index,
    targets: Numbers,
    report: npt.NDArray[np.bool_],
    sources: Index,
    report_itself: npt.NDArray[np.bool_],
    names: tuple[Ids, Ids, Ids],
    max_depth: int,
    keep: int | None,
    limit: int,
    *,
    launch: Launch | None = None,
) -> tuple[npt.NDArray[np.uint32], int]:
    """All hits in order, named as the caller wants them.

    Args:
        report_itself: (s,) whether a source is reported itself, at depth 0; it must be one of ``report``.
        names: (s,) first name of each search, (n,) name of each node, (s,) second name of each search.
        keep: Keep the first so many; None keeps all.
        limit: How many hits the host may hold.

    Returns:
        (4, kept) uint32: first name, node, depth, second name, by search and node; and the exact number of all.
    """
    first_name, node_name, second_name = names
    searcher = Searcher(offsets, targets, report, num_sources=len(sources), launch=launch, names=node_name)
    flagged = sources.astype(np.uint32) | np.where(report_itself, walk.SINK, np.uint32(0))
    return fetched(searcher, flagged, first_name, second_name, max_depth, keep, limit)


def fetched(
    searcher: Searcher,
    sources: Ids,
    first_name: Ids,
    second_name: Ids,
    max_depth: int,
    keep: int | None,
    limit: int,
    columns: Columns | None = None,
) -> tuple[npt.NDArray[np.uint32], int]:
    """Search chunk by chunk and bring the hits to the host; as ``ordered``, for sources with their flags.

    Args:
        columns: Memory to use again; what was found with it before is gone.
    """
    columns = columns or Columns()
    columns.used = 0
    total = done = 0
    for count, slot in searcher.chunks(sources, first_name, second_name, max_depth):
        done += slot.used
        kept = count if keep is None else max(0, min(count, keep - total))
        total += count
        if kept:
            at = columns.reserve(kept, done / len(sources), limit)
            slot.fetch(columns.data, at, kept)
    return columns.data[:, : columns.used], total
