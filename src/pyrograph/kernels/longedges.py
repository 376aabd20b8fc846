"""Searches in a graph whose chains have become edges with a length.

Most nodes of a flow graph only pass on what arrives: they have one edge out, or one edge in. A search that visits each
of them once for each level in which something arrives spends most of its time there. Here such a node is left out, and
the edges around it become one, as long as both. What arrives where, and at which depth, stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Index, Words, first_of_equals, some_set, stable_order
from pyrograph.kernels.vectorised import EDGES_AT_ONCE, THIN, chunks, edges_after, merge, offsets_of

Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Edges = tuple[Longs, Longs, Longs, Index]  # origins, targets, masks, lengths

ROUNDS = 2  # the second one leaves out a third of the edges of large programs, a third one a few in a hundred
LENGTH_BITS = 6  # of a length, where edges between the same nodes are ordered: longer ones are in any order


class LongEdges(NamedTuple):
    """Edges by the node that they lead to, for a search backwards."""

    place: Longs  # (n,) of each node of the whole graph: its number here; any number where it was left out
    offsets: Index  # (nodes here + 1,)
    before: Index  # (m,) origins, by target
    length: Index  # (m,) edges of the whole graph that this one stands for
    mask: Longs  # (m,) what passes all of them


def contracted(num_nodes: int, origin: Longs, target: Longs, mask: Longs, kept: Mask) -> LongEdges:
    """The graph without the nodes that have one edge in or one edge out; ``kept``: (n,) those that stay in any case.

    Nodes stay connected with the same masks at the same distances. Edges that lead to no kept node, or come from none,
    may be missing. Where nodes were left out, edges become parallel, and without those that say nothing more nodes have
    one edge: each of ``ROUNDS`` starts with the graph that the last one left. O((n + m) log n).
    """
    length = np.ones(len(origin), np.intp)
    place = np.arange(num_nodes)
    for _ in range(ROUNDS):
        if not num_nodes:  # nothing is kept, and no place is asked for
            break
        origin, target, mask, length = _without_chains(num_nodes, kept, (origin, target, mask, length))
        live = kept.copy()
        live[origin] = live[target] = True
        number = live.cumsum() - 1
        place, kept, num_nodes = number[place], kept[live], int(live.sum())
        origin, target = number[origin], number[target]
        order = _shortest(num_nodes, (origin, target, mask, length))
        origin, target, mask, length = origin[order], target[order], mask[order], length[order]
    return LongEdges(place, offsets_of(target, num_nodes), origin.astype(np.intp, copy=False), length, mask)


def _without_chains(num_nodes: int, kept: Mask, edges: Edges) -> Edges:
    """The edges without the nodes that have one edge out, and then those that have one edge in."""
    origin, target, mask, length = edges
    for _ in range(2):  # in the second round the graph is turned around
        apart = (origin != target).nonzero()[0]
        origin, target, mask, length = origin[apart], target[apart], mask[apart], length[apart]
        single = (np.bincount(origin, minlength=num_nodes) == 1) & ~kept
        end, far, passes = _ends(num_nodes, single, (origin, target, mask, length))
        stays = (~single[origin] & ~single[end[target]]).nonzero()[0]
        via = target[stays]
        origin, target = end[via], origin[stays]
        mask, length = mask[stays] & passes[via], length[stays] + far[via]
        some = some_set(mask)
        origin, target, mask, length = origin[some], target[some], mask[some], length[some]
    return origin, target, mask, length


def _shortest(num_nodes: int, edges: Edges) -> Index:
    """The edges but those beside which the shortest edge between the same nodes passes as much; by target."""
    origin, target, mask, length = edges
    order = stable_order((target * num_nodes + origin) << LENGTH_BITS | np.minimum(length, (1 << LENGTH_BITS) - 1))
    begin = first_of_equals(target[order], origin[order])
    first = order[begin].repeat(np.diff(begin, append=len(order)))
    needed = ((mask[order] & ~mask[first]) != 0) | (length[order] < length[first])
    needed[begin] = True
    chosen: Index = order[needed]
    return chosen


def _ends(num_nodes: int, single: Mask, edges: Edges) -> tuple[Longs, Index, Longs]:
    """For each node the first one that is not ``single`` on the way from it, how far that is, and what passes.

    Pointer jumping: after round k the end is 2 ** k nodes on. What is still single after all rounds runs in a ring.
    """
    origin, target, mask, length = edges
    chain = single[origin].nonzero()[0]
    start = origin[chain]
    end, far, passes = np.arange(num_nodes), np.zeros(num_nodes, np.intp), np.full(num_nodes, -1, np.int64)
    end[start], far[start], passes[start] = target[chain], length[chain], mask[chain]
    for _ in range(num_nodes.bit_length()):
        further = end[end]
        if np.array_equal(further, end):
            break
        far += far[end]
        passes &= passes[end]
        end = further
    return end, far, passes


def arriving(
    edges: LongEdges, edge_words: Words, report: Words, seeds: Index, seed_words: Words, max_depth: int
) -> Iterator[tuple[int, Index, Words]]:
    """Depth by depth, from 1, the nodes where reported bits arrive first, and these bits: one row of any seeds.

    Args:
        edge_words: (m,) bits that pass each edge.
        report: (n,) bits to report at each node.
        seeds: (s,) nodes, repeats are legal, with the bits ``seed_words`` that start there.

    Goes against the edges. What an edge brings waits until its depth has come. Time O(depths at which something
    arrives + bits that arrive somewhere, times degree), space O(n + what waits).
    """
    offsets, before, length = edges.offsets, edges.before, edges.length
    state = np.zeros(len(offsets) - 1, np.uint64)
    slot = np.empty(len(state), np.int32)
    many: dict[int, list[tuple[Index, Words]]] = {}  # depth -> what arrives there
    few: dict[int, dict[int, int]] = {}  # the same of nodes that are followed in plain Python
    depths: list[int] = [0]  # a heap of the keys of both; some come twice
    many[0] = [(seeds, seed_words)]
    while depths:  # ends: depths grow, and what is pushed has a bit that ``state`` does not have
        depth = heappop(depths)
        if depth > max_depth:
            return
        parts, alone = many.pop(depth, []), few.pop(depth, {})
        if not parts and len(alone) < THIN:
            fresh = _followed(edges, edge_words, state, depth, alone, few, depths)
            node, word = np.array(list(fresh), np.intp), np.array(list(fresh.values()), np.uint64)
        else:
            parts.append((np.array(list(alone), np.intp), np.array(list(alone.values()), np.uint64)))
            node, word = (np.concatenate(columns) for columns in zip(*parts, strict=True))
            word &= ~state[node]
            some = some_set(word)
            level = merge(node[some], node[some], word[some], state, slot)
            node, word = level.node, level.word
            for first, last in chunks(offsets[node + 1] - offsets[node], EDGES_AT_ONCE):
                edge, counts = edges_after(offsets, node[first:last])
                new = word[first:last].repeat(counts)
                new &= edge_words.take(edge)
                origin = before.take(edge)
                new &= ~state.take(origin)
                some = some_set(new)
                if not len(some):
                    continue
                origin, new, steps = origin.take(some), new.take(some), length.take(edge.take(some))
                order = stable_order(steps)
                origin, new, steps = origin.take(order), new.take(order), steps.take(order)
                begin = first_of_equals(steps).tolist()
                for at, until in zip(begin, [*begin[1:], len(steps)], strict=True):
                    then = depth + int(steps[at])
                    if then not in many:
                        many[then] = []
                        heappush(depths, then)
                    many[then].append((origin[at:until], new[at:until]))
        reported = word & report[node]
        some = some_set(reported)
        if depth and len(some):
            yield depth, node[some], reported[some]


def _followed(
    edges: LongEdges,
    edge_words: Words,
    state: Words,
    depth: int,
    arriving: dict[int, int],
    few: dict[int, dict[int, int]],
    depths: list[int],
) -> dict[int, int]:
    """What of ``arriving`` is new, by node, after it was sent along the edges: for a handful of nodes."""
    begin, before, length = edges.offsets.data, edges.before.data, edges.length.data
    known, passes = state.data, edge_words.data
    fresh = {}
    for node, word in arriving.items():
        new = word & ~known[node]
        if new:
            known[node] |= new
            fresh[node] = new
    for node, word in fresh.items():
        for edge in range(begin[node], begin[node + 1]):
            other = before[edge]
            new = word & passes[edge] & ~known[other]
            if new:
                then = depth + length[edge]
                if then not in few:
                    few[then] = {}
                    heappush(depths, then)
                few[then][other] = few[then].get(other, 0) | new
    return fresh
