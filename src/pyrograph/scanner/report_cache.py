"""Reports of earlier scans: a scan of which nothing changed takes its report from here.

A report is a function of what ``key_of`` digests: the program itself and the installed grammars, the version of Python,
the options, the user's rule files, the names of all files that discovery found or left out, and the contents of source
files and manifests. Contents are read and digested each time. No size and no time of a file is trusted, so there is
nothing that an edit could leave unchanged; discovery and the reading of files are the part of a scan that always runs.
Templates are read when code renders them: the entry names those that were, with digests that are compared.
Where the key is not known, ``outlines`` decides whether the report of an earlier state of the same files still holds.

What is kept is the ``Report`` before triage. Suppressions, the baseline, git and the format are applied to it as to a
fresh one, and are no part of the key. Scans with internal errors, or that were started again, are not kept.

Each report is a file of its own, named by its key, with a checksum over key and content. It is JSON that ``codec``
checks: it cannot execute anything. Writers replace whole files and take no locks. A file that another user owns or can
write to, that is damaged, or that lies under another name is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from pyrograph import userfolder
from pyrograph.model.comment import Comment
from pyrograph.model.entry import Surface
from pyrograph.model.finding import Finding, Report, Statistics, Withheld
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.parsers import grammar
from pyrograph.policy.limits.caches import (
    MAX_KEPT_REPORT,
    REPORT_CACHE_BYTES,
    STATE_CACHE_BYTES,
    WHOLE_CACHE_BYTES,
)
from pyrograph.scanner.analysis.declarations import size_of
from pyrograph.scanner.files.read import read_text
from pyrograph.scanner.inputs import Inputs
from pyrograph.scanner.options import ScanOptions

FOLDER = "reports"
STATES = "states"
PACKAGE = Path(__file__).resolve().parent.parent
# Options that decide where the files lie, or how the work is done. ``rule_paths`` enter with the files' contents.
# Reports that used models of the environments' libraries are not kept.
NO_PART_OF_THE_KEY = frozenset({"paths", "root", "rule_paths", "environments", "jobs", "device", "verify"})
COUNTS = tuple(each.name for each in fields(Statistics) if each.type == "int")
Mark = tuple[str, int, int, int]  # path, inode, size and time of a file
ABANDONED = 3600.0  # seconds after which the temporary file of another process is one that it left behind


@dataclass(frozen=True, slots=True)
class _Kept:
    """A report as it is written; texts of files are not, because the next scan has read them."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    vulnerabilities: tuple[Vulnerability, ...]
    withheld: tuple[Withheld, ...]
    surface: tuple[Surface, ...]
    notes: tuple[str, ...]
    counts: tuple[int, ...]  # of ``COUNTS``
    files_by_language: tuple[tuple[str, int], ...]
    skipped: tuple[tuple[str, int], ...]
    sources: tuple[str, ...]  # paths of the texts that excerpts need
    comments: tuple[tuple[str, int, int, int, str], ...]  # path, and the fields of a ``Comment``
    templates: tuple[tuple[str, str], ...]  # path and digest of each that was read


class ReportCache:
    """The report of one scan, in ``folder``, if it is there."""

    def __init__(self, folder: Path, options: ScanOptions, inputs: Inputs) -> None:
        self.folder = folder
        self.options = options
        self.inputs = inputs
        self.key = key_of(options, inputs)

    def read(self) -> Report | None:
        """The report that a scan of these inputs would return; None if it is not known."""
        report = self._entry(self.key)
        return self._after_edit() if report is None else report

    def _entry(self, key: str) -> Report | None:
        """The report with this key, with the texts of now."""
        place = self.folder / FOLDER / key
        body = _read(place, key)
        if body is None:
            return None
        from pyrograph.rules import codec

        try:
            (kept,) = codec.decode(_Kept, json.loads(body))
            report = self._report(kept)
        except (LookupError, ValueError, RecursionError):  # a checksum that fits, but another form
            return None
        if report is not None:
            with suppress(OSError):
                os.utime(place)  # used now: the oldest are removed first
        return report

    def _after_edit(self) -> Report | None:
        """The report of an earlier state of these files, if no stage sees what was edited since."""
        key = key_of(self.options, self.inputs, contents=False)
        body = _read(self.folder / STATES / key, key)
        if body is None:
            return None
        from pyrograph.scanner import outlines

        state = outlines.decoded(body)
        edit = None if state is None else outlines.unseen_edit(state, self.inputs, self.folder)
        report = None if edit is None else self._entry(edit.report)
        if edit is None or report is None:
            return None
        comments = dict(report.comments) | {
            path: tuple(map(Comment._make, unit.comments)) for path, unit in edit.units.items()
        }
        order = [file.path for file in self.inputs.found.files if comments.get(file.path)]
        counted = report.statistics
        counts: dict[str, Any] = {name: getattr(counted, name) + more for name, more in edit.more.items()}
        return replace(report, statistics=replace(counted, **counts), comments={path: comments[path] for path in order})

    def _write_state(self, report: Report) -> None:
        """Remember which units the report was made of, and whose text was read."""
        from pyrograph.scanner import outlines

        state = outlines.state_of(self.key, report, self.inputs)
        key = key_of(self.options, self.inputs, contents=False)
        _write(self.folder, key, state.encode(), STATES, STATE_CACHE_BYTES)

    def write(self, report: Report) -> bool:
        """Keep what a scan of these inputs returned, unless it may depend on more; whether it is kept."""
        found = self.inputs.found
        complete = not any(each.kind == "internal-error" for each in report.problems)
        read = all(each.path not in found.templates or each.kind != "not-parsed" for each in report.problems)
        known = report.sources.keys() <= self.inputs.templates.keys() | self._texts().keys()
        if not (complete and read and known):
            return False
        try:  # rules and program may have changed while the scan ran; what it read of the tree is in ``inputs``
            if key_of(self.options, self.inputs, again=True) != self.key:
                return False
        except (OSError, ValueError):
            return False
        from pyrograph.rules import codec

        data = codec.encode(_Kept, [self._kept(report)])
        body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        if len(body) > userfolder.bound(MAX_KEPT_REPORT, WHOLE_CACHE_BYTES) or not _write(self.folder, self.key, body):
            return False
        self._write_state(report)
        return True

    def _kept(self, report: Report) -> _Kept:
        counted = report.statistics
        return _Kept(
            report.findings,
            report.problems,
            tuple(report.vulnerabilities.values()),
            report.withheld,
            report.surface,
            report.notes,
            tuple(int(getattr(counted, name)) for name in COUNTS),
            tuple(counted.files_by_language.items()),
            tuple(counted.skipped.items()),
            tuple(report.sources),
            tuple((path, *comment) for path, comments in report.comments.items() for comment in comments),
            tuple((path, _digest(text)) for path, text in sorted(self.inputs.templates.items())),
        )

    def _report(self, kept: _Kept) -> Report | None:
        """The report, if all templates are what they were."""
        templates: dict[str, bytes] = {}
        for path, digest in kept.templates:
            found = self.inputs.found
            absolute = found.templates.get(path) or found.declaring.get(path)
            text = read_text(absolute, path)[0] if absolute is not None else None
            if text is None or _digest(text) != digest:
                return None
            templates[path] = text
        texts = self._texts()
        comments: dict[str, list[Comment]] = {}
        for path, *comment in kept.comments:
            comments.setdefault(path, []).append(Comment._make(comment))
        named = Statistics(files_by_language=dict(kept.files_by_language), skipped=dict(kept.skipped))
        counts: dict[str, Any] = dict(zip(COUNTS, kept.counts, strict=True))
        statistics = replace(named, **counts)
        return Report(
            kept.findings,
            kept.problems,
            {each.id: each for each in kept.vulnerabilities},
            statistics,
            withheld=kept.withheld,
            surface=kept.surface,
            notes=kept.notes,
            sources={path: texts[path] if path in texts else templates[path] for path in kept.sources},
            comments={path: tuple(found) for path, found in comments.items()},
        )

    def _texts(self) -> dict[str, bytes]:
        files = self.inputs.found.files
        return {file.path: text for file, (text, _) in zip(files, self.inputs.texts, strict=True) if text is not None}


# Keys


def key_of(options: ScanOptions, inputs: Inputs, *, again: bool = False, contents: bool = True) -> str:
    """What decides the report, as a name of a file. ``again``: the program's own files are read once more, if one of
    them was written since they were read.
    ``contents``: those of the source files, too; what stays the same while they are edited is the key of a state.

    Raises:
        ValueError: A rule file cannot be read.
    """
    if again and _program()[1] != _marks():
        _program.cache_clear()
    found = inputs.found
    digest = hashlib.blake2b(_program()[0], digest_size=24)
    syntaxes = sorted({file.language for file in found.files})
    parts = [*(grammar(syntax) for syntax in syntaxes), _of_options(options).encode("utf-8", "surrogatepass")]
    _add(digest, *parts)
    for name, rules in _rule_files(options):
        _add(digest, _encoded(name), rules)
    names = (
        tuple((file.path, file.language) for file in found.files),
        tuple(found.skipped.items()),
        tuple(_fields(problem) for problem in found.problems),
        tuple(found.templates),
        tuple(sorted(found.generated)),
        tuple((path, size_of(absolute)) for path, absolute in found.declaring.items()),  # what is too large is not read
        tuple(inputs.manifests),
        tuple(None if problem is None else _fields(problem) for _, problem in inputs.texts),
        tuple(text is None for text, _ in inputs.texts),
    )
    _add(digest, _encoded(repr(names)))
    _add(digest, *inputs.manifests.values())
    if contents:
        _add(digest, *(text or b"" for text, _ in inputs.texts))
    return digest.hexdigest()


def _add(digest: hashlib.blake2b, *parts: bytes) -> None:
    """Each part with its length before it, so that no two lists of parts look alike."""
    for part in parts:
        digest.update(b"%d " % len(part))
        digest.update(part)


def _of_options(options: ScanOptions) -> str:
    values = {each.name: getattr(options, each.name) for each in fields(options) if each.name not in NO_PART_OF_THE_KEY}
    return repr({name: sorted(value) if isinstance(value, frozenset) else value for name, value in values.items()})


def _rule_files(options: ScanOptions) -> list[tuple[str, bytes]]:
    """Shown name and content of each rule file of the user, in their order."""
    if not options.rule_paths:
        return []
    from pyrograph.rules.load import user_files

    return [(shown, data) for shown, _, data in user_files(options.rule_paths)]


@cache
def _program() -> tuple[bytes, list[Mark]]:
    """A digest of all files of this package, rules and compiled modules included, and of the version of Python; and
    the marks of these files from before they were read.
    """
    marks = _marks()
    digest = hashlib.blake2b(repr((sys.implementation.name, sys.version_info)).encode(), digest_size=24)
    start = len(str(PACKAGE))
    for path, *_ in marks:
        with open(path, "rb", buffering=0) as file:
            _add(digest, _encoded(path[start:]), file.read())
    return digest.digest(), marks


def _marks() -> list[Mark]:
    """All files of this package in order, as one process tells whether they were written: no key depends on times."""
    found: list[Mark] = []
    for entry in _files(str(PACKAGE)):
        status = entry.stat()
        found.append((entry.path, status.st_ino, status.st_size, status.st_mtime_ns))
    return sorted(found)


def program_digest(syntaxes: Iterable[str]) -> bytes:
    """A digest of what decides the result of the stages besides their input: this package and the grammars."""
    digest = hashlib.blake2b(_program()[0], digest_size=24)
    _add(digest, *(grammar(syntax) for syntax in sorted(set(syntaxes))))
    return digest.digest()


def _files(folder: str) -> list[os.DirEntry[str]]:
    found: list[os.DirEntry[str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                found.append(entry)
            elif entry.name != "__pycache__":
                found += _files(entry.path)
    return found


def _fields(problem: Problem) -> tuple[str, str, int, str]:
    return problem.kind, problem.path, problem.line, problem.message


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=24).hexdigest()


# Files


def _checksum(key: str, body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=24, key=key.encode()).hexdigest().encode()


def _read(place: Path, key: str) -> bytes | None:
    """The content of an entry that this user wrote, whole, under this key."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(place, "rb", opener=lambda path, _: os.open(path, flags)) as file:
            status = os.fstat(file.fileno())
            if not userfolder.is_own(status) or status.st_size > 2 * MAX_KEPT_REPORT:
                return None
            checksum, _, body = file.read().partition(b"\n")
    except OSError:
        return None
    return body if checksum == _checksum(key, body) else None


def _write(folder: Path, key: str, body: bytes, kind: str = FOLDER, room: int | None = None) -> bool:
    """Write an entry in one step, and make room for it; whether that was possible.

    No cache is no harm: read-only homes and full disks are common where scans run.
    """
    try:
        place = userfolder.make(folder, kind)
        temporary = place / f".{key}-{os.getpid()}"  # its own name: another scan may write the same entry
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with open(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(_checksum(key, body) + b"\n" + body)
            os.replace(temporary, place / key)
        finally:
            temporary.unlink(missing_ok=True)
        _make_room(place, userfolder.bound(REPORT_CACHE_BYTES if room is None else room, WHOLE_CACHE_BYTES))
    except OSError:
        return False
    return True


def _make_room(place: Path, room: int) -> None:
    """Remove the entries that were not used for longest, until the rest fits; and what killed processes left."""
    entries: list[tuple[int, str, int]] = []
    with os.scandir(place) as listing:
        for entry in listing:
            with suppress(OSError):  # another scan removes entries, too
                status = entry.stat(follow_symlinks=False)
                if not entry.name.startswith("."):
                    entries.append((status.st_mtime_ns, entry.path, status.st_size))
                elif status.st_mtime < time.time() - ABANDONED:
                    os.unlink(entry.path)
    size = sum(each for _, _, each in entries)
    for _, path, own in sorted(entries):
        if size <= room:
            break
        with suppress(OSError):
            os.unlink(path)
        size -= own
