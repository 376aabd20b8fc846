"""Compares the programs of ``kernels.levels`` with NumPy's kernels in Numba's simulator; run in a process of its own.

Run by the host loop, because the simulator has no graphs. What it cannot show: the warp-level push, races, buffers that
share memory; the tests with ``-m gpu`` do.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from tests.graph.simulator import mend

from pyrograph import graph
from pyrograph.kernels import multicore, vectorised


@numba.njit
def shifted(source: int, current: int, target: int, metadata: int, fact: Any) -> Any:
    """A transfer function that moves bits and blocks some edges."""
    if (source + target) % 3 == 0:
        return np.uint64(0)
    return (fact << np.uint64(1)) & np.uint64(0xFF) if current % 2 else fact | (np.uint64(metadata) & np.uint64(6))


def rows(blocks: Any) -> list[tuple[int, ...]]:
    """What a search yields, in order."""
    return sorted(tuple(map(int, row)) for block in blocks for row in zip(*block, strict=True))


def main() -> None:
    """A small random graph with a hub, wide enough for both kinds of level."""
    from pyrograph.kernels import cuda, levels  # refuse to be imported without a device or the simulator

    assert cuda.SIMULATED
    mend()
    rng = np.random.default_rng(4)
    found = 0
    for n in (1, 11):
        pairs = np.concatenate([rng.integers(0, n, (2 * n, 2)), [(0, node) for node in range(n)]])
        flow = graph.try_to_csr(n, pairs, edge_data=rng.integers(0, 16, len(pairs)))
        seeds, words = rng.integers(0, n, 3), np.array([15, 6, 0], np.uint64)
        leaving = (rng.integers(0, 16, n) | 8).astype(np.uint64)
        report = np.where(rng.random(n) < 0.4, rng.integers(0, 16, n), 0).astype(np.uint64)
        report[-1] = 15
        for edge_words, node_words, ends in ((flow.edge_data, leaving, report), (None, None, None)):
            given = (flow.offsets, flow.targets, edge_words, node_words, ends, seeds, words)
            one, other = vectorised.prune(*given), levels.prune(*given)
            for name in ("nodes", "offsets", "targets"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
            if one.edge_words is not None:
                assert other.edge_words is not None
                assert np.array_equal(one.edge_words, other.edge_words)
            found += len(one.nodes) + len(one.targets)
        if n == 1:
            continue
        targets = flow.targets.astype(np.intp)
        for depth in (1 << 40, 2)[: n if n < 2 else 2]:
            facts = (flow.offsets, targets, flow.edge_data, report, seeds[:2], words[:2], depth)
            assert rows(levels.flow(*facts)) == rows(vectorised.flow(*facts))
            sinks = (flow.offsets, targets, report > 0, seeds, depth)
            expected = rows(vectorised.search(*sinks))
            assert rows(levels.search(*sinks)) == expected
            found += len(expected)
        own: Any = (flow.offsets, flow.targets, flow.edge_data, True, report, seeds[:2], words[:2], shifted, 1 << 40)
        assert rows(levels.apply(*own)) == rows(multicore.apply(*own))
    from tests.graph import summaries

    from pyrograph.kernels.levels import summaries as on_device  # as above

    small = summaries.program(procedures=4, size=6, calls=6, seed=2)
    edges = summaries.plain(small)
    assert summaries.rows(on_device.summaries(*small)) == edges
    found += len(edges)
    print(f"{found} nodes, edges and hits compared")


if __name__ == "__main__":
    main()
