"""Lowering of many files: from the cache where it knows the content, in worker processes where there is much to do.

The cache is one SQLite file in the user's cache directory, keyed by content, language and the version of the front
ends; what it holds are units as bytes that cannot execute anything. A worker that dies costs the file it died on, and
nothing else.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pyrograph.ir.unit import Unit, UnitError, dump, load
from pyrograph.model.problem import Problem
from pyrograph.parsers import identity, lower
from pyrograph.scanner.discover import SourceFile, read_source

PARALLEL_BYTES = 400_000  # uncached source below which starting processes costs more than it brings
CHUNKS_PER_JOB = 16  # so that no worker is idle for long while another works on the last one
CACHE_BYTES = 1_000_000_000  # the cache file is started anew when it has grown beyond this

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Lowered:
    """One file's unit, and its text where a comment in it may matter later."""

    file: SourceFile
    unit: Unit
    marked: bytes | None  # the text, if it holds a suppression comment


def lower_files(
    files: Sequence[SourceFile],
    *,
    jobs: int,
    markers: Sequence[bytes] = (),
    cache: Path | None = None,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> tuple[list[Lowered], list[Problem]]:
    """Lower ``files``; the result is in their order, whatever the number of jobs.

    Args:
        files: What to lower.
        jobs: Worker processes, at least 1.
        markers: A file that contains one of these keeps its text.
        cache: Folder of the cache, or None for none.
        progress: Called with ("lower", done, total).
        meanwhile: Called once: while the workers are busy, or at the end where there are none. What it raises ends
            the lowering.
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

    def take(index: int, data: bytes | None, reason: str = "") -> None:
        nonlocal done
        done += 1
        if data is None:
            message = f"not analysed: {reason}; please report the file"
            problems.append(Problem("not-parsed", files[index].path, 0, message))
        else:
            units[index] = load(data)
            fresh.append((keys[index], data))
        if progress is not None:
            progress("lower", done, len(files))

    if progress is not None:
        progress("lower", done, len(files))
    size = sum(len(texts[i] or b"") for i in waiting)
    if jobs > 1 and size > PARALLEL_BYTES and len(waiting) > 1:
        _in_processes(files, texts, waiting, jobs, take, meanwhile)
        meanwhile = None
    else:
        for index in waiting:
            text = texts[index]
            assert text is not None
            take(index, *_lowered(text, files[index].language))
    if meanwhile is not None:
        meanwhile()
    if store is not None and fresh:  # nobody waits for the cache but the end of the process
        threading.Thread(target=store.write, args=(fresh,), name="pyrograph-cache").start()
    lowered: list[Lowered] = []
    for file, text, unit in zip(files, texts, units, strict=True):
        if unit is None or text is None:
            continue
        marked = text if any(marker in text for marker in markers) else None
        lowered.append(Lowered(file, unit, marked))
        for kind, line, message in unit.problems:
            problems.append(Problem(kind, file.path, line, message))  # type: ignore[arg-type]
    return lowered, problems


def _key(text: bytes, language: str) -> bytes:
    return hashlib.blake2b(text, digest_size=16, key=identity(language)).digest()


def _lowered(text: bytes, language: str) -> tuple[bytes | None, str]:
    """The dumped unit, or why there is none: a front end must not raise, and a bug in one must not end a scan."""
    try:
        return dump(lower(text, language)), ""
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        return None, f"internal error of the front end ({type(error).__name__}: {error})"


def _lower_chunk(chunk: Sequence[tuple[int, bytes, str]]) -> list[tuple[int, bytes | None, str]]:
    """In a worker: lower several files."""
    return [(index, *_lowered(text, language)) for index, text, language in chunk]


def _in_processes(
    files: Sequence[SourceFile],
    texts: Sequence[bytes | None],
    waiting: Sequence[int],
    jobs: int,
    take: Callable[[int, bytes | None, str], None],
    meanwhile: Callable[[], None] | None,
) -> None:
    """Deal chunks of about equal size to processes; after a crash, files one by one to find the one that caused it."""
    order = sorted(waiting, key=lambda i: (-len(texts[i] or b""), i))
    chunks: list[list[int]] = [[] for _ in range(min(len(order), jobs * CHUNKS_PER_JOB))]
    sizes = [0] * len(chunks)
    for index in order:
        smallest = sizes.index(min(sizes))
        chunks[smallest].append(index)
        sizes[smallest] += len(texts[index] or b"") + 500
    left = {index for chunk in chunks for index in chunk}
    try:
        with _executor(jobs) as executor:
            futures = [
                executor.submit(_lower_chunk, [(i, texts[i] or b"", files[i].language) for i in chunk])
                for chunk in chunks
            ]
            if meanwhile is not None:
                try:
                    meanwhile()
                except BaseException:
                    executor.shutdown(wait=False, cancel_futures=True)
                    raise
            for future in futures:
                for index, data, reason in future.result():
                    take(index, data, reason)
                    left.discard(index)
        return
    except BrokenProcessPool:
        pass
    for index in sorted(left):
        try:
            with _executor(1) as executor:
                chunk = [(index, texts[index] or b"", files[index].language)]
                for at, data, reason in executor.submit(_lower_chunk, chunk).result():
                    take(at, data, reason)
        except BrokenProcessPool:
            take(index, None, "the process that analysed it died")


def _executor(jobs: int) -> Executor:
    """Processes: parsing holds the interpreter's lock. Forked where that is safe and cheap, else spawned."""
    method = "fork" if sys.platform == "linux" else "spawn"
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context(method))


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
