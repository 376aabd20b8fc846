"""Does a CUDA device repay its start-up time?

``graph.bfs`` as a whole, in a fresh process, with cold and warm disk cache.

    python bench/cuda_cold.py            (about three minutes on an H200 with 16 cores)

A process imports pyrograph, loads a graph from a file (not counted), and searches once: "first" is from before the
import of the backend to the hits, "again" the same search in the same process. "Cold" has an empty cache of compiled
code, "warm" a filled one. "edges" are out-edges of reached nodes, summed over the sources: what a search has to follow
without pruning.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "src")]

from graph_programs import Shape, edges_followed, program  # noqa: E402

from pyrograph import graph  # noqa: E402

SHAPES = (
    Shape("flat", 10_000, 100),
    Shape("flat", 100_000, 64),
    Shape("flat", 100_000, 640),
    Shape("flat", 100_000, 6_400),
    Shape("flat", 100_000, 32_768),
    Shape("flat", 1_000_000, 640),
    Shape("flat", 1_000_000, 4_096),
    Shape("narrow", 1_000_000, 10_000),
)
CODE = """
import sys, time, numpy as np
from pyrograph import graph
data = np.load(sys.argv[1])
built = graph.Graph(data["offsets"], data["targets"], data["node_data"])
begin = time.perf_counter()
hits = graph.bfs(built, data["sources"], backend=sys.argv[2])
middle = time.perf_counter()
again = graph.bfs(built, data["sources"], backend=sys.argv[2])
end = time.perf_counter()
assert again.total == hits.total
print(middle - begin, end - middle, hits.total)
"""


def fresh(file: Path, backend: str, cache: str) -> tuple[float, float, int]:
    """(seconds of the first search, of the second, hits) in a process of its own."""
    source = str(Path(graph.__file__).resolve().parents[2])
    path = os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": path}
    command = [sys.executable, "-c", CODE, str(file), backend]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr[-2000:])
    first, again, total = ran.stdout.split()
    return float(first), float(again), int(total)


def main() -> None:
    """Print the table."""
    print("| shape | nodes | sources | edges | hits | backend | cold first | warm first | again |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for number, shape in enumerate(SHAPES):
            built, sources = program(shape)
            edges = edges_followed(built, sources, 16) * len(sources)
            file = Path(folder) / f"{number}.npz"
            np.savez(file, offsets=built.offsets, targets=built.targets, node_data=built.node_data, sources=sources)
            for backend in ("vectorised", "numba", "cuda"):
                if backend == "vectorised" and edges > 3e8:
                    continue
                cache = str(Path(folder) / f"cache-{backend}-{number}")
                cold, _, _ = fresh(file, backend, cache)
                warm, again, total = min(fresh(file, backend, cache) for _ in range(2))
                print(
                    f"| {shape.name} | {built.num_nodes:,} | {len(sources):,} | {edges:.2e} | {total:,} | {backend} | "
                    f"{cold:.2f} s | {warm:.2f} s | {again:.3f} s |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
