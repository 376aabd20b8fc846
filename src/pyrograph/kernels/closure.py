"""Which nodes each source reaches, without depths: strong components, then one sweep over them for 512 sources.

Nodes of one strong component are reached by the same sources, and between components there are no cycles: visited in
topological order, each needs one visit, in which a row of bits, one per source, is handed on over every edge. The rows
are turned into a bitmap per source, 64 nodes by 64 sources at a time.

Time O(n + m) for the components, then O(components and edges between them) per 512 sources, and O(n) per source for
its bitmap. Memory per thread: 64 bytes a component and 64 bytes a node.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyrograph.kernels.arrays import LANES, Bitmaps, Index, Numbers, Words
from pyrograph.kernels.compiled import compiled, in_threads, ones
from pyrograph.kernels.machine import threads

WIDTH = 8  # words of a row


def listed(words: Words) -> tuple[Numbers, Numbers]:
    """(row, node) of every bit of some rows of a bitmap, ascending."""
    found: tuple[Numbers, Numbers] = _listed(words, int(counted(words).sum()))
    return found


def counted(words: Words) -> Index:
    """How many bits each row of a bitmap has."""
    count: Index = _counted(words)
    return count


def reach(offsets: Index, targets: Numbers, sources: Index) -> Iterator[Bitmaps]:
    """All nodes of each source, through any number of edges; sources in any order, also repeated."""
    num_nodes = len(offsets) - 1
    component, count = _components(offsets, targets)
    between, after = _condensed(offsets, targets, component, count)

    def answer(first: int) -> Bitmaps:
        lanes = np.arange(first, min(first + WIDTH * LANES, len(sources)))
        rows = np.zeros((count, WIDTH), np.uint64)
        _sweep(between, after, component[sources[lanes]], rows)
        words = np.zeros((-(-len(lanes) // LANES) * LANES, -(-num_nodes // LANES)), np.uint64)
        _transpose(rows, component, words)
        return Bitmaps(lanes, words[: len(lanes)])

    firsts = range(0, len(sources), WIDTH * LANES)
    yield from in_threads(answer, firsts, min(threads(), len(firsts)))


@compiled
def _components(offsets: Index, targets: Numbers) -> tuple[Numbers, int]:
    """The strong component of each node and how many there are; edges between components lead to smaller numbers.

    Tarjan's algorithm with its two stacks written out.
    """
    num_nodes = offsets.size - 1
    index = np.zeros(num_nodes, np.int32)  # 0: not met yet
    low = np.empty(num_nodes, np.int32)
    component = np.full(num_nodes, -1, np.int32)
    path = np.empty(num_nodes, np.int32)
    edge_of = np.empty(num_nodes, np.int64)
    waiting = np.empty(num_nodes, np.int32)
    num_waiting = 0
    met = 0
    count = 0
    for root in range(num_nodes):
        if index[root] != 0:
            continue
        path[0] = root
        height = 1
        met += 1
        index[root] = low[root] = met
        edge_of[0] = offsets[root]
        waiting[num_waiting] = root
        num_waiting += 1
        while height > 0:
            node = path[height - 1]
            edge = edge_of[height - 1]
            if edge < offsets[node + 1]:
                edge_of[height - 1] = edge + 1
                target = targets[edge]
                if index[target] == 0:
                    path[height] = target
                    edge_of[height] = offsets[target]
                    height += 1
                    met += 1
                    index[target] = low[target] = met
                    waiting[num_waiting] = target
                    num_waiting += 1
                elif component[target] == -1:
                    low[node] = min(low[node], index[target])
                continue
            height -= 1
            if height > 0:
                low[path[height - 1]] = min(low[path[height - 1]], low[node])
            if low[node] == index[node]:
                while component[node] == -1:
                    num_waiting -= 1
                    component[waiting[num_waiting]] = count
                count += 1
    return component, count


@compiled
def _condensed(offsets: Index, targets: Numbers, component: Numbers, count: int) -> tuple[Index, Numbers]:
    """Offsets and targets of the graph of components, each edge once."""
    num_nodes = offsets.size - 1
    begin = np.zeros(count + 1, np.int64)
    for node in range(num_nodes):
        begin[component[node] + 1] += 1
    for one in range(count):
        begin[one + 1] += begin[one]
    members = np.empty(num_nodes, np.int32)
    cursor = begin[:-1].copy()
    for node in range(num_nodes):
        members[cursor[component[node]]] = node
        cursor[component[node]] += 1
    between = np.zeros(count + 1, np.int64)
    after = np.empty(targets.size, np.int32)
    last_from = np.full(count, -1, np.int32)
    edges = 0
    for one in range(count):
        for place in range(begin[one], begin[one + 1]):
            node = members[place]
            for edge in range(offsets[node], offsets[node + 1]):
                other = component[targets[edge]]
                if other != one and last_from[other] != one:
                    last_from[other] = one
                    after[edges] = other
                    edges += 1
        between[one + 1] = edges
    return between, after[:edges].copy()


@compiled
def _sweep(between: Index, after: Numbers, starts: Numbers, rows: Words) -> None:
    """Hand every row on, the largest number first: no edge leads to a larger one."""
    one = np.uint64(1)
    for lane in range(starts.size):
        rows[starts[lane], lane >> 6] |= one << np.uint64(lane & 63)
    width = rows.shape[1]
    for component in range(rows.shape[0] - 1, -1, -1):
        some = np.uint64(0)
        for place in range(width):
            some |= rows[component, place]
        if some == np.uint64(0):
            continue
        for edge in range(between[component], between[component + 1]):
            other = after[edge]
            for place in range(width):
                rows[other, place] |= rows[component, place]


@compiled
def _transpose(rows: Words, component: Numbers, words: Words) -> None:
    """Bits by component and source to bits by source and node, in squares of 64 by 64.

    A square is turned by swapping ever smaller quarters (Warren, Hacker's Delight, section 7-3).
    """
    num_nodes = component.size
    square = np.empty(64, np.uint64)
    for column in range(words.shape[0] // 64):
        for word in range(words.shape[1]):
            some = np.uint64(0)
            for i in range(64):
                node = 64 * word + i
                square[i] = rows[component[node], column] if node < num_nodes else np.uint64(0)
                some |= square[i]
            if some == np.uint64(0):
                continue
            half = 32
            mask = np.uint64(0x00000000FFFFFFFF)
            while half != 0:
                k = 0
                while k < 64:
                    swap = ((square[k] >> np.uint64(half)) ^ square[k + half]) & mask
                    square[k] ^= swap << np.uint64(half)
                    square[k + half] ^= swap
                    k = ((k | half) + 1) & ~half
                half >>= 1
                mask ^= mask << np.uint64(half)
            for i in range(64):
                words[64 * column + i, word] = square[i]


@compiled
def _counted(words: Words) -> Index:
    count = np.zeros(words.shape[0], np.int64)
    for row in range(words.shape[0]):
        for place in range(words.shape[1]):
            count[row] += ones(words[row, place])
    return count


@compiled
def _listed(words: Words, total: int) -> tuple[Numbers, Numbers]:
    rows = np.empty(total, np.uint32)
    nodes = np.empty(total, np.uint32)
    count = 0
    for row in range(words.shape[0]):
        for place in range(words.shape[1]):
            word = words[row, place]
            while word != np.uint64(0):
                rest = word & (word - np.uint64(1))
                rows[count] = row
                nodes[count] = 64 * place + ones((word ^ rest) - np.uint64(1))
                count += 1
                word = rest
    return rows, nodes
