"""One search for several vulnerabilities, backwards from their sinks, in the graph that they share.

The graphs of two vulnerabilities mostly differ in a few edges. Searched one by one, each is copied, turned around and
walked again. Here each sink of each vulnerability is a lane, one bit of a word, and an edge lets those lanes through
whose vulnerability may pass it: 64 sinks cost one walk over the shared graph, whatever their vulnerabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import LANES, Words, lanes_of, order_of
from pyrograph.kernels.longedges import arriving, contracted

Longs = npt.NDArray[np.int64]
ONE = np.uint64(1)


class SinksOf(NamedTuple):
    """What is searched for of one vulnerability."""

    bit: int
    nodes: Longs  # (k,) nodes of the shared graph that are in its own graph, ascending
    sinks: Longs  # places in ``nodes``


def search_backwards(
    masks: tuple[Longs, Longs], edges: tuple[Longs, Longs, Longs], wanted: Sequence[SinksOf], max_depth: int
) -> list[Longs]:
    """For each vulnerability its hits as (3, k): source, sink (places in its ``nodes``), depth; by source, then sink.

    Args:
        masks: (n,) vulnerabilities for which each node is in the graph; and for which it is a source.
        edges: (m,) origin and target; and the vulnerabilities that pass each edge: nodes at both ends are theirs.

    As ``graph.bfs`` in the graph of each vulnerability: the depth is at least 1. Time O(m log m), and for each 64 sinks
    O(m + what is reached).
    """
    nodes, starts = masks
    n = len(nodes)
    kept = (starts & nodes) != 0
    for each in wanted:
        kept[each.nodes[each.sinks]] = True
    graph = contracted(n, *edges, kept)
    ends = np.flatnonzero(kept)  # with ``place``, the nodes of the whole graph that are reported
    whole = np.empty(len(graph.offsets) - 1, np.intp)
    whole[graph.place[ends]] = ends
    passes = _Spread(graph.mask)
    starting = np.zeros(len(whole), np.int64)
    starting[graph.place[ends]] = (starts & nodes)[ends]
    reported = _Spread(starting)
    found: list[list[Longs]] = [[] for _ in wanted]
    # By their places: what is reached from one place by several vulnerabilities arrives at a node in the same levels.
    lanes = sorted(
        ((number, sink) for number, each in enumerate(wanted) for sink in each.sinks.tolist()),
        key=lambda lane: int(wanted[lane[0]].nodes[lane[1]]),
    )
    for chunk in _chunks(iter(lanes)):
        vulnerability = np.array([number for number, _ in chunk], np.int64)
        sink = np.array([each for _, each in chunk], np.int64)
        words = ONE << np.arange(len(chunk), dtype=np.uint64)
        bits = [wanted[number].bit for number, _ in chunk]
        seeds = graph.place[[wanted[number].nodes[each] for number, each in chunk]]
        report = reported.words(bits, words)
        for depth, node, word in arriving(graph, passes.words(bits, words), report, seeds, words, max_depth):
            which, lane = lanes_of(word)
            for number in np.unique(vulnerability[lane]).tolist():
                own = vulnerability[lane] == number
                source = np.searchsorted(wanted[number].nodes, whole[node[which[own]]])
                found[number].append(np.stack([source, sink[lane[own]], np.full(len(source), depth)]).astype(np.int64))
    return [_sorted(each) for each in found]


class _Spread:
    """Masks of vulnerabilities that are turned into words of lanes: few different ones occur."""

    def __init__(self, masks: Longs) -> None:
        self.different, place = np.unique(masks, return_inverse=True)
        self.place = place.reshape(-1)

    def words(self, bits: Sequence[int], words: Words) -> Words:
        """For each mask the lanes whose vulnerability it has; ``bits``: the vulnerability of each lane."""
        of_mask = np.zeros(len(self.different), np.uint64)
        for bit, word in zip(bits, words, strict=True):
            of_mask[(self.different >> bit & 1) == 1] |= word
        spread: Words = of_mask[self.place]
        return spread


def _chunks(lanes: Iterator[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    while chunk := list(islice(lanes, LANES)):  # ends with the lanes
        yield chunk


def _sorted(parts: Sequence[Longs]) -> Longs:
    hits = np.concatenate(parts, axis=1) if parts else np.empty((3, 0), np.int64)
    ordered: Longs = hits[:, order_of(hits[0], hits[1], hits[2])]
    return ordered
