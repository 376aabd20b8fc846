"""Findings that a change touches: those with a step in a file that differs from a git revision.

The whole program is analysed all the same; this only chooses what is reported. git is asked for the names and hashes of
the revision's files and for nothing else: it neither reads nor writes the index and the work tree, so that no hook,
filter or monitor of the repository is run. The files of the findings' steps are hashed here.

A file that the revision does not have counts as changed: untracked, ignored, or in a submodule, there is nothing to
compare with. Line endings are no change, since git may have converted them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pyrograph.model.finding import Finding, Report

# Beyond not asking for anything that runs programs: no configured monitor or hook, and no network.
_HARMLESS = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=" + os.devnull),
    *("-c", "protocol.allow=never"),
)
# A hook that calls us sets some of these for its own repository and folder; ours is that of ``root``.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")


class ChangedError(ValueError):
    """git, the repository or the revision is not to be had; the message says which, and what to do."""


def only_changed(report: Report, root: str | os.PathLike[str], ref: str) -> Report:
    """Keep the findings of ``report`` with a step in a file changed since ``ref``; a note counts those left out.

    Compared are the files as they lie in the work tree with the commit where the current branch left ``ref`` (their
    merge base), so that what others committed to ``ref`` since is not taken for a change; with ``ref`` itself if they
    share none.

    Args:
        report: What the scan found; its paths are relative to ``root``.
        root: The scan root, in a git work tree.
        ref: A branch, tag or commit.

    Raises:
        ChangedError: No git, no repository, or no such revision.
    """
    changed = _Changes(Path(root), ref)
    kept = tuple(finding for finding in report.findings if any(changed.holds(path) for path in _paths(finding)))
    left_out = len(report.findings) - len(kept)
    notes = report.notes
    if left_out:
        findings = "1 finding" if left_out == 1 else f"{left_out:,} findings"
        notes = (*notes, f"changed since {ref}: {findings} with no step in a changed file not reported")
    return replace(report, findings=kept, notes=notes)


def _paths(finding: Finding) -> list[str]:
    steps = {step.place.path for trace in finding.traces for step in trace.steps}
    return sorted({finding.place.path, *steps})


class _Changes:
    """The changes in the repository around ``root`` since ``ref``."""

    def __init__(self, root: Path, ref: str) -> None:
        if not root.is_dir():
            root = root.parent
        self._root = root
        self._program = _find_git()
        self._answers: dict[str, bool] = {}
        try:
            prefix = self._git("rev-parse", "--show-prefix")
        except _GitFailed as error:
            raise ChangedError(
                f"{root}: --changed-since needs a git work tree: {error}; run it in one, or use a baseline instead"
            ) from error
        self._prefix = os.fsdecode(prefix.removesuffix(b"\n"))
        try:
            self._top = root / os.fsdecode(self._git("rev-parse", "--show-cdup").removesuffix(b"\n"))
            base = self._base(self._commit(ref))
            self._blobs = dict(_blobs(self._git("ls-tree", "-r", "-z", "--full-tree", base)))
        except _GitFailed as error:
            raise ChangedError(f"{root}: --changed-since {ref}: {error}") from error

    def holds(self, path: str) -> bool:
        """Whether the file at ``path``, relative to the root, changed."""
        if path not in self._answers:
            self._answers[path] = self._changed(os.path.normpath(self._prefix + path).replace(os.sep, "/"))
        return self._answers[path]

    def _changed(self, name: str) -> bool:
        blob = self._blobs.get(name)
        if blob is None:
            return True
        try:
            content = (self._top / name).read_bytes()
        except OSError:
            return True
        return blob not in (_hash(content, blob), _hash(content.replace(b"\r\n", b"\n"), blob))

    def _commit(self, ref: str) -> str:
        # git would take a leading dash for an option; no revision starts with one.
        if not ref or ref.startswith("-") or "\0" in ref:
            raise ChangedError(f"--changed-since {ref!r}: not a git revision; give a branch, a tag or a commit")
        try:
            found = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        except _GitFailed as error:
            raise ChangedError(
                f"--changed-since {ref}: git knows no such revision here; fetch it first (a shallow clone in CI "
                "needs more depth, such as fetch-depth: 0)"
            ) from error
        return found.decode("ascii").strip()

    def _base(self, commit: str) -> str:
        try:
            return self._git("merge-base", "--end-of-options", commit, "HEAD").decode("ascii").split()[0]
        except (_GitFailed, IndexError):
            return commit  # no common history, a shallow clone, or no commit yet

    def _git(self, *arguments: str) -> bytes:
        environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        environment |= {
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        try:
            done = subprocess.run(
                [self._program, *_HARMLESS, *arguments],
                cwd=self._root,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise ChangedError(f"--changed-since: git could not be started: {error.strerror or error}") from error
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _GitFailed(lines[0] if lines else f"git {arguments[0]} ended with status {done.returncode}")
        return done.stdout


def _find_git() -> str:
    """The absolute path of git; never from the current folder, which may be the one that is scanned."""
    names = ("git.exe",) if os.name == "nt" else ("git",)
    for folder in os.get_exec_path():
        for name in names:
            program = os.path.join(folder, name)
            if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
                return program
    raise ChangedError("--changed-since needs git, which was not found; install it or extend PATH")


class _GitFailed(Exception):
    """A git command that did not succeed, with the first line of what it said."""


def _blobs(listing: bytes) -> Iterator[tuple[str, str]]:
    """Name and object of every file of a tree, from what ``ls-tree -z`` prints: ``mode type object<TAB>name``."""
    for entry in listing.split(b"\0")[:-1]:
        header, _, name = entry.partition(b"\t")
        yield os.fsdecode(name), header.rpartition(b" ")[2].decode("ascii")


def _hash(content: bytes, like: str) -> str:
    """The name that git gives to a file of this content, in the hash function of the name ``like``."""
    digest = hashlib.new("sha256" if len(like) == 64 else "sha1", usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content))
    digest.update(content)
    return digest.hexdigest()
