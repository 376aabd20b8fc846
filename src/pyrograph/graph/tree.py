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
from pyrograph.kernels.arrays import Grouped, Index
from pyrograph.kernels.edgelists import NARROW

UNREACHED: Final = -1  # the depth of a node that no path leads to
PAIRS_AT_ONCE: Final = (
    1 << 22
)  # (source, node) that ``Paths`` measures together: 16 MB; few sources take as many steps as many
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


class Paths:
    """The canonical shortest paths of a graph, one by one: those of ``parents``, for many sources.

    What is kept of a source is how far each node lies from it that is on a short enough path to a wanted sink
    (``measure``): 4 bytes a node, or some bytes for each such node, where these are few. A path is then followed back
    from its end.

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
        self._targets = graph.targets.astype(np.intp)
        self._count = np.diff(graph.offsets)
        self._count[graph.roles() == Role.SANITIZER] = 0  # nothing leaves it
        origin = np.repeat(np.arange(graph.num_nodes), np.diff(graph.offsets))
        into = Grouped(graph.num_nodes, self._targets, origin)
        self._before = into  # the origins of the edges to each node, ascending
        self._into = into.order  # edges by target
        self._begin = into.first
        self._depths: dict[int, memoryview[int] | _Few] = {}
        self._sinks: dict[int, set[int] | None] = {}  # by source: what it was measured for; None: for all nodes
        self.kept = 0  # bytes of what was measured

    def measure(self, ends: Iterable[tuple[int, int, int | None]]) -> None:
        """Measure what lies on shortest paths between these ends, all at once: what little ones cost is the number of
        levels.

        Args:
            ends: (source, sink, edges of a shortest path between them, or None where that is not known). A source that
                was measured for other sinks before is measured for all nodes.

        Raises:
            GraphError: A source or sink is no node of the graph.
        """
        n = self._graph.num_nodes
        first: dict[int, set[int]] = {}
        again: dict[int, int] = {}
        limit: dict[int, int] = {}  # by source: edges of the longest path
        for source, sink, depth in ends:
            if source not in self._sinks:
                first.setdefault(source, set()).add(sink)
                limit[source] = max(limit.get(source, 0), n if depth is None else depth)
            elif (known := self._sinks[source]) is not None and sink not in known:
                again[source] = n
        if not first and not again:
            return  # the check of the graph takes time in its size
        step = max(1, PAIRS_AT_ONCE // max(n, 1))
        for wanted in (sorted(first, key=limit.__getitem__), list(again)):
            sources = checked_sources(self._graph, wanted)
            depths = np.full(min(step, len(sources)) * n, UNREACHED, np.int32)
            for at in range(0, len(sources), step):
                some = wanted[at : at + step]
                longest = limit.get(some[-1], n)
                remaining = None
                if some[0] in first:
                    sinks = checked_sources(self._graph, sorted({sink for source in some for sink in first[source]}))
                    remaining = self._distances(sinks, longest)
                measured = self._measured(sources[at : at + step], remaining, longest, depths)
                for source, found in zip(some, measured, strict=True):
                    self._depths[source] = found
                    self._sinks[source] = first.get(source)
                    self.kept += len(found) * BYTES_OF_ENTRY if isinstance(found, _Few) else found.nbytes

    def forget(self) -> None:
        """Free what was measured; what is asked for again is measured again."""
        self._depths.clear()
        self._sinks.clear()
        self.kept = 0

    def _distances(self, sinks: npt.NDArray[np.intp], longest: int) -> npt.NDArray[np.int32]:
        """(nodes,) edges from each node to the nearest of ``sinks``; ``longest + 1`` where it is farther."""
        n = self._graph.num_nodes
        distances = np.full(n, longest + 1, np.int32)
        number = np.empty(n, np.intp)
        level: npt.NDArray[np.integer] = sinks
        distances[level] = depth = 0
        near = distances.data
        while len(level) and depth < longest:  # ``depth`` grows
            few: list[int] = level.tolist() if len(level) <= NARROW else []
            while 0 < len(few) <= NARROW and depth < longest:
                depth += 1
                few = [at for at in dict.fromkeys(self._before.of_few(few)) if near[at] > longest]
                for at in few:
                    near[at] = depth
                level = np.array(few, np.intp)
            if not len(level) or depth >= longest:
                break
            depth += 1
            node = self._before.of(level)
            node = node[distances.take(node) > longest]
            order = np.arange(len(node))
            number[node] = order  # each node once: the one whose number stays
            level = node[number.take(node) == order]
            distances[level] = depth
        return distances

    def _measured(
        self,
        sources: npt.NDArray[np.intp],
        remaining: npt.NDArray[np.int32] | None,
        longest: int,
        depths: npt.NDArray[np.int32],
    ) -> list[memoryview[int] | _Few]:
        """For each source the edges to each node; -1 where it is not reached, or is on no path to a sink that has at
        most ``longest`` edges.

        Args:
            sources: Where to start.
            remaining: Edges from each node to the nearest sink; None: all nodes are wanted.
            longest: Edges of the longest path that is wanted.
            depths: Room for (source, node), all ``UNREACHED``; is left so.
        """
        n = self._graph.num_nodes
        row = np.arange(len(sources)) * n  # of each pair that is new: its place is ``row + node``
        node = sources
        depths[row + node] = depth = 0
        rows: list[Index] = [row]
        nodes: list[Index] = [node]
        sizes = [len(node)]
        while len(node) and depth < longest:  # ``depth`` grows
            if len(node) <= NARROW:
                row, node = self._followed(row, node, remaining, longest, depths, (rows, nodes, sizes))
                depth = len(sizes) - 1
            if not len(node) or depth >= longest:
                break
            depth += 1
            counts = self._count.take(node)
            begin = self._graph.offsets.take(node) + counts - np.cumsum(counts)
            edges = begin.repeat(counts)
            node = self._targets.take(edges + np.arange(len(edges)))
            row = row.repeat(counts)
            if remaining is not None:  # a node that is too far on the shortest way is too far on every other
                near = (remaining.take(node) <= longest - depth).nonzero()[0]
                node, row = node.take(near), row.take(near)
            place = row + node
            fresh = (depths.take(place) < 0).nonzero()[0]
            place = place.take(fresh)
            number = np.arange(UNREACHED - len(fresh), UNREACHED, dtype=np.int32)
            depths[place] = number  # each pair once: the one whose number stays
            kept = (depths.take(place) == number).nonzero()[0]
            depths[place] = depth
            fresh = fresh.take(kept)
            node, row = node.take(fresh), row.take(fresh)
            rows.append(row)
            nodes.append(node)
            sizes.append(len(node))
        row, node = np.concatenate(rows), np.concatenate(nodes)
        by_source = row.argsort(kind="stable")
        reached = node.take(by_source)
        depth_of = np.arange(len(sizes)).repeat(sizes).take(by_source)
        ends = np.bincount(row // max(n, 1), minlength=len(sources)).cumsum().tolist()
        found: list[memoryview[int] | _Few] = []
        begins = 0
        for index, end in enumerate(ends):
            if (end - begins) * BYTES_OF_ENTRY > n * depths.itemsize:
                found.append(depths[index * n : (index + 1) * n].copy().data)  # a part would keep all of it
            else:
                found.append(_Few(zip(reached[begins:end].tolist(), depth_of[begins:end].tolist(), strict=True)))
            begins = end
        depths[row + node] = UNREACHED
        return found

    def _followed(
        self,
        row: Index,
        node: Index,
        remaining: npt.NDArray[np.int32] | None,
        longest: int,
        depths: npt.NDArray[np.int32],
        found: tuple[list[Index], list[Index], list[int]],
    ) -> tuple[Index, Index]:
        """Measure on from a level as long as levels are narrow: appends each to ``found``, and returns the last one."""
        rows, nodes, sizes = found
        offsets, count, targets = self._graph.offsets.data, self._count.data, self._targets.data
        known, far = depths.data, None if remaining is None else remaining.data
        level: list[tuple[int, int]] = list(zip(row.tolist(), node.tolist(), strict=True))
        passed: list[tuple[int, int]] = []
        depth = len(sizes) - 1
        while 0 < len(level) <= NARROW and depth < longest and sum([count[at] for _, at in level]) <= NARROW:
            depth += 1
            after = []
            for begin, at in level:
                for target in targets[offsets[at] : offsets[at] + count[at]]:
                    if known[begin + target] < 0 and (far is None or far[target] <= longest - depth):
                        known[begin + target] = depth
                        after.append((begin, target))
            level = after
            passed += level
            sizes.append(len(level))
        pairs = np.array(passed, np.intp).reshape(-1, 2)
        rows.append(pairs[:, 0])
        nodes.append(pairs[:, 1])
        last = np.array(level, np.intp).reshape(-1, 2)
        return last[:, 0], last[:, 1]

    def edges(self, source: int, sink: int) -> list[int]:
        """The edges of the path, in order, as places in the graph's ``targets``.

        Raises:
            GraphError: One of them is no node of the graph, or ``source`` does not reach ``sink``.
        """
        if 0 <= sink < self._graph.num_nodes:
            self.measure([(source, sink, None)])
        depths, begin, before = self._depths.get(source), self._begin.data, self._before.values.data
        if depths is None or not 0 <= sink < self._graph.num_nodes or depths[sink] < 0:
            raise GraphError([f"node {sink} is not reached from {source}"])
        count, into = self._count.data, self._into.data
        found = []
        node = sink
        for depth in range(depths[sink] - 1, -1, -1):
            place = begin[node]
            while depths[before[place]] != depth or not count[before[place]]:
                place += 1
            found.append(into[place])
            node = before[place]
        return found[::-1]
