"""Scan every shape in a process of its own and print what it costs: ``python -m tools.fuzz.shapes [NAME...]``.

A shape breaks the promise if its scan crashes, reports an internal error, or takes more than ``MAX_SECONDS`` of CPU or
``MAX_BYTES`` of memory; then the exit code is 1. Linux and macOS only: the limits are the system's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tools.fuzz.shapes import MAX_BYTES, MAX_SECONDS, Shape, shapes

PATIENCE = 3  # times MAX_SECONDS of CPU after which a scan is killed
ADDRESS_SPACE = 5_000_000_000  # bytes; more than MAX_BYTES, because libraries reserve what they do not use
UNIT = 1024 if sys.platform == "linux" else 1  # bytes of ``ru_maxrss``


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one scan cost and reported."""

    code: int  # exit code; negative: the signal that ended it
    seconds: float  # CPU, children included
    memory: int  # bytes, peak of the largest process
    findings: int
    problems: Counter[str]  # kind -> number
    messages: tuple[str, ...]  # of the problems, in order
    errors: str  # the last line of the error output

    @property
    def broken(self) -> str:
        """Why the promise does not hold, or ""."""
        if self.code not in (0, 1, 3):
            return f"exit code {self.code}: {self.errors}"
        if self.problems["internal-error"] or any("internal error" in message for message in self.messages):
            return "internal error"
        if self.seconds > MAX_SECONDS:
            return f"more than {MAX_SECONDS:.0f} s"
        return f"more than {MAX_BYTES / 1e9:.0f} GB" if self.memory > MAX_BYTES else ""


def run(shape: Shape, size: int, *, confidence: str = "low") -> Outcome:
    """Generate the shape in a temporary directory and scan it in a process with limits, without a cache."""
    with tempfile.TemporaryDirectory(prefix="pyrograph-shape-") as folder:
        root = Path(folder, "program")
        for path, text in shape.generate(size).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pyrograph", "scan", str(root), "--root", str(root)]
        command += ["--confidence", confidence, "--no-default-excludes", "--device", "cpu"]
        command += [*shape.arguments, "--format", f"json:{report}", "--format", f"text:{os.devnull}"]
        environment = {**os.environ, "XDG_CACHE_HOME": str(Path(folder, "cache"))}
        with Path(folder, "errors").open("w+b") as errors:
            started = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=errors, env=environment, preexec_fn=_limit
            )
            _pid, status, usage = os.wait4(started.pid, 0)
            started.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip().splitlines()
        content = json.loads(report.read_bytes()) if report.is_file() else {}
    found = content.get("problems", [])
    return Outcome(
        code=started.returncode,
        seconds=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss * UNIT,
        findings=len(content.get("findings", [])),
        problems=Counter(problem["kind"] for problem in found),
        messages=tuple(problem["message"] for problem in found),
        errors=said[-1] if said else "",
    )


def _limit() -> None:
    seconds = int(PATIENCE * MAX_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> int:
    """Run the shapes that the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz.shapes", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="shapes; all if none is named")
    parser.add_argument("--size", default="largest", help="largest, small, or a number [largest]")
    parser.add_argument("--ratio", action="store_true", help="also at half and a quarter of the size")
    parser.add_argument("--language", help="only shapes of this language")
    arguments = parser.parse_args()
    known = shapes()
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"unknown shape {unknown[0]}; known are {', '.join(known)}")
    broken = 0
    print(f"{'shape':<36} {'size':>9} {'CPU s':>7} {'MB':>6} {'findings':>8}  problems", flush=True)
    for name in arguments.names or known:
        each = known[name]
        if arguments.language and each.language != arguments.language:
            continue
        chosen = {"largest": each.largest, "small": each.small}.get(arguments.size) or int(arguments.size)
        for size in (chosen // 4, chosen // 2, chosen) if arguments.ratio else (chosen,):
            outcome = run(each, max(1, size))
            told = ", ".join(f"{count} {kind}" for kind, count in sorted(outcome.problems.items()))
            why = outcome.broken
            broken += bool(why)
            print(
                f"{name:<36} {size:>9,} {outcome.seconds:>7.1f} {outcome.memory / 1e6:>6.0f} {outcome.findings:>8}  "
                f"{told}{'  BROKEN: ' + why if why else ''}",
                flush=True,
            )
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
