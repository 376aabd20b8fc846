"""The process that watches the one that scans.

A scan runs in a forked child. The parent imports nothing and does nothing but wait, so it is still there when the child
is killed, crashes in native code or runs out of memory: it starts the scan again, with files in processes of their own
or the program in parts, and a report is written in any case. It is there, too, when a signal arrives: it ends the
child with all its workers within ``GRACE`` seconds, whatever they are doing. What this costs is one fork of a small
process.

On systems without ``fork`` the command runs in the process itself.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar, cast

import click

from pyrograph.cli.errors import REFUSED, Refusal, complain
from pyrograph.cli.starvation import Starvation
from pyrograph.policy.limits.workers import WATCH_SECONDS

R = TypeVar("R")

GRACE = 0.2  # seconds the child has to remove its temporary files before all its processes are killed
OUT_OF_MEMORY = 99  # exit code of a child that raised MemoryError; the process with the full heap is gone by then

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_CPU_LIMIT = getattr(signal, "SIGXCPU", None)  # no second attempt: it would end in the same way


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of the scan in a child: how earlier ones ended, and whom to notify."""

    isolated_files: bool = False  # an earlier one crashed: expect another crash
    in_parts: bool = False  # an earlier one ran out of memory: use less
    mark: Callable[[str], None] = field(default=lambda stage: None)  # is called with each stage that begins
    on_error: Callable[[BaseException], None] | None = None  # is called with each internal error; None: as --debug says
    is_watched: bool = True  # whether it runs in a child, or nothing is to watch it


class _Stopped(BaseException):
    """A signal asks this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def supervise(run: Callable[[Attempt], int]) -> int:
    """Call ``run`` in a child until it ends by itself; returns its exit code.

    Each further attempt is more careful than the one before, and there are at most three.
    """
    if not hasattr(os, "fork"):
        return run(Attempt())
    attempt = Attempt()
    while True:
        try:
            child = _Child(run, attempt)
        except OSError:  # no more processes or files for this user
            return run(attempt)
        ended = child.wait()
        if ended.finished and ended.code != OUT_OF_MEMORY:
            return ended.code
        if ended.by == _CPU_LIMIT:
            where = f" in stage {ended.stage}" if ended.stage else ""
            complain(f"the scan used up the CPU time that the system allows it{where} (see `ulimit -t`)")
            return REFUSED
        # a library that ends the process itself says nothing of findings; it does so where it gets no memory
        memory = not ended.by or ended.by == signal.SIGKILL
        what = "ran out of memory" if memory else f"was ended by {signal.Signals(ended.by).name}"
        where = f" in stage {ended.stage}" if ended.stage else ""
        following = Attempt(attempt.isolated_files or not memory, attempt.in_parts or memory)
        if ended.stage == WRITING or following == Attempt(attempt.isolated_files, attempt.in_parts):
            complain(
                f"internal error: the scan {what}{where}, and all attempts failed; this is a fault of "
                "pyrograph, not of your code: please report it (`pyrograph reduce` makes a small example)"
            )
            return REFUSED
        with_less = "in parts" if memory else "with each file in a process of its own"
        complain(f"the scan {what}{where}; starting again {with_less}")
        attempt = following


def supervised(work: Callable[[Attempt], R]) -> R:
    """The result of ``work`` from a child, for commands that go on in this process: on the terminal, for example.

    The result and exceptions come back as a pickle: between processes of one program, nothing that was scanned writes
    to their file.

    Raises:
        click.exceptions.Exit: All attempts failed, and standard error has the message; or a signal ended this process.

    Other exceptions are those of ``work``.
    """
    import pickle
    import tempfile
    import traceback

    with tempfile.TemporaryFile() as file:

        def run(attempt: Attempt) -> int:
            outcome: tuple[R | None, Exception | None]
            try:
                outcome = work(attempt), None
            except MemoryError:
                raise
            except Exception as error:
                if not isinstance(error, (Refusal, click.ClickException)):
                    error.add_note("".join(traceback.format_exception(error)))  # --debug shows it
                outcome = None, error
            file.seek(0)
            file.truncate()
            pickle.dump(outcome, file, pickle.HIGHEST_PROTOCOL)
            file.flush()
            return 0

        if code := supervise(run):
            raise click.exceptions.Exit(code)
        file.seek(0)
        result, error = pickle.load(file)
    if error is not None:
        raise error
    return cast(R, result)


FINISHED = "finished"  # what a child says last
WRITING = "report"  # the stage from which a scan cannot be made again: half a report may be out


@dataclass(frozen=True, slots=True)
class _Ended:
    code: int
    by: int  # signal, or 0
    stage: str  # that ran last
    finished: bool  # the code is the command's own


class _Child:
    """One attempt in a process group of its own."""

    def __init__(self, run: Callable[[Attempt], int], attempt: Attempt) -> None:
        self.pid = 0
        self.before = {
            number: handler for number in _SIGNALS if (handler := signal.getsignal(number)) != signal.SIG_IGN
        }
        signal.pthread_sigmask(signal.SIG_BLOCK, self.before)  # until there is a child to end
        for number in self.before:
            signal.signal(number, getattr(self, _SIGNALS[number]))
        parent = os.getpid()
        pipe: tuple[int, ...] = ()
        try:
            self.reading, writing = pipe = os.pipe()
            sys.stdout.flush()
            sys.stderr.flush()
            self.pid = os.fork()
        except OSError:
            for end in pipe:
                os.close(end)
            self.restore()
            raise
        if not self.pid:
            os.close(self.reading)
            _become_child(parent, self.before)
            _run(run, attempt, writing)
        with suppress(OSError):  # the child does it, too: whoever comes first
            os.setpgid(self.pid, self.pid)
        os.close(writing)

    def wait(self) -> _Ended:
        """The end of the child, or of this process where a signal asked for it."""
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self.before)
            self.end_starving()
            if hasattr(os, "waitid"):  # until the child is reaped, no other group can have its number
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
                self.kill()  # workers that outlived it: nobody reads what they find, and they hold the output open
            _, status = os.waitpid(self.pid, 0)
        except _Stopped as stopped:
            self.end()
            leave(128 + stopped.number)
        self.restore()
        os.set_blocking(self.reading, False)  # a process that left the group may still have the other end
        with open(self.reading, "rb", buffering=0) as pipe:
            stages = (pipe.read() or b"").decode().split()
        finished = stages[-1:] == [FINISHED]
        stage = next((each for each in reversed(stages) if each != FINISHED), "")
        if os.WIFSIGNALED(status):
            self.kill()  # where there is no ``waitid``; elsewhere nobody is left
            show_cursor()
            return _Ended(0, os.WTERMSIG(status), stage, finished=False)
        return _Ended(os.WEXITSTATUS(status), 0, stage, finished)

    def end_starving(self) -> None:
        """Until the child ends, kill its processes that compute for ever because their address space is full."""
        starvation = Starvation(self.pid)
        if not starvation.is_possible:
            return
        with suppress(OSError):
            watched = os.pidfd_open(self.pid)
            try:
                while not select.select([watched], [], [], WATCH_SECONDS)[0]:
                    starvation.end_starving()
            finally:
                os.close(watched)

    def restore(self) -> None:
        """Handle signals as before there was a child."""
        for number, handler in self.before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self.before)

    def end(self) -> None:
        """Ask the child to end, and kill what is left of its group after ``GRACE``."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        with suppress(OSError):
            os.kill(self.pid, signal.SIGTERM)
            os.killpg(self.pid, signal.SIGCONT)
        until = time.monotonic() + GRACE
        gone = False
        while not gone and time.monotonic() < until:
            with suppress(ChildProcessError):
                gone = os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
            time.sleep(0.005)
        self.kill()

    def kill(self) -> None:
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)

    def stop(self, number: int, frame: object) -> None:
        raise _Stopped(number)

    def suspend(self, number: int, frame: object) -> None:
        """Ctrl-Z: the child is in another group, which the terminal does not stop."""
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)

    def resume(self, number: int, frame: object) -> None:
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGCONT)


_SIGNALS = {
    getattr(signal, name): handler
    for name, handler in (
        ("SIGINT", "stop"),
        ("SIGTERM", "stop"),
        ("SIGHUP", "stop"),
        ("SIGTSTP", "suspend"),
        ("SIGCONT", "resume"),
    )
    if hasattr(signal, name)
}


def leave(code: int) -> NoReturn:
    """End this process after a signal; says so, and leaves no traceback."""
    with suppress(OSError, ValueError):
        show_cursor()
        complain("interrupted" if code == 128 + signal.SIGINT else "stopped")
        sys.stderr.flush()
    os._exit(code)


def show_cursor() -> None:
    """Bring back what a progress bar hid and could not bring back itself."""
    if sys.stderr.isatty():
        sys.stderr.write("\x1b[?25h\n")


def _become_child(parent: int, handlers: Mapping[signal.Signals, object]) -> None:
    """A group of its own, which can be ended as one; no orphan where the parent is killed; signals as before."""
    with suppress(OSError):
        os.setpgid(0, 0)
    for number in handlers:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, handlers)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, _terminated)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # a group in the background may write to the terminal
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(REFUSED)


def _terminated(number: int, frame: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(128 + number)  # so that half a report is removed


def _run(run: Callable[[Attempt], int], attempt: Attempt, writing: int) -> NoReturn:
    """Run in the child, and end it."""
    code = REFUSED
    child = os.getpid()

    def mark(stage: str) -> None:
        if os.getpid() == child:
            os.write(writing, stage.encode() + b"\n")

    try:
        code = run(Attempt(attempt.isolated_files, attempt.in_parts, mark))
        if (background := sys.modules.get("pyrograph.scanner.background")) is not None:  # else nothing was begun
            background.finish()
    except MemoryError:
        code = OUT_OF_MEMORY
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else REFUSED
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        with suppress(OSError):
            mark(FINISHED)
        os._exit(code)


def wanted(arguments: Sequence[str]) -> bool:
    """Whether a command analyses code from its beginning to its end; ``triage`` has a part that does."""
    return any(each in ("scan", "diff", "explain", "fix", "routes") for each in arguments[:1])
