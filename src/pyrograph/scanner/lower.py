"""Lowering of many files: from the cache where it knows the content, in worker processes where there is much to do.

The cache is one SQLite file in the user's cache directory, keyed by content, language and the version of the front
ends; what it holds are units as bytes that cannot execute anything. A worker that dies costs the file it died on, and
nothing else.
"""

from __future__ import annotations

import hashlib
import heapq
import mmap
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyrograph.ir.unit import Unit, UnitError, dump, load
from pyrograph.model.problem import Problem
from pyrograph.parsers import identity, lower
from pyrograph.scanner.discover import SourceFile, read_source
from pyrograph.scanner.faults import Fault, fault_of, internal_error

PARALLEL_BYTES = 400_000  # uncached source below which starting processes costs more than it brings
CHUNKS_PER_JOB = 16  # so that no worker is idle for long while another works on the last one
CACHE_THREAD = "pyrograph-cache"
CACHE_BYTES = 1_000_000_000  # the cache file is started anew when it has grown beyond this

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

    def take(index: int, data: bytes | None, fault: Fault | None = None) -> None:
        nonlocal done
        done += 1
        if data is None:
            assert fault is not None
            problems.append(internal_error(fault, files[index].path, "the file was left out of the analysis"))
        else:
            units[index] = load(data)
            fresh.append((keys[index], data))
        if progress is not None:
            progress("lower", done, len(files))

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
        take(index, *_lowered(text, files[index].language, on_error))
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
) -> tuple[bytes | None, Fault | None]:
    """The dumped unit, or why there is none: a front end must not raise, and a bug in one must not end a scan."""
    try:
        return dump(lower(text, language)), None
    except Exception as error:
        if on_error is not None:
            on_error(error)
        return None, fault_of("lower", error)


_started: mmap.mmap | None = None  # in a worker: one byte for each file, see _Pool


def _begin_worker(started: mmap.mmap) -> None:
    global _started
    _started = started


def _lower_chunk(chunk: Sequence[tuple[int, bytes, str]]) -> list[tuple[int, bytes | None, Fault | None]]:
    """In a worker: lower several files."""
    lowered = []
    for index, text, language in chunk:
        if _started is not None:
            _started[index] = STARTED
        lowered.append((index, *_lowered(text, language)))
        if _started is not None:
            _started[index] = ENDED
    return lowered


STARTED, ENDED = 1, 2


class _Pool:
    """Lowers in worker processes; one that dies costs the file that it was on.

    Workers mark in shared memory which file they begin and end. When one dies, all of its pool are ended; of the files
    that were begun and not ended, at most one for each worker, each is tried in a process of its own. The rest goes to
    a new pool.
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
        left = list(waiting)
        while left:
            started = mmap.mmap(-1, len(self.files)) if _METHOD == "fork" else None  # others could not share it
            called: list[bool] = []
            try:
                rest = self._round(left, started, partial(_once, meanwhile, called))
            except OSError:  # no more processes, files or memory for this user
                if not called:
                    _once(meanwhile, called)
                return left
            meanwhile = None
            suspects = rest if started is None else [index for index in rest if started[index] == STARTED]
            if len(rest) == len(left) and not suspects:  # a worker died before it began
                suspects = rest[:1]
            for index in suspects:
                self._alone(index)
            left = sorted({*rest} - {*suspects})
        return left

    def _round(self, waiting: list[int], started: mmap.mmap | None, meanwhile: Callable[[], None]) -> list[int]:
        """Lower in one pool; returns what is left when a worker died."""
        left = set(waiting)
        with _executor(self.jobs, started) as executor:
            try:
                futures = [executor.submit(_lower_chunk, self._tasks(chunk)) for chunk in self._chunks(waiting)]
                meanwhile()
                for future in futures:
                    for index, data, fault in future.result():
                        self.take(index, data, fault)
                        left.discard(index)
            except BrokenProcessPool:
                pass
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise
        return [index for index in waiting if index in left]

    def _alone(self, index: int) -> None:
        """Lower one file in a process of its own."""
        try:
            with _executor(1, None) as executor:
                for at, data, fault in executor.submit(_lower_chunk, self._tasks([index])).result():
                    self.take(at, data, fault)
        except BrokenProcessPool:
            self.take(index, None, Fault("lower", "the process died", "", ""))

    def _tasks(self, chunk: Sequence[int]) -> list[tuple[int, bytes, str]]:
        return [(index, self.texts[index] or b"", self.files[index].language) for index in chunk]

    def _chunks(self, waiting: Sequence[int]) -> list[list[int]]:
        """Chunks of about equal size."""
        texts = self.texts
        order = sorted(waiting, key=lambda i: (-len(texts[i] or b""), i))
        chunks: list[list[int]] = [[] for _ in range(min(len(order), self.jobs * CHUNKS_PER_JOB))]
        heap = [(0, number) for number in range(len(chunks))]
        for index in order:
            size, smallest = heap[0]
            chunks[smallest].append(index)
            heapq.heapreplace(heap, (size + len(texts[index] or b"") + 500, smallest))
        return chunks


def _once(function: Callable[[], None] | None, called: list[bool]) -> None:
    called.append(True)
    if function is not None:
        function()


_METHOD = "fork" if sys.platform == "linux" else "spawn"  # forked where that is safe and cheap


def _executor(jobs: int, started: mmap.mmap | None) -> Executor:
    """Processes: parsing holds the interpreter's lock."""
    context = multiprocessing.get_context(_METHOD)
    if started is None:
        return ProcessPoolExecutor(jobs, mp_context=context)
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin_worker, initargs=(started,))


class _Store:
    """Units by content. Whatever goes wrong with the file, a scan goes on without it."""

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
                    if row is not None and isinstance(row[0], bytes):
                        found.append((index, row[0]))
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
                    connection.executemany("insert or replace into units values (?, ?)", units)
            finally:
                connection.close()
        except (sqlite3.Error, OSError):
            with suppress(OSError):
                os.unlink(self.path)
