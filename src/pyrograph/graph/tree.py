"""Shortest paths, recovered after a search.

No search stores parents: a hit that is to be shown is found again by a search of its own. Of several shortest
paths the canonical one is taken: each node's parent is the smallest of its predecessors one level up, so every
backend and every run shows the same path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.graph.csr import MAX_NODES, Graph, GraphError, NodeIds, Role
from pyrograph.graph.search import checked_limits, checked_sources
from pyrograph.graph.transfer import Masks, Reach, Sanitize, check, leaving, passing
from pyrograph.kernels.arrays import Grouped, distinct, stable_order
from pyrograph.kernels.edgelists import NARROW

UNREACHED: Final = -1  # the depth of a node that no path leads to
WIDE: Final = 64  # nodes of a level of paths from which on NumPy follows it: its calls cost as much for a few
MANY_EDGES: Final = 512  # the same for edges between two levels: one node may have thousands


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


def path_avoiding(graph: Graph, source: int, sink: int, closed: npt.NDArray[np.bool_]) -> list[int] | None:
    """A shortest path that takes none of the edges ``closed``, shape (m,); None where there is none.

    The edges of the path, in order, as places in the graph's ``targets``. Roles stop nothing. Of several shortest
    paths it is the one that a queue finds first: levels keep the order in which their nodes were reached. Time
    O(n + m); the levels are NumPy's work.

    Raises:
        GraphError: One of the two is no node of the graph, or ``closed`` has not one value for each edge.

    >>> import pyrograph.graph as graph
    >>> flow = graph.to_csr(4, [(0, 1), (0, 2), (1, 3), (2, 3)]).graph
    >>> path_avoiding(flow, 0, 3, flow.targets == 1)
    [1, 3]
    >>> path_avoiding(flow, 0, 3, flow.targets == 3)
    """
    if not (0 <= source < graph.num_nodes and 0 <= sink < graph.num_nodes):
        raise GraphError([f"source {source} and sink {sink}: expected nodes below {graph.num_nodes}"])
    if closed.shape != graph.targets.shape:
        raise GraphError([f"closed has shape {closed.shape}, expected {graph.targets.shape}: one value for each edge"])
    by = np.full(graph.num_nodes, UNREACHED, np.int64)  # (n,) the edge by which a node was reached
    by[source] = 0  # any edge: it is not reached again
    level = np.array([source], np.intp)
    while source != sink and len(level) and by[sink] < 0:  # each node is in one level
        begin = graph.offsets.take(level)
        count = graph.offsets.take(level + 1) - begin
        ends = count.cumsum()
        edge = (begin - (ends - count)).repeat(count)
        edge += np.arange(len(edge))
        target = graph.targets.take(edge)
        fresh = (by.take(target) < 0).nonzero()[0]  # most edges lead to nodes that were reached before
        edge, target = edge.take(fresh), target.take(fresh)
        passing = (~closed.take(edge)).nonzero()[0]
        edge, target = edge.take(passing), target.take(passing)
        by[target[::-1]] = edge[::-1]  # of equal targets the first one stays
        level = target[by.take(target) == edge].astype(np.intp)
    if source != sink and by[sink] < 0:
        return None
    path = []
    while sink != source:  # up a tree
        edge_to = int(by[sink])
        path.append(edge_to)
        sink = int(np.searchsorted(graph.offsets, edge_to, side="right")) - 1
    return path[::-1]


class _Distances:
    """How far nodes lie from one sink, found level by level, as far as somebody asks."""

    __slots__ = ("_before", "_depth", "_level", "edges")

    def __init__(self, num_nodes: int, before: Grouped, sink: int) -> None:
        self.edges = np.full(num_nodes, UNREACHED, np.int32)  # (n,) from each node to the sink; not yet, or never
        self.edges[sink] = 0
        self._before = before
        self._level = np.array([sink], np.intp)  # the nodes of the last level
        self._depth = 0

    def of(self, source: int) -> int:
        """Edges from ``source`` to the sink, ``UNREACHED`` where there is no path. O(n + m) for all calls together."""
        known, before = self.edges.data, self._before
        while known[source] < 0 and len(self._level):  # each node is in one level
            if self._is_narrow():
                self._follow(source)
                continue
            self._depth += 1
            node = before.of(self._level)
            node = distinct(node[self.edges.take(node) < 0])
            self.edges[node] = self._depth
            self._level = node.astype(np.intp, copy=False)
        return int(known[source])

    def _is_narrow(self) -> bool:
        """Whether the last level has few nodes, with few edges to them: one node may have thousands."""
        count = self._before.scalars[1]
        return len(self._level) <= NARROW and sum([count[at] for at in self._level.tolist()]) <= MANY_EDGES

    def _follow(self, source: int) -> None:
        """Go on as long as levels are narrow, at least one level, and until ``source`` is found."""
        known, before = self.edges.data, self._before
        count = before.scalars[1]
        level: list[int] = self._level.tolist()
        while 0 < len(level) <= NARROW and known[source] < 0:
            if sum([count[at] for at in level]) > MANY_EDGES:
                break
            self._depth += 1
            level = [at for at in dict.fromkeys(before.of_few(level)) if known[at] < 0]
            for at in level:
                known[at] = self._depth
        self._level = np.array(level, np.intp)


class Paths:
    """The canonical shortest paths of a graph, one by one: those of ``parents``, for many pairs of source and sink.

    A search backwards from the sink says how far each node lies from it, and goes no further than to the source. A
    search forwards from the source then follows only what lies on shortest paths, which is little. What is kept of a
    sink is how far the nodes lie from it, 4 bytes a node: further sources of the same sink cost their own part alone.

    >>> import pyrograph.graph as graph
    >>> flow = graph.to_csr(4, [(0, 1), (0, 2), (1, 3), (2, 3)]).graph
    >>> paths = graph.Paths(flow)
    >>> [int(flow.targets[edge]) for edge in paths.edges(0, 3)]
    [1, 3]
    """

    def __init__(self, graph: Graph) -> None:
        """Time O(n + m). Raises GraphError where the graph is broken."""
        graph.validate()
        self._num_nodes = graph.num_nodes
        origin = np.arange(graph.num_nodes, dtype=np.int32).repeat(np.diff(graph.offsets))
        target = graph.targets
        stops = graph.roles() == Role.SANITIZER  # nothing leaves a sanitizer
        if stops.any():
            followed = np.flatnonzero(~stops[origin])
            origin, target = origin[followed], target[followed]
            self._after = Grouped(graph.num_nodes, origin, target)
        else:
            followed = None
            self._after = Grouped.in_order(graph.offsets, target)
        # (m,) the origins of the edges to each node, ascending, and of each of these its edge. In as few bytes as hold
        # them: a scan keeps the paths of each of its graphs.
        order = stable_order(target)
        offsets = np.concatenate([[0], np.bincount(target, minlength=graph.num_nodes).cumsum()])
        edge = order if followed is None else followed.take(order)
        if graph.num_edges <= MAX_NODES:
            offsets, edge = offsets.astype(np.int32), edge.astype(np.int32)
        self._before = Grouped.in_order(offsets, origin.take(order))
        self._edge = edge
        self._distances: dict[int, _Distances] = {}  # by sink

    @property
    def kept(self) -> int:
        """Bytes that are kept of the sinks that were asked for."""
        return len(self._distances) * self._num_nodes * 4

    def forget(self) -> None:
        """Free what is kept of sinks; what is asked for again is searched again."""
        self._distances.clear()

    def reaches(self, source: int, sink: int) -> bool:
        """Whether there is a path. Time as of ``edges``."""
        return self._distances_to(sink).of(source) >= 0

    def entering(self, node: int) -> list[tuple[int, int]]:
        """The edges to a node, as places in the graph's ``targets``, each with its origin; by their origins."""
        first, count, before = self._before.scalars
        places = range(first[node], first[node] + count[node])
        return [(int(self._edge[place]), before[place]) for place in places]

    def forget_sink(self, sink: int) -> None:
        """Free what is kept of one sink."""
        self._distances.pop(sink, None)

    def _distances_to(self, sink: int) -> _Distances:
        found = self._distances.get(sink)
        if found is None:
            found = self._distances[sink] = _Distances(self._num_nodes, self._before, sink)
        return found

    def edges(self, source: int, sink: int) -> list[int]:
        """The edges of the path, in order, as places in the graph's ``targets``.

        Raises:
            GraphError: One of them is no node of the graph, or ``source`` does not reach ``sink``.
        """
        if not (0 <= source < self._num_nodes and 0 <= sink < self._num_nodes):
            raise GraphError([f"node {sink} is not reached from {source}"])
        distances = self._distances_to(sink)
        length = distances.of(source)
        if length < 0:
            raise GraphError([f"node {sink} is not reached from {source}"])
        levels = self._levels(source, length, distances.edges)
        first, _, before = self._before.scalars
        edges = self._edge.data
        found = []
        node = sink
        for level in reversed(levels):
            place = first[node]
            while before[place] not in level:  # ends: the path comes from that level
                place += 1
            found.append(edges[place])
            node = before[place]
        return found[::-1]

    def _levels(self, source: int, length: int, distances: npt.NDArray[np.int32]) -> list[set[int]]:
        """The nodes on shortest paths from the source to the sink, by their distance from the source, but the last
        one, which is the sink.
        """
        first, count, after = self._after.scalars
        near = distances.data
        level = {source}
        levels = []
        for remaining in range(length - 1, -1, -1):
            levels.append(level)
            if len(level) <= WIDE and sum([count[node] for node in level]) <= MANY_EDGES:
                level = {
                    target
                    for node in level
                    for target in after[first[node] : first[node] + count[node]]
                    if near[target] == remaining
                }
            else:
                target = self._after.of(np.fromiter(level, np.intp, len(level)))
                level = set(target[distances.take(target) == remaining].tolist())
        return levels
