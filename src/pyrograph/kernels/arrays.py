"""Arguments and results of the fast kernels: names for arrays, and the packing of lanes into words.

A *row* is one independent search; its state is one 64-bit word per node, and words only ever gain bits. The bits are
whatever is searched for together: 64 lanes of ``graph.bfs``, or the facts of one lane of ``graph.fixpoint``. That is
why both operations run on the same loops.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.intp]
Ids = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.integer]  # any integer type

N = TypeVar("N", bound=Numbers)

LANES = 64  # bits of a word
FEW_KEYS = 256  # up to so many keys, one call of NumPy costs less than the handful that ``stable_order`` makes
KEY_BITS = 62  # of a key and a place in one number
SIGNED = frozenset((np.dtype(np.int32), np.dtype(np.int64)))
MAX_TABLE = 1 << 24  # bytes of a table that says for each number whether it is among others


class Block(NamedTuple):
    """A part of the answer, in no particular order: at ``depth`` the bits ``word`` are new at ``node`` of ``lane``."""

    lane: Numbers  # (k,) number of the search
    node: Numbers  # (k,) node of the graph that was searched
    depth: Numbers  # (k,) edges from the start, at least 1
    word: Words  # (k,) never 0


class Bitmaps(NamedTuple):
    """The nodes that some sources reach: bit ``node % 64`` of ``words[i, node // 64]`` for source ``lanes[i]``."""

    lanes: Index  # (k,) ascending and without gaps; over all bitmaps every lane comes once, in order
    words: Words  # (k, ceil(n / 64)); the source itself is reached; bits past the last node are 0


@dataclass(frozen=True, slots=True)
class Pruned:
    """The part of a graph that can matter: reached from a seed and leading to a reported node, bit by bit."""

    nodes: Index  # (n',) their ids in the whole graph, ascending
    offsets: Index  # (n' + 1,)
    targets: Index  # (m',) numbered within ``nodes``
    edge_words: Words | None  # (m',) bits an edge lets through, those of the node it leaves included; None: all


class Grouped:
    """Values by a key from ``range(num_keys)``; values of one key keep their order.

    >>> Grouped(3, np.array([2, 0, 2]), np.array([7, 8, 9])).of(np.array([2, 1])).tolist()
    [7, 9]
    """

    def __init__(self, num_keys: int, keys: Numbers, values: Numbers) -> None:
        self.order = stable_order(keys)  # only of values that this class ordered
        self.count = np.bincount(keys, minlength=num_keys)
        self.first = self.count.cumsum() - self.count
        self.values = values[self.order]

    @classmethod
    def in_order(cls, offsets: Index, values: Numbers) -> Grouped:
        """Values that are grouped already: those of key ``k`` are ``values[offsets[k] : offsets[k + 1]]``.

        >>> Grouped.in_order(np.array([0, 1, 1, 3]), np.array([8, 7, 9])).of(np.array([2, 1])).tolist()
        [7, 9]
        """
        made = cls.__new__(cls)
        made.count = np.diff(offsets)
        made.first = offsets[:-1]
        made.values = values
        return made

    def places(self, keys: Numbers) -> tuple[Index, Index]:
        """Where the values of these keys are in ``values``, key by key, and how many each key has."""
        counts = self.count.take(keys)
        begin = (self.first.take(keys) + counts - np.cumsum(counts)).repeat(counts)
        return begin + np.arange(len(begin)), counts

    def of(self, keys: Numbers) -> Numbers:
        """The values of these keys, key by key."""
        return self.values.take(self.places(keys)[0])

    @cached_property
    def scalars(self) -> tuple[memoryview, memoryview, memoryview]:
        """``first``, ``count`` and ``values`` as views whose items are plain Python numbers: of a few keys, these take
        a tenth of the time of NumPy's calls.
        """
        return self.first.data, self.count.data, self.values.data

    def of_few(self, keys: list[int]) -> list[int]:
        """``of`` for few keys.

        >>> Grouped(3, np.array([2, 0, 2]), np.array([7, 8, 9])).of_few([2, 1])
        [7, 9]
        """
        first, count, values = self.scalars
        return [value for key in keys for value in values[first[key] : first[key] + count[key]]]


def lanes_of(words: Words) -> tuple[Index, Index]:
    """(row, bit) of every set bit, rows ascending.

    >>> rows, bits = lanes_of(np.array([0b101, 0, 0b10], np.uint64))
    >>> rows.tolist(), bits.tolist()
    ([0, 0, 2], [0, 2, 1])
    """
    if not len(words):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    octets = np.ascontiguousarray(words.astype("<u8", copy=False)).view(np.uint8).reshape(-1, 8)
    # Most words hold few bits: look for the bytes that hold any before opening them.
    at = np.flatnonzero(octets)
    bits = np.unpackbits(octets.reshape(-1)[at, None], axis=1, bitorder="little")
    where, low = np.nonzero(bits)
    return at[where] >> 3, ((at[where] & 7) << 3) + low


def distinct(values: N) -> N:
    """The different ones of ``values``, ascending: what ``np.unique`` gives, which imports masked arrays (15 ms).

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values)
    return ordered[first_of_equals(ordered)]  # type: ignore[return-value]


def stable_order(keys: Numbers) -> Index:
    """What ``keys.argsort(kind="stable")`` gives, in a fifth of its time: sorts numbers of a key and its place.

    NumPy sorts plain numbers with vector instructions, and orders by merging. O(n log n), O(n) for keys in order.

    >>> stable_order(np.array([3, 1, 3, 1])).tolist()
    [1, 3, 0, 2]
    """
    if len(keys) <= FEW_KEYS:
        return keys.argsort(kind="stable")
    if (keys[1:] >= keys[:-1]).all():
        return np.arange(len(keys))
    least, most, shift = int(keys.min()), int(keys.max()), bits_needed(len(keys))
    if max(abs(least), abs(most)) >> KEY_BITS or bits_needed(most - least + 1) + shift > KEY_BITS:
        return keys.argsort(kind="stable")
    packed = keys.astype(np.int64)
    packed -= least
    packed <<= shift
    packed |= np.arange(len(keys))
    packed.sort()
    packed &= (1 << shift) - 1
    return packed


def order_of(*columns: Numbers) -> Index:
    """The order of rows by these columns, the first one first: ``np.lexsort`` of the columns from the last one on.

    >>> order_of(np.array([1, 0, 1]), np.array([5, 7, 4])).tolist()
    [1, 2, 0]
    """
    order = stable_order(columns[-1])
    for column in reversed(columns[:-1]):
        order = order[stable_order(column[order])]
    return order


def first_of_equals(*columns: Numbers) -> Index:
    """Where each different row begins in columns whose rows are in order.

    >>> first_of_equals(np.array([1, 1, 1, 2]), np.array([5, 5, 6, 6])).tolist()
    [0, 2, 3]
    """
    differs = np.zeros(len(columns[0]), bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)


def among(values: Numbers, chosen: Numbers | Collection[int]) -> npt.NDArray[np.bool_]:
    """Which of ``values`` are ``chosen`` ones: what ``np.isin`` gives, which may sort all values, and import as above.

    >>> among(np.array([3, 1, 3]), {3, 4}).tolist()
    [True, False, True]
    """
    if not len(chosen):
        return np.zeros(len(values), bool)
    some = chosen if isinstance(chosen, np.ndarray) else np.fromiter(chosen, values.dtype, len(chosen))
    least, size = int(some.min()), int(some.max()) - int(some.min()) + 1
    if size <= MAX_TABLE and values.dtype in SIGNED and not abs(least) >> 30:  # ``least`` fits into both types
        table = np.zeros(size, bool)
        table[some - least] = True
        place = values - least  # may wrap around, to a place outside the table
        inside = (place >= 0) & (place < size)
        return table.take(place, mode="clip") & inside
    if size <= MAX_TABLE:
        return np.isin(values, some, kind="table")
    ordered = np.sort(some)
    place = np.searchsorted(ordered, values)
    place[place == len(ordered)] = 0
    return np.asarray(ordered[place] == values)


def some_set(words: Numbers) -> Index:
    """Where ``words`` are not 0: what ``words.nonzero()[0]`` gives, in a fourth of its time. NumPy is fast on truths.

    >>> some_set(np.array([0, 5, 0, -1])).tolist()
    [1, 3]
    """
    places: Index = (words != 0).nonzero()[0]
    return places


def bits_needed(count: int) -> int:
    """Bits that hold every number in ``range(count)``; 0 for a range of at most one."""
    return max(count - 1, 0).bit_length()
