"""NumPy kernels: nothing to compile, fast for graphs of up to a few million edges.

All rows (see ``arrays``) advance together, one level at a time, and a level is a handful of array operations over the
(row, node) pairs whose word has grown. So the cost follows what is reached; a level costs about 40 microseconds
however little is in it, which is why thin levels are walked in plain Python instead.

Memory: 12 bytes per (row, node) pair of one chunk of rows, bounded by ``STATES`` pairs; a single row larger than that
is a chunk of its own. A row has room for the nodes of its own weakly connected component only: the pruned graph of a
program falls into many small ones. A wide level is followed ``EDGES_AT_ONCE`` edges at a time, some 20 MB; a
node with more edges is a chunk of its own, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import LANES, Block, Index, Pruned, Words, distinct, lanes_of, some_set, stable_order

STATES = 1 << 24  # (row, node) pairs held at once: 192 MiB
EDGES_AT_ONCE = 1 << 18  # of a level; following one takes some 70 bytes
THIN = 16  # a level with fewer pairs than this is walked in plain Python
ONE = np.uint64(1)


@dataclass(slots=True)
class _Level:
    """The (row, node) pairs that have just grown; parallel arrays, each pair once."""

    key: Index  # place of the pair in the state
    node: Index
    word: Words  # the bits that are new


def prune(
    offsets: Index,
    targets: npt.NDArray[np.uint32],
    edge_words: Words | None,
    node_words: Words | None,
    report: Words | None,
    seeds: Index,
    seed_words: Words,
) -> Pruned:
    """Keep what a seed reaches and what leads to a reported node; exact for every answer and every depth.

    Args:
        edge_words: (m,) bits that pass each edge; None for all.
        node_words: (n,) bits that may leave each node; None for all.
        report: (n,) bits reported at each node; None when every node counts.
        seeds: (k,) nodes, with the bits ``seed_words`` that start there.

    Time O(what is reached), space O(n).
    """
    num_nodes = len(offsets) - 1
    state = np.zeros(num_nodes, np.uint64)
    reached = _reach(offsets, targets, edge_words, node_words, seeds, seed_words, state)
    forward = state[reached]
    leaving = forward if node_words is None else forward & node_words[reached]
    rank = np.empty(num_nodes, np.intp)  # only the places of reached nodes are ever written or read
    rank[reached] = np.arange(len(reached))

    edge, source = edges_of(offsets, reached)
    flow = leaving[source]
    if edge_words is not None:
        flow &= edge_words[edge]
    masked = edge_words is not None or node_words is not None
    if masked:
        used = some_set(flow)
        edge, source, flow = edge[used], source[used], flow[used]
    target = rank[targets[edge]]
    n = len(reached)
    if report is not None:
        order = stable_order(target)
        back_offsets = offsets_of(target, n)
        back_targets = source[order]
        state = np.zeros(n, np.uint64)
        wanted = report[reached] & forward
        ends = some_set(wanted)
        live = np.sort(_reach(back_offsets, back_targets, flow[order], None, ends, wanted[ends], state))
        alive = state & forward
        flow &= alive[target]
        kept = some_set(flow)
        renumber = np.full(n, -1, np.intp)
        renumber[live] = np.arange(len(live))
        source, target, flow = renumber[source[kept]], renumber[target[kept]], flow[kept]
        reached, n = reached[live], len(live)
    return Pruned(reached, offsets_of(source, n), target, flow if masked else None)


def search(
    offsets: Index, targets: Index, report: npt.NDArray[np.bool_], sources: Index, max_depth: int
) -> Iterator[Block]:
    """One search per source, 64 to a row; ``report`` says which nodes to report. ``word`` is 1 throughout.

    Args:
        offsets: (n + 1,) of a graph without edges that must not be followed.
        report: (n,) nodes to report when reached at depth 1 or more.
        sources: (s,) a lane each, in any order.
    """
    component = _components(offsets, targets)
    order = np.lexsort((sources, component[sources]))  # neighbours share a row, and a row stays in one component
    grouped = component[sources[order]]
    place = np.arange(len(order)) - _run_starts(grouped)
    row = np.cumsum(place % LANES == 0) - 1
    words = ONE << (place % LANES).astype(np.uint64)
    first = np.flatnonzero(place % LANES == 0)
    reported = np.where(report, ~np.uint64(0), np.uint64(0))
    for block in _rows(offsets, targets, None, reported, component, row, sources[order], words, max_depth):
        which, bit = lanes_of(block.word)
        lane = order[first[block.lane[which]] + bit]
        yield Block(lane, block.node[which], block.depth[which], np.ones(len(lane), np.uint64))


def flow(
    offsets: Index,
    targets: Index,
    edge_words: Words | None,
    report: Words,
    seeds: Index,
    seed_words: Words,
    max_depth: int,
) -> Iterator[Block]:
    """One row per seed; ``word`` holds the reported bits that arrive first at ``depth``.

    Args:
        edge_words: (m,) bits that pass each edge; None for all.
        report: (n,) bits to report at each node.
        seeds: (s,) a lane each, with its word.
    """
    component = _components(offsets, targets)
    order = np.argsort(component[seeds], kind="stable")
    rows = np.arange(len(order))
    for block in _rows(
        offsets, targets, edge_words, report, component, rows, seeds[order], seed_words[order], max_depth
    ):
        yield Block(order[block.lane], block.node, block.depth, block.word)


def _rows(
    offsets: Index,
    targets: Index,
    edge_words: Words | None,
    report: Words,
    component: Index,
    row: Index,
    seeds: Index,
    words: Words,
    max_depth: int,
) -> Iterator[Block]:
    """Advance rows of words level by level, as many rows at a time as fit; ``row`` ascends from 0."""
    n = len(offsets) - 1
    if not len(row):
        return
    # Number the nodes component by component, so that a row's state is one stretch.
    by_component = stable_order(component)
    position = np.empty(n, np.intp)
    position[by_component] = np.arange(n)
    size = np.bincount(component)
    begin = np.cumsum(size) - size
    edge, source = edges_of(offsets, by_component)
    near_offsets, near_targets = offsets_of(source, n), position[targets[edge]]
    near_words = None if edge_words is None else edge_words[edge]
    near_report = report[by_component]

    starts = np.flatnonzero(np.diff(row, prepend=-1))
    home = component[seeds[starts]]
    width = size[home]
    cut = chunks(width, STATES)
    state = np.zeros(max(int(width[a:b].sum()) for a, b in cut), np.uint64)
    slot: npt.NDArray[np.signedinteger] = np.empty(len(state), np.int32 if len(state) < 2**31 else np.int64)
    for a, b in cut:
        base = np.cumsum(width[a:b]) - width[a:b] - begin[home[a:b]]  # base + node is the pair's place
        lo, hi = starts[a], starts[b] if b < len(starts) else len(row)
        node = position[seeds[lo:hi]]
        ends = np.append(np.cumsum(width[a:b]), len(state))
        touched: list[Index] = []
        for depth, level in _levels(
            near_offsets, near_targets, near_words, None, base[row[lo:hi] - a] + node, node, words[lo:hi], state, slot
        ):
            touched.append(level.key)
            if depth:
                reported = level.word & near_report[level.node]
                some = some_set(reported)
                if len(some):
                    lane = a + np.searchsorted(ends, level.key[some], side="right")
                    original = by_component[level.node[some]]
                    yield Block(lane, original, np.full(len(some), depth, np.intp), reported[some])
            if depth >= max_depth:
                break
        for keys in touched:
            state[keys] = 0


def _reach(
    offsets: Index,
    targets: npt.NDArray[np.integer],
    edge_words: Words | None,
    node_words: Words | None,
    seeds: Index,
    seed_words: Words,
    state: Words,
) -> Index:
    """Grow one row to its fixpoint in ``state`` (zeros on entry); returns the nodes reached, ascending."""
    seen = [np.empty(0, np.intp)]
    slot = np.empty(len(state), np.int32)
    for _, level in _levels(offsets, targets, edge_words, node_words, seeds, seeds, seed_words, state, slot):
        seen.append(level.key)
    return distinct(np.concatenate(seen))


def _levels(
    offsets: Index,
    targets: npt.NDArray[np.integer],
    edge_words: Words | None,
    node_words: Words | None,
    key: Index,
    node: Index,
    word: Words,
    state: Words,
    slot: npt.NDArray[np.signedinteger],
) -> Iterator[tuple[int, _Level]]:
    """Yield (depth, what is new) from the seeds at depth 0 until nothing is new.

    ``state`` gathers every word by key; ``slot`` is scratch of the same length and may hold anything.
    """
    some = some_set(word)
    level = merge(key[some], node[some], word[some], state, slot)
    depth = 0
    while len(level.key):  # ends: each key of a level has a bit that ``state`` did not have
        yield depth, level
        if len(level.key) < THIN:
            thin = _thin_levels(offsets, targets, edge_words, node_words, level, state)
            for level in thin:
                depth += 1
                if not len(level.key) or len(level.key) >= THIN:
                    break
                yield depth, level
            continue
        count = offsets[level.node + 1] - offsets[level.node]
        parts = [
            _arriving(offsets, targets, edge_words, node_words, level.key[a:b], level.node[a:b], level.word[a:b], state)
            for a, b in chunks(count, EDGES_AT_ONCE)
        ]
        key, node, word = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        level = merge(key, node, word, state, slot)
        depth += 1


def _arriving(
    offsets: Index,
    targets: npt.NDArray[np.integer],
    edge_words: Words | None,
    node_words: Words | None,
    key: Index,
    node: Index,
    word: Words,
    state: Words,
) -> tuple[Index, Index, Words]:
    """(key, node, word) of what a part of a level brings to its neighbours, a pair as often as edges bring bits."""
    edge, source = edges_of(offsets, node)
    if node_words is not None:
        word = word & node_words[node]
    arriving = word[source]
    if edge_words is not None:
        arriving &= edge_words[edge]
    after = targets[edge].astype(np.intp, copy=False)
    place = (key - node)[source] + after
    arriving &= ~state[place]
    new = some_set(arriving)
    return place[new], after[new], arriving[new]


def merge(key: Index, node: Index, word: Words, state: Words, slot: npt.NDArray[np.signedinteger]) -> _Level:
    """Add words to the state, each key once: what arrives at one key from several sides is joined."""
    number = np.arange(len(key), dtype=slot.dtype)
    slot[key] = number  # the last of equal keys wins, whichever that is: the joined word does not depend on it
    winner = slot[key]
    lost = np.flatnonzero(winner != number)
    if len(lost):
        order = lost[stable_order(winner[lost])]
        group = winner[order]
        first = np.flatnonzero(np.diff(group, prepend=-1))
        word[group[first]] |= np.bitwise_or.reduceat(word[order], first)
        keep = np.flatnonzero(winner == number)
        key, node, word = key[keep], node[keep], word[keep]
    state[key] |= word
    return _Level(key, node, word)


def _thin_levels(
    offsets: Index,
    targets: npt.NDArray[np.integer],
    edge_words: Words | None,
    node_words: Words | None,
    level: _Level,
    state: Words,
) -> Iterator[_Level]:
    """The levels after ``level`` in plain Python, up to and including the first that is empty or no longer thin."""
    begin, near, known = offsets.data, targets.data, state.data
    passes = None if edge_words is None else edge_words.data
    leaves = None if node_words is None else node_words.data
    front = list(zip(level.key.tolist(), level.node.tolist(), level.word.tolist(), strict=True))
    while 0 < len(front) < THIN:
        arriving: dict[int, tuple[int, int]] = {}
        for key, node, word in front:
            if leaves is not None:
                word &= leaves[node]
            for edge in range(begin[node], begin[node + 1]):
                target = near[edge]
                place = key - node + target
                new = word & ~known[place]
                if passes is not None:
                    new &= passes[edge]
                if new:
                    other = arriving.get(place)
                    arriving[place] = (target, new if other is None else new | other[1])
        front = []
        for place, (node, word) in arriving.items():
            known[place] |= word
            front.append((place, node, word))
        yield _Level(
            np.array([item[0] for item in front], np.intp),
            np.array([item[1] for item in front], np.intp),
            np.array([item[2] for item in front], np.uint64),
        )


def edges_of(offsets: Index, nodes: Index) -> tuple[Index, Index]:
    """(edge, index into ``nodes``) of every edge that leaves ``nodes``, in their order."""
    edge, count = edges_after(offsets, nodes)
    return edge, np.arange(len(nodes)).repeat(count)


def edges_after(offsets: Index, nodes: Index) -> tuple[Index, Index]:
    """Every edge that leaves ``nodes``, in their order, and how many leave each."""
    begin = offsets.take(nodes)
    count = offsets.take(nodes + 1) - begin
    edge = (begin - (count.cumsum() - count)).repeat(count)
    edge += np.arange(len(edge))
    return edge, count


def offsets_of(source: Index, num_nodes: int) -> Index:
    offsets = np.zeros(num_nodes + 1, np.intp)
    np.cumsum(np.bincount(source, minlength=num_nodes), out=offsets[1:])
    return offsets


def _run_starts(sorted_values: Index) -> Index:
    """For each place of a sorted array, where its run of equal values begins."""
    starts = np.flatnonzero(np.diff(sorted_values, prepend=-1))
    return np.repeat(starts, np.diff(np.append(starts, len(sorted_values))))


def chunks(width: Index, most: int) -> list[tuple[int, int]]:
    """Cut what has these widths into stretches whose widths add up to at most ``most``, at least one in each."""
    ends = np.cumsum(width)
    cut, first = [], 0
    while first < len(width):
        used = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, used + most, side="right")))
        cut.append((first, last))
        first = last
    return cut


def _components(offsets: Index, targets: Index) -> Index:
    """Number the weakly connected components from 0; every node gets the number of its own.

    Roots hook onto smaller roots and paths are halved until nothing changes: O(log n) rounds of O(n + m).
    """
    n = len(offsets) - 1
    root = np.arange(n)
    one = np.repeat(root, np.diff(offsets))
    other = targets
    while len(one):  # ends: each round gives some root a smaller one, and none a larger one
        a, b = root[one], root[other]
        apart = np.flatnonzero(a != b)
        if not len(apart):
            break
        one, other, a, b = one[apart], other[apart], a[apart], b[apart]
        np.minimum.at(root, np.maximum(a, b), np.minimum(a, b))
        while True:  # ends: ``root[x] <= x``, so that there are no rings, and each round halves all paths
            above = root[root]
            if np.array_equal(above, root):
                break
            root = above
    return np.unique(root, return_inverse=True)[1].astype(np.intp).reshape(-1)
