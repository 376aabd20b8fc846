"""The nearest sources of each node of a graph, for graphs in which a search from every source costs too much.

A search of its own for each source visits up to sources x edges. Here every node passes on its first ``count`` sources
alone, so that the cost is ``count`` x edges. The result is exact: if a source is not among the first ``count`` of a
node ``u``, then each of those that are arrives at a successor ``v`` of ``u`` no later than it does through ``u``, and
so it is not among the first ``count`` of ``v`` on this way either.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import first_of_equals
from pyrograph.scanner.analysis.reach import reached

Longs = npt.NDArray[np.int64]

NOBODY = -1


def nearest_sources(
    offsets: Longs, targets: npt.NDArray[np.uint32], sources: Longs, count: int, *, max_depth: int | None = None
) -> tuple[Longs, Longs, Longs, npt.NDArray[np.bool_]]:
    """The first ``count`` sources of each node, by depth and number.

    Args:
        offsets: (n + 1,) with ``targets`` the graph, as in ``graph.Graph``.
        sources: Distinct nodes; each has itself at depth 0.
        max_depth: Longest path in edges; None for no limit.

    Returns:
        (sources, nodes, depths, is_cut): three parallel columns, by depth, node and source; and (n,) whether more than
        ``count`` sources reach a node; ``max_depth`` is ignored for that behind the first such node.

    Level-synchronous. Time O(count * edges) and a constant a level; memory 4 * count bytes a node.
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
    if is_cut.any():  # what a node has more of, all nodes after it have more of
        origins = np.repeat(np.arange(n), np.diff(offsets))
        is_cut = reached(n, origins, targets.astype(np.int64), np.flatnonzero(is_cut))
    columns = np.concatenate(found, axis=1) if found else np.empty((3, 0), np.int64)
    return columns[0], columns[1], columns[2], is_cut
