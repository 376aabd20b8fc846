"""A git repository, asked for commits, trees and the content of objects, and for nothing else.

No command reads or writes the index or the work tree, and none uses the network, so that no hook, filter, monitor,
converter or transport that the repository configures is run.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pyrograph.policy.limits.files import MAX_COMMIT_FILES

# Beyond not asking for anything that runs programs: no configured monitor or hook, and no network.
_HARMLESS = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=" + os.devnull),
    *("-c", "protocol.allow=never"),
)
# A hook that calls us sets some of these for its own repository and folder; ours is that of ``root``.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # a commit is what its name says
    "GIT_ALLOW_PROTOCOL": "none",  # wins over ``protocol.ext.allow`` of the repository; older versions fetch lazily
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_NULL = re.compile(r"0{40}(?:0{24})?")  # what CI servers name as the commit before the first


class RevisionError(ValueError):
    """git, the repository, a revision or an object is not there; the message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit."""

    path: str  # relative to the top of the repository, "/" between names; not checked
    mode: str  # "100644", "100755" (executable), "120000" (link), "160000" (commit of a submodule)
    name: str  # of the object, hexadecimal
    size: int  # bytes; 0 for a submodule


class Repository:
    """The repository around the directory ``root``, or around the file."""

    def __init__(self, root: Path) -> None:
        """
        Raises:
            RevisionError: There is no git, or no work tree.
        """
        self._root = root if root.is_dir() else root.parent
        program = find_git()
        if program is None:
            raise RevisionError("comparing revisions needs git, which was not found; install it or extend PATH")
        self._program = program
        try:
            up = self._git("rev-parse", "--show-cdup").removesuffix(b"\n")
        except _GitFailed as error:
            raise RevisionError(
                f"{self._root}: comparing revisions needs a git work tree: {error}; run it in one, or use a baseline "
                "instead"
            ) from error
        self.top = Path(os.path.realpath(self._root / os.fsdecode(up)))

    def commit(self, revision: str) -> str | None:
        """The name of the commit that ``revision`` means; None where it is empty.

        Empty are the null name (40 or 64 zeros), which CI servers give as the commit before a branch, and HEAD as long
        as nothing is committed.

        Raises:
            RevisionError: There is no such commit.
        """
        # git would take a leading dash for an option; no revision starts with one.
        if not revision or revision.startswith("-") or "\0" in revision:
            raise RevisionError(f"{revision!r} is not a git revision; give a branch, a tag or a commit")
        if _NULL.fullmatch(revision) or (revision in self._names_of_head and not self._has_head):
            return None
        found = self._parsed(f"{revision}^{{commit}}")
        if found is None:
            raise RevisionError(
                f"{revision}: git knows no such revision here; fetch it first (a shallow clone in CI needs more depth, "
                "such as fetch-depth: 0)"
            )
        return found

    def merge_base(self, commit: str, head: str | None) -> str:
        """The commit where ``head`` left the history of ``commit``; ``commit`` itself where they share none."""
        if head is None:
            return commit
        try:
            return self._git("merge-base", "--end-of-options", commit, head).decode("ascii").split()[0]
        except (_GitFailed, IndexError):
            return commit  # no common history, or a shallow clone

    def entries(self, commit: str) -> list[Entry]:
        """All files of a commit, in git's order.

        Raises:
            RevisionError: A tree is missing, or there are more than ``MAX_COMMIT_FILES``.
        """
        found: list[Entry] = []
        rest = b""
        with self._started("ls-tree", "-r", "-z", "-l", "--full-tree", commit, stdin=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            while block := process.stdout.read(1 << 20):
                *lines, rest = (rest + block).split(b"\0")
                for line in lines:  # mode, type, object and size, then a tab and the name
                    header, _, name = line.partition(b"\t")
                    mode, _, object, size = header.decode("ascii").split()
                    found.append(Entry(os.fsdecode(name), mode, object, int(size) if size.isdecimal() else 0))
                if len(found) > MAX_COMMIT_FILES:  # trees that name each other make a few objects billions of files
                    raise RevisionError(f"{commit}: the commit has more than {MAX_COMMIT_FILES:,} files")
            code = process.wait()
        if code:
            raise RevisionError(
                f"{commit}: git cannot list all files of the commit; a partial clone (--filter) lacks some: fetch them "
                "first, or clone without a filter"
            )
        return found

    def contents(self, names: Sequence[str]) -> Iterator[bytes]:
        """The content of each blob, in the order of ``names``; one process of git for all.

        Raises:
            RevisionError: An object is missing, as in a partial clone.
        """
        if not names:
            return
        with tempfile.TemporaryFile() as asked:  # not a pipe: both sides could wait for each other
            asked.write("".join(f"{name}\n" for name in names).encode("ascii"))
            asked.seek(0)
            with self._started("cat-file", "--batch", stdin=asked.fileno()) as process:
                assert process.stdout is not None
                for name in names:
                    header = process.stdout.readline().split()
                    if len(header) != 3 or header[1] != b"blob":
                        raise RevisionError(
                            f"object {name} is not in this repository; a partial clone (--filter) lacks it: fetch it "
                            "first, or clone without a filter"
                        )
                    size = int(header[2])
                    content = process.stdout.read(size + 1)
                    if len(content) != size + 1:
                        raise RevisionError(f"object {name} cannot be read: git ended early; see `git fsck`")
                    yield content[:-1]

    @cached_property
    def _has_head(self) -> bool:
        return self._parsed("HEAD^{commit}") is not None

    @cached_property
    def _names_of_head(self) -> frozenset[str]:
        """HEAD, and the branch that it names."""
        try:
            branch = os.fsdecode(self._git("symbolic-ref", "--quiet", "HEAD").removesuffix(b"\n"))
        except _GitFailed:
            return frozenset(("HEAD", "@"))
        return frozenset(("HEAD", "@", branch, branch.removeprefix("refs/heads/")))

    def _parsed(self, revision: str) -> str | None:
        try:
            return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", revision).decode("ascii").strip()
        except _GitFailed:
            return None

    def _git(self, *arguments: str) -> bytes:
        """Output of a command that succeeds; a line or two."""
        with self._started(*arguments, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            output, errors = process.communicate()
        if process.returncode != 0:
            lines = errors.decode("utf-8", "replace").strip().splitlines()
            raise _GitFailed(lines[0] if lines else f"git {arguments[0]} ended with status {process.returncode}")
        return output

    @contextmanager
    def _started(
        self, *arguments: str, stdin: int, stderr: int = subprocess.DEVNULL
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A running command; it is ended with the block."""
        environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN} | _SETTINGS
        try:
            process = subprocess.Popen(
                [self._program, *_HARMLESS, *arguments],
                cwd=self._root,
                env=environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise RevisionError(f"git could not be started: {error.strerror or error}") from error
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()


def find_git() -> str | None:
    """The absolute path of git; never from the current folder, which may be the one that is scanned."""
    names = ("git.exe",) if os.name == "nt" else ("git",)
    for folder in os.get_exec_path():
        for name in names:
            program = os.path.join(folder, name)
            if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
                return program
    return None


class _GitFailed(Exception):
    """A git command that did not succeed, with the first line of what it said."""
