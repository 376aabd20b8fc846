"""Who reaches whom when nobody asks how far: a bitmap per source, and the pairs in order read off it.

Only kernels that offer ``reach`` can do it; others search for depths and leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph.csr import NodeIds
from pyrograph.graph.hits import Pairs
from pyrograph.kernels import Closing
from pyrograph.kernels.arrays import Bitmaps, Index, Pruned, stable_order
from pyrograph.kernels.errors import LimitError
from pyrograph.kernels.machine import memory

BYTES_PER_PAIR = 48  # while they are put together; 12 afterwards
WORD_SHIFT, WORD_MASK = 5, 31  # a bitmap has words of 32 bits
PAIRS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Lanes:
    """The caller's sources, each distinct one a lane."""

    unique: Index  # (k,) distinct sources, ascending
    copies: Index  # (k,) how many places of the caller's list each has
    by_source: Index  # (s,) places of the list, by source and then by place

    @classmethod
    def of(cls, sources: Index) -> Lanes:
        """Equal sources have equal answers: they are searched once."""
        unique, inverse = np.unique(sources, return_inverse=True)
        return cls(unique, np.bincount(inverse, minlength=len(unique)), stable_order(inverse))

    def places(self, lane: Index, kept: int | None = None) -> tuple[Index, Index]:
        """For every hit of a lane, each place that its source has: (which hit, place), at most ``kept``."""
        if len(self.unique) == len(self.by_source):  # each source once: as many columns of temporary numbers less
            hit = np.arange(len(lane))[:kept]
            return hit, self.by_source[lane[:kept]]
        count = self.copies[lane]
        hit = np.repeat(np.arange(len(lane)), count)[:kept]
        copy = np.arange(len(hit)) - (np.cumsum(count) - count)[hit]
        first = np.cumsum(self.copies) - self.copies
        return hit, self.by_source[first[lane[hit]] + copy]


def pairs(kernels: Closing, lanes: Lanes, pruned: Pruned, keep: int | None) -> Pairs:
    """Every (source, node), sorted by (source, node, source_idx); past ``keep`` they are only counted.

    Raises:
        LimitError: Without ``keep``, they do not fit in half the memory; known before they are listed.
    """
    room = memory() // 2 // BYTES_PER_PAIR
    empty = np.empty(0, np.uint32)
    columns: list[tuple[NodeIds, NodeIds, NodeIds]] = [(empty, empty, empty)]
    total = held = 0
    for lane, words in _bitmaps(kernels, lanes, pruned):
        ends = np.cumsum(kernels.counted(words) * lanes.copies[lane])
        total += int(ends[-1])
        if keep is None and total > room:
            raise LimitError("hits in memory", total, room, "set max_findings, or give fewer sources")
        begin = 0
        while begin < len(lane) and (keep is None or held < keep):
            before = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, before + PAIRS_AT_ONCE, side="right")))
            row, node = kernels.listed(words[begin:end])
            mine = lane[begin:end][row]
            hit, place = lanes.places(mine, None if keep is None else keep - held)
            columns.append((_ids(lanes.unique[mine[hit]]), _ids(pruned.nodes[node[hit]]), _ids(place)))
            held += len(hit)
            begin = end
    source, sink, source_idx = (np.concatenate([column[i] for column in columns]) for i in range(3))
    return Pairs(source, sink, source_idx, total, total > len(source))


def fill(kernels: Closing, lanes: Lanes, pruned: Pruned, bitmap: npt.NDArray[np.uint32]) -> None:
    """Set the bits of all that each place of the caller's list reaches in a source-major bitmap of zeros."""
    flags = np.zeros(32 * bitmap.shape[1], np.bool_)
    ends = np.cumsum(lanes.copies)
    for lane, words in _bitmaps(kernels, lanes, pruned):
        counts = kernels.counted(words)
        for i, one in enumerate(lane.tolist()):
            places = lanes.by_source[ends[one] - lanes.copies[one] : ends[one]]
            if counts[i] < bitmap.shape[1]:  # few bits are set one by one, many by packing a line
                node = pruned.nodes[kernels.listed(words[i : i + 1])[1]]
                bit = np.uint32(1) << (node & WORD_MASK).astype(np.uint32)
                np.bitwise_or.at(bitmap, (places[:, None], node >> WORD_SHIFT), bit)
            else:
                octets = words[i].astype("<u8", copy=False).view(np.uint8)
                flags[pruned.nodes] = np.unpackbits(octets, bitorder="little")[: len(pruned.nodes)]
                bitmap[places] = np.packbits(flags, bitorder="little").view("<u4")


def _bitmaps(kernels: Closing, lanes: Lanes, pruned: Pruned) -> Iterator[Bitmaps]:
    if len(lanes.unique):
        yield from kernels.reach(pruned.offsets, pruned.targets, np.searchsorted(pruned.nodes, lanes.unique))


def _ids(values: Index) -> NodeIds:
    return values.astype(np.uint32)
