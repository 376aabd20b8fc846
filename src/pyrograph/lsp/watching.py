"""Files whose change on the disk may change what a scan finds."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from lsprotocol import types as lsp

from pyrograph.parsers import manifests, page_suffixes, suffixes
from pyrograph.scanner.config import NAMES
from pyrograph.scanner.files.classify import TEMPLATES
from pyrograph.scanner.files.ignore_files import GIT_FILE, OWN_FILE
from pyrograph.scanner.triage.marks import FILE as MARKS

BASELINES = ("*baseline*.json",)
REPOSITORIES = frozenset({".git", ".hg"})  # their own files change with each command


def may_matter(path: str) -> bool:
    """Whether a scan may read a file, as far as its name says; one without a suffix may be a script."""
    name = os.path.basename(path)
    suffix = os.path.splitext(name)[1].lower()
    return (
        not suffix
        or suffix in suffixes()
        or suffix in TEMPLATES
        or suffix in page_suffixes()
        or name in (*manifests(), *NAMES)
    )


def watchers() -> list[lsp.FileSystemWatcher]:
    """What the client is asked to watch: what a scan reads, configurations, ignore files, marks and baselines."""
    endings = ",".join(sorted(each.lstrip(".") for each in {*suffixes(), *TEMPLATES, *page_suffixes()}))
    names = ",".join(sorted({*_named(), "*.json"}))  # a configuration may give a baseline any name
    return [lsp.FileSystemWatcher(f"**/*.{{{endings}}}"), lsp.FileSystemWatcher(f"**/{{{names}}}")]


def is_watched(path: str) -> bool:
    """Whether an event counts: not in the folders in which a repository keeps its own files."""
    return REPOSITORIES.isdisjoint(path.split(os.sep))


def is_read(path: str, baseline: str | None, *, is_new: bool) -> bool:
    """Whether a scan that read ``baseline`` may read a file of which an event came; a new one may be a baseline."""
    if not path.endswith(".json") or is_new or path == baseline:
        return True
    return any(fnmatchcase(os.path.basename(path), each) for each in _named())


def _named() -> frozenset[str]:
    return frozenset({*manifests(), *NAMES, OWN_FILE, GIT_FILE, MARKS, *BASELINES})
