"""Searches over edge lists: two parallel columns, in any order, which one search reads and nobody keeps.

The stages of the analysis build such lists by the dozen and ask each a single question. So the edges are grouped by a
stable sort, and no CSR graph with roles and checks is built. All searches are level-synchronous: O(nodes + edges) and a
constant for each level. Node ids are not checked. ``reference`` has the definitions.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Grouped, Numbers, first_of_equals, some_set

Index = npt.NDArray[np.intp]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NOBODY = -1  # no source

# Up to this many nodes and edges of a level, plain Python takes half the time of NumPy or less, whose calls cost the
# same however few they are: measured with chains side by side, 5 times as fast for one chain, twice for 8, equal for
# 16. A chain of promises makes a level for each of its calls.
NARROW = 8


class Reached:
    """Incremental reachability: the nodes that the seeds given so far reach, over edges that do not change.

    All calls of ``add`` together visit each node and each edge once: O(nodes + edges), and a constant for each level of
    each call. So a caller that finds its seeds with the help of the answer pays for one search.

    >>> search = Reached(4, np.array([0, 1, 2]), np.array([1, 3, 3]))
    >>> search.add(np.array([1])).tolist(), search.add(np.array([0])).tolist()
    ([1, 3], [0])
    >>> search.seen.tolist()
    [True, True, False, True]
    """

    def __init__(self, num_nodes: int, origin: Numbers, target: Numbers) -> None:
        self._begin(Grouped(num_nodes, origin, target))

    def _begin(self, after: Grouped) -> None:
        num_nodes = len(after.count)
        self.after = after
        self.seen = np.zeros(num_nodes, bool)  # (n,) whether a node is reached
        self.place = np.empty(num_nodes, np.intp)  # of a node in the new frontier: the last of its places there

    def anew(self) -> Reached:
        """A search over the same edges in which nothing has been reached: O(nodes), without ordering the edges again.

        >>> search = Reached(3, np.array([0, 1]), np.array([1, 2]))
        >>> search.add(np.array([0])).tolist(), search.anew().add(np.array([1])).tolist()
        ([0, 1, 2], [1, 2])
        """
        fresh = Reached.__new__(Reached)
        fresh._begin(self.after)
        return fresh

    def add(self, seeds: Numbers) -> Index:
        """The nodes that are reached from these seeds and were not before, each once; repeated seeds are legal."""
        return self._onwards(self._fresh(seeds))

    def add_few(self, seeds: list[int]) -> list[int]:
        """``add`` for a caller that has few seeds many times; the order of the nodes may be another one."""
        seen = self._scalars[3]
        level = [node for node in dict.fromkeys(seeds) if not seen[node]]
        for node in level:
            seen[node] = True
        if len(level) > NARROW:
            found: list[int] = self._onwards(np.array(level, np.intp)).tolist()
            return found
        passed, last = self._followed(level)
        level += passed
        if last:
            level += self._onwards(self._fresh(self.after.of(np.array(last, np.intp)))).tolist()
        return level

    def _onwards(self, frontier: Index) -> Index:
        """The nodes of a frontier that has just been seen, and of all levels after it."""
        found = [frontier]
        while len(frontier):  # ends: a node is in one frontier, the one after it is seen first
            if len(frontier) <= NARROW:
                passed, level = self._followed(frontier.tolist())
                found.append(np.array(passed, np.intp))
                frontier = np.array(level, np.intp)
            frontier = self._fresh(self.after.of(frontier))
            found.append(frontier)
        return np.concatenate(found)

    def _followed(self, level: list[int]) -> tuple[list[int], list[int]]:
        """The fresh nodes of the levels after ``level``, as long as these are narrow, and the last level of them.

        The same nodes in the same order as ``_fresh`` finds them level by level.
        """
        first, count, values, seen = self._scalars
        passed: list[int] = []
        while 0 < len(level) <= NARROW and sum([count[node] for node in level]) <= NARROW:  # ends as ``add`` does
            if len(level) == 1 and count[level[0]] == 1:  # a chain: most levels of a deep program
                node = values[first[level[0]]]
                level = [] if seen[node] else [node]
            else:
                after = [
                    node for each in level for node in values[first[each] : first[each] + count[each]] if not seen[node]
                ]
                level = list(dict.fromkeys(reversed(after)))[::-1]  # each at its last place
            for node in level:
                seen[node] = True
            passed += level
        return passed, level

    @cached_property
    def _scalars(self) -> tuple[memoryview, memoryview, memoryview, memoryview]:
        """Views whose items are plain Python numbers, which is three times as fast as items of arrays."""
        return *self.after.scalars, self.seen.data

    def _fresh(self, nodes: Numbers) -> Index:
        """Those of ``nodes`` that were not seen, each once, without sorting; from now on they are seen."""
        fresh = nodes[~self.seen.take(nodes)]
        self.seen[fresh] = True
        places = np.arange(len(fresh))
        self.place[fresh] = places
        once: Index = fresh[self.place.take(fresh) == places].astype(np.intp, copy=False)
        return once


def reached(num_nodes: int, origin: Numbers, target: Numbers, seeds: Numbers) -> Mask:
    """``graph.reached``: the nodes that some seed reaches, the seeds included.

    Args:
        origin: (m,) node ids; with ``target`` the edges. Repeats and self edges are legal.
        seeds: (s,) node ids; repeats are legal.

    Returns:
        (num_nodes,) whether a node is reached. Backwards: exchange ``origin`` and ``target``.

    >>> reached(4, np.array([0, 1]), np.array([1, 3]), np.array([0])).tolist()
    [True, True, False, True]
    """
    if not len(seeds):  # the edges need no order
        return np.zeros(num_nodes, bool)
    search = Reached(num_nodes, origin, target)
    search.add(seeds)
    return search.seen


def chop(num_nodes: int, origin: Numbers, target: Numbers, starts: Numbers, ends: Numbers) -> Mask:
    """``graph.chop``: the nodes on some path from a start to an end.

    Returns:
        (num_nodes,) whether a node is reached from ``starts`` and reaches ``ends``.

    Costs ``reached`` twice; backwards only among the edges that a start reaches.

    >>> chop(4, np.array([0, 1, 0]), np.array([1, 3, 2]), np.array([0]), np.array([3])).tolist()
    [True, True, False, True]
    """
    found = reached(num_nodes, origin, target, starts)
    passed = found[origin]
    found &= reached(num_nodes, target[passed], origin[passed], ends)
    return found


def reached_bits(num_nodes: int, origin: Numbers, target: Numbers, passing: Longs, words: Longs) -> Longs:
    """``graph.reached_bits``: ``reached`` for 64 questions at once, one for each bit.

    Args:
        passing: (m,) the bits that pass each edge.
        words: (num_nodes,) the bits that begin at each node.

    Returns:
        (num_nodes,) the bits of ``words``, and those that arrive over edges that let them pass.

    A node is visited once for each level in which it gains a bit.

    >>> reached_bits(3, np.array([0, 1]), np.array([1, 2]), np.array([3, 1]), np.array([3, 0, 0])).tolist()
    [3, 3, 1]
    """
    after = Grouped(num_nodes, origin, target)
    passing = passing[after.order]
    found = words.copy()
    frontier = some_set(found)
    place = np.empty(num_nodes, np.intp)  # as in ``reached``
    while len(frontier):  # ends: a node is in a frontier when ``found`` has gained a bit there
        if len(frontier) <= NARROW:
            frontier = _followed_bits(after, passing, found, frontier)
        edges, counts = after.places(frontier)
        following = after.values.take(edges)
        arriving = found.take(frontier).repeat(counts) & passing.take(edges) & ~found.take(following)
        new = some_set(arriving)
        following = following.take(new)
        np.bitwise_or.at(found, following, arriving.take(new))
        places = np.arange(len(following))
        place[following] = places
        frontier = following[place.take(following) == places]
    return found


def _followed_bits(after: Grouped, passing: Longs, found: Longs, frontier: Index) -> Index:
    """Add bits to ``found`` as long as the levels are narrow; the first level that is not, or an empty one.

    A bit may go on in the level in which it arrives, which changes what is in a level and not what is found.
    """
    first, count, values = after.scalars
    passes, words = passing.data, found.data
    level: list[int] = frontier.tolist()
    while 0 < len(level) <= NARROW and sum([count[node] for node in level]) <= NARROW:  # ends as ``reached_bits`` does
        gained: dict[int, None] = {}
        for node in level:
            word = words[node]
            for place in range(first[node], first[node] + count[node]):
                target = values[place]
                known = words[target]
                bits = word & passes[place] | known
                if bits != known:
                    words[target] = bits
                    gained[target] = None
        level = list(gained)
    return np.array(level, np.intp)


def nearest_sources(
    offsets: Longs, targets: npt.NDArray[np.uint32], sources: Longs, count: int, *, max_depth: int | None = None
) -> tuple[Longs, Longs, Longs, npt.NDArray[np.bool_]]:
    """``graph.nearest_sources``: the first ``count`` sources that reach each node, by depth, then by number.

    A search of its own for each source visits up to sources x edges. Here every node passes on its first ``count``
    sources alone. The result is exact: if a source is not among the first ``count`` of a node ``u``, then each of those
    that are arrives at a successor ``v`` of ``u`` no later than it does through ``u``. So it is not among the first
    ``count`` of ``v`` on this path either.

    Args:
        offsets: (n + 1,) with ``targets`` the graph, as in ``graph.Graph``; unlike the other searches of this module.
        sources: Distinct nodes; each has itself at depth 0.
        max_depth: Longest path in edges; None for no limit.

    Returns:
        (sources, nodes, depths, is_cut): three parallel columns, by depth, node and source; and (n,) whether more than
        ``count`` sources reach a node; ``max_depth`` is ignored for that behind the first such node.

    Time O(count * edges) and a constant for each level; memory 4 * count bytes for each node.

    >>> offsets, targets = np.array([0, 1, 2, 2]), np.array([2, 2], np.uint32)
    >>> [column.tolist() for column in nearest_sources(offsets, targets, np.array([0, 1]), 1)]
    [[0, 1, 0], [0, 1, 2], [0, 0, 1], [False, False, True]]
    """
    n = len(offsets) - 1
    held = np.full((n, count), NOBODY, np.int32)
    fill = np.zeros(n, np.int64)
    is_cut = np.zeros(n, bool)
    node = source = np.sort(sources)
    found = []
    depth = 0
    while len(node):  # ends: each pair of a level takes a free place in ``held``
        first = np.flatnonzero(np.diff(node, prepend=NOBODY))  # pairs are sorted by node and source, each once
        rank = np.arange(len(node)) - np.repeat(first, np.diff(np.append(first, len(node))))
        place = fill[node] + rank
        is_cut[node[place >= count]] = True
        kept = place < count
        node, source, place = node[kept], source[kept], place[kept]
        held[node, place] = source
        np.maximum.at(fill, node, place + 1)
        found.append(np.stack([source, node, np.full(len(node), depth)]))
        if max_depth is not None and depth >= max_depth:
            break
        depth += 1
        begin = offsets[node]
        counts = offsets[node + 1] - begin
        ends = np.cumsum(counts)
        edges = np.repeat(begin - (ends - counts), counts) + np.arange(int(ends[-1]) if len(ends) else 0)
        node, source = targets[edges].astype(np.int64), np.repeat(source, counts)
        new = np.flatnonzero((held[node] != source[:, None]).all(axis=1))
        node, source = node[new], source[new]
        order = np.lexsort((source, node))
        node, source = node[order], source[order]
        once = first_of_equals(node, source)
        node, source = node[once], source[once]
    if is_cut.any():  # the nodes after one that has more sources have more, too
        origins = np.repeat(np.arange(n), np.diff(offsets))
        is_cut = reached(n, origins, targets.astype(np.int64), np.flatnonzero(is_cut))
    columns = np.concatenate(found, axis=1) if found else np.empty((3, 0), np.int64)
    return columns[0], columns[1], columns[2], is_cut
