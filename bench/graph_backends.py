"""From which size on is compiled code faster? ``graph.bfs`` on every backend, in one process, on program-like graphs.

    python bench/graph_backends.py            (about two minutes; --quick: a few seconds)

"edges" are out-edges of reached nodes, summed over the sources (from a sample); a rate counts them all, though pruning
and lanes that share a word follow fewer. Times are the best of three after a warm-up, checks and sorting included.
"First call" is the first call in a fresh process, with the compiled kernels in the disk cache.

Measured on two cores of an AMD EPYC that others were using too (2026-11-21, Python 3.11, NumPy 2.4, Numba 0.68); ratios
within a row can be trusted more than times. First call: vectorised 0.01 s, numba 0.21 s (6 to 10 s where nothing is
cached).

| shape | nodes | sources | edges | hits | vectorised | numba | ratio | numba rate |
|---|---|---|---|---|---|---|---|---|
| narrow | 10,000 | 100 | 6,553 | 4 | 2.0 ms | 2.7 ms | 0.7 | 2 M/s |
| narrow | 100,000 | 1,000 | 58,938 | 54 | 8.8 ms | 4.5 ms | 2.0 | 13 M/s |
| narrow | 1,000,000 | 10,000 | 806,250 | 442 | 91.2 ms | 36.2 ms | 2.5 | 22 M/s |
| narrow | 4,000,000 | 30,000 | 1,808,438 | 1,423 | 468.6 ms | 109.4 ms | 4.3 | 17 M/s |
| flat | 10,000 | 100 | 1,535,094 | 1,078 | 23.7 ms | 3.7 ms | 6.5 | 418 M/s |
| flat | 100,000 | 16 | 2,516,800 | 1,712 | 88.0 ms | 23.7 ms | 3.7 | 106 M/s |
| flat | 100,000 | 128 | 19,505,248 | 12,947 | 295.9 ms | 26.5 ms | 11.2 | 736 M/s |
| flat | 100,000 | 1,000 | 152,385,562 | 103,790 | 2,261.7 ms | 78.1 ms | 28.9 | 1,950 M/s |
| flat | 1,000,000 | 100 | 152,093,162 | 89,531 | 5,167.9 ms | 488.4 ms | 10.6 | 311 M/s |
| flat | 1,000,000 | 1,000 | 1,520,932,812 | 894,387 | 92,828.2 ms | 2,138.3 ms | 43.4 | 711 M/s |

So NumPy holds up to about 3e7 edges to follow (``NUMPY_EDGES`` in graph/backend.py): below, loading costs more than it
saves; where nothing was compiled before, up to 1e8.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent))

from graph_programs import Shape, edges_followed, program

from pyrograph import graph

SHAPES = [
    Shape("narrow", 10_000, 100),
    Shape("narrow", 100_000, 1_000),
    Shape("narrow", 1_000_000, 10_000),
    Shape("narrow", 4_000_000, 30_000),
    Shape("flat", 10_000, 100),
    Shape("flat", 100_000, 16),
    Shape("flat", 100_000, 128),
    Shape("flat", 100_000, 1_000),
    Shape("flat", 1_000_000, 100),
    Shape("flat", 1_000_000, 1_000),
]


def best(built: graph.Graph, sources: npt.ArrayLike, backend: graph.Backend, repeats: int) -> tuple[float, graph.Hits]:
    """(seconds, answer) of the fastest of ``repeats`` calls after one that is not counted."""
    found = graph.bfs(built, sources, backend=backend)
    seconds = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        found = graph.bfs(built, sources, backend=backend)
        seconds = min(seconds, time.perf_counter() - start)
    return seconds, found


def cold(backend: str) -> float:
    """Seconds of the first call in a fresh process, imports of the backend included."""
    code = (
        "import time\nfrom pyrograph import graph\n"
        "g = graph.to_csr(3, [(0, 1), (1, 2)], node_data=graph.node_words([1, 0, 2])).graph\n"
        f"t = time.perf_counter(); graph.bfs(g, [0], backend={backend!r}); print(time.perf_counter() - t)"
    )
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="only the small shapes, one repeat")
    quick = arguments.parse_args().quick
    host: tuple[graph.Backend, ...] = ("vectorised", "numba")
    backends = [name for name in host if graph.available()[name]]
    print(f"{platform.machine()}, {platform.python_version()}, backends {', '.join(backends)}")
    for backend in backends:
        cold(backend)
        print(f"first call in a fresh process, {backend}: {cold(backend):.3f} s")
    print("| shape | nodes | sources | edges | hits | vectorised | numba | ratio | numba rate |")
    print("|---|---|---|---|---|---|---|---|---|")
    for shape in SHAPES[:1] + SHAPES[4:5] if quick else SHAPES:
        built, sources = program(shape)
        edges = edges_followed(built, sources) * len(sources)
        times, answers = [], []
        for backend in backends:
            repeats = 1 if quick or (backend == "vectorised" and edges > 1e8) else 3
            seconds, found = best(built, sources, backend, repeats)
            times.append(seconds)
            answers.append(found)
        assert all(found.rows() == answers[0].rows() for found in answers[1:] if found.total < 10**6)
        assert len({found.total for found in answers}) == 1
        cells = [f"{seconds * 1e3:,.1f} ms" for seconds in times]
        if len(times) == 2:
            cells += [f"{times[0] / times[1]:.1f}", f"{edges / times[1] / 1e6:,.0f} M/s"]
        first = f"| {shape.name} | {built.num_nodes:,} | {len(sources):,} | {edges:,.0f} | {answers[0].total:,} |"
        print(first, " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
