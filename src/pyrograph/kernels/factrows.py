"""Facts on every core: rows of words that walk a graph level by level, by masks or by a compiled transfer function.

Each seed has a row; threads take groups of seeds, and rows never meet. Memory per thread: 32 bytes a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Block, Index, Numbers, Words
from pyrograph.kernels.compiled import compiled, compiled_here, grown, in_groups
from pyrograph.kernels.queues import Queue

Found = tuple[Numbers, Numbers, Numbers, Words]  # lane, node, depth, word

NONE = np.empty(0, np.uint64)


def flow(
    offsets: Index,
    targets: Index,
    edge_words: Words | None,
    report: Words,
    seeds: Index,
    seed_words: Words,
    max_depth: int,
) -> Iterator[Block]:
    """As ``vectorised.flow``."""
    words, masked = (NONE, False) if edge_words is None else (edge_words, True)
    near = targets.astype(np.int32, copy=False)

    def answer(first: int, last: int, mine: _Scratch) -> Found:
        return _flow_rows(
            offsets, near, words, masked, report, seeds, seed_words, first, last, max_depth,
            mine.state, mine.here, mine.next, mine.word, mine.touched,
        )  # fmt: skip

    for found in in_groups(answer, lambda: _Scratch(len(offsets) - 1), len(seeds), len(targets)):
        yield Block(*found)


def apply(
    offsets: Index,
    targets: npt.NDArray[np.uint32],
    metadata: npt.NDArray[np.unsignedinteger],
    per_edge: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    transfer: Any,
    max_depth: int,
) -> Iterator[Block]:
    """One row per seed, through a transfer function compiled by ``numba.njit``.

    Args:
        metadata: (m,) if ``per_edge``, else (n,): what the function gets for an edge, or for the node it leaves.
        transfer: ``(source, current, target, metadata, fact)`` to the word that flows on; integers throughout.

    The loop around the function is compiled anew for each function, in each process.
    """

    def answer(first: int, last: int, mine: _Scratch) -> Found:
        return _apply_rows(
            offsets, targets, metadata, per_edge, report, seeds, seed_words, first, last, max_depth, transfer,
            mine.state, mine.here, mine.next, mine.touched,
        )  # fmt: skip

    for found in in_groups(answer, lambda: _Scratch(len(offsets) - 1), len(seeds), len(targets)):
        yield Block(*found)


class _Scratch:
    """Scratch of one thread for a row; ``state`` is zero between rows."""

    def __init__(self, num_nodes: int) -> None:
        self.state = np.zeros((num_nodes, 2), np.uint64)  # what is known at a node; what arrives for the next level
        self.here = np.empty(num_nodes + 1, np.int32)  # a level
        self.next = np.empty(num_nodes + 1, np.int32)  # one place is written before it is known to be needed
        self.word = np.empty(num_nodes, np.uint64)  # new bits of each node of the level
        self.touched = np.empty(num_nodes, np.int32)


@compiled
def _flow_rows(
    offsets: Index,
    targets: Numbers,
    edge_words: Words,
    masked: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    first: int,
    last: int,
    max_depth: int,
    state: Words,
    here: Queue,
    after: Queue,
    word: Words,
    touched: Queue,
) -> Found:
    """Lanes ``first`` to ``last``, a row each, level by level; all scratch is left as it was found."""
    zero = np.uint64(0)
    capacity = 1024
    out_lane = np.empty(capacity, np.uint32)
    out_node = np.empty(capacity, np.uint32)
    out_depth = np.empty(capacity, np.uint32)
    out_word = np.empty(capacity, np.uint64)
    count = 0
    for row in range(first, last):
        if seed_words[row] == zero:
            continue
        state[seeds[row], 0] = seed_words[row]
        touched[0] = seeds[row]
        here[0] = seeds[row]
        word[0] = seed_words[row]
        num_touched = 1
        width = 1
        depth = 0
        while width > 0 and depth < max_depth:
            depth += 1
            # Edges: what is new at the other end gathers in state[:, 1]; a node is queued when its first bit arrives.
            wide = 0
            for i in range(width):
                node = here[i]
                fact = word[i]
                for edge in range(offsets[node], offsets[node + 1]):
                    target = targets[edge]
                    new = fact & ~state[target, 0]
                    if masked:
                        new &= edge_words[edge]
                    # Without branches: whether something is new is a coin toss to the processor.
                    waiting = state[target, 1]
                    state[target, 1] = waiting | new
                    after[wide] = target
                    wide += int((waiting == zero) & (new != zero))
            # Nodes: what has arrived becomes known, is reported, and is the next level's word.
            for i in range(wide):
                node = after[i]
                new = state[node, 1]
                state[node, 1] = zero
                if state[node, 0] == zero:
                    touched[num_touched] = node
                    num_touched += 1
                state[node, 0] |= new
                word[i] = new
                reported = new & report[node]
                if reported != zero:
                    if count == capacity:
                        capacity *= 2
                        out_lane = grown(out_lane, count, capacity)
                        out_node = grown(out_node, count, capacity)
                        out_depth = grown(out_depth, count, capacity)
                        out_word = grown(out_word, count, capacity)
                    out_lane[count] = row
                    out_node[count] = node
                    out_depth[count] = depth
                    out_word[count] = reported
                    count += 1
            here, after = after, here
            width = wide
        for i in range(num_touched):
            state[touched[i], 0] = zero
    return out_lane[:count].copy(), out_node[:count].copy(), out_depth[:count].copy(), out_word[:count].copy()


@compiled_here
def _apply_rows(
    offsets: Index,
    targets: Numbers,
    metadata: Numbers,
    per_edge: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    first: int,
    last: int,
    max_depth: int,
    transfer: Any,
    state: Words,
    here: Queue,
    after: Queue,
    touched: Queue,
) -> Found:
    """As ``_flow_rows`` with one seed a row and a function instead of masks; a node offers all it knows."""
    zero = np.uint64(0)
    capacity = 1024
    out_lane = np.empty(capacity, np.uint32)
    out_node = np.empty(capacity, np.uint32)
    out_depth = np.empty(capacity, np.uint32)
    out_word = np.empty(capacity, np.uint64)
    count = 0
    for row in range(first, last):
        source = seeds[row]
        state[source, 0] = seed_words[row]
        touched[0] = source
        here[0] = source
        num_touched = 1
        width = 1
        depth = 0
        while width > 0 and depth < max_depth:
            depth += 1
            wide = 0
            for i in range(width):
                node = here[i]
                fact = state[node, 0]
                for edge in range(offsets[node], offsets[node + 1]):
                    target = np.int64(targets[edge])
                    meta = np.uint64(metadata[edge if per_edge else node])
                    flows = np.uint64(transfer(np.int64(source), np.int64(node), target, meta, fact))
                    new = flows & ~state[target, 0]
                    if new != zero:
                        if state[target, 1] == zero:
                            after[wide] = target
                            wide += 1
                        state[target, 1] |= new
            for i in range(wide):
                node = after[i]
                new = state[node, 1]
                state[node, 1] = zero
                if state[node, 0] == zero:
                    touched[num_touched] = node
                    num_touched += 1
                state[node, 0] |= new
                reported = new & report[node]
                if reported != zero:
                    if count == capacity:
                        capacity *= 2
                        out_lane = grown(out_lane, count, capacity)
                        out_node = grown(out_node, count, capacity)
                        out_depth = grown(out_depth, count, capacity)
                        out_word = grown(out_word, count, capacity)
                    out_lane[count] = row
                    out_node[count] = node
                    out_depth[count] = depth
                    out_word[count] = reported
                    count += 1
            here, after = after, here
            width = wide
        for i in range(num_touched):
            state[touched[i], 0] = zero
    return out_lane[:count].copy(), out_node[:count].copy(), out_depth[:count].copy(), out_word[:count].copy()
