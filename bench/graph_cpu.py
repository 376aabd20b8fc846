"""Exact depth for many sources on the processor, against scipy, rustworkx and python-graphblas, in one run.

    pip install scipy rustworkx python-graphblas
    python bench/graph_cpu.py                     (about ten minutes; --quick: one)
    python bench/graph_cpu.py --repository DIR    (the flow graph of what is in DIR)
    python bench/graph_cpu.py --choice            (queues against rows of depths, by how much is shared)

Every column searches the same unpruned graph, from which edges that leave sanitizers were removed, and finds the depth
of every node that a source reaches: nothing is left out because no sink follows. "numba" also gives sinks with their
depths, which the others do not. The others are timed on a sample of the sources and scaled: each of their calls is a
search of its own (of 64 sources for graphblas). One thread everywhere but in the column marked 2. "operation" is all of
``graph.bfs``: checks, pruning, search and order.

MTEPS: out-edges of the nodes a source reaches, summed over the sources (counted on a sample), in millions a second.

Measured on two cores of an AMD EPYC that others were using heavily (2026-11-21, Python 3.11, NumPy 2.4, Numba 0.68,
scipy 1.17, rustworkx 0.18, python-graphblas 2025.2 with SuiteSparse 9.3); one thread is timed by the processor's
clock, two by the wall clock, so that column is far below what a quiet machine shows:

| shape | nodes | sources | hits | numba, 1 | MTEPS | x scipy | x rustworkx | x graphblas | x scipy, 2 | operation |
|---|---|---|---|---|---|---|---|---|---|---|
| flat | 100,000 | 1,000 | 103,790 | 0.090 s | 1,685 | 26.9 | 80.6 | 114.4 | 7.0 | 0.090 s |
| flat | 100,000 | 10,000 | 1,046,355 | 0.717 s | 1,987 | 31.5 | 80.3 | 150.7 | 8.2 | 0.699 s |
| flat | 1,000,000 | 1,000 | 894,387 | 1.078 s | 1,411 | 27.9 | 106.0 | 116.8 | 10.0 | 1.277 s |
| flat | 1,000,000 | 10,000 | 8,983,562 | 9.632 s | 1,630 | 30.4 | 106.2 | 140.1 | 15.5 | 9.739 s |
| narrow | 100,000 | 1,000 | 54 | 0.001 s | 42 | 724.7 | 8.6 | 34.8 | 611.2 | 0.002 s |
| narrow | 100,000 | 10,000 | 464 | 0.011 s | 74 | 920.6 | 10.8 | 60.7 | 916.8 | 0.006 s |
| narrow | 1,000,000 | 1,000 | 57 | 0.002 s | 38 | 4,950.3 | 4.9 | 21.1 | 2,784.5 | 0.007 s |
| narrow | 1,000,000 | 10,000 | 442 | 0.015 s | 55 | 7,315.1 | 6.7 | 44.3 | 2,915.4 | 0.030 s |
| django 5.2 | 479,151 | 1,000 | 31,284 | 0.120 s | 314 | 49.5 | 25.0 | 165.4 | 18.9 | 0.037 s |

Cost follows what is reached: a source of the narrow graph reaches 47 nodes, and takes 1 to 2 microseconds whether the
graph has 100,000 nodes or ten times as many.

--choice, one thread (seconds; "shared by": how many of a batch's sources reach a node, on average):

| nodes | sources | max_depth | reached by a source | shared by | queues | rows | queues / rows |
|---|---|---|---|---|---|---|---|
| 100,000 | 64 | 20 | 584 | 0.4 | 0.001 s | 0.005 s | 0.22 |
| 100,000 | 64 | 30 | 3,500 | 2.2 | 0.006 s | 0.009 s | 0.67 |
| 100,000 | 64 | 40 | 14,738 | 9.4 | 0.020 s | 0.012 s | 1.75 |
| 100,000 | 64 | 1000 | 97,563 | 62.4 | 0.143 s | 0.019 s | 7.61 |
| 100,000 | 1,024 | 20 | 456 | 1.2 | 0.010 s | 0.027 s | 0.35 |
| 100,000 | 1,024 | 30 | 2,619 | 6.7 | 0.050 s | 0.061 s | 0.82 |
| 100,000 | 1,024 | 40 | 11,437 | 29.3 | 0.240 s | 0.086 s | 2.80 |
| 100,000 | 1,024 | 1000 | 91,465 | 234.2 | 2.431 s | 0.116 s | 20.89 |
| 1,000,000 | 256 | 30 | 2,471 | 0.6 | 0.026 s | 0.130 s | 0.20 |
| 1,000,000 | 256 | 40 | 11,572 | 3.0 | 0.133 s | 0.224 s | 0.59 |
| 1,000,000 | 256 | 60 | 210,747 | 54.0 | 3.515 s | 0.392 s | 8.97 |
| 1,000,000 | 1,024 | 1000 | 973,580 | 249.2 | 44.747 s | 1.507 s | 29.70 |
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from graph_programs import Shape, edges_followed, program

from pyrograph import graph
from pyrograph.kernels import multicore

FOREVER = 1 << 60
SHAPES = [
    Shape("flat", 100_000, 1_000),
    Shape("flat", 100_000, 10_000),
    Shape("flat", 1_000_000, 1_000),
    Shape("flat", 1_000_000, 10_000),
    Shape("narrow", 100_000, 1_000),
    Shape("narrow", 100_000, 10_000),
    Shape("narrow", 1_000_000, 1_000),
    Shape("narrow", 1_000_000, 10_000),
]


def on(threads: int) -> None:
    """Let this process run on so many processors."""
    os.sched_setaffinity(0, set(sorted(PROCESSORS)[:threads]))


PROCESSORS = os.sched_getaffinity(0)


def seconds(call: Callable[[], Any], repeats: int = 3, clock: Callable[[], float] = time.process_time) -> float:
    """The fastest of some calls; of the processor's time, so that one thread can be timed on a busy machine."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        call()
        best = min(best, clock() - start)
    return best


def opened(built: graph.Graph) -> tuple[Any, Any, Any]:
    """Offsets and targets without the edges that leave sanitizers, and which nodes are sinks."""
    roles = built.roles()
    origin = np.repeat(np.arange(built.num_nodes), np.diff(built.offsets))
    kept = roles[origin] != graph.Role.SANITIZER
    offsets = np.zeros(built.num_nodes + 1, np.int64)
    np.cumsum(np.bincount(origin[kept], minlength=built.num_nodes), out=offsets[1:])
    return offsets, built.targets[kept].astype(np.intp), (roles == 2) | (roles == 3)


def found(offsets: Any, targets: Any, sinks: Any, sources: Any, max_depth: int) -> int:
    """The number of hits that the compiled kernel finds."""
    return sum(len(block.lane) for block in multicore.search(offsets, targets, sinks, sources, max_depth))


def peers(offsets: Any, targets: Any, sources: Any) -> dict[str, tuple[Callable[[], Any], int]]:
    """What each installed peer does for some sources: the call, and how many sources it serves."""
    n = len(offsets) - 1
    origin = np.repeat(np.arange(n), np.diff(offsets))
    calls: dict[str, tuple[Callable[[], Any], int]] = {}
    few = sources[:: max(1, len(sources) // 32)][:32].tolist()
    try:
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import breadth_first_order

        ones = np.ones(len(targets), np.int8)
        matrix = csr_matrix((ones, targets.astype(np.int32), offsets.astype(np.int32)), shape=(n, n))
        calls["scipy"] = (lambda: [breadth_first_order(matrix, source) for source in few], len(few))
    except ImportError:
        pass
    try:
        import rustworkx

        flow = rustworkx.PyDiGraph()
        flow.add_nodes_from([None] * n)
        flow.add_edges_from_no_data(list(zip(origin.tolist(), targets.tolist(), strict=True)))
        calls["rustworkx"] = (lambda: [rustworkx.bfs_layers(flow, [source]) for source in few], len(few))
    except ImportError:
        pass
    try:
        import graphblas as gb

        gb.ss.config["nthreads"] = 1
        edges = gb.Matrix.from_coo(origin, targets, True, nrows=n, ncols=n)
        lanes = np.unique(sources)[:64]

        def together() -> Any:
            front = gb.Matrix.from_coo(np.arange(len(lanes)), lanes, True, nrows=len(lanes), ncols=n)
            depths = gb.Matrix(gb.dtypes.INT32, len(lanes), n)
            depth = 0
            while front.nvals:
                depths(front.S) << depth
                depth += 1
                front(~depths.S, replace=True) << gb.semiring.any_pair(front @ edges)
            return depths

        calls["graphblas"] = (together, len(lanes))
    except ImportError:
        pass
    return calls


def row(name: str, built: graph.Graph, sources: Any, *, repeats: int) -> str:
    """One line of the table."""
    offsets, targets, sinks = opened(built)
    edges = edges_followed(built, sources) * len(sources)

    search = partial(found, offsets, targets, sinks, sources, FOREVER)
    on(1)
    hits = search()
    alone = seconds(search, repeats)
    others = {
        peer: seconds(call, 1) / served * len(sources)
        for peer, (call, served) in peers(offsets, targets, sources).items()
    }
    total = graph.bfs(built, sources, backend="numba")
    whole = seconds(partial(graph.bfs, built, sources, backend="numba"), repeats)
    on(2)
    search()
    both = seconds(search, 2 * repeats, time.perf_counter)
    assert total.total - int((total.depth == 0).sum()) == hits
    on(len(PROCESSORS))
    cells = [
        name,
        f"{built.num_nodes:,}",
        f"{len(sources):,}",
        f"{hits:,}",
        f"{alone:.3f} s",
        f"{edges / alone / 1e6:,.0f}",
    ]
    cells += [f"{others[peer] / alone:,.1f}" if peer in others else "-" for peer in ("scipy", "rustworkx", "graphblas")]
    cells += [f"{others['scipy'] / both:,.1f}" if "scipy" in others else "-", f"{whole:.3f} s"]
    return "| " + " | ".join(cells) + " |"


def repository(root: Path) -> list[tuple[str, graph.Graph, Any]]:
    """The flow graph of a program as the scanner assembles it before any pruning, and 1,000 values to search from."""
    from pyrograph.rules import DEFAULT_KINDS, load_rules
    from pyrograph.scanner import pipeline
    from pyrograph.scanner.analysis import assemble
    from pyrograph.scanner.analysis.apis import tries
    from pyrograph.scanner.analysis.label import label
    from pyrograph.scanner.analysis.link import link
    from pyrograph.scanner.analysis.lower import lower_files
    from pyrograph.scanner.analysis.resolve import resolve
    from pyrograph.scanner.files.discover import discover
    from pyrograph.scanner.imported import library_roots
    from pyrograph.scanner.options import ScanOptions

    rules = load_rules(None, [])
    found = discover(ScanOptions(paths=(root,), root=root, gitignore=False))
    lowered, _ = lower_files(found.files, jobs=1, cache=pipeline.cache_folder())
    linked = link([each.file.path for each in lowered], [each.unit for each in lowered], {})
    packs = rules.for_roots(library_roots(linked))
    languages = sorted({file.language for file in linked.files})
    apis = tries(packs, languages, low=False)
    resolution = resolve(linked, apis)
    labels = label(
        linked,
        resolution,
        apis,
        vulnerabilities=list(rules.vulnerabilities.values()),
        kinds=frozenset(DEFAULT_KINDS),
        unknown_calls="pass",
    )
    edges = assemble.data_flow(linked, resolution, labels)
    origin, target = np.concatenate(edges.origin), np.concatenate(edges.target)
    num_values = linked.num_values
    rng = np.random.default_rng(0)
    roles = np.where(rng.random(num_values) < 0.001, graph.Role.SINK, graph.Role.NORMAL)
    built = graph.to_csr(num_values, np.column_stack([origin, target]), node_data=graph.node_words(roles)).graph
    starts = rng.choice(np.flatnonzero(np.diff(built.offsets)), 1_000, replace=False)
    return [(root.name, built, starts)]


def choice() -> None:
    """Both kernels over how many of a batch's sources reach a node, by cutting depths."""
    print("| nodes | sources | max_depth | reached by a source | shared by | queues | rows | queues / rows |")
    print("|---|---|---|---|---|---|---|---|")
    on(1)
    for nodes in (100_000, 1_000_000):
        for count in (64, 256, 1_024):
            built, sources = program(Shape("flat", nodes, count))
            offsets, targets, sinks = opened(built)
            for depth in (10, 20, 30, 40, 60, 1_000):
                times = []
                for shared in (1 << 60, 0):
                    multicore.SHARED = shared

                    call = partial(found, offsets, targets, sinks, sources, depth)
                    call()
                    times.append(seconds(call, 1))
                some = sources[:: max(1, count // 16)][:16]
                reached = graph.reachability(built, some, max_depth=depth, backend="numba").total / len(some)
                together = reached * min(count, 256) / nodes
                print(
                    f"| {nodes:,} | {count:,} | {depth} | {reached:,.0f} | {together:.1f} | {times[0]:.3f} s "
                    f"| {times[1]:.3f} s | {times[0] / times[1]:.2f} |",
                    flush=True,
                )


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="only graphs of 100,000 nodes")
    arguments.add_argument("--choice", action="store_true", help="compare the two kernels instead")
    arguments.add_argument("--repository", type=Path, metavar="DIR", help="search the flow graph of a program instead")
    given = arguments.parse_args()
    if given.choice:
        choice()
        return
    print(
        "| shape | nodes | sources | hits | numba, 1 thread | MTEPS | x scipy | x rustworkx | x graphblas ",
        end="",
    )
    print("| x scipy, 2 | operation |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
    if given.repository:
        cases = repository(given.repository)
        for name, built, sources in cases:
            print(row(name, built, sources, repeats=3), flush=True)
        return
    for shape in SHAPES:
        if given.quick and shape.nodes > 100_000:
            continue
        built, sources = program(shape)
        print(row(shape.name, built, sources, repeats=3 if shape.nodes <= 100_000 else 1), flush=True)


if __name__ == "__main__":
    main()
