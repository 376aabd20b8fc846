"""The level-synchronous programs: in Numba's simulator everywhere, as graphs where there is a device (``-m gpu``)."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from tests.graph import simulation
from tests.graph import test_conformance as conformance

from pyrograph import graph
from pyrograph.graph import backend as backends
from pyrograph.kernels import LimitError, vectorised


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba")
def test_the_programs_agree_with_numpy_in_the_simulator() -> None:
    simulation.run("simulated_levels.py")


def whole_suite() -> Iterator[tuple[str, Callable[..., None], dict[str, Any]]]:
    """Every test of the conformance suite that takes a backend, with each combination of its other parameters."""
    for name, test in inspect.getmembers(conformance, inspect.isfunction):
        if name.startswith("test_") and "backend" in inspect.signature(test).parameters:
            tables = []
            for mark in getattr(test, "pytestmark", ()):
                names = (
                    [part.strip() for part in mark.args[0].split(",")]
                    if isinstance(mark.args[0], str)
                    else mark.args[0]
                )
                if names != ["backend"]:
                    rows = [getattr(row, "values", row) for row in mark.args[1]]
                    tables.append([dict(zip(names, row if len(names) > 1 else [row], strict=True)) for row in rows])
            for chosen in itertools.product(*tables):
                yield name, test, {key: value for row in chosen for key, value in row.items()}


def test_the_conformance_suite_has_cases() -> None:
    assert len(list(whole_suite())) > 30


@pytest.mark.gpu
@pytest.mark.parametrize("case", sorted({name for name, _, _ in whole_suite()}))
def test_the_conformance_suite_holds_for_graphs(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    from pyrograph.kernels import levels

    monkeypatch.setattr(backends, "for_pruning", lambda *_: levels)
    monkeypatch.setattr(backends, "for_searching", lambda *_: levels)
    monkeypatch.setattr(backends, "load_compiled", lambda _: levels)
    for name, test, parameters in whole_suite():
        if name != case:
            continue
        try:
            with pytest.MonkeyPatch.context() as inner:
                wanted = {"monkeypatch": inner} if "monkeypatch" in inspect.signature(test).parameters else {}
                test(backend="cuda", **parameters, **wanted)
        except AssertionError as error:
            raise AssertionError(f"{name} {parameters}") from error


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:.*Grid size:Warning")
@pytest.mark.parametrize("nodes", [33, 5_000, 400_000])
@pytest.mark.parametrize("how", ["graph", "stream"])
def test_graphs_streams_and_the_host_loop_give_the_same_bytes(nodes: int, how: Any) -> None:
    from pyrograph.kernels import levels, multicore

    rng = np.random.default_rng(nodes)
    edges = rng.integers(0, nodes, (int(1.5 * nodes), 2))
    hub = np.column_stack([np.zeros(nodes // 4, np.int64), rng.integers(0, nodes, nodes // 4)])
    pairs = np.concatenate([edges, hub])
    flow = graph.try_to_csr(nodes, pairs, edge_data=rng.integers(0, 256, len(pairs)))
    report = np.where(rng.random(nodes) < 0.05, rng.integers(0, 256, nodes), 0).astype(np.uint64)
    leaving = (rng.integers(0, 256, nodes) | 8).astype(np.uint64)
    seeds = rng.integers(0, nodes, 20)
    words = np.full(20, 255, np.uint64)
    given = (flow.offsets, flow.targets, flow.edge_data, leaving, report, seeds, words)
    expected = multicore.prune(*given)
    for run in (partial(levels.as_graph, how=how), levels.from_host):
        found = levels.prune(*given, run=run)
        for name in ("nodes", "offsets", "targets", "edge_words"):
            assert np.array_equal(getattr(expected, name), getattr(found, name)), name


@pytest.mark.gpu
@pytest.mark.parametrize(("procedures", "size", "calls"), [(1, 5, 3), (40, 8, 120), (3_000, 20, 8_000)])
def test_summary_edges_are_those_of_a_plain_worklist(procedures: int, size: int, calls: int) -> None:
    from tests.graph import summaries

    from pyrograph.kernels.levels import summaries as on_device

    given = summaries.program(procedures, size, calls, seed=procedures)
    assert summaries.rows(on_device.summaries(*given)) == summaries.plain(given)


def shifted(source: int, current: int, target: int, metadata: int, fact: Any) -> Any:
    """A transfer function that moves bits and blocks some edges."""
    if (source + target) % 7 == 0:
        return np.uint64(0)
    return fact | (fact << np.uint64(1)) & np.uint64(0xFF)


class Failing:
    """Kernels for which the device has no room."""

    def prune(self, *arguments: Any) -> Any:
        raise LimitError("bytes on the device", 2, 1, "use --device cpu")

    flow = search = apply = prune


def test_what_a_device_cannot_do_is_done_without_it_and_told() -> None:
    flow = graph.try_to_csr(3, [(0, 1), (1, 2)], node_data=graph.node_words([1, 0, 2]))
    report = np.array([0, 0, 1], np.uint64)
    seeds, words = np.zeros(1, np.intp), np.ones(1, np.uint64)
    kernels = backends.Guarded(cast(Any, Failing()), vectorised)
    with pytest.warns(RuntimeWarning, match="pruning without a CUDA graph: bytes on the device: 2 needed, 1 available"):
        pruned = kernels.prune(flow.offsets, flow.targets, None, None, report, seeds, words)
    assert pruned.nodes.tolist() == [0, 1, 2]
    with pytest.warns(RuntimeWarning, match="facts without a CUDA graph"):
        (block,) = list(kernels.flow(pruned.offsets, pruned.targets, None, report, seeds, words, 9))
    assert (block.node.tolist(), block.depth.tolist()) == ([2], [2])
    assert len(list(kernels.search(pruned.offsets, pruned.targets, report > 0, seeds, 9))) == 1


@pytest.mark.gpu
def test_a_device_without_room_leaves_the_answer_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.kernels.cudagraph.device import Toolkit

    nodes = 600_000
    flow = graph.try_to_csr(nodes, np.random.default_rng(2).integers(0, nodes, (nodes, 2)))
    kernels = backends.for_pruning("cuda", flow.num_edges)
    given = (flow.offsets, flow.targets, None, None, None, np.arange(9), np.ones(9, np.uint64))
    expected = kernels.prune(*given)
    for room in (1 << 20, 24 << 20):  # too little for the arrays, too little for the arena
        monkeypatch.setattr(Toolkit, "free_memory", lambda self, room=room: room)
        with pytest.warns(RuntimeWarning, match=r"pruning without a CUDA graph: bytes of the ar(rays|ena)"):
            found = kernels.prune(*given)
        assert np.array_equal(expected.nodes, found.nodes)
        assert np.array_equal(expected.targets, found.targets)


@pytest.mark.gpu
def test_a_large_graph_is_pruned_on_the_device_and_few_facts_flow_there() -> None:
    nodes = 1_000_000
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, nodes, (nodes, 2))
    roles = rng.choice([0] * 50 + [2, 3, 4], nodes)
    flow = graph.try_to_csr(nodes, pairs, node_data=graph.node_words(roles), edge_data=rng.integers(1, 256, nodes))
    seeds = rng.integers(0, nodes, 30)
    assert isinstance(backends.for_pruning("cuda", flow.num_edges), backends.Guarded)
    with graph.collecting() as launches:
        expected, found = (
            graph.fixpoint(flow, seeds, graph.Masks(), words=[255] * 30, backend=b) for b in ("numba", "cuda")
        )
    assert {(launch.program, launch.how) for launch in launches} >= {("prune", "graph")}
    assert all(launch.milliseconds > 0 for launch in launches)
    for name in ("source", "sink", "depth", "source_idx", "word"):
        assert np.array_equal(getattr(expected, name), getattr(found, name))
    import numba

    own = numba.njit(shifted)
    expected, found = (graph.fixpoint(flow, seeds[:3], own, backend=b) for b in ("numba", "cuda"))
    assert np.array_equal(expected.word, found.word)
    assert np.array_equal(expected.depth, found.depth)
    hits, again = (graph.bfs(flow, seeds, backend=backend) for backend in ("numba", "cuda"))
    assert hits.rows() == again.rows()
