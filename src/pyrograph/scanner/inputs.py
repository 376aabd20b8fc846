"""Texts that a scan reads: of its source files and manifests; templates are read later.

Importing this loads no stage: whether a report is in the cache is decided by ``Inputs`` alone.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field

from pyrograph.model.problem import Problem
from pyrograph.parsers import language_of, manifests
from pyrograph.scanner.files.decode import decode
from pyrograph.scanner.files.discover import Discovery, discover
from pyrograph.scanner.files.read import read_source
from pyrograph.scanner.options import ScanOptions

Read = tuple[bytes | None, Problem | None]  # as ``read_source`` returns it


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a scan reads of the scanned tree. Templates are read when code renders them, and remembered here."""

    found: Discovery
    texts: tuple[Read, ...]  # of ``found.files``
    manifests: Mapping[str, bytes]  # by path
    templates: dict[str, bytes] = field(default_factory=dict)  # texts of those that the scan read, by path


def read_inputs(options: ScanOptions, overlay: Mapping[str, str] | None = None) -> Inputs:
    """Find the files and read them, each once. Raises as ``discover`` does.

    ``overlay``: texts by path that stand for the contents of files, because an editor has them and they are not saved.
    Which files there are is decided by the disk alone.
    """
    overlay = overlay or {}
    found = discover(options)
    texts = tuple(
        _overlaid(overlay[file.path], file.path, options) if file.path in overlay else read_source(file)
        for file in found.files
    )
    read = read_manifests(options, found)
    read |= {path: _encoded(overlay[path]) for path in read.keys() & overlay.keys()}
    templates = {
        path: _encoded(overlay[path])
        for path in sorted((found.templates.keys() | found.declaring.keys()) & overlay.keys())
    }
    return Inputs(found, texts, read, templates)


def _overlaid(text: str, path: str, options: ScanOptions) -> Read:
    """What ``read_source`` would return if the text had been saved."""
    raw = _encoded(text)
    if len(raw) > options.max_file_size:
        message = f"not analysed: {len(raw):,} bytes are more than the limit of {options.max_file_size:,}"
        return None, Problem("not-parsed", path, 0, message)
    return decode(raw, path)


def _encoded(text: str) -> bytes:
    """As UTF-8 without a byte-order mark; half of a surrogate pair, which editors may send, is a question mark."""
    return text.removeprefix("\ufeff").encode("utf-8", "replace")


def read_manifests(options: ScanOptions, found: Discovery) -> dict[str, bytes]:
    """The manifest files in the directories of the scanned files and above them, up to the root."""
    directories: set[str] = set()
    for file in found.files:
        if not language_of(file.language).manifests:
            continue
        directory = posixpath.dirname(file.path)
        while directory not in directories:
            directories.add(directory)
            directory = posixpath.dirname(directory)
    root = str(options.root)
    found_manifests = {}
    for directory in sorted(directories):
        for name in manifests():
            path = os.path.join(root, directory, name)
            try:
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode) and status.st_size < 1_000_000:
                    with open(path, "rb") as manifest:
                        found_manifests[posixpath.join(directory, name)] = manifest.read()
            except OSError:
                continue
    return found_manifests
