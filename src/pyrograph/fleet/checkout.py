"""From a task to a directory to scan: a work tree as it is, or the files of a commit in a directory of their own.

Nothing of a repository is run: no hook, no filter, no submodule is fetched, and git may use the network only to fetch
from an address that the fleet file names, over the transports in ``TRANSPORTS``. A commit is written as ``pyrograph
diff`` writes it (``scanner/triage/snapshot.py``): unconverted, and nothing outside the directory.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pyrograph.fleet.address import without_secrets
from pyrograph.fleet.outcome import Task
from pyrograph.fleet.owners import PLACES, Owners
from pyrograph.fleet.process import run
from pyrograph.policy.limits.fleet import FETCH_MEMORY, MAX_OWNERS_FILE
from pyrograph.scanner.triage.repository import Repository, RevisionError, find_git
from pyrograph.scanner.triage.snapshot import write_snapshot

TRANSPORTS: Final = ("https", "http", "ssh", "git", "file")


class CheckoutError(Exception):
    """The tree cannot be had; the message says why."""


class Slow(CheckoutError):
    """Fetching took all the time of the task."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """What is scanned."""

    folder: Path
    commit: str  # "" where there is no git
    owners: Owners


@contextmanager
def checkout(task: Task, until: float) -> Iterator[Checkout]:
    """The directory for a task, for as long as the block lasts; ``until``: on the monotonic clock.

    Raises:
        CheckoutError: The tree cannot be had.
    """
    if not task.is_address and not task.revision:
        yield _work_tree(Path(task.source))
        return
    with TemporaryDirectory(prefix="pyrograph-fleet-", ignore_cleanup_errors=True) as made:
        try:
            if task.is_address:
                source, revision = Path(made, "fetched"), "FETCH_HEAD"
                _fetch(task, source, until)
            else:
                source, revision = Path(task.source), task.revision
            yield _snapshot(source, revision, Path(made, "tree"))
        except RevisionError as error:
            raise CheckoutError(str(error)) from error


def _work_tree(folder: Path) -> Checkout:
    if not folder.is_dir():
        raise CheckoutError("the directory is not there; correct the path, or make it visible to the workers")
    commit = ""
    try:
        if (folder / ".git").exists():
            commit = Repository(folder).commit("HEAD") or ""
    except RevisionError:
        pass  # the tree can be scanned without
    for place in PLACES:
        path = folder / place
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_OWNERS_FILE:
            return Checkout(folder, commit, Owners(path.read_bytes()))
    return Checkout(folder, commit, Owners(b""))


def _snapshot(source: Path, revision: str, folder: Path) -> Checkout:
    if not source.is_dir():
        raise CheckoutError("the directory is not there; correct the path, or make it visible to the workers")
    repository = Repository(source)
    commit = repository.commit(revision)
    folder.mkdir()
    write_snapshot(repository, commit, folder)
    return Checkout(folder, commit or "", Owners(_owners_in(repository, commit)))


def _owners_in(repository: Repository, commit: str | None) -> bytes:
    entries = {} if commit is None else {each.path: each for each in repository.entries(commit) if each.path in PLACES}
    for place in PLACES:
        if place in entries and entries[place].mode != "120000" and entries[place].size <= MAX_OWNERS_FILE:
            return next(repository.contents([entries[place].name]))
    return b""


def _fetch(task: Task, folder: Path, until: float) -> None:
    """Fetch one commit of a repository, without its history, into ``folder``; nothing is checked out."""
    program = find_git()
    if program is None:
        raise CheckoutError("git was not found; install it or extend PATH")
    folder.mkdir()
    allowed = [part for each in TRANSPORTS for part in ("-c", f"protocol.{each}.allow=always")]
    git = [program, "-c", "protocol.allow=never", *allowed, "-c", f"core.hooksPath={os.devnull}"]
    wanted = task.source, task.revision or "HEAD"
    commands = (
        [*git, "init", "--quiet", "--template=", "."],
        [*git, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", *wanted],
    )
    for command in commands:
        ended = run(command, seconds=max(0.1, until - time.monotonic()), memory=FETCH_MEMORY, folder=folder)
        if ended.timed_out:
            raise Slow("fetching took all the time that the repository may take")
        if ended.code:
            lines = [line for line in ended.said.splitlines() if line.startswith(("fatal:", "error:"))]
            said = lines[0] if lines else f"git ended with status {ended.code}"
            raise CheckoutError(f"git cannot fetch it: {without_secrets(said.replace(task.source, task.place))}")


__all__ = ["Checkout", "CheckoutError", "Slow", "checkout"]
