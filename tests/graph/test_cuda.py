"""The CUDA kernels: in Numba's simulator everywhere, on a device where there is one (``-m gpu``).

Only a device proves the machine code that stands in for warps, gangs of several blocks, shared memory beyond 48 KiB,
and that no thread races another.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.graph import simulation

from pyrograph import graph
from pyrograph.kernels.errors import LimitError

NO_LIMIT = 1 << 30
LAYOUTS = [
    ("block", 128, 8, 1),
    ("block", 96, 3, 1),
    ("block", 1024, 2, 1),
    ("gang", 512, 4, 1),
    ("gang", 512, 6, 3),
    ("gang", 64, 60, 60),
    ("thread", 64, 1, 1),
]


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba")
def test_the_kernels_agree_with_the_reference_in_the_simulator() -> None:
    simulation.run("simulated.py")


def random_graph(nodes: int, seed: int, *, hub: int = 4) -> graph.Graph:
    """A graph of any roles with hubs: node 0 has a ``hub``-th of all nodes as successors, others dozens."""
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, nodes, (int(1.5 * nodes), 2))
    one = np.column_stack([np.zeros(nodes // hub, np.int64), rng.integers(0, nodes, nodes // hub)])
    dozens = np.column_stack([rng.integers(0, max(nodes // 100, 1), nodes // 2), rng.integers(0, nodes, nodes // 2)])
    roles = rng.choice([0, 0, 0, 0, 0, 0, 0, 2, 3, 4], nodes)
    return graph.try_to_csr(nodes, np.concatenate([edges, one, dozens]), node_data=graph.node_words(roles))


def rows_of(kernels: Any, built: graph.Graph, told: npt.NDArray[np.bool_], sources: Any, **options: Any) -> Any:
    """(k, 3) lane, node and depth, in order."""
    arguments = (built.offsets, built.targets.astype(np.int64), told, sources, NO_LIMIT)
    blocks = list(kernels.search(*arguments, **options))
    rows = np.concatenate([np.column_stack([block.lane, block.node, block.depth]) for block in blocks])
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


@pytest.mark.gpu
@pytest.mark.parametrize("nodes", [33, 5_000, 400_000, 2_000_000])
def test_the_device_agrees_with_the_processor(nodes: int) -> None:
    flow = random_graph(nodes, nodes)
    rng = np.random.default_rng(nodes)
    sources = rng.integers(0, nodes, 300 if nodes < 10_000 else 20)
    if nodes > 10_000:
        sources = np.unique(sources)  # the hits come in order from the device only where no source stands twice
    for depth in (None, 3):
        expected, found = (graph.bfs(flow, sources, max_depth=depth, backend=backend) for backend in ("numba", "cuda"))
        for column in ("source", "sink", "depth", "source_idx"):
            assert np.array_equal(getattr(expected, column), getattr(found, column))
        some = graph.bfs(flow, sources, max_depth=depth, max_findings=50, backend="cuda")
        assert some.rows() == expected.rows()[:50]
        assert some.total == expected.total
    facts, again = (graph.fixpoint(flow, sources, graph.Masks(), backend=backend) for backend in ("numba", "cuda"))
    assert np.array_equal(facts.sink, again.sink)
    assert np.array_equal(facts.depth, again.depth)
    assert np.array_equal(facts.word, again.word)


@pytest.mark.gpu
@pytest.mark.parametrize("nodes", [1_000, 90_000, 1_200_000])
def test_every_layout_gives_the_same_hits(nodes: int) -> None:
    from pyrograph.kernels import cuda, multicore

    flow = random_graph(nodes, 7)
    rng = np.random.default_rng(1)
    told, sources = rng.random(nodes) < 0.3, rng.integers(0, nodes, 40)
    expected = rows_of(multicore, flow, told, sources)
    for kind, threads, blocks, size in LAYOUTS:
        launch = cuda.Launch(kind, threads, blocks, size)  # type: ignore[arg-type]
        assert np.array_equal(rows_of(cuda, flow, told, sources, launch=launch), expected), launch


@pytest.mark.gpu
@pytest.mark.parametrize("width", [4_096, 4_097, 1_000_000])
def test_a_wide_frontier_loses_nothing(width: int) -> None:
    from pyrograph.kernels import cuda

    middle = np.arange(1, width + 1)
    edges = np.concatenate(
        [np.column_stack([np.zeros(width, np.int64), middle]), np.column_stack([middle, middle + width])]
    )
    told = np.arange(2 * width + 1) > width
    flow = graph.try_to_csr(2 * width + 1, edges)
    for kind, threads, blocks, size in LAYOUTS:
        launch = cuda.Launch(kind, threads, blocks, size)  # type: ignore[arg-type]
        rows = rows_of(cuda, flow, told, np.zeros(1, np.int64), launch=launch)
        assert np.array_equal(rows[:, 1], middle + width), launch
        assert (rows[:, 2] == 2).all(), launch


@pytest.mark.gpu
def test_a_hundred_runs_are_identical() -> None:
    from pyrograph.kernels import cuda

    flow = random_graph(20_000, 3)
    rng = np.random.default_rng(1)
    told, sources = rng.random(20_000) < 0.2, rng.integers(0, 20_000, 200)
    first = rows_of(cuda, flow, told, sources)
    for turn in range(100):
        kind, threads, blocks, size = LAYOUTS[turn % len(LAYOUTS)]
        launch = None if turn % 2 else cuda.Launch(kind, threads, blocks, size)  # type: ignore[arg-type]
        assert np.array_equal(rows_of(cuda, flow, told, sources, launch=launch), first)


@pytest.mark.gpu
def test_a_block_gets_all_the_shared_memory_there_is() -> None:
    from pyrograph.kernels import cuda
    from pyrograph.kernels.cuda import device

    limit = device.shared_limit()
    assert limit > device.STATIC_SHARED
    chain = 8 * (limit - 4096)  # nodes whose bitmap nearly fills it
    flow = graph.try_to_csr(chain, [(0, 1), (1, chain - 1)])
    launch = cuda.Launch("block", 1024, 2)
    rows = rows_of(cuda, flow, np.arange(chain) == chain - 1, np.zeros(1, np.int64), launch=launch)
    assert rows.tolist() == [[0, chain - 1, 2]]
    searcher = cuda.Searcher(flow.offsets, flow.targets, np.ones(chain, np.bool_), num_sources=1000)
    assert searcher.slots(4)[0].launch.kind == "block"


@pytest.mark.gpu
@pytest.mark.parametrize("beyond", [-4, 0, 4, 1024, 2112, 2116])
def test_a_bitmap_near_the_memory_that_needs_no_permission(beyond: int) -> None:
    """48 KiB include what the kernel declares itself: a bitmap of 46 to 48 KiB needs the permission, too."""
    from pyrograph.kernels import cuda
    from pyrograph.kernels.cuda import device, searcher

    chain = 8 * (device.STATIC_SHARED - searcher.HELD + beyond)
    flow = graph.try_to_csr(chain, [(0, 1), (1, chain - 1)])
    launch = cuda.Launch("block", 1024, 2)
    rows = rows_of(cuda, flow, np.arange(chain) == chain - 1, np.zeros(1, np.int64), launch=launch)
    assert rows.tolist() == [[0, chain - 1, 2]]


@pytest.mark.gpu
def test_shared_memory_that_the_driver_refuses_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.kernels import cuda, multicore
    from pyrograph.kernels.cuda import device

    monkeypatch.setattr(device, "allow_shared", lambda compiled, nbytes, held: False)
    flow = random_graph(3_000, 5)
    told, sources = np.ones(3_000, np.bool_), np.arange(500)
    assert np.array_equal(rows_of(cuda, flow, told, sources), rows_of(multicore, flow, told, sources))


@pytest.mark.gpu
def test_memory_that_runs_out_shrinks_the_chunks_and_is_refused_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.kernels import cuda, multicore
    from pyrograph.kernels.cuda import device

    with pytest.raises(device.OutOfDeviceMemoryError, match="bytes needed on the device"):
        device.empty(1 << 44, np.uint8)
    flow = random_graph(3_000, 5)
    told, sources = np.ones(3_000, np.bool_), np.arange(500)
    expected = rows_of(multicore, flow, told, sources)
    real, room = device.empty, 1 << 20

    def scarce(shape: Any, dtype: Any) -> Any:
        """The driver's refusal where more is asked for than there is room."""
        return real(1 << 44, np.uint8) if np.prod(shape) * np.dtype(dtype).itemsize > room else real(shape, dtype)

    monkeypatch.setattr(device, "empty", scarce)
    assert np.array_equal(rows_of(cuda, flow, told, sources), expected)
    room = 20_000
    with pytest.raises(LimitError, match=r"bytes on the device: .* needed, .* available"):
        rows_of(cuda, flow, told, sources)


@pytest.mark.gpu
def test_a_pool_of_processes_gives_what_one_gives() -> None:
    from pyrograph.kernels import cuda
    from pyrograph.kernels.cuda.pool import Pool

    flow = random_graph(5_000, 9)
    sources = np.arange(0, 5_000, 7)
    told = np.arange(5_000) % 3 == 0
    names = (sources.astype(np.uint32), np.arange(5_000, dtype=np.uint32), np.arange(len(sources), dtype=np.uint32))
    arguments = (flow.offsets, flow.targets.astype(np.int64), told, sources, told[sources], names, NO_LIMIT, None)
    expected, total = cuda.ordered(*arguments, 1 << 40)
    with Pool([0, 0]) as pool:
        for _ in range(2):
            found, total_again = pool.ordered(*arguments, 1 << 40)
            assert np.array_equal(expected, found)
            assert total == total_again
