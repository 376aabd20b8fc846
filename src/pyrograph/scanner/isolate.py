"""Runs in child processes, and the search for the files that make a whole-program stage fail.

A trial analyses some of the files in a process of its own, so an exception or a signal ends the trial alone. The budget
of trials is counted in files analysed: the search costs a fixed multiple of one scan, and its result does not depend on
time.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from pyrograph.policy.limits.isolation import MIN_TRIALS, TRIAL_BUDGET, TRIAL_FILES
from pyrograph.scanner.faults import Fault, fault_of
from pyrograph.scanner.forked import fork
from pyrograph.scanner.minimal import minimal

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


@dataclass(slots=True)
class Found(Generic[T]):
    """The result of ``find_faulty``."""

    faulty: list[tuple[T, Fault]] = field(default_factory=list)  # each makes the analysis fail, alone or with others
    unresolved: list[T] = field(default_factory=list)  # items that still fail together when the budget was spent


def find_faulty(items: Sequence[T], trial: Callable[[Sequence[T]], Fault | None]) -> Found[T]:
    """Items without which the rest should not fail; ``trial`` returns the fault of some of them, or None.

    Halves are tried apart, so that many items that fail alone cost a logarithm of trials each. Where both halves pass
    and the whole fails, a minimal failing set is found by delta debugging (Zeller and Hildebrandt, TSE 2002) and its
    last item is chosen.
    """
    search = _Search(trial, TRIAL_BUDGET * len(items) + MIN_TRIALS * TRIAL_FILES)
    found: Found[T] = Found()
    fault = search.fails(items)
    pending: list[tuple[Sequence[T], Fault]] = [] if fault is None else [(items, fault)]
    while pending:
        group, fault = pending.pop()
        if len(group) == 1:
            found.faulty.append((group[0], fault))
            continue
        if search.left <= 0:
            found.unresolved += group
            continue
        middle = len(group) // 2
        halves = [(half, search.fails(half)) for half in (group[:middle], group[middle:])]
        failing = [(half, why) for half, why in halves if why is not None]
        if failing:
            pending += reversed(failing)
        else:
            together = search.minimal(group)
            if search.left > 0:
                found.faulty.append((together[-1], fault))
            else:
                found.unresolved += together
    return found


@dataclass(slots=True)
class _Search(Generic[T]):
    trial: Callable[[Sequence[T]], Fault | None]
    left: int  # files that trials may still analyse

    def fails(self, items: Sequence[T]) -> Fault | None:
        self.left -= max(len(items), TRIAL_FILES)
        return self.trial(items)

    def minimal(self, items: Sequence[T]) -> Sequence[T]:
        """A part of ``items``, in their order, that fails and of which no item can be left out, or what is left when
        the budget is spent.
        """
        return minimal(items, lambda rest: bool(rest) and self.left > 0 and self.fails(rest) is not None)
