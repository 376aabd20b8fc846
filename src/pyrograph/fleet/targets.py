"""From a fleet file to tasks: directories and globs are looked through, sizes estimated, names given."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pyrograph.fleet.address import shown
from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.fleetfile import Entry, Fleet
from pyrograph.fleet.outcome import Task
from pyrograph.scanner.files.classify import language_of_name
from pyrograph.scanner.triage.repository import Repository, RevisionError

_NOT_SIZED = frozenset((".git", "node_modules", "vendor", ".venv", "venv", "__pycache__"))  # mostly not scanned


def tasks_of(fleet: Fleet) -> list[Task]:
    """The trees that a fleet file names, in its order, each once; sizes are not known yet.

    A directory that is not there is a task, and fails as one. Names are the paths relative to the fleet file, or host
    and path of addresses.

    Raises:
        FleetError: A directory or glob finds nothing, or two repositories have one name.
    """
    found: dict[tuple[str, str], Task] = {}
    sources: dict[str, str] = {}  # by name
    for entry in fleet.entries:
        for source, name in _sources(entry, fleet.path):
            if sources.setdefault(name, source) != source:
                remedy = "give one of them another `name`"
                both = f"{shown(source)} and {shown(sources[name])}"
                raise FleetError(f"{fleet.path}: {both} have the same name, {name}; {remedy}")
            for revision in entry.revisions:
                limits = entry.memory, entry.seconds
                task = Task(name, source, entry.kind == "url", revision, *limits, entry.options, entry.libraries)
                found.setdefault((source, revision), task)
    return list(found.values())


def _sources(entry: Entry, file: Path) -> Iterator[tuple[str, str]]:
    """Sources and names of one table."""
    if entry.kind == "url":
        yield entry.value, entry.name or name_of_address(entry.value)
        return
    path = os.path.normpath(os.path.join(file.parent, os.path.expanduser(entry.value)))
    if entry.kind == "path":
        yield path, entry.name or _name(path, file)
        return
    if entry.kind == "directory":
        paths = [os.path.join(path, each) for each in _listed(path) if not each.startswith(".")]
    else:
        paths = sorted(glob.glob(path, recursive=True))
    found = [each for each in paths if os.path.isdir(each)]
    if not found:
        raise FleetError(f"{file}: {entry.kind} = {entry.value!r} finds no directory; correct or remove it")
    for each in found:
        yield each, _name(each, file)


def _listed(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


def _name(path: str, file: Path) -> str:
    try:
        relative = os.path.relpath(path, file.parent)
    except ValueError:  # another drive
        return Path(path).as_posix()
    return Path(path).as_posix() if relative.startswith("..") else Path(relative).as_posix()


def name_of_address(address: str) -> str:
    """Host and path of an address of git, without user, password and ".git".

    >>> name_of_address("https://me:secret@example.org/team/shop.git")
    'example.org/team/shop'
    >>> name_of_address("https://me:s@cret@example.org/team/shop?token=secret")
    'example.org/team/shop'
    >>> name_of_address("git@example.org:team/shop")
    'example.org/team/shop'
    """
    match = re.fullmatch(r"(?:[\w+.-]+://)?(?:[^/@]*@)?([^/:]*)(?::\d+(?=/))?[/:]*(.*?)(?:\.git)?/*", shown(address))
    return "/".join(part for part in match.groups() if part) if match else address


def sized(task: Task, known: int = 0) -> Task:
    """The task with an estimate of its size: bytes of files with a language. ``known``: of an earlier scan.

    An address is not looked at. Time linear in the files of the tree, which are not read.
    """
    if task.is_address:
        return replace(task, size=known)
    with suppress(OSError, RevisionError):
        if task.revision:
            repository = Repository(Path(task.source))
            commit = repository.commit(task.revision)
            entries = [] if commit is None else repository.entries(commit)
            return replace(task, size=sum(each.size for each in entries if language_of_name(each.path) is not None))
        return replace(task, size=_tree_size(task.source))
    return replace(task, size=known)


def _tree_size(folder: str) -> int:
    total = 0
    for top, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in _NOT_SIZED]
        for name in names:
            if language_of_name(name) is not None:
                with suppress(OSError):
                    total += os.lstat(os.path.join(top, name)).st_size
    return total
