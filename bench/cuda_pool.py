"""How much faster are several devices? Wall time from host arrays to hits in order on the host.

    python bench/cuda_pool.py            (one minute on two H200s)

Each row is the best of seven searches after two that are not counted, all by processes that have already started: one
process for one device is what the others are compared with. Graphs, sources and GTEPS as in cuda_search.py.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "src")]

from cuda_search import NO_LIMIT, Question  # noqa: E402

from pyrograph.kernels import cuda  # noqa: E402
from pyrograph.kernels.cuda.pool import Pool  # noqa: E402

SIZES = ((100_000, 65_536), (1_000_000, 16_384))
RUNS = 7


def main() -> None:
    """Print the table."""
    devices = len(cuda.cuda.gpus)
    counts = [count for count in (1, 2, 4, 8) if count <= devices]
    print("| nodes | sources | devices | ms | times one | GTEPS | hits | all runs |\n|---|---|---|---|---|---|---|---|")
    for nodes, lanes in SIZES:
        question = Question(nodes, lanes)
        number = len(question.sources)
        names = (
            question.sources.astype(np.uint32),
            np.arange(question.built.num_nodes, dtype=np.uint32),
            np.arange(number, dtype=np.uint32),
        )
        itself = np.zeros(number, np.bool_)
        csr = (question.offsets.astype(np.intp), question.targets.astype(np.uint32), question.report)
        alone = 0.0
        first = None
        for count in counts:
            begin = time.perf_counter()
            with Pool(range(count)) as pool:
                started = time.perf_counter() - begin
                times = []
                for turn in range(RUNS + 2):
                    begin = time.perf_counter()
                    columns, total = pool.ordered(*csr, question.sources, itself, names, NO_LIMIT, None, 1 << 40)
                    times.append((time.perf_counter() - begin) * 1e3)
                    if turn <= RUNS:
                        del columns  # the next answer goes where this one was
                mixed = (columns.astype(np.uint64) * np.array([[3], [5], [7], [11]], np.uint64)).sum(0)
                checksum = int((mixed * mixed).sum())
                ordered = bool((np.diff(columns[0].astype(np.int64) * 2**32 + columns[1]) > 0).all())
                del columns
            best = min(times[2:])
            alone = alone or best
            first = first or checksum
            print(
                f"| {question.built.num_nodes:,} | {number:,} | {count} | {best:.1f} | {alone / best:.2f} | "
                f"{question.edges / best / 1e6:.0f} | {total:,} | {' '.join(f'{each:.0f}' for each in times)} |",
                flush=True,
            )
            if checksum != first or not ordered:
                print(f"|  |  | {count} | WRONG: checksum {checksum:x}, ordered {ordered} |")
            if nodes == SIZES[0][0]:
                print(f"|  |  | {count} | started in {started:.1f} s |")


if __name__ == "__main__":
    main()
