"""The result of a search, and how hits are put in order.

The order is ``(source, sink, depth, source_idx)`` on every backend. Kernels answer in any order; what they say is
packed into one integer a hit wherever that fits, because sorting integers is several times faster than sorting
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph.csr import NodeIds, Words
from pyrograph.kernels.arrays import Index, Numbers, bits_needed
from pyrograph.kernels.errors import LimitError
from pyrograph.kernels.machine import memory

BYTES_PER_HIT = 96  # while they are sorted; 16 or 24 afterwards


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Sinks that were reached; four parallel uint32 arrays, sorted by (source, sink, depth, source_idx).

    Each (source_idx, sink) stands once, at its smallest depth. ``graph.reachability`` returns the same columns, with
    any node that was reached in ``sink``.
    """

    source: NodeIds  # (k,) node the search started from
    sink: NodeIds  # (k,) node that was reached
    depth: NodeIds  # (k,) edges on a shortest path
    source_idx: NodeIds  # (k,) position in the list of sources given
    total: int  # how many there are, those past max_findings included
    truncated: bool  # whether some were left out

    def __len__(self) -> int:
        return len(self.source)

    def rows(self) -> list[tuple[int, ...]]:
        """The hits as tuples ``(source, sink, depth, source_idx)``."""
        return list(
            zip(self.source.tolist(), self.sink.tolist(), self.depth.tolist(), self.source_idx.tolist(), strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Nodes that were reached, without depths; parallel uint32 arrays, sorted by (source, sink, source_idx)."""

    source: NodeIds  # (k,)
    sink: NodeIds  # (k,) node that was reached
    source_idx: NodeIds  # (k,)
    total: int
    truncated: bool

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts that arrived at sinks; parallel arrays sorted by (source, sink, depth, source_idx).

    A sink stands once for each depth at which bits are new there, with those bits: so every bit of ``word`` has its
    own smallest depth, and no bit stands twice for the same lane and sink.
    """

    source: NodeIds  # (k,)
    sink: NodeIds  # (k,)
    depth: NodeIds  # (k,)
    source_idx: NodeIds  # (k,) position in the list of seeds given
    word: Words  # (k,) uint64: the bits that arrive first at this depth; never 0
    total: int  # how many rows there are, those past max_findings included
    truncated: bool  # whether some were left out

    def __len__(self) -> int:
        return len(self.source)

    def rows(self) -> list[tuple[int, ...]]:
        """The rows as tuples ``(source, sink, depth, source_idx, word)``."""
        columns = (self.source, self.sink, self.depth, self.source_idx, self.word)
        return list(zip(*(column.tolist() for column in columns), strict=True))


class Collector:
    """Takes (lane, node, depth, word) in any order and keeps the first ``keep`` of them in order.

    Lanes are numbered so that their order is that of the result. Memory stays bounded by what is kept, not by what is
    found: past four times ``keep`` the rest is cut, and only counted.
    """

    def __init__(
        self, lanes: int, nodes: int, keep: int | None, weight: Index, *, words: bool, group: Index | None = None
    ) -> None:
        self.total = 0  # weighted: every hit counts once per lane it stands for
        self._group = (
            group  # (lanes,) rank of each lane's source, where several lanes share one; None: lanes are sources
        )
        self._sizes = (lanes, nodes)
        self._keep = keep
        self._weight = weight  # (lanes,) how many of the caller's lanes each lane stands for
        self._words = words
        self._parts: list[tuple[npt.NDArray[np.integer], ...]] = []
        self._held = 0
        self._limit = memory() // 2 // BYTES_PER_HIT

    def add(self, lane: Numbers, node: Numbers, depth: Numbers, word: Words) -> None:
        """Take some hits.

        Raises:
            LimitError: No limit on findings was set and they no longer fit in half the memory.
        """
        if not len(lane):
            return
        self.total += int(self._weight[lane].sum())
        self._parts.append((lane, node, depth, word) if self._words else (lane, node, depth))
        self._held += len(lane)
        if self._keep is not None and self._held > max(4 * self._keep, 1 << 20):
            self._settle()
        if self._held > self._limit:
            raise LimitError("hits in memory", self._held, self._limit, "set max_findings, or give fewer sources")

    def finish(self) -> tuple[Index, Index, Index, Words]:
        """(lane, node, depth, word), sorted, at most ``keep``."""
        self._settle()
        lane, node, depth, *word = self._parts[0]
        return (
            lane.astype(np.intp, copy=False),
            node.astype(np.intp, copy=False),
            depth.astype(np.intp, copy=False),
            word[0].astype(np.uint64, copy=False) if word else np.ones(len(lane), np.uint64),
        )

    def _settle(self) -> None:
        if self._parts:
            columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
        else:
            columns = [np.empty(0, np.intp)] * 3 + [np.empty(0, np.uint64)] * self._words
        lanes, nodes = self._sizes
        deepest = int(columns[2].max()) + 1 if len(columns[2]) else 1
        key, payload = columns[:3], columns[3:]
        if self._group is None:
            columns = in_order(key, (lanes, nodes, deepest), payload)
        else:
            lane, node, depth = key
            _, node, depth, lane, *payload = in_order(
                (self._group[lane], node, depth, lane), (lanes, nodes, deepest, lanes), payload
            )
            columns = [lane, node, depth, *payload]
        self._parts = [tuple(column[: self._keep] for column in columns)]
        self._held = len(self._parts[0][0])


def in_order(
    keys: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int], payload: Sequence[npt.NDArray[np.integer]] = ()
) -> list[npt.NDArray[np.integer]]:
    """Sort parallel columns by ``keys``, the first most significant; ``payload`` moves along.

    Args:
        keys: Columns of numbers; ``keys[i]`` lies in ``range(sizes[i])``. No two rows agree in all of them.

    >>> columns = in_order([np.array([1, 0, 1]), np.array([0, 5, 3])], (2, 6), [np.array([7, 8, 9])])
    >>> [column.tolist() for column in columns]
    [[0, 1, 1], [5, 0, 3], [8, 7, 9]]
    """
    widths = [bits_needed(size) for size in sizes]
    if sum(widths) > 64:
        order = np.lexsort(tuple(reversed(keys)))
        return [column[order] for column in (*keys, *payload)]
    packed = np.zeros(len(keys[0]), np.uint64)
    for column, width in zip(keys, widths, strict=True):
        packed = (packed << np.uint64(width)) | column.astype(np.uint64)
    if payload:
        order = np.argsort(packed, kind="stable")
        return [column[order] for column in (*keys, *payload)]
    packed.sort(kind="stable")  # merges the ascending stretches that backends deliver
    columns: list[npt.NDArray[np.integer]] = []
    for width in reversed(widths):
        columns.append((packed & np.uint64((1 << width) - 1)).astype(np.int64))
        packed >>= np.uint64(width)
    return columns[::-1]


def hits_in_memory() -> int:
    """How many hits that need no sorting may be held: half of the memory, for twice their size."""
    return memory() // 2 // 32
