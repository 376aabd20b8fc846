"""Runs in child processes: an exception or a signal ends the run alone, and is known to the caller as a fault."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from pyrograph.scanner.faults import Fault, fault_of
from pyrograph.scanner.forked import fork

T = TypeVar("T")
R = TypeVar("R")
Staged = Callable[[str], None]  # is called with the name of a stage that begins

MEMORY = "MemoryError"


class Outcome(Generic[R]):
    """The end of a trial: a ``result``, or a ``fault``."""

    def __init__(self, result: R | None = None, fault: Fault | None = None) -> None:
        self.result = result
        self.fault = fault


def run_isolated(run: Callable[[Staged], R]) -> Outcome[R]:
    """Run ``run`` in a forked process where one can be started, else here; its result comes back as a pickle.

    Between processes of one program a pickle is safe: nothing that was scanned writes to this pipe.
    """
    if not hasattr(os, "fork"):
        return _run_here(run)
    try:
        reading, writing = os.pipe()
    except OSError:  # no more files for this user
        return _run_here(run)
    try:
        pid = fork(lambda: _in_child(run, reading, writing))
    except OSError:  # no more processes
        os.close(reading)
        os.close(writing)
        return _run_here(run)
    os.close(writing)
    stage = ""
    with open(reading, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(pid, 0)
    while content.startswith(b"\n"):  # stages come first, a line each, an empty one before it
        line, _, content = content[1:].partition(b"\n")
        stage = line.decode()
    if os.WIFSIGNALED(status):
        return Outcome(fault=Fault(stage, signal.Signals(os.WTERMSIG(status)).name, "", ""))
    if os.WEXITSTATUS(status):
        return Outcome(fault=Fault(stage, f"exit status {os.WEXITSTATUS(status)}", "", ""))
    result, fault = pickle.loads(content)
    return Outcome(cast(R, result), fault)


def _run_here(run: Callable[[Staged], R]) -> Outcome[R]:
    stages = [""]
    try:
        return Outcome(run(stages.append))
    except Exception as error:
        return Outcome(fault=fault_of(stages[-1], error))


def _in_child(run: Callable[[Staged], R], reading: int, writing: int) -> int:
    """Run, and write the outcome; returns the exit code of the process."""
    os.close(reading)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    stages = [""]

    def staged(name: str) -> None:
        stages.append(name)
        os.write(writing, b"\n" + name.encode() + b"\n")

    try:
        outcome: tuple[R | None, Fault | None] = run(staged), None
    except Exception as error:
        outcome = None, fault_of(stages[-1], error)
    with open(writing, "wb") as pipe:
        pickle.dump(outcome, pipe, pickle.HIGHEST_PROTOCOL)
    return 0
