"""Columns: tuples that are found one by one are joined to tables of NumPy numbers, and rows are found by a key."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import stable_order

R = TypeVar("R", bound=tuple[int, ...])


class Rows(Sequence[R], Generic[R]):
    """A sequence of rows that grows at its end: 4 bytes a number, where tuples in a list take about 20.

    The numbers of all rows stand one after the other in one array of 32-bit integers.
    """

    def __init__(self, kind: type[R], width: int, rows: Iterable[tuple[int, ...]] = ()) -> None:
        """``kind``: what a row is read as, a named tuple of ``width`` numbers."""
        self.kind, self.width = kind, width
        self.numbers: array[int] = array("i", chain.from_iterable(rows))
        self.append: Callable[[Iterable[int]], None] = self.numbers.extend  # a row; hot, so that nothing stands between

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and (self.width, self.numbers) == (other.width, other.numbers)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.numbers) // self.width

    def __iter__(self) -> Iterator[R]:
        cells = iter(self.numbers)  # a call of ``kind`` itself takes six times as long as what it calls
        return map(tuple.__new__, repeat(self.kind), zip(*[cells] * self.width, strict=True))

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> list[R]: ...
    def __getitem__(self, at: int | slice) -> R | list[R]:
        if isinstance(at, slice):  # time O(what is asked for): resolution asks for the last few of very many
            return [self[each] for each in range(len(self))[at]]
        begin = range(len(self))[at] * self.width
        return tuple.__new__(self.kind, self.numbers[begin : begin + self.width])

    def array(self) -> npt.NDArray[np.int32]:
        """A copy, (n, width)."""
        return np.array(self.numbers, np.int32).reshape(-1, self.width)

    def replace(self, rows: npt.NDArray[np.int32]) -> None:
        """Put ``rows`` (n, width) in the place of all rows."""
        del self.numbers[:]
        self.numbers.frombytes(rows.astype(np.int32).tobytes())

    def drop(self, keys: Collection[int]) -> None:
        """Leave out the rows whose first number is one of ``keys``."""
        rows = self.array()
        self.replace(rows[~np.isin(rows[:, 0], np.fromiter(keys, np.int64, len(keys)))])


def rows_of(tuples: Collection[tuple[int, ...]], width: int) -> npt.NDArray[np.int32]:
    """Tuples of ``width`` numbers as an array, (n, width); several times as fast as ``np.array``."""
    if isinstance(tuples, Rows):
        return tuples.array()
    return np.fromiter(chain.from_iterable(tuples), np.int32, len(tuples) * width).reshape(-1, width)


class RowsByKey:
    """The rows of a table by one of its columns. Time O(n log n + k) once, then O(1) a key and what is found.

    ``k`` is the largest key: keys are row numbers of another table. Negative keys are found in O(log n).
    """

    def __init__(self, keys: npt.NDArray[np.int32]) -> None:
        """``keys``: (n,) the key of each row."""
        self._rows = stable_order(keys).astype(np.int32)  # a scan has a dozen of these at a time
        ordered = keys[self._rows]
        self._negative = ordered[: ordered.searchsorted(0)].copy()  # a part would keep all of it
        # where the rows of each key begin that is not negative; read one by one, which NumPy is slow at
        self._starts = starts_of(ordered)

    def of(self, key: int) -> npt.NDArray[np.int32]:
        """The numbers of the rows with this key, ascending.

        >>> RowsByKey(np.array([7, 3, 7], np.int32)).of(7).tolist()
        [0, 2]
        """
        starts = self._starts
        if key >= 0:
            return self._rows[starts[key] : starts[key + 1]] if key + 1 < len(starts) else self._rows[:0]
        wanted = self._negative.dtype.type(key)  # of another type, the whole column would be converted
        return self._rows[self._negative.searchsorted(wanted) : self._negative.searchsorted(wanted, "right")]


def starts_of(ordered: npt.NDArray[np.integer]) -> array[int]:
    """Of ascending keys, by key from 0 on: the first position that holds this key or a larger one; one number more at
    the end. Time and space linear in the keys and the largest of them.

    >>> starts_of(np.array([-1, 0, 2, 2])).tolist()
    [1, 2, 2, 4]
    """
    negative = int(ordered.searchsorted(0))
    counts = np.bincount(ordered[negative:])
    starts = np.full(len(counts) + 1, negative, np.int32)
    starts[1:] += counts.cumsum(out=counts)
    found = array("i")
    found.frombytes(starts.data.cast("B"))
    return found
