"""Reachability with and without depths: ``graph.visited`` and ``graph.reachability`` on the ``numba`` backend.

    python bench/graph_closure.py          (about a minute)

"bitmap" is ``graph.visited``: strong components, one sweep for 512 sources, and 8 * sources * nodes / 64 bytes written.
"depths" is the search for depths with every node reported; pairs are counted and dropped. One thread.

Measured on one core of an AMD EPYC that others were using too (2026-11-21, Python 3.11, Numba 0.68):

| shape | nodes | sources | pairs | bitmap | depths | ratio |
|---|---|---|---|---|---|---|
| flat | 100,000 | 16 | 1,561,008 | 0.008 s | 0.027 s | 3.4 |
| flat | 100,000 | 1,000 | 94,636,713 | 0.122 s | 0.629 s | 5.1 |
| flat | 1,000,000 | 16 | 14,603,718 | 0.155 s | 0.430 s | 2.8 |
| flat | 1,000,000 | 1,000 | 943,399,592 | 1.293 s | 9.477 s | 7.3 |
| narrow | 100,000 | 16 | 562 | 0.000 s | 0.000 s | 0.3 |
| narrow | 100,000 | 1,000 | 46,938 | 0.012 s | 0.001 s | 0.1 |
| narrow | 1,000,000 | 16 | 598 | 0.004 s | 0.001 s | 0.2 |
| narrow | 1,000,000 | 1,000 | 46,488 | 0.022 s | 0.002 s | 0.1 |

Where little is reached, checking the graph and writing the bitmap is all there is; "depths" does neither.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from graph_cpu import FOREVER, found, on, opened, seconds
from graph_programs import Shape, program

from pyrograph import graph


def main() -> None:
    """Print the table."""
    on(1)
    print("| shape | nodes | sources | pairs | bitmap | depths | ratio |\n|---|---|---|---|---|---|---|")
    for name in ("flat", "narrow"):
        for nodes, count in ((100_000, 16), (100_000, 1_000), (1_000_000, 16), (1_000_000, 1_000)):
            built, sources = program(Shape(name, nodes, count))
            offsets, targets, _ = opened(built)
            every = np.ones(built.num_nodes, np.bool_)
            pairs = int(np.bitwise_count(graph.visited(built, sources, backend="numba")).sum())
            bitmap = seconds(partial(graph.visited, built, sources, backend="numba"), 2)
            search = partial(found, offsets, targets, every, sources, FOREVER)
            assert search() + len(sources) == pairs
            depths = seconds(search, 1)
            cells = f"{name} | {nodes:,} | {count:,} | {pairs:,} | {bitmap:.3f} s | {depths:.3f} s"
            print(f"| {cells} | {depths / bitmap:.1f} |", flush=True)


if __name__ == "__main__":
    main()
