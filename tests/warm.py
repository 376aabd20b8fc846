"""Rules that were read once: within the process of the tests, and for processes that have a cache of their own.

Reading all rules from their files takes a second, from the cache a fifth; a scan of a few lines takes 50 ms.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pyrograph import userfolder
from pyrograph.rules import cache as rule_cache
from pyrograph.rules import load

_plain_cached, _plain_keep = load._cached, load._keep
_known: dict[tuple[str, str], Sequence[Any]] = {}  # label and key, which digests the bytes of the files


def _cached(folder: Path | None, label: str, key: str) -> list[Any] | None:
    if (label, key) not in _known and (read := _plain_cached(folder, label, key)) is not None:
        _known[label, key] = tuple(read)
    return list(_known[label, key]) if (label, key) in _known else None


def _keep(folder: Path | None, label: str, key: str, read: Sequence[Any]) -> None:
    _known[label, key] = tuple(read)
    _plain_keep(folder, label, key, read)


def remember_rules() -> None:
    """From now on, this process reads files with the same bytes once."""
    load._cached, load._keep = _cached, _keep


def forget_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this test, rules are read from their files, or from the cache on disk, whenever they are asked for."""
    monkeypatch.setattr(rule_cache, "READ_AHEAD", Path("none"))
    monkeypatch.setattr(load, "_cached", _plain_cached)
    monkeypatch.setattr(load, "_keep", _plain_keep)


def warm(home: Path) -> Path:
    """Put the built-in rules into the cache below ``home``, an XDG_CACHE_HOME, unless it has rules."""
    folder = home / "pyrograph"
    if not (folder / "rules").exists():
        userfolder.make(folder)
        shutil.copytree(Path(_built_in().name) / "rules", folder / "rules")
    return home


@cache
def _built_in() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="pyrograph-rules-")
    load.load_rules()
    for (label, key), read in _known.items():
        if label != "user":
            _plain_keep(Path(folder.name), label, key, read)
    return folder
