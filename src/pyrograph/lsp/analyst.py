"""The server's end of the worker: starts it, gives it jobs, ends it when nothing was asked for a while.

A job that nobody waits for any more is stopped: cancelling the task that awaits ``Analyst.run`` kills the process of
the job.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from pyrograph.lsp.jobs import HEAD, ONCE_FLAG, OUT_OF_MEMORY, WORKER_FLAG, Answer, Job, framed, unframed
from pyrograph.policy.limits.editor import IDLE_SECONDS, MAX_MESSAGE

KILLED: Final = -9  # SIGKILL, which Windows does not have

CAN_FORK = sys.platform == "linux"  # elsewhere a fork is not there, or not safe with the libraries of the system
# -P: the current directory is scanned code, and no module is imported from there.
COMMAND = (sys.executable, "-P", "-m", "pyrograph", "lsp", WORKER_FLAG)

Progress = Callable[[str, int, int], None]


class Died(Exception):
    """The process of a job ended without an answer."""

    def __init__(self, status: int, stage: str) -> None:
        super().__init__(status)
        self.status = status  # negative for a signal
        self.stage = stage  # that ran last, or ""

    @property
    def for_memory(self) -> bool:
        """Whether memory was exhausted, or the system ended the process as it does then."""
        return self.status in (OUT_OF_MEMORY, KILLED)


class Failed(Exception):
    """An internal error in a job."""

    def __init__(self, error: str, traceback: str) -> None:
        super().__init__(error)
        self.traceback = traceback


@dataclass(slots=True)
class _Waiting:
    """A job whose answer is awaited."""

    future: asyncio.Future[Answer]
    progress: Progress | None
    stage: str = ""


@dataclass(slots=True, eq=False)
class _Process:
    """A worker that runs."""

    process: asyncio.subprocess.Process
    waiting: dict[int, _Waiting] = field(default_factory=dict)
    reader: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, *flags: str) -> _Process:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *flags, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self = cls(process)
        self.reader = asyncio.create_task(self.read())
        return self

    def send(self, kind: str, number: int, value: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(framed((kind, number, value)))  # type: ignore[arg-type]

    async def read(self) -> None:
        """Take what the worker writes, until it ends."""
        assert self.process.stdout is not None
        try:
            while True:
                (size,) = HEAD.unpack(await self.process.stdout.readexactly(HEAD.size))
                if size > MAX_MESSAGE:
                    break
                self.take(*unframed(await self.process.stdout.readexactly(size)))
        except asyncio.IncompleteReadError:
            pass
        except Exception:
            logging.exception("worker")  # the jobs end below, so nobody waits for ever
        with suppress(ProcessLookupError):
            self.process.kill()
        status = await self.process.wait()
        for number in list(self.waiting):
            self.end(number, status)

    def take(self, kind: str, number: int, value: object) -> None:
        job = self.waiting.get(number)
        if job is None:
            return
        match kind, value:
            case "stage", (str(name), int(done), int(total)):
                job.stage = name
                if job.progress is not None:
                    job.progress(name, done, total)
            case "answer", answer:
                if not job.future.done():
                    job.future.set_result(answer)  # type: ignore[arg-type]
            case "failed", (str(error), str(traceback)):
                if not job.future.done():
                    job.future.set_exception(Failed(error, traceback))
            case "ended", int(status):
                self.end(number, status)

    def end(self, number: int, status: int) -> None:
        job = self.waiting.pop(number)
        if not job.future.done():
            job.future.set_exception(Died(status, job.stage))

    async def stop(self) -> None:
        """End the worker and all its jobs."""
        with suppress(ProcessLookupError):
            self.process.kill()  # its jobs end with it
        if self.reader is not None:
            await self.reader


class Analyst:
    """Runs jobs in workers: in one that is kept where it can fork, else in one for each job."""

    def __init__(self, *, forks: bool = CAN_FORK, idle: float = IDLE_SECONDS) -> None:
        self.forks = forks
        self.idle = idle
        self.numbers = count(1)
        self.kept: _Process | None = None
        self.single: set[_Process] = set()  # of one job each
        self.starting = asyncio.Lock()
        self.timer: asyncio.TimerHandle | None = None

    async def run(self, job: Job, progress: Progress | None = None) -> Answer:
        """The answer to a job.

        Raises:
            Died: Its process ended without one.
            Failed: An internal error.
            asyncio.CancelledError: The job was stopped.
        """
        worker = await self.worker()
        number = next(self.numbers)
        waiting = _Waiting(asyncio.get_running_loop().create_future(), progress)
        worker.waiting[number] = waiting
        worker.send("run", number, job)
        try:
            return await waiting.future
        except asyncio.CancelledError:
            if worker is self.kept:
                worker.send("stop", number, None)
            raise
        finally:
            if worker is self.kept:
                self.rest()
            elif not waiting.future.done() or waiting.future.cancelled():
                await worker.stop()  # an answered one writes its caches and ends itself

    async def worker(self) -> _Process:
        """The kept worker, started where there is none, or a new one."""
        if self.timer is not None:
            self.timer.cancel()
        if not self.forks:
            single = await _Process.start(ONCE_FLAG)
            self.single.add(single)
            assert single.reader is not None
            single.reader.add_done_callback(lambda _: self.single.discard(single))
            return single
        async with self.starting:
            if self.kept is None or self.kept.reader is None or self.kept.reader.done():
                self.kept = await _Process.start()
            return self.kept

    def forget(self, folder: str) -> None:
        """A folder is not scanned any more: free what the worker keeps of it."""
        if self.kept is not None:
            self.kept.send("forget", 0, folder)

    def rest(self) -> None:
        """End the kept worker after ``idle`` seconds without a job: its memory is given back."""
        if self.timer is not None:
            self.timer.cancel()
        self.timer = asyncio.get_running_loop().call_later(self.idle, self.doze)

    def doze(self) -> None:
        if self.kept is None:
            return
        if self.kept.waiting:
            self.rest()
            return
        kept, self.kept = self.kept, None
        self.dozing = asyncio.ensure_future(kept.stop())

    async def stop(self) -> None:
        """End all workers, with whatever they do."""
        if self.timer is not None:
            self.timer.cancel()
        kept, self.kept = self.kept, None
        for each in [*self.single, *([kept] if kept is not None else [])]:
            await each.stop()
