"""How fast are the searches on one CUDA device?

    python bench/cuda_search.py                 (about two minutes on an H200)
    python bench/cuda_search.py --tune          (every layout that may win, few runs each)
    python bench/cuda_search.py --once 1e6      (one search to be looked at by a profiler)

Rules: graphs and sources come from a seed (``graph_programs.program``, shape "flat"). GTEPS = out-edges of reached
nodes that are no sanitizers, counted by the processor's kernels for 16 sources, times the number of sources, over the
median time of ten runs after a warm-up, by events; clearing of bitmaps and table is part of the time. Nothing is
pruned, condensed or shared between sources. All layouts of one size must give the same checksum over all hits, and 16
sources must give the rows of the processor's kernels.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "src")]

from graph_programs import Shape, program  # noqa: E402

from pyrograph import graph  # noqa: E402
from pyrograph.kernels import cuda, multicore  # noqa: E402
from pyrograph.kernels.cuda import Launch, device  # noqa: E402
from pyrograph.kernels.cuda.searcher import Slot  # noqa: E402

NO_LIMIT = 1 << 30
SIZES = ((100_000, 4_096), (100_000, 32_768), (1_000_000, 4_096), (1_000_000, 16_384), (10_000_000, 256))
SAMPLE = 16


class Question:
    """A generated graph as a kernel sees it, its sources, and what the processor says of some of them."""

    def __init__(self, nodes: int, lanes: int) -> None:
        self.built, sources = program(Shape("flat", nodes, lanes))
        self.sources = np.sort(sources)
        origin = np.repeat(np.arange(self.built.num_nodes), np.diff(self.built.offsets))
        kept = self.built.roles()[origin] != graph.Role.SANITIZER
        self.offsets = np.zeros(self.built.num_nodes + 1, np.int64)
        np.cumsum(np.bincount(origin[kept], minlength=self.built.num_nodes), out=self.offsets[1:])
        self.targets = self.built.targets[kept].astype(np.int64)
        self.report = self.built.roles() == graph.Role.SINK
        self.csr = (self.offsets, self.targets, self.report)
        self.some = self.sources[:: max(1, len(self.sources) // SAMPLE)][:SAMPLE]
        degree = np.diff(self.offsets)
        everything = np.ones(self.built.num_nodes, np.bool_)
        followed = int(degree[self.some].sum())
        rows = []
        self.levels = 0
        for block in multicore.search(self.offsets, self.targets, everything, self.some, NO_LIMIT):
            followed += int(degree[block.node].sum())
            self.levels = max(self.levels, int(block.depth.max(initial=0)))
            told = self.report[block.node]
            rows.append(np.column_stack([block.lane[told], block.node[told], block.depth[told]]))
        found = np.concatenate(rows)
        self.expected = found[np.lexsort((found[:, 1], found[:, 0]))]
        self.edges = followed / len(self.some) * len(self.sources)


def median_time(slot: Slot, runs: int) -> float:
    """Milliseconds of one search by events, clearing included."""
    times = []
    for _ in range(runs + 1):
        begin, end = device.cuda.event(), device.cuda.event()
        begin.record(slot.stream)
        slot.search()
        end.record(slot.stream)
        end.synchronize()
        times.append(device.cuda.event_elapsed_time(begin, end))
    return float(np.median(times[1:]))


def check(question: Question, launch: Launch | None) -> bool:
    """Whether some sources give the processor's rows."""
    blocks = list(
        cuda.search(question.offsets, question.targets, question.report, question.some, NO_LIMIT, launch=launch)
    )
    found = np.concatenate([np.column_stack([block.lane, block.node, block.depth]) for block in blocks])
    return np.array_equal(found, question.expected)


def measure(question: Question, launch: Launch | None, runs: int) -> tuple[float, int, int, str]:
    """(milliseconds, hits, checksum of all hits, layout and memory)."""
    before = device.cuda.current_context().get_memory_info().free
    searcher = cuda.Searcher(
        question.offsets, question.targets, question.report, num_sources=len(question.sources), launch=launch
    )
    (slot,) = searcher.slots(len(question.sources), 1)
    if slot.size < len(question.sources):
        raise MemoryError(f"only {slot.size} sources fit at once")
    names = np.arange(len(question.sources), dtype=np.uint32)
    slot.load(question.sources.astype(np.uint32), names, names)
    time_ms = median_time(slot, runs)
    slot.collect()
    total = slot.total()
    columns = np.empty((4, total), np.uint32)
    slot.fetch(columns, 0, total)
    lane, node, depth = (column.astype(np.uint64) for column in columns[:3])
    mixed = (lane * np.uint64(0x9E3779B97F4A7C15)) ^ (node * np.uint64(0xC2B2AE3D27D4EB4F)) ^ (depth << np.uint64(7))
    checksum = int((mixed * (mixed >> np.uint64(29) | np.uint64(1))).sum())
    used = before - device.cuda.current_context().get_memory_info().free
    return time_ms, total, checksum, f"{searcher.launch}, {used >> 20:,} MiB"


def layouts(nodes: int) -> Iterator[Launch | None]:
    """The layouts worth trying for a size."""
    of = device.processors()
    if nodes <= 200_000:
        for threads, blocks in (
            (128, 8),
            (128, 16),
            (256, 4),
            (256, 6),
            (256, 8),
            (512, 2),
            (512, 4),
            (1024, 1),
            (1024, 2),
        ):
            yield Launch("block", threads, blocks * of)
        yield Launch("gang", 256, 8 * of)
    elif nodes <= 1_800_000:
        for threads in (512, 768, 1024):
            yield Launch("block", threads, of)
        for size in (1, 2, 3):
            yield Launch("gang", 512, 3 * of // size * size, size)
    else:
        for size in (1, 2, 3, 4, 6, 12):
            yield Launch("gang", 512, 3 * of // size * size, size)


def report(question: Question, launch: Launch | None, runs: int, seen: set[int]) -> float:
    """Measure a layout and print its row."""
    name = f"| {question.built.num_nodes:,} | {len(question.sources):,} |"
    try:
        time_ms, total, checksum, layout = measure(question, launch, runs)
        right = check(question, launch)
        rate = question.edges / time_ms / 1e6
    except Exception as error:
        print(f"{name} {launch} | failed: {type(error).__name__}: {error} | | | |", flush=True)
        return 0.0
    seen.add(checksum)
    print(f"{name} {layout} | {time_ms:.2f} | {rate:.1f} | {total:,} | {checksum:016x} {right} |", flush=True)
    return time_ms


def end_to_end(question: Question) -> float:
    """Milliseconds from host arrays to hits in order on the host, the best of five; encoding and copies included."""
    names = (
        question.sources.astype(np.uint32),
        np.arange(question.built.num_nodes, dtype=np.uint32),
        np.arange(len(question.sources), dtype=np.uint32),
    )
    itself = np.zeros(len(question.sources), np.bool_)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        cuda.ordered(
            question.offsets,
            question.targets,
            question.report,
            question.sources,
            itself,
            names,
            NO_LIMIT,
            None,
            1 << 40,
        )
        times.append(time.perf_counter() - begin)
    print("|  | end to end, each of five |", " ".join(f"{seconds * 1e3:.1f}" for seconds in times), "|")
    return min(times) * 1e3


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tune", action="store_true", help="try every layout")
    arguments.add_argument("--once", type=float, help="search a graph of so many nodes once")
    arguments.add_argument("--sources", type=int, default=528, help="with --once")
    arguments.add_argument("--gangs", type=int, default=0, help="with --once")
    options = arguments.parse_args()
    if options.once:
        question = Question(int(options.once), options.sources)
        size = 3 * device.processors() // max(options.gangs, 1)
        launch = Launch("gang", 512, size * options.gangs, size) if options.gangs else None
        print(measure(question, launch, 1))
        return
    print(
        "| nodes | sources | layout | ms | GTEPS | hits | checksum, 16 sources right |\n|---|---|---|---|---|---|---|"
    )
    for nodes, lanes in SIZES:
        if options.tune and (nodes, lanes) in ((100_000, 4_096), (1_000_000, 16_384)):
            continue
        begin = time.perf_counter()
        question = Question(nodes, lanes)
        seen: set[int] = set()
        if options.tune:
            for launch in layouts(nodes):
                report(question, launch, 4, seen)
        fast = report(question, None, 10, seen)
        if not options.tune and nodes <= 100_000:
            slow = report(question, Launch("thread", 64, 1), 3, seen)
            print(f"|  | the specification's algorithm takes | {slow / max(fast, 1e-9):.1f} times as long |")
        if not options.tune:
            report(question, Launch("gang", 512, 3 * device.processors(), 1), 3, seen)
        whole = end_to_end(question)
        print(f"|  | end to end / kernel | {whole / max(fast, 1e-9):.2f} |")
        print(
            f"|  | levels {question.levels}, checksums agree: {len(seen) == 1}, {time.perf_counter() - begin:.0f} s |"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
