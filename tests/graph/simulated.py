"""Compares the CUDA kernels with the reference in Numba's simulator; run in a process of its own, prints what it did.

The simulator is chosen when numba is imported, by NUMBA_ENABLE_CUDASIM=1. It runs a Python thread per GPU thread, so
the graphs are tiny. What it cannot show: the warp-level push, races, shared memory beyond 48 KiB, limits of a device.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from pyrograph import graph


@numba.njit
def shifted(source: int, current: int, target: int, metadata: int, fact: Any) -> Any:
    """A transfer function that moves bits and blocks some edges."""
    if (source + target) % 3 == 0:
        return np.uint64(0)
    return (fact << np.uint64(1)) & np.uint64(0xFF) if current % 2 else fact | (np.uint64(metadata) & np.uint64(6))


def compare(flow: graph.Graph, seeds: list[int], max_depth: int | None) -> int:
    """Every operation on one graph; returns the number of hits compared."""
    limits: dict[str, Any] = {"max_depth": max_depth}
    found = 0
    for operation in (graph.bfs, graph.reachability):
        expected = operation(flow, seeds, backend="reference", **limits)
        assert operation(flow, seeds, backend="cuda", **limits).rows() == expected.rows()
        found += expected.total
    masks = graph.Masks(node_masks=np.arange(flow.num_nodes, dtype=np.uint64) % np.uint64(8))
    for transfer in (graph.Reach(), graph.Sanitize(), masks, shifted):
        facts = graph.fixpoint(flow, seeds, transfer, words=[7] * len(seeds), backend="reference", **limits)
        again = graph.fixpoint(flow, seeds, transfer, words=[7] * len(seeds), backend="cuda", **limits)
        assert again.rows() == facts.rows()
        found += facts.total
    return found


def main() -> None:
    """Random graphs, the hub of a star that a whole block walks, and both places of the bitmap."""
    from pyrograph.kernels import cuda  # refuses to be imported without a device or the simulator

    assert cuda.SIMULATED
    rng = np.random.default_rng(11)
    found = 0
    for n in (1, 2, 9, 31, 33):
        data = graph.node_words(rng.integers(0, 5, n))
        edges = rng.integers(0, n, (2 * n, 2))
        flow = graph.try_to_csr(n, edges, node_data=data, edge_data=rng.integers(0, 8, 2 * n))
        seeds = rng.integers(0, n, min(n, 3)).tolist()
        found += compare(flow, seeds, None) + compare(flow, seeds, 1)
    star = graph.try_to_csr(12, [(0, u) for u in range(1, 12)] + [(3, 0)], node_data=graph.node_words([2] * 12))
    found += compare(star, [0, 3], None)
    sinks = np.ones(12, np.bool_)
    for kind in ("block", "gang", "thread"):
        launch = cuda.Launch(kind, 4, 2)
        (block,) = cuda.search(star.offsets, star.targets, sinks, np.array([3, 0]), 1 << 20, launch=launch)
        rows = sorted(zip(block.lane.tolist(), block.node.tolist(), block.depth.tolist(), strict=True))
        first = [(0, node, 2) for node in range(1, 12) if node != 3]
        assert rows == sorted([(0, 0, 1), *first, *((1, node, 1) for node in range(1, 12))])
        found += len(rows)
    print(f"{found} hits compared")


if __name__ == "__main__":
    main()
