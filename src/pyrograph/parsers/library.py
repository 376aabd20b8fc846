"""The source of a library, as its language finds it; and the readers of manifests that languages share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySource:
    """A library whose source is at hand."""

    name: str  # as people write it
    root: Path  # absolute; paths of its files are relative to it
    paths: tuple[Path, ...]  # its files and directories, below ``root``
    package: str = ""  # what programs import ``root`` as; "" where directories below it name modules
    version: str = ""  # "" where no manifest states it
    manifests: Mapping[str, bytes] = field(default_factory=dict)  # those that the directory lacks, by path


def read_text(path: Path) -> str:
    """The text of a manifest; "" if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def read_json(path: Path) -> dict[str, object]:
    """The object in a file of JSON; {} if there is none."""
    try:
        found = json.loads(read_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_toml(path: Path) -> dict[str, object]:
    """The tables of a file of TOML; {} if it cannot be read."""
    import tomllib

    try:
        return tomllib.loads(read_text(path))
    except (ValueError, RecursionError):
        return {}


def quoted(root: str) -> str:
    """A root as the rule language writes it: in backquotes where a dot could begin a member.

    >>> quoted("example.org/shop"), quoted("socket.io")
    ('example.org/shop', '`socket.io`')
    """
    return f"`{root}`" if "." in root.rpartition("/")[2] else root
