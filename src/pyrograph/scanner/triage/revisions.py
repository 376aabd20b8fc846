"""Two states of a program in a git repository: an earlier commit, and a later commit or the work tree.

Both are analysed as whole programs, with the same options, and their findings are compared: a finding is new whatever
file of the change causes it. Commits are read from git's objects and written to temporary directories; the work tree is
read as it is. What both states have in common is analysed once: units and reports are cached by content.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from pyrograph.model.finding import Report, Statistics
from pyrograph.model.words import plural
from pyrograph.scanner.options import Revisions, ScanOptions
from pyrograph.scanner.triage.compare import compare
from pyrograph.scanner.triage.repository import Repository, RevisionError
from pyrograph.scanner.triage.snapshot import write_snapshot


@dataclass(frozen=True, slots=True)
class States:
    """The two states of one comparison."""

    revisions: Revisions
    repository: Repository
    top: Path  # of the later state: the work tree, or a snapshot

    def place(self, path: Path) -> Path:
        """Where the later state has what the work tree has at ``path``.

        Raises:
            RevisionError: The path lies outside the repository, or is not in the later state.
        """
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.repository.top):
            raise RevisionError(f"{path} lies outside the repository {self.repository.top}; compare one at a time")
        found = _inside(self.top, real.relative_to(self.repository.top))
        if found is None:
            raise RevisionError(f"{path} is not in {self.revisions.head}; name a path that is")
        return found

    def compared(self, report: Report, options: ScanOptions, scan: Callable[[ScanOptions], Report]) -> Report:
        """``report`` with new findings alone, and with its ``difference`` from the earlier state.

        What others committed to ``revisions.base`` since the later state left it is no change: the earlier state is
        their merge base, or ``revisions.base`` itself where they share no history.

        Args:
            report: Of the later state, after suppressions and baseline.
            options: What it was scanned with. The earlier state is scanned with the same, rule files included.
            scan: Scans the earlier state, and applies suppressions.

        Raises:
            RevisionError: There is no such revision, or objects of it are missing.
        """
        revisions, repository = self.revisions, self.repository
        commit = repository.commit(revisions.base)
        if commit is not None and revisions.merge_base:
            commit = repository.merge_base(commit, repository.commit(revisions.head or "HEAD"))
        before = Report((), (), {}, Statistics())
        notes: tuple[str, ...] = ()
        if commit is not None:
            with _snapshot(repository, commit, options.max_file_size) as (folder, notes):
                earlier = _moved(options, self.top, folder)
                if earlier.paths:
                    before = scan(earlier)
        result = compare(before, report, base=revisions.base, commit=commit or "", head=revisions.head)
        return replace(result, notes=(*report.notes, _summary(result), *notes, *_incomplete(before, report)))


@contextmanager
def states_of(revisions: Revisions, start: Path) -> Iterator[States]:
    """The states in the repository around ``start``, a directory or a file; the later one is there within the block.

    Raises:
        RevisionError: No git, no repository, no such revision, or missing objects.
    """
    repository = Repository(start)
    repository.commit(revisions.base)  # a typing error should not cost a scan
    if not revisions.head:
        yield States(revisions, repository, repository.top)
        return
    with _snapshot(repository, repository.commit(revisions.head)) as (folder, _):
        yield States(revisions, repository, folder)


def _moved(options: ScanOptions, top: Path, folder: Path) -> ScanOptions:
    """The options for ``top`` as those for a snapshot in ``folder``; paths that are not there are left out."""
    root = _inside(folder, options.root.relative_to(top))
    paths = [_inside(folder, Path(os.path.realpath(path)).relative_to(top)) for path in options.paths]
    environments = options.environments if options.dependencies == "packs" else (*options.environments, options.root)
    return replace(
        options,
        paths=() if root is None else tuple(path for path in paths if path is not None and path.is_relative_to(root)),
        root=root or folder,
        environments=environments,
    )


def _inside(folder: Path, path: PurePath) -> Path | None:
    """The real path of ``folder / path``; None where it is not there, or where a link leads out of the folder."""
    found = Path(os.path.realpath(folder / path))
    return found if found.is_relative_to(folder) and found.exists() else None


@contextmanager
def _snapshot(
    repository: Repository, commit: str | None, max_file_size: int | None = None
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A temporary directory, for this user alone, with what a scan reads of a commit; and notes on what it lacks."""
    with tempfile.TemporaryDirectory(prefix="pyrograph-", ignore_cleanup_errors=True) as name:
        folder = Path(os.path.realpath(name))
        try:
            notes = write_snapshot(repository, commit, folder, max_file_size)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            message = f"{name}: cannot write the files of the commit: {reason}; make room, or set TMPDIR"
            raise RevisionError(message) from error
        yield folder, notes


def _summary(report: Report) -> str:
    difference = report.difference
    assert difference is not None
    unchanged, moved, fixed = difference.counts
    commit = f" ({difference.commit[:12]})" if difference.commit else ", where nothing is committed"
    return (
        f"compared with {difference.base}{commit}: {plural(len(report.findings), 'new finding')}; "
        f"{unchanged:,} unchanged, {moved:,} moved and {fixed:,} fixed are not counted"
    )


def _incomplete(before: Report, after: Report) -> tuple[str, ...]:
    """What the earlier state could not be asked for, where the later one could."""
    known = {(each.kind, each.path, each.message) for each in after.problems}
    cut = [each for each in before.problems if each.incomplete and (each.kind, each.path, each.message) not in known]
    if not cut:
        return ()
    where = ", ".join(dict.fromkeys(each.path or "the program" for each in cut[:3]))
    return (
        f"the earlier state has {plural(len(cut), 'problem')} of its own ({where}): findings there may count as new",
    )
