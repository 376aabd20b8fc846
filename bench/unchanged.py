"""A scan of which nothing changed, against the cold one; and what a scan of a few files costs.

    python bench/unchanged.py DIRECTORY [ROUNDS] [-- COMMAND...]     COMMAND: how pyrograph is called

Whole processes, alternating, with a cache of their own; the least of all rounds, because other work only adds to it.
CPU time is that of all processes of a scan. Ends with 1 where a report from the cache differs from the cold one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FORMATS = ("json", "sarif", "text")
SMALL = 'from flask import request\nimport os\n\n\ndef view{number}():\n    os.system(request.args["c"])\n'


class Cost(NamedTuple):
    """Of one process with all its children; or the least of several."""

    wall: float  # seconds
    cpu: float  # seconds
    memory: float  # MB, of the largest process

    def __str__(self) -> str:
        return f"{self.wall:6.2f} s, {self.cpu:6.2f} s of CPU, {self.memory:4.0f} MB"


def run(command: Sequence[str], cache: Path, accepted: Sequence[int] = (0,)) -> Cost:
    """What a command costs with this cache."""
    before = time.monotonic()
    process = subprocess.Popen(
        command, env={**os.environ, "XDG_CACHE_HOME": str(cache)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - before
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accepted:
        sys.exit(f"{command}: exit code {process.returncode}: {said.decode()}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def least(costs: Sequence[Cost]) -> Cost:
    """The least of each figure."""
    return Cost(*map(min, zip(*costs, strict=True)))


def measure(name: str, directory: Path, rounds: int, program: Sequence[str], scratch: Path) -> None:
    """Print the cost of a cold scan, of one with units, and of one from the report cache."""
    costs: dict[str, list[Cost]] = {"cold": [], "units": [], "unchanged": []}
    first: list[bytes] = []
    for _ in range(rounds):
        cache = scratch / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        for kind, found in costs.items():
            if kind == "units":
                shutil.rmtree(cache / "pyrograph" / "reports")
            outputs = [scratch / form for form in FORMATS]
            wanted = [word for form in FORMATS for word in ("--format", f"{form}:{scratch / form}")]
            command = [*program, "scan", str(directory), "--root", str(directory), "--isolated", "--exit-zero", *wanted]
            found.append(run(command, cache))
            reports = [file.read_bytes() for file in outputs]
            first = first or reports
            if reports != first:
                sys.exit(f"{name}: the reports differ ({kind})")
    cold = least(costs["cold"])
    print(name)
    for kind, found in costs.items():
        each = least(found)
        print(f"  {kind:<10} {each}   {each.wall / cold.wall:5.3f} of cold, CPU {each.cpu / cold.cpu:5.3f}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Measure the directory, then eleven files that nothing else comes with."""
    own, _, called = " ".join(arguments).partition(" -- ")
    words = own.split()
    directory, rounds = Path(words[0]).resolve(), int(words[1]) if len(words) > 1 else 3
    program = called.split() or [sys.executable, "-m", "pyrograph"]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        small = scratch / "small"
        small.mkdir()
        for number in range(11):
            (small / f"view{number}.py").write_text(SMALL.format(number=number), encoding="utf-8")
        measure(directory.name, directory, rounds, program, scratch)
        measure("11 small files", small, rounds + 2, program, scratch)
        starts = [run([*program, "--version"], scratch / "cache") for _ in range(rounds + 2)]
        print(f"{program[-1]} --version\n  {'start':<10} {least(starts)}")


if __name__ == "__main__":
    main(sys.argv[1:])
