"""Fuzz the whole pipeline.

    python tools/fuzz --minutes 10
    python -m tools.fuzz --minutes 60 --seed 7 --jobs 4 --corpus ../some-repository

Prints the number of inputs (files) and the distinct failures; the exit code is 1 if there is any. Each failure is a
directory below --output: how it failed, the original files, and a small program that fails in the same way. The same
seed, corpus and number of batches give the same inputs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from pathlib import Path

from tools.fuzz.seeds import corpus, own
from tools.fuzz.session import Session, in_own_directory
from tools.fuzz.trial import Trials


def run(number: int, options: argparse.Namespace) -> int:
    """One process's session; the number of distinct failures."""
    seeds = own()
    for folder in options.corpus:
        seeds += corpus(folder, first_group=1 + max(each.group for each in seeds))
    print(f"{len(seeds)} seeds, seed {options.seed + number}", flush=True)
    output: Path = options.output
    with tempfile.TemporaryDirectory(prefix="pyrograph-fuzz-", dir=in_own_directory(output)) as folder:
        session = Session(seeds, Trials(Path(folder)), output, options.seed + number)
        totals = session.run(minutes=options.minutes, batches=options.batches)
    print(f"seed {options.seed + number}: {totals}", flush=True)
    return len(totals.failures)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tools/fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, help="how long to run")
    parser.add_argument("--batches", type=int, help="how many batches to run")
    parser.add_argument("--seed", type=int, default=0, help="decides all inputs [0]")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with a seed of its own [1]")
    parser.add_argument(
        "--corpus", type=Path, action="append", default=[], help="directory of source files; repeatable"
    )
    parser.add_argument("--output", type=Path, default=Path("fuzz-failures"), help="where failures go [fuzz-failures]")
    options = parser.parse_args()
    if options.minutes is None and options.batches is None:
        parser.error("say how long: --minutes or --batches")
    if options.jobs == 1:
        return int(run(0, options) > 0)
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        return int(any(pool.starmap(run, [(number, options) for number in range(options.jobs)])))
