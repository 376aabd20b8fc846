"""Numba kernels for the CPU: compiled loops on every core.

Sources that reach little have a queue each (``queues``), those that reach much go together (``depthrows``). Facts walk
the rows of 64-bit words of ``vectorised``, a queue per level. Either way the cost follows what is reached and not the
size of the graph. Threads take groups of sources. No answer depends on how many threads there are, because sources
never meet.

``pruning``, ``factrows`` and ``closure`` (reachability without depths) have the other operations.

Memory per thread: 8 bytes a node of the pruned graph for queues, 32 for facts, 64 to 512 for depths.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import depthrows, queues
from pyrograph.kernels.arrays import Block, Index
from pyrograph.kernels.closure import counted, listed, reach
from pyrograph.kernels.factrows import apply, flow
from pyrograph.kernels.pruning import prune

__all__ = ["apply", "counted", "flow", "listed", "prune", "reach", "search"]

SHARED = 8  # sources that must reach a node, on average, for depth rows to pay (bench/graph_cpu.py --choice)
SAMPLES = 8  # sources that go first
MOST = 0.75  # share of them that must reach much for all others to be put in rows without a try


def search(
    offsets: Index, targets: Index, report: npt.NDArray[np.bool_], sources: Index, max_depth: int
) -> Iterator[Block]:
    """As ``vectorised.search``: a queue for each source that reaches little, rows of depths for the others together."""
    num_nodes = len(offsets) - 1
    near = targets.astype(np.int32, copy=False)
    lanes = np.argsort(sources, kind="stable")  # near sources reach nodes that are still in the cache
    while len(lanes):
        much = _much(num_nodes, len(lanes))
        first = np.unique(np.linspace(0, len(lanes) - 1, SAMPLES).astype(np.intp))
        wide = yield from queues.walks(offsets, near, report, sources, lanes[first], max_depth, much)
        lanes = np.delete(lanes, first)
        if len(wide) < MOST * len(first):
            rest = yield from queues.walks(offsets, near, report, sources, lanes, max_depth, much)
            lanes = np.concatenate([wide, rest])  # fewer than before, so this ends
            continue
        lanes = np.concatenate([wide, lanes])
        lanes = yield from depthrows.search(offsets, near, report, sources, lanes, max_depth)
        yield from queues.walks(offsets, near, report, sources, lanes, max_depth, num_nodes + 1)
        return


def _much(num_nodes: int, num_sources: int) -> int:
    """Nodes that a source has to reach for rows to pay; more than there are where they never do."""
    together = min(num_sources, depthrows.PIECES * depthrows.PIECE)
    if together < SHARED or not depthrows.fits(num_nodes):
        return num_nodes + 1
    return -(-num_nodes * SHARED // together)
