"""Which files a scan reads, in which language, and why the others are left out.

* Files come back sorted by path, each once, under its real name: relative to the root, ``/`` between names.
* Nothing outside the root is read: a link is followed only where its target lies inside, and is then known by the
  target's own path, so that links cannot make loops or duplicates.
* What is left out is counted with a reason. What the user named on the command line is never left out for being
  ignored; a file that cannot be analysed becomes a problem.
* Files are opened for their first few kilobytes only, to recognise minified and generated ones. Time O(entries).
* A file that a compiler wrote beside its source is left out where that is read: each finding comes once.
* A folder of build output is read where nothing else beside it is code: that is how packages are published.

Ignore patterns are layered; the last word is spoken by the first of these that has one: ``exclude``, the
``.pyrographignore`` files (nearest directory first), the ``.gitignore`` files (nearest directory first), the
default excludes. So ``!vendor/`` in ``.pyrographignore`` brings vendored code back.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pyrograph.model.problem import Problem
from pyrograph.parsers import language_of, suffixes
from pyrograph.parsers.language import COMPILED, COPIES, GENERATED, MINIFIED
from pyrograph.parsers.pages import scripts_of, written_by_hand
from pyrograph.policy.limits.files import HEAD_SIZE, MAX_LEADING
from pyrograph.policy.names.files import NON_PUBLIC_PATHS
from pyrograph.scanner.faults import fault_of, internal_error
from pyrograph.scanner.files.classify import (
    BUILD_OUTPUT,
    EXCLUDED_DIRECTORIES,
    EXCLUDED_FILES,
    IGNORED_DIRECTORIES,
    IGNORED_FILES,
    NOT_INCLUDED,
    NOT_READ,
    OUTSIDE,
    TEMPLATES,
    TOO_LARGE,
    UNCOUNTED,
    VIRTUAL_ENVIRONMENTS,
    holds_sources,
    is_environment,
    is_package,
    language_of_head,
    language_of_name,
    reason_in_head,
    reason_in_name,
    reason_in_suffix,
    scripts_of_name,
)
from pyrograph.scanner.files.ignore import IgnoreRules
from pyrograph.scanner.files.ignore_files import GIT_FILE, OWN_FILE, IgnoreFiles, Scope
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.roots import find_repository


@dataclass(frozen=True, slots=True, order=True)
class SourceFile:
    """A file to be analysed."""

    path: str  # relative to the scan root, "/" between names
    absolute: str
    language: str  # the id of its syntax
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to scan, and those left out."""

    files: tuple[SourceFile, ...]  # sorted by path
    skipped: Mapping[str, int]  # reason -> number of files, or of directories where the reason says so; sorted
    problems: tuple[Problem, ...]  # sorted
    templates: Mapping[str, str] = field(default_factory=dict)  # path of each HTML template -> absolute; sorted, unread
    generated: frozenset[str] = frozenset()  # folders with generated files that were left out; "" is the root
    declaring: Mapping[str, str] = field(default_factory=dict)  # generated files whose types hold -> absolute; unread


def discover(options: ScanOptions) -> Discovery:
    """Find the source files below ``options.paths``.

    Raises:
        ValueError: A path lies outside ``options.root``.
    """
    walk = _Walk(options)
    for path in options.paths:
        walk.start(path)
    walk.follow_links()
    walk.read_published()
    walk.leave_compiled()
    return Discovery(
        files=tuple(sorted(walk.files.values())),
        skipped=dict(sorted((+walk.skipped).items())),
        problems=tuple(sorted({*walk.problems, *walk.ignore_files.problems})),
        templates=dict(sorted(walk.templates.items())),
        generated=frozenset(walk.generated),
        declaring=dict(sorted(walk.declaring.items())),
    )


@dataclass(slots=True)
class _Walk:
    options: ScanOptions
    files: dict[str, SourceFile] = field(default_factory=dict)  # by path
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)  # by path
    generated: set[str] = field(default_factory=set)  # folders with generated files
    declaring: dict[str, str] = field(default_factory=dict)  # generated files that were left out, by path
    links: list[str] = field(default_factory=list)  # absolute, found in walked directories
    built: list[tuple[str, str, Scope]] = field(default_factory=list)  # folders of build output: absolute, path, scope
    released: list[tuple[str, str, str, int]] = field(default_factory=list)  # copies: path, absolute, language, size
    walked: set[str] = field(default_factory=set)  # directories, absolute
    named: set[str] = field(default_factory=set)  # files that the user named, absolute

    root: str = field(init=False)
    ignore_root: str = field(init=False)  # the repository's top: ignore files above the scan root count too
    from_ignore_root: str = field(init=False)  # the scan root relative to it: "" or ending in "/"
    ignore_files: IgnoreFiles = field(init=False)
    include: IgnoreRules = field(init=False)
    exclude: IgnoreRules = field(init=False)

    def __post_init__(self) -> None:
        root = self.options.root.resolve()
        self.root = str(root)
        self.ignore_root = str(find_repository(root) or root)
        self.from_ignore_root = _inside(self.root, self.ignore_root)
        self.ignore_files = IgnoreFiles(self.options.gitignore, self.from_ignore_root)
        self.include = IgnoreRules(self.options.include)
        self.exclude = IgnoreRules(self.options.exclude)
        self.ignore_files.report_left_out("", self.include)
        self.ignore_files.report_left_out("", self.exclude)

    # Where walks begin

    def start(self, path: Path) -> None:
        """Scan a path that the user named: a directory with all that is not ignored, or a file in any case."""
        absolute = os.path.realpath(path)
        if absolute != self.root and not absolute.startswith(self.root.rstrip(os.sep) + os.sep):
            raise ValueError(f"{path} lies outside the scan root {self.root}; name a root that contains it with --root")
        if os.path.isdir(absolute):
            scope, reason = self.scope_above(absolute)
            # What was named although an ignore file leaves it out is not judged by that file again.
            named_anyway = reason in (IGNORED_DIRECTORIES, IGNORED_FILES)
            self.directory(absolute, _inside(absolute, self.root), Scope() if named_anyway else scope)
        else:
            self.named_file(absolute)

    def follow_links(self) -> None:
        """Scan what links point to, inside the root, unless it was reached or is ignored under its own name."""
        while self.links:
            pending, self.links = sorted(self.links), []
            listed: dict[str, dict[str, os.DirEntry[str]]] = {}  # directory -> its entries by path
            for link in pending:
                target = os.path.realpath(link)
                if link.startswith(target.rstrip(os.sep) + os.sep):
                    continue  # a loop, and a way out of what the user named
                if not target.startswith(self.root.rstrip(os.sep) + os.sep):
                    if os.path.isdir(target) or language_of_name(os.path.basename(link)):
                        self.skipped[OUTSIDE] += 1
                    continue
                is_directory = os.path.isdir(target)
                parent = target if is_directory else os.path.dirname(target)
                if parent in self.walked or not os.path.exists(target):
                    continue
                scope, reason = self.scope_above(target)
                if reason:
                    continue
                if is_directory:
                    self.directory(target, _inside(target, self.root), scope)
                else:
                    if parent not in listed:
                        with os.scandir(parent) as entries:
                            listed[parent] = {entry.path: entry for entry in entries}
                    entry = listed[parent].get(target)
                    if entry is not None:
                        self.file(entry, _inside(parent, self.root) + entry.name, scope)

    def read_published(self) -> None:
        """Scan the folders of build output, and the files that look like copies of released libraries, beside which
        lies a manifest, and no code but tests, configuration, and files that lead to that folder (``index.js`` with
        ``require("./dist")``): the program is that library.
        """
        beside: dict[str, list[SourceFile]] = {}  # by folder
        written: set[str] = set()  # folders below which there is code, in folders of their own
        for path, file in self.files.items():
            name = os.path.basename(path)
            if not NON_PUBLIC_PATHS.search(path) and not name.startswith(".") and scripts_of_name(name) is None:
                folder, *above = PurePosixPath(path).parents
                beside.setdefault(str(folder), []).append(file)
                written.update(map(str, above))

        def is_published(path: str, absolute: str) -> bool:
            folder = str(PurePosixPath(path).parent)
            leading = f"./{os.path.basename(path)}".encode()
            return (
                folder not in written
                and all(_mentions(file, leading) for file in beside.get(folder, ()))
                and is_package(os.path.dirname(absolute))
            )

        built, self.built = sorted(self.built, key=lambda each: each[1]), []
        for absolute, path, scope in built:
            if is_published(path, absolute):
                self.skipped[BUILD_OUTPUT] -= 1
                self.directory(absolute, path + "/", scope)
        for path, absolute, language, size in self.released:
            if is_published(path, absolute):
                self.skipped[COPIES] -= 1
                self.take(path, absolute, language, size)
        self.follow_links()

    def leave_compiled(self) -> None:
        """Leave out files that a compiler wrote beside others that are read. Opens pairs of the same name only."""
        if not self.options.default_excludes:
            return
        for path, file in sorted(self.files.items()):
            stem, suffix = os.path.splitext(path)
            language = language_of(file.language)
            sources = [self.files.get(stem + each) for each in language.compiled_suffixes.get(suffix, ())]
            if file.absolute not in self.named and any(
                source is not None and _is_compiled(file, source) for source in sources
            ):
                del self.files[path]
                self.skipped[COMPILED] += 1

    def scope_above(self, path: str) -> tuple[Scope, str]:
        """The ignore files that hold for the entry ``path``, and why it or a directory above it is left out, or ""."""
        scope = Scope()
        directory = self.ignore_root
        base = ""
        reason = ""
        for name in _inside(path, self.ignore_root).split("/")[:-1]:
            names = [name for name in (OWN_FILE, GIT_FILE) if os.path.exists(os.path.join(directory, name))]
            scope = self.ignore_files.enter(scope, base, directory, names)
            directory = os.path.join(directory, name)
            reason = reason or self.reason_to_skip(base + name, name, scope, directory=os.path.isdir(directory))
            base += name + "/"
        return scope, reason

    # Directories

    def directory(self, absolute: str, base: str, scope: Scope) -> None:
        """Walk ``absolute``, whose path relative to the root is ``base`` ("" or ending in "/")."""
        pending = [(absolute, base, scope)]
        while pending:
            absolute, base, scope = pending.pop()
            if absolute in self.walked:
                continue
            self.walked.add(absolute)
            try:
                with os.scandir(absolute) as listing:
                    entries = {entry.name: entry for entry in listing}
            except OSError as error:
                self.unreadable(base.rstrip("/"), "directory", error)
                continue
            scope = self.ignore_files.enter(scope, self.from_ignore_root + base, absolute, entries)
            for name, entry in entries.items():
                if entry.is_symlink():
                    self.links.append(entry.path)
                elif entry.is_dir():
                    if name not in UNCOUNTED and not self.leaves_out(entry, base + name, scope):
                        pending.append((entry.path, base + name + "/", scope))
                elif entry.is_file():  # no device, no pipe
                    try:
                        self.file(entry, base + name, scope)
                    except Exception as error:
                        if isinstance(error, MemoryError):
                            raise
                        cost = "the file was left out of the analysis"
                        self.problems.append(internal_error(fault_of("discover", error), base + name, cost))

    def leaves_out(self, entry: os.DirEntry[str], path: str, scope: Scope) -> bool:
        """Whether a directory is not entered; counts it."""
        reason = self.reason_to_skip(self.from_ignore_root + path, entry.name, scope, directory=True)
        if reason == BUILD_OUTPUT and holds_sources(entry.path):
            reason = ""
        if not reason and self.options.default_excludes and is_environment(entry.path):
            reason = VIRTUAL_ENVIRONMENTS
        if reason:
            self.skipped[reason] += 1
        if reason == BUILD_OUTPUT:
            self.built.append((entry.path, path, scope))
        return bool(reason)

    def reason_to_skip(self, path: str, name: str, scope: Scope, *, directory: bool) -> str:
        """Why an entry is left out by its name, or ""; ``path`` is relative to the ignore root."""
        if self.exclude:
            verdict = self.exclude.verdict(path[len(self.from_ignore_root) :], directory=directory)
            if verdict is not None:
                return (EXCLUDED_DIRECTORIES if directory else EXCLUDED_FILES) if verdict else ""
        if scope.own is not None:
            verdict = scope.own.verdict(path, directory=directory)
            if verdict is not None:
                return (IGNORED_DIRECTORIES if directory else IGNORED_FILES) if verdict else ""
        if scope.git is not None and scope.git.verdict(path, directory=directory):
            return IGNORED_DIRECTORIES if directory else IGNORED_FILES
        return reason_in_name(name, directory=directory) if self.options.default_excludes else ""

    # Files

    def file(self, entry: os.DirEntry[str], path: str, scope: Scope) -> None:
        """Take a file that was found in a directory, or count why not; what holds no code does not count."""
        language = language_of_name(entry.name)
        if language is None and ("." in entry.name or not _is_executable(entry)):
            suffix = os.path.splitext(entry.name)[1].lower()
            scripts = scripts_of_name(entry.name)
            if (suffix in TEMPLATES or suffix in NOT_READ or scripts is not None) and not self.reason_to_skip(
                self.from_ignore_root + path, entry.name, scope, directory=False
            ):
                if suffix in TEMPLATES:
                    self.templates[path] = entry.path
                if self.include and not self.included(path):
                    return
                if suffix in NOT_READ:
                    self.skipped[NOT_READ[suffix]] += 1
                elif scripts is not None:
                    self.page(path, entry.path, scripts)
            return
        reason = self.reason_to_skip(self.from_ignore_root + path, entry.name, scope, directory=False)
        if not reason and self.include and not self.included(path):
            reason = NOT_INCLUDED
        if not reason and language is not None:
            reason = reason_in_suffix(entry.name, language)
        if reason:
            self.skipped[reason] += language is not None
            if reason == GENERATED and language is not None:
                self.declares(path, entry.path, language)
            return
        try:
            head, size = _read_head(entry.path)
        except OSError as error:
            self.unreadable(path, "file", error)
            return
        language = language or language_of_head(head)
        if language is None:
            return
        reason = reason_in_head(head, language) if self.options.default_excludes else ""
        if reason:
            self.skipped[reason] += 1
            if reason == COPIES:
                self.released.append((path, entry.path, language, size))
            if reason == GENERATED:
                self.generated.add(path.rpartition("/")[0])
                self.declares(path, entry.path, language)
        else:
            self.take(path, entry.path, language, size)

    def page(self, path: str, absolute: str, language: str) -> None:
        """Take a file that may hold scripts if some stand in it that somebody wrote."""
        try:
            size = os.stat(absolute).st_size
            if size > self.options.max_file_size:
                self.skipped[TOO_LARGE] += 1
                return
            text = _read_regular(absolute)
        except OSError as error:
            self.unreadable(path, "file", error)
            return
        scripts = scripts_of(text)
        if not scripts:
            return
        reason = reason_in_head(text[:HEAD_SIZE], language) if self.options.default_excludes else ""
        if not reason and not written_by_hand(text, scripts):
            reason = MINIFIED
        if reason:
            self.skipped[reason] += 1
        else:
            self.take(path, absolute, language, size)

    def declares(self, path: str, absolute: str, language: str) -> None:
        """Remember a generated file if what it declares of types may be believed."""
        if language_of(language).traits.declared_types_hold:
            self.declaring[path] = absolute

    def included(self, path: str) -> bool:
        """Whether ``include`` matches the file or a directory above it."""
        names = path.split("/")
        for length in range(len(names), 0, -1):
            verdict = self.include.verdict("/".join(names[:length]), directory=length < len(names))
            if verdict is not None:
                return verdict
        return False

    def named_file(self, absolute: str) -> None:
        """Take a file that the user named, whatever ignore files say."""
        path = _inside(absolute, self.root).rstrip("/")
        if not os.path.isfile(absolute):
            self.problems.append(Problem("not-parsed", path, 0, "not analysed: neither a file nor a directory"))
            return
        try:
            head, size = _read_head(absolute)
        except OSError as error:
            self.unreadable(path, "file", error)
            return
        name = os.path.basename(absolute)
        language = language_of_name(name) or scripts_of_name(name) or language_of_head(head)
        if language is None:
            known = " ".join(suffixes())
            message = f"not analysed: cannot tell its language by its name; known suffixes are {known}"
            self.problems.append(Problem("not-parsed", path, 0, message))
        else:
            self.named.add(absolute)
            self.take(path, absolute, language, size)

    def take(self, path: str, absolute: str, language: str, size: int) -> None:
        limit = self.options.max_file_size
        if size <= limit:
            self.files[path] = SourceFile(path, absolute, language, size)
        elif path not in self.files:
            self.skipped[TOO_LARGE] += 1
            message = (
                f"not analysed: {size:,} bytes are more than the limit of {limit:,}; raise it with --max-file-size"
            )
            self.problems.append(Problem("not-parsed", path, 0, message))

    def unreadable(self, path: str, what: str, error: OSError) -> None:
        reason = error.strerror or type(error).__name__
        message = f"not analysed: cannot read the {what}: {reason}; make it readable or exclude it"
        self.problems.append(Problem("not-parsed", path, 0, message))


def _mentions(file: SourceFile, text: bytes) -> bool:
    """Whether a file is small and holds a text: it does nothing but name another one."""
    if file.size > MAX_LEADING:
        return False
    try:
        return text in Path(file.absolute).read_bytes()
    except OSError:
        return False


def _is_compiled(file: SourceFile, source: SourceFile) -> bool:
    """Whether a compiler made one file of another one."""
    try:
        texts = [Path(each.absolute).read_bytes() for each in (file, source)]
    except OSError:
        return False
    return language_of(file.language).is_compiled(*texts)


def _inside(path: str, root: str) -> str:
    """``path`` relative to ``root``: "" for the root itself, else "/" between names and a "/" at the end."""
    relative = path[len(root) :].strip(os.sep)
    return relative.replace(os.sep, "/") + "/" if relative else ""


def _is_executable(entry: os.DirEntry[str]) -> bool:
    try:
        return bool(entry.stat().st_mode & 0o111)
    except OSError:
        return False


def _open_at_once(path: str, flags: int = os.O_RDONLY | getattr(os, "O_BINARY", 0)) -> int:
    """Opens without waiting for the other end of a pipe, which a file may have become since it was found."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read_regular(absolute: str) -> bytes:
    with open(absolute, "rb", opener=_open_at_once) as stream:
        return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else b""


def _read_head(absolute: str) -> tuple[bytes, int]:
    """The first bytes of a file, and its size."""
    descriptor = _open_at_once(absolute)
    try:
        return os.read(descriptor, HEAD_SIZE), os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
