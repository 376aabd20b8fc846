"""Numba kernels for the CPU: the same rows of 64-bit words as ``vectorised``, walked by compiled loops on every core.

Each row keeps a queue per level and un-sets exactly what it touched, so the cost of a row follows what it reaches and
not the size of the graph. Threads take groups of rows; the compiled loops release the interpreter's lock. No answer
depends on how many threads there are, because rows never meet.

Memory per thread: 33 bytes a node of the pruned graph. Compiled code is cached in the user's cache folder
(``NUMBA_CACHE_DIR`` wins over it) and nowhere else; where that cannot be written, it is compiled in each process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cachefolder
from pyrograph.kernels.arrays import LANES, Block, Index, Numbers, Pruned, Words

CACHED = cachefolder.choose()
import numba  # noqa: E402  (it reads the choice)

_config: Any = numba.config  # it has no type information
_config.reload_config()  # in case somebody imported numba before

F = TypeVar("F", bound=Callable[..., Any])
Queue = npt.NDArray[np.int32]
Found = tuple[Numbers, Numbers, Numbers, Words]  # row or lane, node, depth, word

NONE = np.empty(0, np.uint64)
ALIGNED = 16  # sources from which on looking for a hub pays
GROUP_EDGES = 1 << 22  # edges a group of rows may follow: enough to hide the hand-over, few enough to balance


def _compiled(function: F) -> F:
    return cast(F, numba.njit(cache=CACHED, nogil=True)(function))


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
    """As ``vectorised.search``."""
    order = np.argsort(sources, kind="stable")  # near sources share a row: they reach the same nodes at like times
    begin = np.append(np.arange(0, len(order), LANES), len(order))
    start = np.zeros(len(order), np.int64)
    if max_depth >= len(offsets) - 1 and len(order) >= ALIGNED:
        order, begin, start = _aligned(order, _to_hub(offsets, targets, sources)[order])
    row = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    words = np.uint64(1) << (np.arange(len(order)) - begin[row]).astype(np.uint64)
    told = np.where(report, ~np.uint64(0), np.uint64(0))
    for lane, node, depth, word in _run(
        offsets, targets, NONE, False, told, begin, sources[order], words, start, max_depth, spread=True
    ):
        yield Block(order[lane], node, depth, word)


def _aligned(order: Index, distance: Index) -> tuple[Index, Index, Index]:
    """Deal sources to rows, and delay each so that all of a row pass the hub at the same level.

    A lane shares work with another only where both arrive at a node in the same level, and what lies behind a hub is
    most of what a flat program's sources reach. Depths stay exact: a lane's depth is the level less its own start.

    Args:
        order: (s,) sources, near ones together; ``distance``: edges from each to the hub, -1 where it is not reached.

    Returns:
        The sources in their rows, where each row begins (rows + 1), and the level at which each source starts.
    """
    with_hub, without = order[distance >= 0], order[distance < 0]
    parts = ((with_hub, 0), (without, len(with_hub)))
    begin = np.concatenate([np.arange(0, len(part), LANES) + shift for part, shift in parts] + [[len(order)]])
    placed = np.concatenate([with_hub, without])
    far = np.concatenate([distance[distance >= 0], np.zeros(len(without), np.intp)])
    row = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    start = np.maximum.reduceat(far, begin[:-1])[row] - far
    sooner = np.lexsort((start, row))
    return placed[sooner], begin, start[sooner]


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
    begin = np.arange(len(seeds) + 1)
    start = np.zeros(len(seeds), np.int64)
    for found in _run(
        offsets, targets, words, masked, report, begin, seeds, seed_words, start, max_depth, spread=False
    ):
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
    num_nodes = len(offsets) - 1
    scratch = _Scratch(num_nodes)
    for first in range(0, len(seeds), 256):
        last = min(first + 256, len(seeds))
        yield Block(
            *_apply_rows(
                offsets, targets, metadata, per_edge, report, seeds, seed_words, first, last, max_depth, transfer,
                scratch.state, scratch.here, scratch.next, scratch.touched,
            )
        )  # fmt: skip


class _Scratch:
    """What one thread needs for a row; ``state`` is zero between rows."""

    def __init__(self, num_nodes: int) -> None:
        self.state = np.zeros((num_nodes, 2), np.uint64)  # what is known at a node; what arrives for the next level
        self.here = np.empty(num_nodes + LANES, np.int32)  # a level; seeds that join may stand in it twice
        self.next = np.empty(num_nodes + LANES, np.int32)
        self.word = np.empty(num_nodes + LANES, np.uint64)  # new bits of each node of the level
        self.touched = np.empty(num_nodes, np.int32)


def threads() -> int:
    """How many threads search: the processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run(
    offsets: Index,
    targets: Index,
    edge_words: Words,
    masked: bool,
    report: Words,
    begin: Index,
    seeds: Index,
    seed_words: Words,
    start: Index,
    max_depth: int,
    *,
    spread: bool,
) -> Iterator[Found]:
    """Search every row, a group of rows at a time, on all threads; groups come back in order.

    Args:
        begin: (rows + 1,) where each row's seeds begin in ``seeds``.
        start: Level at which each seed joins its row, ascending within a row; 0 throughout if ``max_depth`` counts.
        spread: Whether bits are lanes: one answer per bit, with the lane's number instead of the row's.
    """
    num_rows = len(begin) - 1
    near = targets.astype(np.int32)
    group = max(1, min(GROUP_EDGES // max(len(targets), 1), -(-num_rows // (4 * threads()))))
    workers = min(threads(), -(-num_rows // group))
    idle = [_Scratch(len(offsets) - 1) for _ in range(workers)]

    def answer(first: int) -> Found:
        mine = idle.pop()
        found: Found = _search_rows(
            offsets, near, edge_words, masked, report, begin, seeds, seed_words, start, first, min(first + group,
            num_rows), max_depth, spread, mine.state, mine.here, mine.next, mine.word, mine.touched,
        )  # fmt: skip
        idle.append(mine)
        return found

    firsts = range(0, num_rows, group)
    if workers == 1:
        yield from map(answer, firsts)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[Found]] = []
        for first in firsts:
            waiting.append(pool.submit(answer, first))
            if len(waiting) > 2 * workers:  # bounds the answers held
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()


@_compiled
def _grown(array: npt.NDArray[Any], count: int, capacity: int) -> npt.NDArray[Any]:
    larger = np.empty(capacity, array.dtype)
    larger[:count] = array[:count]
    return larger


@_compiled
def _ones(word: np.uint64) -> np.int64:
    """How many bits of a word are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@_compiled
def _search_rows(
    offsets: Index,
    targets: Numbers,
    edge_words: Words,
    masked: bool,
    report: Words,
    begin: Index,
    seeds: Index,
    seed_words: Words,
    start: Index,
    first: int,
    last: int,
    max_depth: int,
    spread: bool,
    state: Words,
    here: Queue,
    after: Queue,
    word: Words,
    touched: Queue,
) -> Found:
    """Rows ``first`` to ``last`` to their fixpoint, level by level; all scratch is left as it was found."""
    zero = np.uint64(0)
    one = np.uint64(1)
    capacity = 1024
    out_lane = np.empty(capacity, np.uint32)
    out_node = np.empty(capacity, np.uint32)
    out_depth = np.empty(capacity, np.uint32)
    out_word = np.empty(capacity, np.uint64)
    count = 0
    for row in range(first, last):
        width = 0
        num_touched = 0
        level = 0
        joins = begin[row]
        while level < max_depth:
            if width == 0:
                if joins == begin[row + 1]:
                    break
                level = max(level, start[joins])
            # Seeds that join now. A node that is in the level already stands in it twice, with different bits.
            while joins < begin[row + 1] and start[joins] == level:
                node = seeds[joins]
                if seed_words[joins] != zero:
                    if state[node, 0] == zero:
                        touched[num_touched] = node
                        num_touched += 1
                    state[node, 0] |= seed_words[joins]
                    here[width] = node
                    word[width] = seed_words[joins]
                    width += 1
                joins += 1
            level += 1
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
            # Nodes: what has arrived becomes known, is told, and is the next level's word.
            for i in range(wide):
                node = after[i]
                new = state[node, 1]
                state[node, 1] = zero
                if state[node, 0] == zero:
                    touched[num_touched] = node
                    num_touched += 1
                state[node, 0] |= new
                word[i] = new
                told = new & report[node]
                if told != zero:
                    if count + LANES > capacity:
                        capacity *= 2
                        out_lane = _grown(out_lane, count, capacity)
                        out_node = _grown(out_node, count, capacity)
                        out_depth = _grown(out_depth, count, capacity)
                        out_word = _grown(out_word, count, capacity)
                    if spread:
                        while told != zero:
                            lowest = told & (~told + one)
                            lane = begin[row] + _ones(lowest - one)
                            out_lane[count] = lane
                            out_node[count] = node
                            out_depth[count] = level - start[lane]
                            out_word[count] = one
                            count += 1
                            told ^= lowest
                    else:
                        out_lane[count] = row
                        out_node[count] = node
                        out_depth[count] = level
                        out_word[count] = told
                        count += 1
            here, after = after, here
            width = wide
        for i in range(num_touched):
            state[touched[i], 0] = zero
    return out_lane[:count].copy(), out_node[:count].copy(), out_depth[:count].copy(), out_word[:count].copy()


@numba.njit(nogil=True)
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
                told = new & report[node]
                if told != zero:
                    if count == capacity:
                        capacity *= 2
                        out_lane = _grown(out_lane, count, capacity)
                        out_node = _grown(out_node, count, capacity)
                        out_depth = _grown(out_depth, count, capacity)
                        out_word = _grown(out_word, count, capacity)
                    out_lane[count] = row
                    out_node[count] = node
                    out_depth[count] = depth
                    out_word[count] = told
                    count += 1
            here, after = after, here
            width = wide
        for i in range(num_touched):
            state[touched[i], 0] = zero
    return out_lane[:count].copy(), out_node[:count].copy(), out_depth[:count].copy(), out_word[:count].copy()


@_compiled
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
                    queue = _grown(queue, width, 2 * width)
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
                        queue = _grown(queue, width, 2 * width)
                    queue[width] = target
                    width += 1
    return np.flatnonzero(known)


@_compiled
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


@_compiled
def _to_hub(offsets: Index, targets: Numbers, sources: Index) -> Index:
    """Edges from each source to a hub, -1 where it is not reached.

    The hub is the one of the few nodes with most ways in times ways out that most sources reach; all -1 if it is less
    than half of them. Time O(n + m) for each node tried.
    """
    n = offsets.size - 1
    back_offsets = np.zeros(n + 1, np.int64)
    for edge in range(targets.size):
        back_offsets[targets[edge] + 1] += 1
    weight = np.empty(n, np.int64)
    for node in range(n):
        weight[node] = back_offsets[node + 1] * (offsets[node + 1] - offsets[node])
        back_offsets[node + 1] += back_offsets[node]
    cursor = back_offsets[:-1].copy()
    back_targets = np.empty(targets.size, np.int32)
    for node in range(n):
        for edge in range(offsets[node], offsets[node + 1]):
            back_targets[cursor[targets[edge]]] = node
            cursor[targets[edge]] += 1
    best = np.full(sources.size, -1, np.int64)
    most = sources.size // 2
    distance = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    for _ in range(4):
        hub = np.argmax(weight)
        if weight[hub] == 0:
            break
        weight[hub] = 0
        distance[hub] = 0
        queue[0] = hub
        head = 0
        tail = 1
        while head < tail:
            node = queue[head]
            head += 1
            for edge in range(back_offsets[node], back_offsets[node + 1]):
                before = back_targets[edge]
                if distance[before] < 0:
                    distance[before] = distance[node] + 1
                    queue[tail] = before
                    tail += 1
        reached = 0
        for i in range(sources.size):
            if distance[sources[i]] >= 0:
                reached += 1
        if reached > most:
            most = reached
            for i in range(sources.size):
                best[i] = distance[sources[i]]
        for i in range(tail):
            distance[queue[i]] = -1
    return best
