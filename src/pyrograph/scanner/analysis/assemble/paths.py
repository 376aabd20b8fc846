"""Paths: which part of a value is tainted, and what a load, a store or a slice makes of that."""

from __future__ import annotations

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_CAPTURE_KEY
from pyrograph.policy.limits import MAX_EXCLUDED, MAX_REPEATS
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, REJECTED, Path
from pyrograph.scanner.analysis.label import SinkRole

Tainted = tuple[Path, frozenset[int]]  # a path, and the keys right below it that were overwritten since


def element(key: int) -> int | frozenset[int]:
    return frozenset() if key == UNKNOWN_KEY else key


def is_hidden(path: Path) -> bool:
    """Whether what is tainted is no part of the value: what a promise was rejected with, what a function captures."""
    return path[:1] == (REJECTED,) or any(isinstance(key, int) and key <= FIRST_CAPTURE_KEY for key in path)


def repeats(path: Path) -> bool:
    return any(path.count(key) > MAX_REPEATS for key in set(path))


def take_key(key: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
    """What of ``object[key]`` is tainted when ``path`` of the object is.

    >>> take_key(1, (1, 2), frozenset()), take_key(3, (1, 2), frozenset()), take_key(1, (), frozenset({1}))
    (((2,), frozenset()), None, None)
    """
    if not path:
        # what has declared keys has declared parts
        return None if key in excluded or key <= REJECTED else ((), excluded & {OWN_KEYS} if excluded else excluded)
    head = path[0]
    if isinstance(head, frozenset):
        found = key >= UNKNOWN_KEY and key not in head
    else:
        found = key == head or (key == UNKNOWN_KEY and head >= 0)
    return (path[1:], excluded) if found else None


def keep_key(key: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
    """What of ``path`` is still tainted after a store under ``key``; an unknown key overwrites nothing for sure."""
    if key < 0:
        return path, excluded
    if not path:
        return (), excluded if len(excluded) >= MAX_EXCLUDED else excluded | {key}
    head = path[0]
    if isinstance(head, frozenset):
        return (head | {key}, *path[1:]), excluded
    return None if head == key else (path, excluded)


def accepts(sink: SinkRole, path: Path, excluded: frozenset[int]) -> bool:
    """Whether taint at ``path`` matters to a sink that looks at ``sink.keys`` of the value."""
    if is_hidden(path):
        return False
    state = (path, excluded)
    for key in sink.keys:
        below = take_key(key, *state)
        if below is None:
            return False
        state = below
    return not ((sink.exact or sink.shown) and state[0])
