"""The files of a commit that a scan reads, written to a directory of their own: outside the work tree, and unconverted.

Written are source files, templates, manifests, ignore files, configuration and rule files, links, and empty files where
the name alone counts. Names and links come from the repository, which nobody has vetted: a name that leads anywhere
else, or that a file system would take for another one, is not written.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, EILSEQ, EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR
from pathlib import Path

from pyrograph.parsers import manifests
from pyrograph.policy.limits.files import MAX_COMMIT_BYTES, MAX_PATTERN
from pyrograph.scanner.config import NAMES
from pyrograph.scanner.files.classify import NOT_READ, TEMPLATES, language_of_name, scripts_of_name
from pyrograph.scanner.files.ignore_files import GIT_FILE, OWN_FILE
from pyrograph.scanner.triage.repository import Entry, Repository, RevisionError

MARK = ".git"  # an empty directory of this name makes the snapshot the top of a repository, for all that look for one
_LINK, _EXECUTABLE, _SUBMODULE = "120000", "100755", "160000"
_RULES = ".toml"
_IMPOSSIBLE = frozenset((EEXIST, ENOTDIR, EISDIR, ENAMETOOLONG, EILSEQ, EINVAL, ELOOP, ENOENT))
_NO_NAME = frozenset('\\:*?"<>|')  # on Windows
_SPECIAL = frozenset((OWN_FILE, GIT_FILE, "pyvenv.cfg", *NAMES))


def write_snapshot(
    repository: Repository, commit: str | None, folder: Path, max_file_size: int | None = None
) -> tuple[str, ...]:
    """Write what a scan of ``commit`` reads into ``folder``, which must be empty; returns notes for the report.

    None is an empty history. A file of more than ``max_file_size`` bytes, if that is given, becomes one of the same
    size without its content: it is not analysed. Submodules are read where they are checked out. Time and space linear
    in the files of the commit.

    Raises:
        RevisionError: An object is missing, or there is more than the limits allow.
        OSError: The directory cannot be written.
    """
    (folder / MARK).mkdir()
    snapshot = _Snapshot(folder, max_file_size)
    notes: list[str] = []
    pending = [] if commit is None else [(repository, commit, "")]
    while pending:
        source, name, prefix = pending.pop()
        try:
            inner = snapshot.add(source, name, prefix)
        except RevisionError:
            if source is repository:
                raise
            notes.append(f"{prefix[:-1]}: the submodule could not be read; its findings count as new")
            continue
        for entry in inner:
            path = prefix + entry.path
            if (found := _submodule(repository.top / path)) is not None:
                pending.append((found, entry.name, path + "/"))
    snapshot.make_links()
    return tuple(sorted(notes))


class _Snapshot:
    """The directory in the making."""

    def __init__(self, folder: Path, max_file_size: int | None) -> None:
        self.folder = folder
        self.max_file_size = MAX_COMMIT_BYTES if max_file_size is None else max_file_size
        self.size = 0  # bytes that were written
        self.made = {""}  # directories
        self.links: dict[str, bytes] = {}  # path -> target

    def add(self, source: Repository, commit: str, prefix: str) -> list[Entry]:
        """Write the files of one repository below ``prefix``; returns its submodules."""
        submodules: list[Entry] = []
        paths: dict[str, list[Entry]] = {}  # object -> files with this content
        for entry in source.entries(commit):
            if not _is_plain(prefix + entry.path):
                continue
            if entry.mode == _SUBMODULE:
                submodules.append(entry)
            elif not _is_read(entry):
                continue
            elif entry.size > self.max_file_size or posixpath.splitext(entry.path)[1].lower() in NOT_READ:
                if entry.mode != _LINK:
                    self.write(prefix, entry, None)
            else:
                paths.setdefault(entry.name, []).append(entry)
                self.size += entry.size
                if self.size > MAX_COMMIT_BYTES:
                    raise RevisionError(
                        f"{commit}: the source files of the commit take more than {MAX_COMMIT_BYTES:,} bytes"
                    )
        for content, entries in zip(source.contents(list(paths)), paths.values(), strict=True):
            for entry in entries:
                if entry.mode == _LINK:
                    self.links[prefix + entry.path] = content
                else:
                    self.write(prefix, entry, content)
        return submodules

    def write(self, prefix: str, entry: Entry, content: bytes | None) -> None:
        """Write one file; ``None``: without its content."""
        path = prefix + entry.path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        mode = stat.S_IRWXU if entry.mode == _EXECUTABLE else stat.S_IRUSR | stat.S_IWUSR
        with _tolerant():
            self.make_directories(posixpath.dirname(path))
            with open(os.open(self.folder / path, flags, mode), "wb") as file:
                if content is None:
                    file.truncate(entry.size)
                else:
                    file.write(content)

    def make_directories(self, path: str) -> None:
        missing = []
        while path not in self.made:
            missing.append(path)
            path = posixpath.dirname(path)
        for each in reversed(missing):
            with suppress(FileExistsError):
                (self.folder / each).mkdir(mode=0o700)
            self.made.add(each)

    def make_links(self) -> None:
        """Make the links, last and after all their directories: nothing is written through a link."""
        possible = {
            path: target for path, target in self.links.items() if len(target) <= MAX_PATTERN and b"\0" not in target
        }
        for path in possible:
            with _tolerant():
                self.make_directories(posixpath.dirname(path))
        for path, target in possible.items():
            with _tolerant(), suppress(NotImplementedError, PermissionError):  # systems without links
                os.symlink(os.fsdecode(target), self.folder / path)


@contextmanager
def _tolerant() -> Iterator[None]:
    """Leaves out a file that this system cannot hold: two names that are one here, or a name that is too long."""
    try:
        yield
    except OSError as error:
        if error.errno not in _IMPOSSIBLE:
            raise


def _submodule(folder: Path) -> Repository | None:
    if not (folder / MARK).exists():
        return None
    try:
        found = Repository(folder)
    except RevisionError:
        return None
    return found if found.top == folder else None


def _is_plain(path: str) -> bool:
    """Whether a path stays inside on every system: git forbids these names, but an object can hold them."""
    if len(path) > MAX_PATTERN:
        return False
    for name in path.split("/"):
        lowered = name.lower()
        if lowered in ("", ".", "..", MARK) or "\0" in name:
            return False
        if os.name == "nt" and (set(name) & _NO_NAME or name.endswith((".", " ")) or lowered.startswith("git~")):
            return False
    return True


def _is_read(entry: Entry) -> bool:
    """Whether a scan looks at a file of this name: at its content, or at its being there."""
    name = posixpath.basename(entry.path)
    suffix = posixpath.splitext(name)[1].lower()
    return (
        entry.mode == _LINK
        or language_of_name(name) is not None
        or suffix in TEMPLATES
        or scripts_of_name(name) is not None
        or suffix in NOT_READ
        or suffix == _RULES
        or name in _SPECIAL
        or name in manifests()
        or ("." not in name and entry.mode == _EXECUTABLE)
    )
