"""Lowering of many files: from the cache where it knows the content, in worker processes where there is much to do.

The cache has units as bytes that cannot execute anything, by content, language and the version of the front ends. A
worker that dies costs the file it died on, and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pyrograph.ir.stored import UnitError, dump, load
from pyrograph.ir.unit import Unit
from pyrograph.model.problem import Problem
from pyrograph.parsers import identity, lower
from pyrograph.policy.limits.workers import PARALLEL_BYTES, REMOTE_BATCH, REMOTE_BYTES
from pyrograph.scanner import background
from pyrograph.scanner.analysis.unit_cache import UnitCache
from pyrograph.scanner.analysis.workers import Workers
from pyrograph.scanner.faults import Fault, fault_of, internal_error
from pyrograph.scanner.files.discover import SourceFile
from pyrograph.scanner.files.read import read_source
from pyrograph.scanner.remote import ONE_AT_A_TIME, Remote

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Lowered:
    """One file's unit, and the text it was made from: what excerpts show is what was analysed."""

    file: SourceFile
    unit: Unit
    text: bytes


@dataclass(slots=True)
class UnitMemory:
    """Units that a process keeps between scans, by key; filled by ``lower_files`` and never changed by a scan.

    A scan in a forked process leaves nothing in its parent: ``fresh`` is what the parent has to be sent.
    """

    units: dict[bytes, Unit] = field(default_factory=dict)
    fresh: list[tuple[bytes, bytes]] = field(default_factory=list)  # of the last scan: units that were not there
    used: list[bytes] = field(default_factory=list)  # of the last scan: keys of all its files

    def keep(self, used: Iterable[bytes], fresh: Iterable[tuple[bytes, bytes]]) -> None:
        """Take what a scan used and lowered, and forget all other units: memory is bounded by one program."""
        known = self.units | {key: load(data) for key, data in fresh}
        self.units = {key: known[key] for key in used if key in known}
        self.fresh, self.used = [], []


def lower_files(
    files: Sequence[SourceFile],
    *,
    jobs: int,
    texts: Sequence[tuple[bytes | None, Problem | None]] | None = None,
    cache: Path | None = None,
    memory: UnitMemory | None = None,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
    apart: bool = False,
    on_error: Callable[[BaseException], None] | None = None,
    remote: Remote | None = None,
) -> tuple[list[Lowered], list[Problem]]:
    """Lower ``files``; the result is in their order, whatever the number of jobs.

    Args:
        files: What to lower.
        jobs: Worker processes, at least 1.
        texts: Of the files, as ``read_source`` returns them; None: they are read here.
        cache: Folder of the cache, or None for none.
        memory: Units that this process has from earlier calls; asked before the cache.
        progress: Called with ("lower", done, total).
        meanwhile: Called once: while the workers are busy, or at the end where there are none. What it raises ends
            the lowering.
        apart: Lower in worker processes however little there is to do, so that a crash is seen from outside.
        on_error: Called with what a front end raised, where that happened in this process.
        remote: Other machines, which lower the files if there is much to do; a file that kills a worker is left to
            this one.
    """
    known = list(map(read_source, files)) if texts is None else texts
    contents = [text for text, _ in known]
    problems = [problem for _, problem in known if problem is not None]
    keys = [b"" if text is None else unit_key(text, file.language) for file, text in zip(files, contents, strict=True)]
    store = UnitCache(cache) if cache is not None else None
    units: list[Unit | None] = [None] * len(files) if memory is None else [memory.units.get(key) for key in keys]
    if memory is not None:
        memory.fresh, memory.used = [], [key for key in keys if key]
    stored = _fill(units, keys, store.read) if store is not None else []
    if memory is not None:
        memory.fresh += stored
    shared = remote.units if remote is not None else None
    fetched = _fill(units, keys, shared.read) if shared is not None else []
    waiting = [i for i, unit in enumerate(units) if unit is None and contents[i] is not None]
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
    size = sum(len(contents[i] or b"") for i in waiting)
    if remote is not None and remote.connect is not None and size > REMOTE_BYTES and not apart:
        batches, settled = _batches(waiting, contents), set[int]()
        texts_of = ([(contents[i] or b"", files[i].language) for i in batch] for batch in batches)
        for number, results in remote.results(_dumped_batch, texts_of, meanwhile):
            for index, result in zip(batches[number], results, strict=True):
                take(index, *result)
                settled.add(index)
        waiting = [index for index in waiting if index not in settled]
        meanwhile = None
        size = sum(len(contents[i] or b"") for i in waiting)
    if (apart and waiting) or (jobs > 1 and size > PARALLEL_BYTES and len(waiting) > 1):
        tasks = {i: (contents[i] or b"", files[i].language) for i in waiting}
        waiting = Workers("lower", _dumped, tasks, jobs, take).run(meanwhile)
        meanwhile = None
    for index in waiting:
        text = contents[index]
        assert text is not None
        unit, fault = _lowered(text, files[index].language, on_error)
        kept = unit is not None and not (store is None and memory is None and shared is None)
        finish(index, unit, dump(unit) if unit is not None and kept else None, fault)
    if memory is not None:
        memory.fresh += fetched + fresh
    if meanwhile is not None:
        meanwhile()
    if store is not None and (fetched or fresh or store.aged):
        background.begin(partial(store.write, fetched + fresh))
    if shared is not None and fresh:
        background.begin(partial(shared.write, fresh))
    lowered = [
        Lowered(file, unit, text)
        for file, text, unit in zip(files, contents, units, strict=True)
        if unit is not None and text is not None
    ]
    for each in lowered:
        for kind, line, message in each.unit.problems:
            problems.append(Problem(kind, each.file.path, line, message))  # type: ignore[arg-type]
    return lowered, problems


def _fill(
    units: list[Unit | None], keys: Sequence[bytes], read: Callable[[Sequence[bytes]], Iterable[tuple[int, bytes]]]
) -> list[tuple[bytes, bytes]]:
    """Fill the gaps of ``units`` with what a cache has under ``keys``; returns what it had, by key."""
    found: list[tuple[bytes, bytes]] = []
    for index, data in read([b"" if unit is not None else key for key, unit in zip(keys, units, strict=True)]):
        with suppress(UnitError):
            units[index] = load(data)
            found.append((keys[index], data))
    return found


def release(lowered: Iterable[Lowered]) -> None:
    """Forget what linking has copied out of the units; a ``UnitMemory`` keeps them for the next scan."""
    for each in lowered:
        each.unit = each.unit.outline()


def restored(lowered: Iterable[Lowered]) -> list[Lowered]:
    """Lower the files whose units were released once more: after a fault, when the time does not matter."""
    return [each if each.unit.tables else replace(each, unit=lower(each.text, each.file.language)) for each in lowered]


def unit_key(text: bytes, language: str) -> bytes:
    """The name of a unit in the cache."""
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


def _batches(waiting: Sequence[int], contents: Sequence[bytes | None]) -> list[list[int]]:
    """What one remote task lowers: files in their order, up to ``REMOTE_BATCH`` bytes or one file; the largest
    batches first, so that none of them is left at the end.
    """
    batches: list[list[int]] = []
    sizes: list[int] = []
    for index in waiting:
        size = len(contents[index] or b"")
        if not batches or sizes[-1] + size > REMOTE_BATCH:
            batches.append([])
            sizes.append(0)
        batches[-1].append(index)
        sizes[-1] += size
    return [batches[number] for number in sorted(range(len(batches)), key=lambda number: -sizes[number])]


def _dumped_batch(batch: Sequence[tuple[bytes, str]]) -> list[tuple[bytes | None, Fault | None]]:
    """The units of several texts, in a worker on another machine."""
    with ONE_AT_A_TIME:
        return [_dumped(text, language) for text, language in batch]
