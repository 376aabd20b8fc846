"""From which size does a cluster pay for the lowering of one program?

    python bench/scheduler.py DIRECTORY... --workers 2

Lowers the files of each directory, nothing cached, once in this process and once on a Dask cluster of this machine,
compares the units byte by byte, and prints what a million bytes of source cost: a processor here, a worker there, and
the machine that scans while workers lower (it sends texts, and reads units). The time to connect is printed, too.

From these figures follows the size from which N remote workers are faster than C processors here:

    size x here / C = connect + size x max(there / N, own)

It is printed for some N and C; "-" where own work alone takes longer than all of it here.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyrograph.fleet.remote import connection
from pyrograph.ir.stored import dump
from pyrograph.scanner.analysis.lower import Lowered, lower_files
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.remote import Remote


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with _cluster(given.workers) as address:
        print("| directory | MB | here, CPU s/MB | workers, CPU s/MB | own part, CPU s/MB | connect, s |")
        print("|---|---|---|---|---|---|")
        for directory in given.directories:
            _measure(directory.resolve(), address)


def _measure(directory: Path, address: str) -> None:
    inputs = read_inputs(ScanOptions((directory,), directory, jobs=1))
    size = sum(len(text or b"") for text, _ in inputs.texts) / 1e6
    began = time.process_time()
    here = _lower(inputs, None)
    cost_here = (time.process_time() - began) / size
    spent: list[float] = []
    connecting: list[float] = []
    cluster = connection(address)

    @contextmanager
    def connect() -> Iterator[tuple[Executor, int]]:
        start = time.perf_counter()
        with cluster() as (executor, width):
            connecting.append(time.perf_counter() - start)
            before = executor.submit(time.process_time).result() if width == 1 else 0.0
            yield executor, width
            if width == 1:
                spent.append(executor.submit(time.process_time).result() - before)

    _lower(inputs, Remote(connect, print))  # workers import the front ends now
    spent.clear()
    connecting.clear()
    began = time.process_time()
    there = _lower(inputs, Remote(connect, print))
    own = (time.process_time() - began) / size
    if [dump(each.unit) for each in here] != [dump(each.unit) for each in there]:
        raise SystemExit(f"{directory}: units differ")
    worker = spent[0] / size if spent else cost_here
    print(
        f"| {directory.name} | {size:.1f} | {cost_here:.2f} | {worker:.2f} | {own:.2f} | {connecting[0]:.1f} |",
        flush=True,
    )
    for processors in (2, 8):
        for workers in (8, 32):
            gain = cost_here / processors - max(worker / workers, own)
            pays = f"from {connecting[0] / gain:,.0f} MB" if gain > 0 else "-"
            print(f"  {workers} workers instead of {processors} processors: {pays}")


def _lower(inputs: Inputs, remote: Remote | None) -> list[Lowered]:
    lowered, _ = lower_files(inputs.found.files, jobs=1, texts=inputs.texts, remote=remote)
    return lowered


@contextmanager
def _cluster(workers: int) -> Iterator[str]:
    from distributed import LocalCluster

    cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=None
    )
    with cluster:
        yield cluster.scheduler_address


if __name__ == "__main__":
    main()
