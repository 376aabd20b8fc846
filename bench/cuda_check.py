"""Are the CUDA kernels right on this device, and how fast are they? One script, one call:

    python bench/cuda_check.py             (about four minutes on one H200; --quick: under one)

1. Equality: hits of ``graph.bfs`` and ``graph.fixpoint`` on the device against the CPU kernels, byte for byte, on
   graphs that take every kernel: small, a hub, beyond 48 KiB of shared memory, beyond the opt-in limit.
2. Speed: kernel time by events, median of ten runs after a warm-up, clearing of bitmap and table included, no pruning
   and no sharing between sources. GTEPS = out-edges of reached non-sanitizer nodes, counted by the CPU kernels for 16
   sources, times the number of sources. All kernels of one size must give the same checksum of all hits.
3. End to end: host arrays to sorted hits, and ``graph.bfs`` as a whole (pruning included).
4. Cold start: first search in a fresh process, with an empty and with a filled disk cache.

A section that fails says so and the next one runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "src")]

from graph_programs import Shape, program  # noqa: E402

from pyrograph import graph  # noqa: E402

NO_LIMIT = 1 << 30


def open_edges(built: graph.Graph) -> tuple[np.ndarray, np.ndarray]:
    """(offsets, targets) without the edges that leave sanitizers: what a kernel searches."""
    origin = np.repeat(np.arange(built.num_nodes), np.diff(built.offsets))
    kept = built.roles()[origin] != graph.Role.SANITIZER
    offsets = np.zeros(built.num_nodes + 1, np.int64)
    np.cumsum(np.bincount(origin[kept], minlength=built.num_nodes), out=offsets[1:])
    return offsets, built.targets[kept].astype(np.int64)


def same(expected: object, found: object, columns: tuple[str, ...]) -> bool:
    """Whether two answers agree in every column and in their total."""
    return all(np.array_equal(getattr(expected, name), getattr(found, name)) for name in (*columns, "total"))


def equality(quick: bool) -> None:
    """Section 1."""
    import numba

    @numba.njit
    def shifted(source, current, target, metadata, fact):  # type: ignore[no-untyped-def]
        if (source + target) % 7 == 0:
            return np.uint64(0)
        return fact | (fact << np.uint64(1)) & np.uint64(0xFF)

    for nodes, lanes in ((33, 70), (5_000, 500), (400_000, 64), (1_500_000, 16), (2_500_000, 8))[: 3 if quick else 5]:
        rng = np.random.default_rng(nodes)
        edges = rng.integers(0, nodes, (int(1.4 * nodes), 2))
        hub = np.column_stack([np.zeros(nodes // 4, np.int64), rng.integers(0, nodes, nodes // 4)])
        data = graph.node_words(rng.choice([0] * 16 + [2, 3, 4], nodes))
        pairs = np.concatenate([edges, hub])
        built = graph.try_to_csr(nodes, pairs, node_data=data, edge_data=rng.integers(0, 256, len(pairs)))
        sources = rng.integers(0, nodes, lanes)
        for depth in (None, 4):
            answers = [graph.bfs(built, sources, max_depth=depth, backend=name) for name in ("cpu", "cuda")]
            right = same(*answers, ("source", "sink", "depth", "source_idx"))
            print(f"bfs {nodes:,} nodes, {lanes} sources, max_depth {depth}: {answers[0].total:,} hits, equal: {right}")
        few = sources[:16]
        for name, transfer in (("masks", graph.Masks()), ("function", shifted)):
            arguments = {"words": np.full(len(few), 255, np.uint64), "max_depth": 6}
            answers = [graph.fixpoint(built, few, transfer, backend=name, **arguments) for name in ("cpu", "cuda")]
            right = same(*answers, ("source", "sink", "depth", "source_idx", "word"))
            print(f"fixpoint {nodes:,} nodes, {name}: {answers[0].total:,} rows, equal: {right}", flush=True)


def speed(quick: bool) -> None:
    """Sections 2 and 3."""
    from numba import cuda as driver

    from pyrograph.kernels import cpu, cuda

    sizes = ((100_000, 4_096), (100_000, 32_768), (380_000, 4_096), (1_000_000, 4_096), (1_000_000, 16_384))
    large = ((10_000_000, 1_024),)
    print("| nodes | sources | kernel | median | GTEPS | hits | checksum |\n|---|---|---|---|---|---|---|")
    for nodes, lanes in sizes[::3] if quick else sizes + large:
        built, sources = program(Shape("flat", nodes, lanes))
        offsets, targets = open_edges(built)
        report = built.roles() == graph.Role.SINK
        degree = np.diff(offsets)
        followed = int(degree[sources[:16]].sum()) + sum(
            int(degree[block.node].sum())
            for block in cpu.search(offsets, targets, np.ones(built.num_nodes, np.bool_), sources[:16], NO_LIMIT)
        )
        edges = followed / min(16, len(sources)) * len(sources)
        answers = set()
        variants = [{}, {"aggregated": True}, {"bitmap": "global"}, {"bitmap": "global", "aggregated": True}]
        if not quick:
            variants += [
                {"threads": threads, "aggregated": both} for threads in (128, 256, 512, 1024) for both in (False, True)
            ]
        for variant in variants:
            try:
                searcher = cuda.Searcher(offsets, targets, report, **variant)
                some = sources[: searcher.at_once]
                searcher.launch(some)
                on_device = driver.to_device(some.astype(np.uint32))
                times = []
                for _ in range(11 if nodes < 10**7 else 4):
                    begin, end = driver.event(), driver.event()
                    begin.record()
                    searcher.start(on_device)
                    end.record()
                    end.synchronize()
                    times.append(driver.event_elapsed_time(begin, end))
                median = sorted(times[1:])[len(times[1:]) // 2]
                lane, node, depth = (column.astype(np.uint64) for column in searcher.hits())
                checksum = int(((lane + np.uint64(1)) * (node + np.uint64(1)) * (depth + np.uint64(7))).sum())
                answers.add(checksum)
                rate = edges * len(some) / len(sources) / median / 1e6
                name = searcher.shape + (", by warp" if variant.get("aggregated") else "")
                print(
                    f"| {nodes:,} | {len(some):,} | {name} | "
                    f"{median:.1f} ms | {rate:.0f} | {len(lane):,} | {checksum:016x} |",
                    flush=True,
                )
                if not variant:
                    begin_s = time.perf_counter()
                    again = cuda.Searcher(offsets, targets, report)
                    again.launch(some)
                    again.hits()
                    print(
                        f"|  |  | host arrays to sorted hits | {(time.perf_counter() - begin_s) * 1e3:.1f} ms | | | |"
                    )
                    del again
                del searcher
            except Exception as error:
                print(
                    f"| {nodes:,} | {lanes:,} | {variant} | failed: {type(error).__name__}: {error} | | | |", flush=True
                )
        print(f"checksums agree: {len(answers) == 1}")
        kept = sources[:4_096]
        begin_s = time.perf_counter()
        found = graph.bfs(built, kept, backend="cuda")
        seconds = time.perf_counter() - begin_s
        print(f"graph.bfs as a whole, {nodes:,} nodes, {len(kept):,} sources: {seconds:.2f} s, {found.total:,} hits")
        part = graph.bfs(built, kept[:16], backend="cpu").rows()
        print("16 sources agree with the CPU:", part == [row for row in found.rows() if row[3] < 16], flush=True)


def cold() -> None:
    """Section 4."""
    code = (
        "import time; t = time.perf_counter()\n"
        "from pyrograph import graph; import numpy as np\n"
        "g = graph.to_csr(3, [(0, 1), (1, 2)], node_data=graph.node_words([1, 0, 2])).graph\n"
        "a = time.perf_counter(); graph.bfs(g, [0], backend='cuda'); b = time.perf_counter()\n"
        "graph.bfs(g, [0], backend='cuda'); print(f'{a - t:.2f} {b - a:.2f} {time.perf_counter() - b:.4f}')"
    )
    with tempfile.TemporaryDirectory() as folder:
        source = str(Path(graph.__file__).resolve().parents[2])
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": source}
        for name in ("empty cache", "filled cache", "filled cache"):
            ran = subprocess.run(
                [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
            )
            print(
                f"fresh process, {name}: import, first search, second search in s:",
                ran.stdout.strip() or ran.stderr[-500:],
            )


def main() -> None:
    """Run every section."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="small sizes and two variants")
    quick = arguments.parse_args().quick
    import numba

    print("numba", numba.__version__, "numpy", np.__version__, "python", sys.version.split()[0])
    try:
        import numba_cuda
        from numba import cuda as driver

        device = driver.get_current_device()
        print("numba-cuda", numba_cuda.__version__, device.name, device.compute_capability)
    except Exception:
        traceback.print_exc()
    for section in (lambda: equality(quick), lambda: speed(quick), cold):
        try:
            section()
        except Exception:
            traceback.print_exc()
        sys.stdout.flush()


if __name__ == "__main__":
    main()
