"""Every backend gives the bytes of the reference: searches, facts, masks, functions, chunks and thin levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.graph.strategies import BITS, DEPTHS, FAST, KEPT, graphs, lanes, masks

from pyrograph import graph
from pyrograph.kernels import cachefolder

COMPARE = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def same(one: Any, other: Any) -> None:
    assert one.rows() == other.rows()
    assert (one.total, one.truncated) == (other.total, other.truncated)


@COMPARE
@given(data=st.data())
def test_bfs_and_reachability(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sources, depth, kept = data.draw(lanes(flow)), data.draw(DEPTHS), data.draw(KEPT)
    for operation in (graph.bfs, graph.reachability):
        limits: dict[str, Any] = {"max_depth": depth, "max_findings": kept}
        same(
            operation(flow, sources, backend=backend, **limits), operation(flow, sources, backend="reference", **limits)
        )


def test_a_wide_level_is_followed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.kernels import vectorised

    n = 60
    edges = np.array([(node, (node * step + 1) % n) for node in range(n) for step in (1, 3, 7)])
    flow = graph.try_to_csr(n, edges, node_data=graph.node_words([2] * n))
    expected = graph.bfs(flow, range(40), backend="reference").rows()
    monkeypatch.setattr(vectorised, "THIN", 1)
    for most in (1, 5, 1_000):
        monkeypatch.setattr(vectorised, "EDGES_AT_ONCE", most)
        assert graph.bfs(flow, range(40), backend="vectorised").rows() == expected


@COMPARE
@given(data=st.data())
def test_reachability_without_depths_and_the_bitmap(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sources, kept = data.draw(lanes(flow)), data.draw(KEPT)
    expected = graph.reachability(flow, sources, backend="reference")
    pairs = graph.reachability(flow, sources, depth=False, max_findings=kept, backend=backend)
    rows = list(zip(pairs.source.tolist(), pairs.sink.tolist(), pairs.source_idx.tolist(), strict=True))
    assert rows == sorted((source, node, index) for source, node, _, index in expected.rows())[:kept]
    assert (pairs.total, pairs.truncated) == (expected.total, expected.total > len(rows))
    bitmap = np.zeros((len(sources), -(-flow.num_nodes // 32)), np.uint32)
    for _, node, _, index in expected.rows():
        bitmap[index, node // 32] |= np.uint32(1 << node % 32)
    assert np.array_equal(graph.visited(flow, sources, backend=backend), bitmap)


@COMPARE
@given(data=st.data())
def test_fixpoint_with_the_built_in_transfer_functions(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    seeds = data.draw(lanes(flow))
    words = [data.draw(st.integers(0, 2**BITS - 1)) if i < 4 else i % 8 for i in range(len(seeds))]
    transfer: graph.Transfer = data.draw(st.one_of(st.just(graph.Reach()), st.just(graph.Sanitize()), masks(flow)))
    limits: dict[str, Any] = {"max_depth": data.draw(DEPTHS), "max_findings": data.draw(KEPT)}
    same(
        graph.fixpoint(flow, seeds, transfer, words=words, backend=backend, **limits),
        graph.fixpoint(flow, seeds, transfer, words=words, backend="reference", **limits),
    )


@COMPARE
@given(data=st.data())
def test_sixty_four_bits_of_a_fact_all_flow(data: st.DataObject) -> None:
    flow = data.draw(graphs(max_nodes=8))
    seeds = data.draw(lanes(flow))[:5]
    words = [data.draw(st.integers(0, 2**64 - 1)) for _ in seeds]
    for backend in FAST:
        same(
            graph.fixpoint(flow, seeds, graph.Sanitize(), words=words, backend=backend),
            graph.fixpoint(flow, seeds, graph.Sanitize(), words=words, backend="reference"),
        )


@COMPARE
@given(data=st.data())
def test_a_bit_of_a_fact_is_a_bfs_of_the_graph_as_that_bit_sees_it(data: st.DataObject) -> None:
    flow = data.draw(graphs())
    rule = data.draw(masks(flow))
    seeds = data.draw(lanes(flow))[:5]
    assert flow.edge_data is not None
    everything = np.full(flow.num_nodes, 2**BITS - 1, np.uint64)
    leaves = everything if rule.node_masks is None else rule.node_masks
    accepts = everything if rule.sink_masks is None else rule.sink_masks
    expected = []
    origin = np.repeat(np.arange(flow.num_nodes), np.diff(flow.offsets))
    for bit in range(BITS):
        roles = flow.roles().astype(np.int64)
        roles[((accepts >> np.uint64(bit)) & np.uint64(1)) == 0] &= 4  # no sink for this bit
        roles[((leaves >> np.uint64(bit)) & np.uint64(1)) == 0] = graph.Role.SANITIZER
        used = ((flow.edge_data >> np.uint64(bit)) & np.uint64(1)) != 0
        pairs = np.column_stack([origin[used], flow.targets[used]])
        seen = graph.try_to_csr(flow.num_nodes, pairs, node_data=graph.node_words(roles))
        expected += [(*row, bit) for row in graph.bfs(seen, seeds, backend="reference").rows()]
    facts = graph.fixpoint(flow, seeds, rule, words=[2**BITS - 1] * len(seeds), backend="vectorised")
    found = [(*row[:4], bit) for row in facts.rows() for bit in range(BITS) if row[4] >> bit & 1]
    assert sorted(found) == sorted(expected)


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
@pytest.mark.parametrize("with_words", [False, True])
def test_a_transfer_function_of_ones_own_runs_compiled_and_plain(with_words: bool) -> None:
    numba = pytest.importorskip("numba")

    @numba.njit  # type: ignore[untyped-decorator]
    def shifted(source: int, current: int, target: int, metadata: int, fact: Any) -> Any:
        if (source + target) % 3 == 0:
            return 0
        return (fact << np.uint64(1)) & np.uint64(0xFF) if current % 2 else fact | (np.uint64(metadata) & np.uint64(6))

    rng = np.random.default_rng(3)
    for n in (1, 4, 33, 70):
        words = rng.integers(0, 8, 2 * n) if with_words else None
        data = graph.node_words(rng.integers(0, 5, n), metadata=rng.integers(0, 8, n))
        flow = graph.try_to_csr(n, rng.integers(0, n, (2 * n, 2)), node_data=data, edge_data=words)
        seeds = rng.integers(0, n, 300)
        expected = graph.fixpoint(flow, seeds, shifted, backend="reference")
        same(graph.fixpoint(flow, seeds, shifted, backend="numba"), expected)
        same(graph.fixpoint(flow, seeds, shifted), expected)
        limited = graph.fixpoint(flow, seeds, shifted, max_depth=2, backend="numba")
        same(limited, graph.fixpoint(flow, seeds, shifted, max_depth=2, backend="reference"))


def test_a_plain_function_runs_on_the_reference_and_is_refused_elsewhere() -> None:
    flow = graph.try_to_csr(2, [(0, 1)], node_data=graph.node_words([1, 2]))

    def everything(source: int, current: int, target: int, metadata: int, fact: int) -> int:
        return fact

    assert graph.fixpoint(flow, [0], everything).rows() == [(0, 1, 1, 0, 1)]
    with pytest.raises(graph.BackendError, match=r"decorate it with numba\.njit"):
        graph.fixpoint(flow, [0], everything, backend="vectorised")


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
def test_numpy_cannot_run_a_compiled_function_and_says_so() -> None:
    numba = pytest.importorskip("numba")
    flow = graph.try_to_csr(1, [])
    with pytest.raises(graph.BackendError, match="cannot run a transfer function of your own"):
        graph.fixpoint(flow, [0], numba.njit(lambda s, c, t, m, f: f), backend="vectorised")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"words": [1, 2]}, r"words has shape \(2,\), expected \(1,\)"),
        ({"transfer": graph.Masks(node_masks=np.zeros(3, np.uint64))}, r"node_masks has shape \(3,\)"),
        ({"transfer": graph.Masks(sink_masks=np.zeros(1, np.int64))}, "sink_masks has shape .* type int64"),
        ({"transfer": 7}, "transfer is 7, expected Reach"),
        ({"seeds": [4]}, r"seeds\[0\] is 4"),
    ],
)
def test_masks_words_and_seeds_that_do_not_fit_are_refused(arguments: dict[str, Any], message: str) -> None:
    given_ = {"seeds": [0], "transfer": graph.Reach(), **arguments}
    with pytest.raises(graph.GraphError, match=message):
        graph.fixpoint(graph.try_to_csr(1, []), **given_)


def test_many_kept_findings_are_cut_while_they_are_found(
    backend: graph.Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(9)
    n = 300
    flow = graph.try_to_csr(n, rng.integers(0, n, (3 * n, 2)), node_data=graph.node_words(np.full(n, 2)))
    whole = graph.bfs(flow, np.arange(n), backend=backend)
    monkeypatch.setattr("pyrograph.graph.hits.max", lambda *values: 100, raising=False)
    some = graph.bfs(flow, np.arange(n), max_findings=50, backend=backend)
    assert some.rows() == whole.rows()[:50]
    assert some.total == whole.total


def test_columns_too_wide_for_one_integer_are_sorted_all_the_same() -> None:
    from pyrograph.graph.hits import in_order

    rng = np.random.default_rng(1)
    columns = [rng.permutation(2**40 + np.arange(50)) for _ in range(3)]
    expected = sorted(zip(*(column.tolist() for column in columns), strict=True))
    assert list(zip(*(column.tolist() for column in in_order(columns, (2**41,) * 3)), strict=True)) == expected


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
@pytest.mark.parametrize("length", [255, 256, 70_000])
def test_long_paths_keep_their_depths_where_many_sources_share_them(length: int) -> None:
    """A byte tells depths to 254, sixteen bits to 65,534; beyond, each source has a queue."""
    chain = np.column_stack([np.arange(length), np.arange(1, length + 1)])
    flow = graph.try_to_csr(length + 1, chain, node_data=graph.node_words([0] * length + [2]))
    hits = graph.bfs(flow, np.arange(40), backend="numba")
    assert hits.rows() == [(source, length, length - source, source) for source in range(40)]
    limited = graph.bfs(flow, np.arange(40), max_depth=length - 30, backend="numba")
    assert limited.rows() == hits.rows()[30:]


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
@pytest.mark.parametrize("shared", [0, 1 << 60])
def test_the_number_of_threads_changes_nothing(shared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    n = 500
    flow = graph.try_to_csr(n, rng.integers(0, n, (2 * n, 2)), node_data=graph.node_words(rng.integers(0, 5, n)))
    monkeypatch.setattr("pyrograph.kernels.multicore.SHARED", shared)
    answers = set()
    for count in (1, 2, 5):
        for module in ("compiled", "depthrows"):
            monkeypatch.setattr(f"pyrograph.kernels.{module}.threads", lambda count=count: count)
        answers.add(tuple(graph.bfs(flow, np.arange(n), backend="numba").rows()))
    assert len(answers) == 1


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
@pytest.mark.parametrize(("circling", "in_rows"), [(0, 0), (7, 0), (100, 100), (300, 398)])
def test_sources_that_reach_much_share_rows_and_others_have_queues(
    circling: int, in_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ring of 500 nodes and 1,500 nodes apart: a source in the ring reaches a quarter of the graph.

    Where most of the first eight do so, the others are not tried with a queue before.
    """
    from pyrograph.kernels import depthrows

    n = 2_000
    ring = np.column_stack([np.arange(500), (np.arange(500) + 1) % 500])
    apart = np.column_stack([np.arange(500, n, 2), np.arange(501, n, 2)])
    flow = graph.try_to_csr(n, np.concatenate([ring, apart]), node_data=graph.node_words([2] * n))
    sources = np.concatenate([np.arange(circling), np.arange(500, n, 2)[: 400 - circling]])
    seen: list[int] = []
    search = depthrows.search

    def watched(*arguments: Any) -> Any:
        seen.append(len(arguments[4]))
        return search(*arguments)

    monkeypatch.setattr(depthrows, "search", watched)
    hits = graph.bfs(flow, sources, backend="numba")
    assert hits.total == circling * 499 + (400 - circling)
    assert hits.rows() == graph.bfs(flow, sources, backend="vectorised").rows()
    assert sum(seen) == in_rows


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
def test_large_searches_are_compiled_and_small_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.graph import backend as backends
    from pyrograph.kernels import multicore, vectorised

    enough = backends.NUMPY_EDGES // 1_000 + 1
    monkeypatch.setattr(backends, "compiled_before", lambda: False)
    assert backends.for_searching("auto", 1_000, enough) is vectorised
    assert backends.for_searching("auto", 1_000, backends.NUMPY_EDGES_COLD // 1_000 + 1) is multicore
    monkeypatch.setattr(backends, "compiled_before", lambda: True)
    assert backends.for_searching("auto", 1_000, enough) is multicore
    assert backends.for_searching("host", 1_000, enough) is multicore
    assert backends.for_searching("auto", 10, enough) is vectorised
    assert backends.for_searching("vectorised", 1_000, enough) is vectorised
    assert backends.for_pruning("auto", backends.NUMPY_GRAPH) is vectorised
    assert backends.for_pruning("auto", backends.NUMPY_GRAPH + 1) is multicore
    assert backends.for_pruning("cuda", backends.DEVICE_GRAPH - 1) is vectorised
    assert backends.for_closing("vectorised", 10, enough) is None
    assert backends.for_closing("auto", 1_000, enough) is multicore


@pytest.mark.parametrize("kernel", [None, "kernels/compiled-1.nbi"])
def test_what_was_compiled_before_is_seen_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str | None
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    if kernel is not None:
        (tmp_path / kernel).parent.mkdir()
        (tmp_path / kernel).touch()
    assert cachefolder.compiled_before() == (kernel is not None)
