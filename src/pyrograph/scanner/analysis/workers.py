"""Worker processes that turn texts into bytes; one that dies costs the item that it was on, and nothing else."""

from __future__ import annotations

import _thread
import heapq
import os
import pickle
import signal
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import BinaryIO, Final, NamedTuple

from pyrograph.policy.limits.workers import CHUNKS_PER_JOB, MAX_CHUNKS, WATCH_SECONDS
from pyrograph.scanner.faults import Fault
from pyrograph.scanner.forked import fork

Work = Callable[[bytes, str], tuple[bytes | None, Fault | None]]  # of a text and its language; runs in a worker
Task = tuple[bytes, str]

ENDED: Final = "it ended"
_TOKEN = struct.Struct("<H")
_ANSWER = struct.Struct("<BIQ")  # kind, number of the task, bytes that follow
_BEGINS, _RESULT, _FAULT = range(3)


class Workers:
    """A stage that runs in worker processes; a worker that dies costs the item that it was on.

    Workers are forked, so that they have the texts already, and answer through a pipe each: first the number of each
    item, then its result. So it is known on which item a worker died; that item is tried once more in a process of its
    own, and the others go to new workers. ``ProcessPoolExecutor`` can do neither, and when memory, files or processes
    run out it hangs or prints tracebacks; it serves where processes cannot be forked.
    """

    def __init__(
        self,
        stage: str,
        work: Work,
        tasks: Mapping[int, Task],
        jobs: int,
        take: Callable[[int, bytes | None, Fault | None], None],
    ) -> None:
        """``stage``: the name that faults get; ``tasks``: by number; ``take``: gets each number with its result."""
        self.stage = stage
        self.work = work
        self.tasks = tasks
        self.jobs = jobs
        self.take = take

    def run(self, meanwhile: Callable[[], None] | None) -> list[int]:
        """Work on all tasks, and call ``meanwhile``; returns the numbers of tasks for which no process could be
        started. Ends because each iteration takes at least one task.
        """
        waiting = list(self.tasks)
        if not hasattr(os, "fork"):
            self._spawned(waiting, meanwhile)
            return []
        left = list(waiting)
        jobs = self.jobs
        while left:
            try:
                left, died = self._round(left, jobs, meanwhile)
                meanwhile = None
                for index in died:
                    if len(waiting) == 1:
                        self.take(index, None, Fault(self.stage, died[index], "", ""))
                    else:
                        Workers(self.stage, self.work, {index: self.tasks[index]}, 1, self.take).run(None)
            except _NoProcess:
                if meanwhile is not None:
                    meanwhile()
                return left
        return []

    def _round(
        self, waiting: list[int], jobs: int, meanwhile: Callable[[], None] | None
    ) -> tuple[list[int], dict[int, str]]:
        """The tasks that are left because a worker died, and those on which one died, each with what ended it.

        Raises:
            _NoProcess: None could be started; ``meanwhile`` was not called.
        """
        chunks = self._chunks(waiting, jobs)
        answers: SimpleQueue[_Answer] = SimpleQueue()
        workers = self._start(chunks, min(jobs, len(chunks)), answers)
        left = dict.fromkeys(waiting)
        died: dict[int, str] = {}
        try:
            if meanwhile is not None:
                meanwhile()
            for worker in workers:
                worker.read_now()
            running = len(workers)
            while running:
                answer = _next(answers, workers)
                if answer is None or (answer.worker is not None and answer.worker.is_reaped):
                    continue
                if answer.task is not None:
                    left.pop(answer.task, None)
                if answer.worker is None:
                    assert answer.task is not None
                    self.take(answer.task, answer.result, answer.fault)
                    continue
                running -= 1
                ended_by = answer.worker.wait()
                if answer.task is not None:
                    died[answer.task] = ended_by
                elif ended_by != ENDED and len(left) == len(waiting):  # it died before it began
                    died[waiting[0]] = ended_by
                    left.pop(waiting[0], None)
        except BaseException:
            for worker in workers:
                worker.kill()
            raise
        return list(left), died

    def _start(self, chunks: list[list[int]], jobs: int, answers: SimpleQueue[_Answer]) -> list[_Worker]:
        """Start up to ``jobs`` workers, which take chunks until none is left."""
        workers: list[_Worker] = []
        tokens = writing = -1
        try:
            tokens, writing = os.pipe()
            for number in range(len(chunks)):
                os.write(writing, _TOKEN.pack(number))
            os.close(writing)
            for _ in range(jobs):
                workers.append(_Worker(self, chunks, tokens, answers))
        except OSError as error:  # no more processes, files or memory for this user
            if not workers:
                raise _NoProcess from error
        finally:
            if tokens >= 0:
                os.close(tokens)
        for worker in workers:
            worker.read_meanwhile()
        return workers

    def serve(self, chunks: list[list[int]], tokens: int, pipe: BinaryIO) -> None:
        """In a worker: work on chunks until none is left."""
        while token := os.read(tokens, _TOKEN.size):
            for index in chunks[_TOKEN.unpack(token)[0]]:
                pipe.write(_ANSWER.pack(_BEGINS, index, 0))
                pipe.flush()
                result, fault = self.work(*self.tasks[index])
                content = pickle.dumps(fault) if result is None else result
                pipe.write(_ANSWER.pack(_FAULT if result is None else _RESULT, index, len(content)))
                pipe.write(content)
        pipe.flush()

    def _chunks(self, waiting: Sequence[int], jobs: int) -> list[list[int]]:
        """Chunks of about equal size."""
        tasks = self.tasks
        order = sorted(waiting, key=lambda i: (-len(tasks[i][0]), i))
        chunks: list[list[int]] = [[] for _ in range(min(len(order), jobs * CHUNKS_PER_JOB, MAX_CHUNKS))]
        heap = [(0, number) for number in range(len(chunks))]
        for index in order:
            size, smallest = heap[0]
            chunks[smallest].append(index)
            heapq.heapreplace(heap, (size + len(tasks[index][0]) + 500, smallest))
        return chunks

    def _spawned(self, waiting: Sequence[int], meanwhile: Callable[[], None] | None) -> None:
        """The same without ``fork``; when a worker dies, the tasks that are left are tried one by one."""
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        left = dict.fromkeys(waiting)
        with suppress(BrokenProcessPool), ProcessPoolExecutor(self.jobs) as executor:
            futures = {index: executor.submit(self.work, *self.tasks[index]) for index in waiting}
            if meanwhile is not None:
                try:
                    meanwhile()
                except BaseException:
                    executor.shutdown(wait=False, cancel_futures=True)
                    raise
            for index, future in futures.items():
                self.take(index, *future.result())
                del left[index]
        for index in left:
            try:
                with ProcessPoolExecutor(1) as executor:
                    self.take(index, *executor.submit(self.work, *self.tasks[index]).result())
            except BrokenProcessPool:
                self.take(index, None, Fault(self.stage, "the process died", "", ""))


def _next(answers: SimpleQueue[_Answer], workers: Sequence[_Worker]) -> _Answer | None:
    """The next answer, or None if there was none for ``WATCH_SECONDS``.

    A thread that gets no memory cannot even say that it has ended; then this says it.
    """
    try:
        return answers.get(timeout=WATCH_SECONDS)
    except Empty:
        over = (worker for worker in workers if worker.is_over and not worker.is_reaped)
        return next((_Answer(worker.at, worker=worker) for worker in over), None)


class _NoProcess(Exception):
    """Not one worker could be started."""


class _Answer(NamedTuple):
    """A worker's message about a task; with ``worker``, that it ended, and on which task if on one."""

    task: int | None
    result: bytes | None = None
    fault: Fault | None = None
    worker: _Worker | None = None


class _Worker:
    """A forked process that works, and the thread that reads its answers."""

    def __init__(self, workers: Workers, chunks: list[list[int]], tokens: int, answers: SimpleQueue[_Answer]) -> None:
        reading, writing = os.pipe()

        def work() -> int:
            os.close(reading)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            with open(writing, "wb") as pipe:
                workers.serve(chunks, tokens, pipe)
            return 0

        try:
            self.pid = fork(work)
        except OSError:
            os.close(reading)
            os.close(writing)
            raise
        os.close(writing)
        self.pipe = reading
        self.answers = answers
        self.reader = _thread.allocate_lock()  # belongs to the thread that reads
        self.at: int | None = None  # the task that it is on
        self.is_over = False  # nobody reads any more
        self.is_reaped = False

    def read_meanwhile(self) -> None:
        """Read answers in a thread, where one can be started.

        ``threading.Thread.start`` waits for ever for a thread that got no memory to begin.
        """

        def read() -> None:
            with suppress(MemoryError):
                self.read_now()

        with suppress(RuntimeError):
            _thread.start_new_thread(read, ())

    def read_now(self) -> None:
        """Read answers in this thread where no other does: the worker waits until then."""
        if self.reader.acquire(blocking=False):
            self._read()

    def _read(self) -> None:
        """Pass answers on until the worker ends, and then that it has."""
        try:
            with open(self.pipe, "rb") as pipe:
                while len(head := pipe.read(_ANSWER.size)) == _ANSWER.size:
                    kind, index, size = _ANSWER.unpack(head)
                    content = pipe.read(size)
                    if len(content) < size:
                        break
                    self.at = index if kind == _BEGINS else None
                    if kind == _RESULT:
                        self.answers.put(_Answer(index, result=content))
                    elif kind == _FAULT:
                        self.answers.put(_Answer(index, fault=pickle.loads(content)))
        finally:
            self.is_over = True
            self.answers.put(_Answer(self.at, worker=self))

    def wait(self) -> str:
        """The reason why the process ended: ``ENDED``, the name of a signal, or an exit status."""
        self.is_reaped = True
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status):
            return signal.Signals(os.WTERMSIG(status)).name
        return f"exit status {os.WEXITSTATUS(status)}" if status else ENDED

    def kill(self) -> None:
        if not self.is_reaped:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
            self.wait()
