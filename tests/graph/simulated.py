"""Compares the CUDA kernels with the reference in Numba's simulator; run in a process of its own, prints what it did.

The simulator is chosen when numba is imported, by NUMBA_ENABLE_CUDASIM=1. It runs a Python thread per GPU thread and
one block after another, so the graphs are tiny. What it cannot show, and only ``-m gpu`` does: the machine code that
stands in for warps, blocks that wait for each other, races, shared memory beyond 48 KiB, limits of a device.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest
from tests.graph.simulator import mend

from pyrograph import graph
from pyrograph.kernels.errors import LimitError

warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)  # numbers of 32 bits wrap, as meant
mend()  # here, so that processes of a pool do it, too
NO_LIMIT = 1 << 30
BOTH: tuple[graph.Backend, graph.Backend] = ("reference", "cuda")


@numba.njit
def shifted(source: int, current: int, target: int, metadata: int, fact: Any) -> Any:
    """A transfer function that moves bits and blocks some edges."""
    if (source + target) % 3 == 0:
        return np.uint64(0)
    return (fact << np.uint64(1)) & np.uint64(0xFF) if current % 2 else fact | (np.uint64(metadata) & np.uint64(6))


@contextmanager
def changed(module: Any, **values: Any) -> Iterator[None]:
    """A module with other constants, as long as the block runs."""
    before = {name: getattr(module, name) for name in values}
    for name, value in values.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def compare(flow: graph.Graph, seeds: list[int], max_depth: int | None) -> int:
    """Every operation on one graph; returns the number of hits compared."""
    limits: dict[str, Any] = {"max_depth": max_depth}
    found = 0
    for operation in (graph.bfs, graph.reachability):
        for keep in (None, 3):
            expected, again = (operation(flow, seeds, backend=name, max_findings=keep, **limits) for name in BOTH)
            assert again.rows() == expected.rows()
            assert (again.total, again.truncated) == (expected.total, expected.truncated)
        found += expected.total
    masks = graph.Masks(node_masks=np.arange(flow.num_nodes, dtype=np.uint64) % np.uint64(8))
    for transfer in (graph.Reach(), graph.Sanitize(), masks, shifted):
        facts, same = (
            graph.fixpoint(flow, seeds, transfer, words=[7] * len(seeds), backend=backend, **limits) for backend in BOTH
        )
        assert facts.rows() == same.rows()
        found += facts.total
    return found


def operations() -> int:
    """Random graphs of any roles, with sources twice and with several chunks."""
    from pyrograph.kernels.cuda import searcher

    rng = np.random.default_rng(11)
    found = 0
    for n in (1, 9, 33):
        data = graph.node_words(rng.integers(0, 5, n))
        edges = rng.integers(0, n, (2 * n, 2))
        flow = graph.try_to_csr(n, edges, node_data=data, edge_data=rng.integers(0, 8, 2 * n))
        seeds = rng.integers(0, n, min(n, 3)).tolist()
        found += compare(flow, seeds, None if n % 2 else 2)
        if n == 9:
            with changed(searcher, MOST_AT_ONCE=2):
                found += compare(flow, list(range(5)), 1)
    return found


def layouts() -> int:
    """Hubs of all sizes, so that noted nodes find room or not, in every layout."""
    from pyrograph.kernels import cuda
    from pyrograph.kernels.cuda import walk

    found = 0
    rng = np.random.default_rng(5)
    for slots, wide_slots, wide in ((240, 16, 1024), (1, 1, 7), (2, 0, 6), (0, 1, 6)):
        n = 36
        hubs = [(u, v) for u, v in zip(rng.integers(0, 4, 40), rng.integers(0, n, 40), strict=True)]
        flow = graph.try_to_csr(n, hubs + list(map(tuple, rng.integers(0, n, (30, 2)))))
        told, sources = rng.random(n) < 0.5, rng.integers(0, n, 4)
        rows = graph.reachability(flow, sources, backend="reference").rows()
        expected = sorted((lane, node, depth) for _, node, depth, lane in rows if told[node] and depth)
        for kind in ("block", "gang", "thread"):
            with changed(walk, SLOTS=slots, WIDE_SLOTS=wide_slots, WIDE=np.uint32(wide)):
                launch = cuda.Launch(kind, 4, 2)
                blocks = list(cuda.search(flow.offsets, flow.targets, told, sources, NO_LIMIT, launch=launch))
            columns = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("lane", "node", "depth"))
            assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
            found += len(expected)
    return found


def memory() -> int:
    """A device that has less than it said: chunks shrink, the answer stays; what cannot fit is refused with numbers."""
    from pyrograph.kernels import cuda
    from pyrograph.kernels.cuda import device, walk

    n = 20
    flow = graph.try_to_csr(n, [(u, (u + 1) % n) for u in range(n)], node_data=graph.node_words([2] * n))
    sources = list(range(8))
    expected = graph.bfs(flow, sources, backend="reference").rows()
    told = np.ones(n, np.bool_)
    real = device.empty
    asked = []

    def scarce(limit: int) -> Any:
        def empty(shape: Any, dtype: Any) -> Any:
            need = int(np.prod(shape)) * np.dtype(dtype).itemsize
            asked.append(need)
            if need > limit:
                raise device.OutOfDeviceMemoryError(need, limit)
            return real(shape, dtype)

        return empty

    # The largest allocation is that of the hits: 16 bytes for each source of a chunk and told node.
    with changed(device, empty=scarce(16 * n * 3)):
        assert graph.bfs(flow, sources, backend="cuda").rows() == expected
    assert max(asked) > 16 * n * 3
    for limit, resource in ((4 * walk.NOTES, "bytes on the device for one source"), (100, "bytes on the device")):
        with changed(device, empty=scarce(limit)), pytest.raises(LimitError) as refused:
            cuda.Searcher(flow.offsets, flow.targets, told, launch=cuda.Launch("gang", 4, 2)).slots(8)
        assert refused.value.resource == resource
        assert refused.value.need > 0
    return len(expected)


def processes() -> int:
    """A pool of processes gives what one process gives, also when some have nothing to do or to tell."""
    from pyrograph.kernels import cuda
    from pyrograph.kernels.cuda.pool import Pool

    rng = np.random.default_rng(2)
    n = 30
    flow = graph.try_to_csr(n, rng.integers(0, n, (45, 2)))
    told = rng.random(n) < 0.4
    found = 0
    with Pool([0, 0, 0]) as pool:
        for count in (0, 2, 7):
            sources = np.arange(count)
            names = (sources.astype(np.uint32), np.arange(n, dtype=np.uint32)[::-1].copy(), sources.astype(np.uint32))
            for keep in (None, 0, 5):
                arguments = (flow.offsets, flow.targets, told, sources, told[sources], names, NO_LIMIT, keep, 1 << 30)
                expected, total = cuda.ordered(*arguments)
                again, total_again = pool.ordered(*arguments)
                assert np.array_equal(expected, again)
                assert total == total_again
                found += total
    return found


def main() -> None:
    """All of it."""
    from pyrograph.kernels import cuda  # refuses to be imported without a device or the simulator

    assert cuda.SIMULATED
    print(f"{operations() + layouts() + memory() + processes()} hits compared")


if __name__ == "__main__":
    main()
