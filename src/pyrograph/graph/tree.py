"""Shortest paths from one source, recovered after a search.

No search stores parents: a hit that is to be shown is found again by one search from its source. Of several shortest
paths the canonical one is taken: each node's parent is the smallest of its predecessors one level up, so every
backend and every run shows the same path.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.graph.csr import Graph, GraphError, NodeIds, Role
from pyrograph.graph.search import checked_limits, checked_sources
from pyrograph.graph.transfer import Masks, Reach, Sanitize, check, leaving, passing

UNREACHED: Final = -1  # the depth of a node that no path leads to
PAIRS_AT_ONCE: Final = 1 << 20  # (source, node) that ``Paths`` measures together: their depths fit in a cache
BYTES_OF_ENTRY: Final = 100  # of a dictionary from numbers to numbers, the numbers included


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The canonical shortest paths from ``source`` to everything it reaches; the cost follows what is reached."""

    source: int
    nodes: NodeIds  # (k,) reached nodes, ascending; the source is one of them
    depth: NodeIds  # (k,) edges from the source
    parent: NodeIds  # (k,) node before it on the path; the source is its own

    def path(self, node: int) -> list[int]:
        """The nodes from the source to ``node``, both included.

        Raises:
            GraphError: The source does not reach ``node``.
        """
        place = self._place(node)
        path = [node]
        while path[-1] != self.source:
            path.append(int(self.parent[place]))
            place = self._place(path[-1])
        return path[::-1]

    def _place(self, node: int) -> int:
        place = int(np.searchsorted(self.nodes, node))
        if place == len(self.nodes) or self.nodes[place] != node:
            raise GraphError([f"node {node} is not reached from {self.source}; see Tree.nodes for those that are"])
        return place


def parents(
    graph: Graph,
    source: int,
    *,
    transfer: Reach | Sanitize | Masks | None = None,
    bit: int = 0,
    max_depth: int | None = None,
) -> Tree:
    """The canonical tree of shortest paths from one source, as one bit of a fact flows.

    Args:
        transfer: What lets the bit through; ``Sanitize()`` when absent, as in ``bfs``.
        bit: Which bit of the fact to follow, 0..63. Different bits take different ways through ``Masks``.
        max_depth: Longest path in edges; None for no limit.

    Raises:
        GraphError: The graph, the source or the masks are broken, or ``bit`` is not in 0..63.

    Time O(what is reached) after the O(n + m) check.

    >>> import pyrograph.graph as graph
    >>> flow = graph.to_csr(4, [(0, 1), (0, 2), (1, 3), (2, 3)]).graph
    >>> graph.parents(flow, 0).path(3)
    [0, 1, 3]
    """
    rule = Sanitize() if transfer is None else transfer
    checked_limits(max_depth, None)
    (start,) = checked_sources(graph, [source], "source")
    check(graph, rule)
    if not isinstance(rule, Reach | Sanitize | Masks):
        raise GraphError(["transfer is a function, expected Reach(), Sanitize() or Masks(...): paths follow one bit"])
    if not 0 <= bit < 64:
        raise GraphError([f"bit is {bit}, expected 0..63"])
    one = np.uint64(1) << np.uint64(bit)
    leaves, passes = leaving(graph, rule), passing(graph, rule)
    known = np.zeros(graph.num_nodes, np.bool_)
    known[start] = True
    level = np.array([start], np.intp)
    nodes, before = [level], [level]
    while len(level) and (max_depth is None or len(nodes) <= max_depth):
        open_ends = level if leaves is None else level[(leaves[level] & one) != 0]
        begin = graph.offsets[open_ends]
        count = graph.offsets[open_ends + 1] - begin
        ends = np.cumsum(count)
        origin = np.repeat(np.arange(len(open_ends)), count)
        edge = np.arange(len(origin)) + (begin - (ends - count))[origin]
        if passes is not None:
            through = (passes[edge] & one) != 0
            edge, origin = edge[through], origin[through]
        target = graph.targets[edge].astype(np.intp)
        fresh = ~known[target]
        # Levels ascend, so the first of equal targets comes from the smallest predecessor.
        level, first = np.unique(target[fresh], return_index=True)
        known[level] = True
        nodes.append(level)
        before.append(open_ends[origin[fresh][first]])
    node = np.concatenate(nodes)
    depth = np.repeat(np.arange(len(nodes)), [len(level) for level in nodes])
    order = np.argsort(node)
    return Tree(
        int(start),
        node[order].astype(np.uint32),
        depth[order].astype(np.uint32),
        np.concatenate(before)[order].astype(np.uint32),
    )


class _Few(dict[int, int]):
    """Depth of each node that is reached, -1 of all others."""

    def __missing__(self, node: int) -> int:
        return -1


def _kept(depths: npt.NDArray[np.int32]) -> memoryview[int] | _Few:
    """The depths of all nodes, -1 where a node is not reached, in the form that takes less memory."""
    near = np.flatnonzero(depths >= 0)
    if len(near) * BYTES_OF_ENTRY > depths.nbytes:
        return depths.copy().data  # a row of a matrix would keep all of it
    return _Few(zip(near.tolist(), depths[near].tolist(), strict=True))


class Paths:
    """The canonical shortest paths of a graph, one by one: those of ``parents``, for many sources.

    What is kept of a source is how far each node lies from it (``measure``): 4 bytes a node, or some bytes for each
    node that it reaches, where these are few. A path is then followed back from its end.

    >>> import pyrograph.graph as graph
    >>> flow = graph.to_csr(4, [(0, 1), (0, 2), (1, 3), (2, 3)]).graph
    >>> paths = graph.Paths(flow)
    >>> [int(flow.targets[edge]) for edge in paths.edges(0, 3)]
    [1, 3]
    """

    def __init__(self, graph: Graph) -> None:
        """Time O(n + m). Raises GraphError where the graph is broken."""
        graph.validate()
        self._graph = graph
        self._count = np.diff(graph.offsets)
        self._count[graph.roles() == Role.SANITIZER] = 0  # nothing leaves it
        self._origin = np.repeat(np.arange(graph.num_nodes), np.diff(graph.offsets))
        self._into = np.argsort(graph.targets, kind="stable")  # edges by target; origins ascend among equals
        self._begin = np.zeros(graph.num_nodes + 1, np.intp)
        np.cumsum(np.bincount(graph.targets, minlength=graph.num_nodes), out=self._begin[1:])
        self._depths: dict[int, memoryview[int] | _Few] = {}
        self.kept = 0  # bytes of what was measured

    def measure(self, sources: Iterable[int]) -> None:
        """Find out how far nodes lie from these sources, all at once: what little ones cost is the number of levels.

        Raises:
            GraphError: A source is no node of the graph.
        """
        unmeasured = [each for each in dict.fromkeys(sources) if each not in self._depths]
        if not unmeasured:
            return  # the check of the graph takes time in its size
        new = checked_sources(self._graph, unmeasured)
        step = max(1, PAIRS_AT_ONCE // max(self._graph.num_nodes, 1))
        for first in range(0, len(new), step):
            some = new[first : first + step]
            for source, depths in zip(some.tolist(), map(_kept, self._measured(some)), strict=True):
                self._depths[source] = depths
                self.kept += len(depths) * BYTES_OF_ENTRY if isinstance(depths, _Few) else depths.nbytes

    def forget(self) -> None:
        """Free what was measured; what is asked for again is measured again."""
        self._depths.clear()
        self.kept = 0

    def _measured(self, sources: npt.NDArray[np.intp]) -> npt.NDArray[np.int32]:
        """(sources, nodes) edges from each source to each node; -1 where it is not reached."""
        n, targets = self._graph.num_nodes, self._graph.targets.astype(np.intp)
        depths = np.full(len(sources) * n, UNREACHED, np.int32)
        node, row = sources, np.arange(len(sources)) * n  # of each pair that is new: its place is the sum
        depths[row + node] = depth = 0
        while len(node):
            depth += 1
            counts = self._count.take(node)
            begin = self._graph.offsets.take(node) + counts - np.cumsum(counts)
            edges = begin.repeat(counts)
            node = targets.take(edges + np.arange(len(edges)))
            row = row.repeat(counts)
            place = row + node
            fresh = (depths.take(place) < 0).nonzero()[0]
            place = place.take(fresh)
            number = np.arange(UNREACHED - len(fresh), UNREACHED, dtype=np.int32)
            depths[place] = number  # each pair once: the one whose number stays
            kept = (depths.take(place) == number).nonzero()[0]
            depths[place] = depth
            fresh = fresh.take(kept)
            node, row = node.take(fresh), row.take(fresh)
        return depths.reshape(len(sources), n)

    def edges(self, source: int, sink: int) -> list[int]:
        """The edges of the path, in order, as places in the graph's ``targets``.

        Raises:
            GraphError: One of them is no node of the graph, or ``source`` does not reach ``sink``.
        """
        if source not in self._depths:
            self.measure([source])
        depths, begin, into, origin = self._depths[source], self._begin.data, self._into.data, self._origin.data
        if not 0 <= sink < self._graph.num_nodes or depths[sink] < 0:
            raise GraphError([f"node {sink} is not reached from {source}"])
        count = self._count.data
        found = []
        node = sink
        for depth in range(depths[sink] - 1, -1, -1):
            place = begin[node]
            while depths[origin[into[place]]] != depth or not count[origin[into[place]]]:
                place += 1
            found.append(into[place])
            node = origin[into[place]]
        return found[::-1]
