"""Files whose change on the disk may change what a scan finds."""

from __future__ import annotations

import os

from lsprotocol import types as lsp

from pyrograph.parsers import manifests, suffixes
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
    return not suffix or suffix in suffixes() or suffix in TEMPLATES or name in (*manifests(), *NAMES)


def watchers() -> list[lsp.FileSystemWatcher]:
    """What the client is asked to watch: what a scan reads, configurations, ignore files, marks and baselines."""
    endings = ",".join(sorted(each.lstrip(".") for each in {*suffixes(), *TEMPLATES}))
    names = ",".join(sorted({*manifests(), *NAMES, OWN_FILE, GIT_FILE, MARKS, *BASELINES, ".pyrograph-baseline.json"}))
    return [lsp.FileSystemWatcher(f"**/*.{{{endings}}}"), lsp.FileSystemWatcher(f"**/{{{names}}}")]


def is_watched(path: str) -> bool:
    """Whether an event counts: not in the folders in which a repository keeps its own files."""
    return REPOSITORIES.isdisjoint(path.split(os.sep))
