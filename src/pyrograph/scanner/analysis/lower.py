"""Lowering of many files: from the cache where it knows the content, in worker processes where there is much to do.

The cache is one SQLite file in the user's cache directory, keyed by content, language and the version of the front
ends; what it holds are units as bytes that cannot execute anything. A worker that dies costs the file it died on, and
nothing else.
"""

from __future__ import annotations

import hashlib
import heapq
import os
import pickle
import signal
import struct
import threading
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO, NamedTuple

from pyrograph.ir.unit import Unit, UnitError, dump, load
from pyrograph.model.problem import Problem
from pyrograph.parsers import identity, lower
from pyrograph.policy.limits import CACHE_BYTES, CHUNKS_PER_JOB, MAX_CHUNKS, PARALLEL_BYTES
from pyrograph.scanner.faults import Fault, fault_of, internal_error
from pyrograph.scanner.files.discover import SourceFile, read_source

CACHE_THREAD = "pyrograph-cache"

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Lowered:
    """One file's unit, and the text it was made from: what excerpts show is what was analysed."""

    file: SourceFile
    unit: Unit
    text: bytes


def lower_files(
    files: Sequence[SourceFile],
    *,
    jobs: int,
    cache: Path | None = None,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
    apart: bool = False,
    on_error: Callable[[BaseException], None] | None = None,
) -> tuple[list[Lowered], list[Problem]]:
    """Lower ``files``; the result is in their order, whatever the number of jobs.

    Args:
        files: What to lower.
        jobs: Worker processes, at least 1.
        cache: Folder of the cache, or None for none.
        progress: Called with ("lower", done, total).
        meanwhile: Called once: while the workers are busy, or at the end where there are none. What it raises ends
            the lowering.
        apart: Lower in worker processes however little there is to do, so that a crash is seen from outside.
        on_error: Called with what a front end raised, where that happened in this process.
    """
    problems: list[Problem] = []
    texts: list[bytes | None] = []
    keys: list[bytes] = []
    for file in files:
        text, problem = read_source(file)
        texts.append(text)
        if problem is not None:
            problems.append(problem)
        keys.append(b"" if text is None else _key(text, file.language))
    store = _Store(cache) if cache is not None else None
    units: list[Unit | None] = [None] * len(files)
    if store is not None:
        for index, data in store.read(keys):
            with suppress(UnitError):
                units[index] = load(data)
    waiting = [i for i, unit in enumerate(units) if unit is None and texts[i] is not None]
    done = len(files) - len(waiting)
    fresh: list[tuple[bytes, bytes]] = []

    def finish(index: int, unit: Unit | None, data: bytes | None, fault: Fault | None) -> None:
        nonlocal done
        done += 1
        if unit is None:
            assert fault is not None
            problems.append(internal_error(fault, files[index].path, "the file was left out of the analysis"))
        else:
            units[index] = unit
            if data is not None:
                fresh.append((keys[index], data))
        if progress is not None:
            progress("lower", done, len(files))

    def take(index: int, data: bytes | None, fault: Fault | None = None) -> None:
        """Take what a worker answers."""
        finish(index, None if data is None else load(data), data, fault)

    if progress is not None:
        progress("lower", done, len(files))
    pool = _Pool(files, texts, jobs, take)
    size = sum(len(texts[i] or b"") for i in waiting)
    if (apart and waiting) or (jobs > 1 and size > PARALLEL_BYTES and len(waiting) > 1):
        waiting = pool.lower(waiting, meanwhile)
        meanwhile = None
    for index in waiting:
        text = texts[index]
        assert text is not None
        unit, fault = _lowered(text, files[index].language, on_error)
        finish(index, unit, dump(unit) if unit is not None and store is not None else None, fault)
    if meanwhile is not None:
        meanwhile()
    if store is not None and fresh:  # nobody waits for the cache but the end of the process
        threading.Thread(target=store.write, args=(fresh,), name=CACHE_THREAD).start()
    lowered: list[Lowered] = []
    for file, text, unit in zip(files, texts, units, strict=True):
        if unit is None or text is None:
            continue
        lowered.append(Lowered(file, unit, text))
        for kind, line, message in unit.problems:
            problems.append(Problem(kind, file.path, line, message))  # type: ignore[arg-type]
    return lowered, problems


def wait_for_cache() -> None:
    """Wait for the thread that writes the cache: a process with threads should not be forked."""
    for thread in threading.enumerate():
        if thread.name == CACHE_THREAD:
            thread.join()


def _key(text: bytes, language: str) -> bytes:
    return hashlib.blake2b(text, digest_size=16, key=identity(language)).digest()


def _lowered(
    text: bytes, language: str, on_error: Callable[[BaseException], None] | None = None
) -> tuple[Unit | None, Fault | None]:
    """The unit, or why there is none: a front end must not raise, and a bug in one must not end a scan."""
    try:
        return lower(text, language), None
    except Exception as error:
        if on_error is not None:
            on_error(error)
        return None, fault_of("lower", error)


def _dumped(text: bytes, language: str) -> tuple[bytes | None, Fault | None]:
    """The same as bytes, in a worker."""
    unit, fault = _lowered(text, language)
    return None if unit is None else dump(unit), fault


class _Pool:
    """Lowers in worker processes; one that dies costs the file that it was on.

    Workers are forked, so that they have the texts already, and answer through a pipe each: first the number of each
    file, then its unit. So it is known on which file a worker died; that file is tried once more in a process of its
    own, and the others go to new workers. ``ProcessPoolExecutor`` can do neither, and when memory, files or processes
    run out it hangs or prints tracebacks; it serves where processes cannot be forked.
    """

    def __init__(
        self,
        files: Sequence[SourceFile],
        texts: Sequence[bytes | None],
        jobs: int,
        take: Callable[[int, bytes | None, Fault | None], None],
    ) -> None:
        self.files = files
        self.texts = texts
        self.jobs = jobs
        self.take = take

    def lower(self, waiting: Sequence[int], meanwhile: Callable[[], None] | None) -> list[int]:
        """Lower the files with these numbers, and call ``meanwhile``; returns those for which no process could be
        started. Each round takes at least one file, so it ends.
        """
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
                        self.take(index, None, Fault("lower", died[index], "", ""))
                    else:
                        _Pool(self.files, self.texts, 1, self.take).lower([index], None)
            except _NoProcess:
                if meanwhile is not None:
                    meanwhile()
                return left
        return []

    def _round(
        self, waiting: list[int], jobs: int, meanwhile: Callable[[], None] | None
    ) -> tuple[list[int], dict[int, str]]:
        """What is left because a worker died, and the files on which one died, each with what ended it.

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
                answer = answers.get()
                if answer.file is not None:
                    left.pop(answer.file, None)
                if answer.worker is None:
                    assert answer.file is not None
                    self.take(answer.file, answer.unit, answer.fault)
                    continue
                running -= 1
                ended_by = answer.worker.wait()
                if answer.file is not None:
                    died[answer.file] = ended_by
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

    def work(self, chunks: list[list[int]], tokens: int, pipe: BinaryIO) -> None:
        """In a worker: lower chunks until none is left."""
        while token := os.read(tokens, _TOKEN.size):
            for index in chunks[_TOKEN.unpack(token)[0]]:
                pipe.write(_ANSWER.pack(_BEGINS, index, 0))
                pipe.flush()
                text = self.texts[index]
                assert text is not None
                unit, fault = _dumped(text, self.files[index].language)
                content = pickle.dumps(fault) if unit is None else unit
                pipe.write(_ANSWER.pack(_FAULT if unit is None else _UNIT, index, len(content)))
                pipe.write(content)
        pipe.flush()

    def _chunks(self, waiting: Sequence[int], jobs: int) -> list[list[int]]:
        """Chunks of about equal size."""
        texts = self.texts
        order = sorted(waiting, key=lambda i: (-len(texts[i] or b""), i))
        chunks: list[list[int]] = [[] for _ in range(min(len(order), jobs * CHUNKS_PER_JOB, MAX_CHUNKS))]
        heap = [(0, number) for number in range(len(chunks))]
        for index in order:
            size, smallest = heap[0]
            chunks[smallest].append(index)
            heapq.heapreplace(heap, (size + len(texts[index] or b"") + 500, smallest))
        return chunks

    def _spawned(self, waiting: Sequence[int], meanwhile: Callable[[], None] | None) -> None:
        """The same without ``fork``; when a worker dies, the files that are left are tried one by one."""
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        def task(index: int) -> tuple[bytes, str]:
            return self.texts[index] or b"", self.files[index].language

        left = dict.fromkeys(waiting)
        with suppress(BrokenProcessPool), ProcessPoolExecutor(self.jobs) as executor:
            futures = {index: executor.submit(_dumped, *task(index)) for index in waiting}
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
                    self.take(index, *executor.submit(_dumped, *task(index)).result())
            except BrokenProcessPool:
                self.take(index, None, Fault("lower", "the process died", "", ""))


_TOKEN = struct.Struct("<H")
_ANSWER = struct.Struct("<BIQ")  # kind, number of the file, bytes that follow
_BEGINS, _UNIT, _FAULT = range(3)


class _NoProcess(Exception):
    """Not one worker could be started."""


class _Answer(NamedTuple):
    """What a worker says of a file; with ``worker``, that it ended, and on which file if on one."""

    file: int | None
    unit: bytes | None = None
    fault: Fault | None = None
    worker: _Worker | None = None


class _Worker:
    """A forked process that lowers, and the thread that reads its answers."""

    def __init__(self, pool: _Pool, chunks: list[list[int]], tokens: int, answers: SimpleQueue[_Answer]) -> None:
        reading, writing = os.pipe()
        try:
            self.pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            raise
        if not self.pid:
            status = 1
            try:
                os.close(reading)
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                with open(writing, "wb") as pipe:
                    pool.work(chunks, tokens, pipe)
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        self.pipe = reading
        self.answers = answers
        self.is_read = False
        self.is_reaped = False

    def read_meanwhile(self) -> None:
        """Read answers in a thread, where one can be started."""
        with suppress(RuntimeError):
            threading.Thread(target=self._read, daemon=True).start()
            self.is_read = True

    def read_now(self) -> None:
        """Read answers in this thread where no other does: the worker waits until then."""
        if not self.is_read:
            self._read()

    def _read(self) -> None:
        """Pass answers on until the worker ends, and then that it has."""
        at: int | None = None
        try:
            with open(self.pipe, "rb") as pipe:
                while len(head := pipe.read(_ANSWER.size)) == _ANSWER.size:
                    kind, index, size = _ANSWER.unpack(head)
                    content = pipe.read(size)
                    if len(content) < size:
                        break
                    at = index if kind == _BEGINS else None
                    if kind == _UNIT:
                        self.answers.put(_Answer(index, unit=content))
                    elif kind == _FAULT:
                        self.answers.put(_Answer(index, fault=pickle.loads(content)))
        finally:
            self.answers.put(_Answer(at, worker=self))

    def wait(self) -> str:
        """What ended the process: ``ENDED``, the name of a signal, or an exit status."""
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


ENDED = "it ended"


def _checksum(key: bytes, unit: bytes) -> bytes:
    """Finds units that a fault of the disk changed, and those that lie under another's key."""
    return zlib.crc32(unit, zlib.crc32(key)).to_bytes(4, "little")


class _Store:
    """Units by content, each behind its checksum. Whatever goes wrong with the file, a scan goes on without it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "units.sqlite"

    def read(self, keys: Sequence[bytes]) -> list[tuple[int, bytes]]:
        """(position, unit) of the keys that are known."""
        import sqlite3

        if not self.path.is_file():
            return []
        found: list[tuple[int, bytes]] = []
        try:
            connection = sqlite3.connect(self.path, timeout=2)
            try:
                for index, key in enumerate(keys):
                    row = connection.execute("select unit from units where key = ?", (key,)).fetchone() if key else None
                    if row is not None and isinstance(row[0], bytes) and row[0][:4] == _checksum(key, row[0][4:]):
                        found.append((index, row[0][4:]))
            finally:
                connection.close()
        except sqlite3.Error:
            return []
        return found

    def write(self, units: Sequence[tuple[bytes, bytes]]) -> None:
        import sqlite3

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_file() and self.path.stat().st_size > CACHE_BYTES:
                self.path.unlink()
            connection = sqlite3.connect(self.path, timeout=2)
            try:
                with connection:
                    connection.execute("pragma synchronous = off")
                    connection.execute(
                        "create table if not exists units (key blob primary key, unit blob) without rowid"
                    )
                    connection.executemany(
                        "insert or replace into units values (?, ?)",
                        ((key, _checksum(key, unit) + unit) for key, unit in units),
                    )
            finally:
                connection.close()
        except (sqlite3.Error, OSError):
            with suppress(OSError):
                os.unlink(self.path)
