"""How a run fails: by an exception, a signal, no end, or a fault that its report names.

Two failures are the same if their kind and their place are: the exception's type and the innermost frame of pyrograph,
the signal and the frame it came in, or the stable id of an internal error. Messages do not count, because they hold
numbers that change with the program.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pyrograph.scanner.reduce.child import Ended
from pyrograph.scanner.reduce.program import Program

Kind = Literal["exception", "memory", "signal", "timeout", "exit", "internal-error"]

_PROMISE = re.compile(r"^[\w.]*BrokenPromise: (.*?)(?:; |$)", re.M)
_NUMBERS = re.compile(r"\d+")
EXPECTED = frozenset({0, 1, 2, 3})  # exit codes that are no failure: clean, findings, refused, incomplete

_PACKAGE = re.compile(r'^.*?\s\sFile ".*\bpyrograph[/\\]((?:[a-z_]+[/\\])*[a-z_]+\.py)", line (\d+),? in (\S+)', re.M)
_LAST_LINE = re.compile(r"^([A-Za-z_][\w.]*)(?::|$)", re.M)
_OURS = "scanner/reduce/"  # frames that every run has
_TRACEBACK = "Traceback (most recent call last):"
_FAULT = "most recent call first):"  # what faulthandler writes
_INTERNAL = re.compile(r"internal error (\w+) in stage (\w+)")


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """One way in which a command fails."""

    kind: Kind
    what: str  # exception type, name of the signal, id of the internal error; "" where the kind says it all
    where: str  # "scanner/analysis/link.py:12 in link": the innermost frame of pyrograph; "" where none is known

    def __str__(self) -> str:
        """As the command line shows it."""
        return " ".join(part for part in (self.kind, self.what, f"at {self.where}" if self.where else "") if part)


def write(program: Program, folder: Path) -> None:
    """Write the files of a program below ``folder``, which must be there and hold none of them."""
    for path, text in program.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)


def failures_of(ended: Ended, report: Path | None) -> frozenset[Failure]:
    """How a run of the command line failed; empty if it did not.

    ``report``: where it writes its JSON report, if it writes one. The run should have ``--debug``, without which an
    exception has no place.
    """
    return frozenset(_failures(ended, report))


def _failures(ended: Ended, report: Path | None) -> Iterator[Failure]:
    if ended.late:
        yield Failure("timeout", "", "")  # where it was is an accident
        return
    if ended.code < 0:
        yield Failure("signal", signal.Signals(-ended.code).name, frame_of(ended.said))
        return
    if _TRACEBACK in ended.said:
        yield exception_of(ended.said)
    elif ended.code not in EXPECTED:
        yield Failure("exit", str(ended.code), "")
    if report is not None and report.is_file():
        try:
            problems = json.loads(report.read_bytes())["problems"]
        except (ValueError, KeyError):
            problems = []
        yield from internal_errors(each["message"] for each in problems if each["kind"] == "internal-error")


def exception_of(said: str) -> Failure:
    """The failure that the last traceback in a text shows."""
    last = said.rpartition(_TRACEBACK)[2]
    names = _LAST_LINE.findall(re.sub(r"^\s.*\n?", "", last, flags=re.M))
    name = names[0].rpartition(".")[2] if names else "Exception"
    if name == "MemoryError" or "bad_alloc" in name or name.endswith("ArrayMemoryError"):
        return Failure("memory", "", "")
    if name == "BrokenPromise":  # the promise says more than the function that found it broken
        return Failure("exception", name, _promise_in(last))
    return Failure("exception", name, "" if name == "RecursionError" else frame_of(last))


def _promise_in(said: str) -> str:
    """Table, column and promise of the first one that is broken."""
    found = _PROMISE.search(said)
    return _NUMBERS.sub("0", found[1]) if found is not None else ""


def frame_of(said: str) -> str:
    """The innermost frame of pyrograph in a traceback, or in what ``faulthandler`` writes; "" if there is none."""
    found = _PACKAGE.findall(said.replace("\\", "/"))
    frames = [f"{path}:{line} in {name}" for path, line, name in found if not path.startswith(_OURS)]
    if not frames:
        return ""
    return frames[0] if _FAULT in said and _TRACEBACK not in said else frames[-1]


def internal_errors(messages: Iterable[str]) -> Iterator[Failure]:
    """The internal errors that the problems of a report name, by their stable ids."""
    for message in messages:
        found = _INTERNAL.match(message)
        if found is not None:
            yield Failure("internal-error", found[1], f"stage {found[2]}")
