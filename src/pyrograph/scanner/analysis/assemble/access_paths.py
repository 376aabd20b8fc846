"""Access paths: which part of a value is tainted, and the effect of loads and strong updates on that."""

from __future__ import annotations

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_CAPTURE_KEY
from pyrograph.policy.limits.flow_graph import MAX_EXCLUDED, MAX_REPEATS
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, REJECTED, AccessPath
from pyrograph.scanner.analysis.label import SinkRole

# A guarded access path: the keys right below it that were overwritten since are excluded.
Tainted = tuple[AccessPath, frozenset[int]]


def element(key: int) -> int | frozenset[int]:
    return frozenset() if key == UNKNOWN_KEY else key


def is_hidden(path: AccessPath) -> bool:
    """Whether the path leads to no part of the value itself: a promise's rejection, what a function captures."""
    return path[:1] == (REJECTED,) or any(isinstance(key, int) and key <= FIRST_CAPTURE_KEY for key in path)


def repeats(path: AccessPath) -> bool:
    return any(path.count(key) > MAX_REPEATS for key in set(path))


def load_key(key: int, path: AccessPath, excluded: frozenset[int]) -> Tainted | None:
    """The tainted part of ``object[key]`` if ``path`` of the object is tainted; None if there is none.

    >>> load_key(1, (1, 2), frozenset()), load_key(3, (1, 2), frozenset()), load_key(1, (), frozenset({1}))
    (((2,), frozenset()), None, None)
    """
    if not path:
        # an object that excludes its own keys: its elements' keys are the program's own, too
        return None if key in excluded or key <= REJECTED else ((), excluded & {OWN_KEYS} if excluded else excluded)
    head = path[0]
    if isinstance(head, frozenset):
        found = key >= UNKNOWN_KEY and key not in head
    else:
        found = key == head or (key == UNKNOWN_KEY and head >= 0)
    return (path[1:], excluded) if found else None


def kill_key(key: int, path: AccessPath, excluded: frozenset[int]) -> Tainted | None:
    """The part of ``path`` that is still tainted after a store under ``key``.

    A store under an unknown key is a weak update: everything stays tainted. More than ``MAX_EXCLUDED`` keys are not
    remembered.
    """
    if key < 0:
        return path, excluded
    if not path:
        return (), excluded if len(excluded) >= MAX_EXCLUDED else excluded | {key}
    head = path[0]
    if isinstance(head, frozenset):
        return (head | {key}, *path[1:]), excluded
    return None if head == key else (path, excluded)


def reaches_sink(sink: SinkRole, path: AccessPath, excluded: frozenset[int]) -> bool:
    """Whether taint at ``path`` reaches a sink that uses the part ``sink.keys`` of the value.

    A section of a template reads a name from each element of a list, or from an object. What stands in an object under
    a name of its own is no element: ``{{#data}}{{{title}}}{{/data}}`` writes no part of ``data.text``.
    """
    if is_hidden(path):
        return False
    state = (path, excluded)
    named = False  # whether an element was asked for, and the taint stands under a name
    for key in sink.keys:
        head = state[0][:1]
        if named and not head:
            return False
        named = bool(sink.template.path) and key == UNKNOWN_KEY and bool(head) and isinstance(head[0], int)
        named = named and head != (UNKNOWN_KEY,)
        below = load_key(key, *state)
        if below is None:
            return False
        state = below
    return not ((sink.exact or sink.shown) and state[0])
