"""Rules that were read once: within the process of the tests, and for processes that have a cache of their own.

Reading all rules from their files takes a second, from the cache a fifth. A scan of a few lines takes 80 ms, of which
choosing the packs and making the trie of their APIs is a third: most tests scan with the packs of the test before.
"""

from __future__ import annotations

import shutil
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest

from pyrograph import userfolder
from pyrograph.rules import Rules, load
from pyrograph.rules import cache as rule_cache
from pyrograph.rules.entries import Pack
from pyrograph.scanner.analysis import apis

T = TypeVar("T")
KEPT = 24  # tries of so many choices of packs, of some megabytes each

_plain_tries, _plain_for_roots = apis.tries, Rules.for_roots
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


class Recent(OrderedDict[Hashable, T]):
    """Values by key; the ``KEPT`` that were asked for last are kept."""

    def of(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self:
            self[key] = make()
        self.move_to_end(key)
        if len(self) > KEPT:
            self.popitem(last=False)
        return self[key]


# Packs are known by identity, and are kept with what was made of them.
_chosen: Recent[tuple[tuple[Pack, ...], tuple[Pack, ...]]] = Recent()
_tries: Recent[tuple[tuple[Pack, ...], dict[str, apis.Apis]]] = Recent()


def _for_roots(self: Rules, roots: Collection[str]) -> tuple[Pack, ...]:
    key = frozenset(roots), *map(id, self.packs)
    return _chosen.of(key, lambda: (self.packs, _plain_for_roots(self, roots)))[1]


def _made_tries(packs: Sequence[Pack], languages: Iterable[str], *, low: bool) -> dict[str, apis.Apis]:
    """Tries of their own for each scan, which adds to them: copies of those that no scan has seen."""
    given, names = tuple(packs), tuple(languages)
    key = (low, names, *map(id, given))
    built = _tries.of(key, lambda: (given, _plain_tries(given, names, low=low)))[1]
    copies = _plain_tries((), names, low=low)
    paths = list(next(iter(built.values())).paths) if built else []
    for name, copied in copies.items():
        for attribute in dir(built[name]):
            value = getattr(built[name], attribute)
            if attribute == "_known":  # what a scan asked of its own trie, nodes that it added among them
                continue
            if not attribute.startswith("__") and not callable(value):
                setattr(copied, attribute, value.copy() if isinstance(value, dict | list | set) else value)
        copied.paths = paths  # one list, in which each trie numbers its nodes
    return copies


def remember_packs() -> None:
    """From now on, scans of this process with the same packs make the trie of their APIs once."""
    Rules.for_roots = _for_roots  # type: ignore[method-assign]
    apis.tries = _made_tries


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
