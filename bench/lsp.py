"""The time from saving a file to its diagnostics in an editor, on a real program.

    python bench/lsp.py FOLDER FILE [ROUNDS]      FILE: relative to FOLDER, of the program

Speaks to ``pyrograph lsp`` as an editor does, with a cache of its own. Each round appends a handler with a flow to the
text of FILE, saves it, and takes the time until the diagnostic is there; then it takes the handler back in the same
way, and times until the diagnostic is gone. FILE is a copy: FOLDER is copied first. What runs beside it adds to the
time, so the least and the median are printed, with the CPU time of a save and the memory of both processes between
scans. For comparison, each round scans the changed program by ``pyrograph scan``, too, with the units of an earlier
scan in the cache. Linux only.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.lsp.client import Session

HANDLER = """

from flask import Flask as _Flask, request as _request
import os as _os

_app{number} = _Flask(__name__)


@_app{number}.route("/bench")
def _bench{number}():
    _os.system(_request.args["c"])
"""


def processes(pid: int) -> list[int]:
    """A process and all below it."""
    below = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(each for child in below for each in processes(int(child)))]


def alone(session: Session) -> list[int]:
    """Server and worker, once the scan that was forked last has written its report to the cache and ended."""
    while len(found := processes(session.process.pid)) > 2:
        time.sleep(0.1)
    return found


def memory(pid: int) -> float:
    """Memory of its own and shared, divided by how many share it [MB]."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1000


def cpu(pids: Sequence[int]) -> float:
    """CPU time of processes and of those of their children that ended [s]."""
    fields = [Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split() for pid in pids]
    return sum(sum(map(int, each[11:15])) for each in fields) / os.sysconf("SC_CLK_TCK")


def scan(folder: Path, cache: Path) -> tuple[float, float]:
    """Wall and CPU time of a whole process that scans a folder [s]."""
    before = time.monotonic()
    command = [sys.executable, "-P", "-m", "pyrograph", "scan", str(folder), "--quiet", "--exit-zero", "-f", "concise"]
    process = subprocess.Popen(command, env={**os.environ, "XDG_CACHE_HOME": str(cache)}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.monotonic() - before, used.ru_utime + used.ru_stime


def measure(session: Session, folder: Path, path: Path, cache: Path, rounds: int) -> None:
    """Print the figures of one file."""
    own = path.read_text(encoding="utf-8")
    session.open(path)
    session.finished()
    before = len(session.shown(path))
    times: list[float] = []
    version = 1
    kept = alone(session)
    used = cpu(kept)

    def saved(text: str, reached: Callable[[], bool]) -> None:
        nonlocal version
        version += 1
        begin = time.monotonic()
        session.change(path, text, version)
        path.write_text(text, encoding="utf-8")
        session.save(path)
        session.until(reached)
        times.append(time.monotonic() - begin)

    scans = []
    for number in range(rounds):
        saved(own + HANDLER.format(number=number), lambda: len(session.shown(path)) > before)
        scans.append(scan(folder, cache))
        saved(own + f"\n# {number}\n", lambda: len(session.shown(path)) == before)
    server, worker = alone(session)
    print(f"save to diagnostics: {min(times):.2f} s least, {statistics.median(times):.2f} s median of {len(times)}")
    print(f"  CPU time of all processes: {(cpu(kept) - used) / len(times):.2f} s for each save")
    walls, costs = zip(*scans, strict=True)
    print(f"  pyrograph scan, units cached: {min(walls):.2f} s least, {min(costs):.2f} s of CPU")
    print(f"  memory between scans: server {memory(server):.0f} MB, worker {memory(worker):.0f} MB")


def main(arguments: Sequence[str]) -> None:
    folder, file = Path(arguments[0]).resolve(), arguments[1]
    rounds = int(arguments[2]) if len(arguments) > 2 else 5
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch).resolve() / folder.name
        shutil.copytree(folder, copy, symlinks=True)
        begin = time.monotonic()
        session = Session(copy, cache=Path(scratch) / "cache", cwd=copy, settings={"run": "onSave"})
        try:
            session.finished()
            print(f"{folder.name}: start to diagnostics, nothing cached: {time.monotonic() - begin:.2f} s")
            measure(session, copy, copy / file, Path(scratch) / "cache", rounds)
            session.end()
        finally:
            session.kill()


if __name__ == "__main__":
    main(sys.argv[1:])
