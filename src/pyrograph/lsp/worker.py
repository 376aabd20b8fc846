"""The process that analyses for the server: reads jobs from one pipe, writes answers to another.

Each job runs in a fork of this process and its own process group. The parent itself reads no scanned text, so a crash,
exhausted memory or an endless loop costs the job alone. It holds what a scan can use again (``Warm``); a fork inherits
it, and sends back what it added. The process ends when the server closes the pipe, and kills all jobs.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pyrograph.lsp.analysis import Warm, scan_for_editor
from pyrograph.lsp.comments import place_comment
from pyrograph.lsp.fixing import fix_for_editor
from pyrograph.lsp.jobs import HEAD, OUT_OF_MEMORY, CommentJob, FixJob, Job, Kind, ScanJob, framed, unframed
from pyrograph.parsers import syntaxes
from pyrograph.policy.limits.editor import MAX_MESSAGE
from pyrograph.scanner.forked import fork, import_stages
from pyrograph.scanner.reduce.child import CAN_FORK as CAN_FORK
from pyrograph.scanner.report_cache import program_digest

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

Send = Callable[[Kind, Any], None]


class Closed(Exception):
    """The other end of a pipe is gone."""


def serve(reading: int, writing: int) -> None:
    """Run jobs until ``reading`` ends; both are file descriptors, which nothing else may use."""
    import_stages()
    program_digest(syntaxes())  # each scan asks for it; this process has what it digests in memory
    with suppress(Closed):
        _Jobs(reading, writing).serve()


def serve_once(reading: int, writing: int) -> None:
    """Run the one job that comes, in this process."""
    with suppress(Closed):
        _, number, job = unframed(_frame(reading))
        run_job(job, Warm(), lambda kind, value: _write(writing, framed((kind, number, value))))
        _write(writing, framed(("ended", number, 0)))


def run_job(job: Job, warm: Warm, send: Send) -> None:
    """Do a job and send its answer; an exception of ours is sent, too. Raises MemoryError."""
    try:
        if isinstance(job, CommentJob):
            send("answer", place_comment(job))
        elif isinstance(job, FixJob):
            send("answer", fix_for_editor(job, warm, _progress(send)))
        else:
            _scan(job, warm, send)
    except (MemoryError, Closed):
        raise
    except Exception as error:
        import traceback

        send("failed", (f"{type(error).__name__}: {error}", traceback.format_exc()))


def _progress(send: Send) -> Callable[[str, int, int], None]:
    """Sends each stage when it begins."""
    last = [""]

    def progress(stage: str, done: int, total: int) -> None:
        if stage != last[0]:
            last[0] = stage
            send("stage", (stage, done, total))

    return progress


def _scan(job: ScanJob, warm: Warm, send: Send) -> None:
    scan_for_editor(job, warm, _progress(send), lambda answer: send("answer", answer))
    if (left := warm.left(job.folder)) is not None:
        send("warm", left)


@dataclass(slots=True)
class _Fork:
    """A job in a process of its own."""

    number: int
    pid: int
    pipe: int  # it writes to
    end: int | None  # is readable when the process has ended: its workers may have the pipe longer
    read: bytearray = field(default_factory=bytearray)  # of the pipe: the beginning of a frame


class _Jobs:
    """All jobs that run."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self.forks: dict[int, _Fork] = {}  # by each file descriptor that says something of one
        self.warm = Warm()

    def serve(self) -> NoReturn:
        try:
            while True:
                for each in select.select([self.reading, *self.forks], [], [])[0]:
                    if each == self.reading:
                        self.take(*unframed(_frame(self.reading)))
                    elif (job := self.forks.get(each)) is not None:
                        self.forward(job, at_end=each == job.end)
        finally:
            for pid in {each.pid for each in self.forks.values()}:
                _kill(pid)

    def take(self, kind: Kind, number: int, value: Any) -> None:
        """Do what the server asks for."""
        if kind == "run":
            self.start(number, value)
        elif kind == "stop":
            for each in self.forks.values():
                if each.number == number:
                    _kill(each.pid)
        elif kind == "forget":
            self.warm.forget(value)

    def start(self, number: int, job: Job) -> None:
        reading, writing = os.pipe()
        parent = os.getpid()

        def work() -> int:
            os.close(reading)
            _become_job(parent)
            return _worked(number, job, self.warm, writing)

        try:
            pid = fork(work)
        except OSError as error:
            os.close(reading)
            os.close(writing)
            self.send(framed(("failed", number, (f"cannot start a process: {error.strerror}", ""))))
            self.send(framed(("ended", number, 1)))
            return
        os.close(writing)
        os.set_blocking(reading, False)
        end = None
        with suppress(OSError):  # an old kernel
            end = os.pidfd_open(pid)
            self.forks[end] = _Fork(number, pid, reading, end)
        self.forks[reading] = _Fork(number, pid, reading, None) if end is None else self.forks[end]

    def forward(self, job: _Fork, *, at_end: bool) -> None:
        """Send on what a job wrote; when it ended, all that is left of it, and its end."""
        while read := self.read(job):
            self.forward_frames(job, read)
            if not at_end:
                return
        if read is None and not at_end:
            return
        for each in (job.pipe, job.end):
            if each is not None:
                del self.forks[each]
                os.close(each)
        _kill(job.pid)  # its workers
        _, status = os.waitpid(job.pid, 0)
        self.send(framed(("ended", job.number, os.waitstatus_to_exitcode(status))))

    def read(self, job: _Fork) -> bytes | None:
        """A part of what a job wrote; None where there is nothing now, empty where nothing will follow."""
        try:
            return os.read(job.pipe, 1 << 20)
        except BlockingIOError:
            return None

    def forward_frames(self, job: _Fork, read: bytes) -> None:
        job.read += read
        while len(job.read) >= HEAD.size:
            (size,) = HEAD.unpack_from(job.read)
            if len(job.read) < HEAD.size + size:
                break
            body = bytes(job.read[HEAD.size : HEAD.size + size])
            del job.read[: HEAD.size + size]
            kind, _, value = unframed(body)
            if kind == "warm":
                self.warm.keep(value)
            else:
                self.send(HEAD.pack(size) + body)

    def send(self, frame: bytes) -> None:
        _write(self.writing, frame)


def _worked(number: int, job: Job, warm: Warm, writing: int) -> int:
    """Do a job in a fork; its exit status."""

    def send(kind: Kind, value: Any) -> None:
        if os.getpid() == own:  # workers of the scan have this pipe, too
            _write(writing, framed((kind, number, value)))

    own = os.getpid()
    try:
        run_job(job, warm, send)
    except MemoryError:
        return OUT_OF_MEMORY
    except Closed:
        return 1
    return 0


def _become_job(parent: int) -> None:
    """A group of its own, which can be ended as one, and which ends with its parent."""
    with suppress(OSError):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _kill(pid: int) -> None:
    """End a job that may have just begun, with all processes of its group."""
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)


def _frame(reading: int) -> bytes:
    (size,) = HEAD.unpack(_read(reading, HEAD.size))
    if size > MAX_MESSAGE:
        raise Closed
    return _read(reading, size)


def _read(reading: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(reading, min(size, 1 << 20))
        if not part:
            raise Closed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(writing: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(writing, view) :]
    except OSError:
        raise Closed from None
