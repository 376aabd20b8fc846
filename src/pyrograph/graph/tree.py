"""Shortest paths from one source, recovered after a search.

No search stores parents: a hit that is to be shown is found again by one search from its source. Of several shortest
paths the canonical one is taken: each node's parent is the smallest of its predecessors one level up, so every
backend and every run shows the same path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyrograph.graph.csr import Graph, GraphError, NodeIds
from pyrograph.graph.search import checked_limits, checked_sources
from pyrograph.graph.transfer import Masks, Reach, Sanitize, check, leaving, passing


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
