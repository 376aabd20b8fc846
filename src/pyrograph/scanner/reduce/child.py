"""Runs work in a process with limits, so that a crash, an endless loop or a lack of memory costs it alone."""

from __future__ import annotations

import faulthandler
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pyrograph.policy.limits.isolation import MAX_ERROR_OUTPUT
from pyrograph.scanner.forked import fork

CAN_FORK = sys.platform == "linux"  # elsewhere a fork is not safe or not there


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run."""

    seconds: float  # of wall-clock time
    memory: int | None = None  # bytes of address space of each process
    cpu: float | None = None  # seconds of CPU time of each process; only of forked ones


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    code: int  # exit code; negative: the signal
    said: str  # on standard error, with the Python stack at a fatal signal
    late: bool  # it was ended because it took too long


def run_forked(work: Callable[[], int], cwd: Path, limits: Limits, environment: Mapping[str, str]) -> Ended:
    """Run ``work`` in a forked process, whose exit code is its result, or 1 with a traceback where it raises.

    The process starts with all that this one has imported. Its process group ends with it. Linux only.
    """
    with tempfile.TemporaryFile() as said:
        pid = fork(lambda: _child(work, cwd, limits, environment, said))
        late = not _ends(pid, limits.seconds)
        if late:
            os.kill(pid, signal.SIGABRT)  # faulthandler writes where it is
            _ends(pid, 1.0)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return Ended(code, _tail(said), late or code == -signal.SIGXCPU)


def _ends(pid: int, seconds: float) -> bool:
    """Whether a child ends in time; it is not reaped."""
    handle = os.pidfd_open(pid)
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def _child(work: Callable[[], int], cwd: Path, limits: Limits, environment: Mapping[str, str], said: IO[bytes]) -> int:
    """Run ``work`` under the limits; returns the exit code of the process."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(said.fileno(), 2)
        for name, number in (("stdout", 1), ("stderr", 2)):
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False))
        faulthandler.enable(2)
        faulthandler.register(signal.SIGXCPU, 2, chain=True)
        os.chdir(cwd)
        os.environ.update(environment)
        _limit(limits)
        try:
            return work()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()


def _limit(limits: Limits) -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limits.memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        if limits.cpu is not None:
            whole = math.ceil(limits.cpu)
            resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 2))


def run_command(command: Sequence[str], cwd: Path, limits: Limits, environment: Mapping[str, str]) -> Ended:
    """Run a command; its process group ends with it."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **environment, "PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            preexec_fn=(lambda: _limit(limits)) if limits.memory is not None else None,
        )
        late = False
        try:
            process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            if sys.platform != "win32":
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        return Ended(process.wait(), _tail(said), late)


def _tail(said: IO[bytes]) -> str:
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - MAX_ERROR_OUTPUT))
    return said.read().decode("utf-8", "replace")
