"""Numba kernels for the CPU: compiled loops on every core.

Sources that reach little have a queue each (``queues``), those that reach much go together (``depthrows``). Facts walk
the rows of 64-bit words of ``vectorised``, a queue per level. Either way the cost follows what is reached and not the
size of the graph. Threads take groups of sources. No answer depends on how many threads there are, because sources
never meet.

Reachability without depths is in ``closure``.

Memory per thread: 8 bytes a node of the pruned graph for queues, 32 for facts, 64 to 512 for depths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import depthrows, queues
from pyrograph.kernels.arrays import Block, Index, Numbers, Pruned, Words
from pyrograph.kernels.closure import counted, listed, reach
from pyrograph.kernels.compiled import compiled, compiled_here, grown, in_groups
from pyrograph.kernels.queues import Queue

Found = tuple[Numbers, Numbers, Numbers, Words]  # lane, node, depth, word

__all__ = ["apply", "counted", "flow", "listed", "prune", "reach", "search"]

NONE = np.empty(0, np.uint64)
SHARED = 8  # sources that must reach a node, on average, for depth rows to pay (bench/graph_cpu.py --choice)
SAMPLES = 8  # sources that go first
MOST = 0.75  # share of them that must reach much for all others to be put in rows without a try


def prune(
    offsets: Index,
    targets: npt.NDArray[np.uint32],
    edge_words: Words | None,
    node_words: Words | None,
    report: Words | None,
    seeds: Index,
    seed_words: Words,
) -> Pruned:
    """As ``vectorised.prune``."""
    nodes, new_offsets, new_targets, new_words = _prune(
        offsets,
        targets,
        NONE if edge_words is None else edge_words,
        edge_words is not None,
        NONE if node_words is None else node_words,
        node_words is not None,
        NONE if report is None else report,
        report is not None,
        seeds,
        seed_words,
    )
    masked = edge_words is not None or node_words is not None
    return Pruned(nodes, new_offsets, new_targets, new_words if masked else None)


def search(
    offsets: Index, targets: Index, report: npt.NDArray[np.bool_], sources: Index, max_depth: int
) -> Iterator[Block]:
    """As ``vectorised.search``: a queue for each source that reaches little, rows of depths for the others together."""
    num_nodes = len(offsets) - 1
    near = targets.astype(np.int32, copy=False)
    lanes = np.argsort(sources, kind="stable")  # near sources reach nodes that are still in the cache
    while len(lanes):
        much = _much(num_nodes, len(lanes))
        first = np.unique(np.linspace(0, len(lanes) - 1, SAMPLES).astype(np.intp))
        wide = yield from queues.walks(offsets, near, report, sources, lanes[first], max_depth, much)
        lanes = np.delete(lanes, first)
        if len(wide) < MOST * len(first):
            rest = yield from queues.walks(offsets, near, report, sources, lanes, max_depth, much)
            lanes = np.concatenate([wide, rest])  # fewer than before, so this ends
            continue
        lanes = np.concatenate([wide, lanes])
        lanes = yield from depthrows.search(offsets, near, report, sources, lanes, max_depth)
        yield from queues.walks(offsets, near, report, sources, lanes, max_depth, num_nodes + 1)
        return


def _much(num_nodes: int, num_sources: int) -> int:
    """Nodes that a source has to reach for rows to pay; more than there are where they never do."""
    together = min(num_sources, depthrows.PIECES * depthrows.PIECE)
    if together < SHARED or not depthrows.fits(num_nodes):
        return num_nodes + 1
    return -(-num_nodes * SHARED // together)


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
    """As ``_search_rows`` with one seed a row and a function instead of masks; a node offers all it knows."""
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


@compiled
def _grow_row(
    offsets: Index,
    targets: Numbers,
    edge_words: Words,
    masked: bool,
    node_words: Words,
    held: bool,
    seeds: Index,
    seed_words: Words,
    known: Words,
) -> Index:
    """One row to its fixpoint in ``known``, in whatever order comes; returns the nodes reached, ascending."""
    zero = np.uint64(0)
    num_nodes = offsets.size - 1
    queued = np.zeros(num_nodes, np.bool_)
    queue = np.empty(1024, np.int32)
    width = 0
    for i in range(seeds.size):
        node = seeds[i]
        if seed_words[i] != zero:
            known[node] |= seed_words[i]
            if not queued[node]:
                queued[node] = True
                if width == queue.size:
                    queue = grown(queue, width, 2 * width)
                queue[width] = node
                width += 1
    while width > 0:
        width -= 1
        node = np.int64(queue[width])
        queued[node] = False
        fact = known[node]
        if held:
            fact &= node_words[node]
        for edge in range(offsets[node], offsets[node + 1]):
            target = np.int64(targets[edge])
            new = fact & ~known[target]
            if masked:
                new &= edge_words[edge]
            if new != zero:
                known[target] |= new
                if not queued[target]:
                    queued[target] = True
                    if width == queue.size:
                        queue = grown(queue, width, 2 * width)
                    queue[width] = target
                    width += 1
    return np.flatnonzero(known)


@compiled
def _prune(
    offsets: Index,
    targets: Numbers,
    edge_words: Words,
    masked: bool,
    node_words: Words,
    held: bool,
    report: Words,
    ends_only: bool,
    seeds: Index,
    seed_words: Words,
) -> tuple[Index, Index, Index, Words]:
    """Forward from the seeds; on what that leaves, backward from what is reported; number the rest from 0."""
    zero = np.uint64(0)
    forward = np.zeros(offsets.size - 1, np.uint64)
    reached = _grow_row(offsets, targets, edge_words, masked, node_words, held, seeds, seed_words, forward)
    n = reached.size
    rank = np.empty(offsets.size - 1, np.int32)
    for i in range(n):
        rank[reached[i]] = i
    # The edges that carry something, with what they carry.
    near_offsets = np.zeros(n + 1, np.int64)
    upper = 0
    for i in range(n):
        upper += offsets[reached[i] + 1] - offsets[reached[i]]
    near_targets = np.empty(upper, np.int64)
    near_words = np.empty(upper, np.uint64)
    m = 0
    for i in range(n):
        node = reached[i]
        fact = forward[node]
        if held:
            fact &= node_words[node]
        for edge in range(offsets[node], offsets[node + 1]):
            word = fact
            if masked:
                word &= edge_words[edge]
            if word != zero:
                near_targets[m] = rank[targets[edge]]
                near_words[m] = word
                m += 1
        near_offsets[i + 1] = m
    if not ends_only:
        return reached, near_offsets, near_targets[:m].copy(), near_words[:m].copy()

    back_offsets = np.zeros(n + 1, np.int64)
    for edge in range(m):
        back_offsets[near_targets[edge] + 1] += 1
    for i in range(n):
        back_offsets[i + 1] += back_offsets[i]
    cursor = back_offsets[:-1].copy()
    back_targets = np.empty(m, np.int64)
    back_words = np.empty(m, np.uint64)
    for i in range(n):
        for edge in range(near_offsets[i], near_offsets[i + 1]):
            place = cursor[near_targets[edge]]
            cursor[near_targets[edge]] += 1
            back_targets[place] = i
            back_words[place] = near_words[edge]
    wanted = np.empty(n, np.uint64)
    for i in range(n):
        wanted[i] = report[reached[i]] & forward[reached[i]]
    live = np.zeros(n, np.uint64)
    every = np.arange(n)
    kept = _grow_row(back_offsets, back_targets, back_words, True, wanted, False, every, wanted, live)

    renumber = np.full(n, -1, np.int64)
    for i in range(kept.size):
        renumber[kept[i]] = i
    new_offsets = np.zeros(kept.size + 1, np.int64)
    k = 0
    for i in range(kept.size):
        node = kept[i]
        for edge in range(near_offsets[node], near_offsets[node + 1]):
            target = near_targets[edge]
            word = near_words[edge] & live[target] & forward[reached[target]]
            if word != zero:
                near_targets[k] = renumber[target]  # k never overtakes edge
                near_words[k] = word
                k += 1
        new_offsets[i + 1] = k
    return reached[kept], new_offsets, near_targets[:k].copy(), near_words[:k].copy()
