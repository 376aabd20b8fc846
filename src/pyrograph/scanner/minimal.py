"""Delta debugging of a list.

Written here rather than taken from a library: the packages for it (``picire``, ``lithium-reducer``, ``shrinkray``)
bring worker processes, interfaces or dependencies of their own, and this is the part of them that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def minimal(items: Sequence[T], fails: Callable[[list[T]], bool]) -> list[T]:
    """A sublist of ``items`` that still fails, and fails no more when any one item is left out (Zeller's 1-minimal).

    ``fails(items)`` is taken as true. The answer keeps the order of ``items``. Chunks of halving size are left out
    one after the other: about ``2 k log(n)`` calls where ``k`` of ``n`` items are needed, and O(n k) at worst.
    """
    kept = list(items)
    if not kept or fails([]):
        return []
    size = len(kept) // 2
    while size:
        start, removed = 0, False
        while start < len(kept):
            shorter = kept[:start] + kept[start + size :]
            if shorter and fails(shorter):
                kept, removed = shorter, True
            else:
                start += size
        if not (removed and size == 1):  # with chunks of one: until a whole pass removes nothing
            size //= 2
    return kept
