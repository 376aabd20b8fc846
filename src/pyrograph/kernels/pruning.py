"""Pruning, compiled for one core: forwards from the seeds, backwards from what is reported, and the compaction."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Index, Numbers, Pruned, Words
from pyrograph.kernels.compiled import compiled, grown

NONE = np.empty(0, np.uint64)


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
