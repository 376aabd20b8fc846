"""The archetypes of the specification, on every backend: structure, sanitizers, scale, determinism, limits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.graph.strategies import ALL, FAST

from pyrograph import graph
from pyrograph.graph import search

NORMAL, SOURCE, SINK, BOTH, SANITIZER = graph.Role
Edges = list[tuple[int, int]]

# name, roles, edges, sources, expected (source, sink, depth, source_idx)
ARCHETYPES: list[tuple[str, list[int], Edges, list[int], list[tuple[int, ...]]]] = [
    ("an empty graph has no hits", [], [], [], []),
    ("no sources, no hits", [SINK], [], [], []),
    ("a source is no hit by itself", [SOURCE], [(0, 0)], [0], []),
    ("a sink that is searched from does not hit itself", [SINK], [(0, 0)], [0], []),
    ("a node that is both hits itself at depth 0", [BOTH], [(0, 0)], [0], [(0, 0, 0, 0)]),
    ("a node that is both is a sink for others", [SOURCE, BOTH], [(0, 1)], [0], [(0, 1, 1, 0)]),
    ("a source reached from another is no hit", [SOURCE, SOURCE], [(0, 1)], [0], []),
    (
        "a complete graph has every sink at depth 1",
        [SOURCE, SINK, SINK, NORMAL],
        [(u, v) for u in range(4) for v in range(4)],
        [0, 3],
        [(0, 1, 1, 0), (0, 2, 1, 0), (3, 1, 1, 1), (3, 2, 1, 1)],
    ),
    (
        "a chain has sinks at their distance, and is searched behind them",
        [SOURCE, NORMAL, SINK, NORMAL, SINK],
        [(u, u + 1) for u in range(4)],
        [0],
        [(0, 2, 2, 0), (0, 4, 4, 0)],
    ),
    (
        "a star has its spokes at depth 1",
        [SOURCE, *[SINK] * 5],
        [(0, u) for u in range(1, 6)],
        [0],
        [(0, u, 1, 0) for u in range(1, 6)],
    ),
    (
        "a binary tree has depths equal to levels",
        [SOURCE, *[SINK] * 14],
        [((u - 1) // 2, u) for u in range(1, 15)],
        [0],
        [(0, u, (u + 1).bit_length() - 1, 0) for u in range(1, 15)],
    ),
    (
        "where ways merge the shortest counts, once",
        [SOURCE, NORMAL, NORMAL, NORMAL, SINK],
        [(0, 1), (1, 2), (2, 4), (0, 3), (3, 4)],
        [0],
        [(0, 4, 2, 0)],
    ),
    ("a cycle ends and brings no second hit", [SOURCE, NORMAL, SINK], [(0, 1), (1, 2), (2, 0)], [0], [(0, 2, 2, 0)]),
    ("what is not connected is not reached", [SOURCE, NORMAL, NORMAL, SINK], [(0, 1), (2, 3)], [0], []),
    ("parallel edges bring one hit", [SOURCE, SINK], [(0, 1), (0, 1)], [0], [(0, 1, 1, 0)]),
    (
        "a source listed twice is searched for twice",
        [SOURCE, SINK, SINK],
        [(0, 1), (1, 2)],
        [0, 0],
        [(0, 1, 1, 0), (0, 1, 1, 1), (0, 2, 2, 0), (0, 2, 2, 1)],
    ),
    ("any role may be searched from", [NORMAL, SINK], [(0, 1)], [0], [(0, 1, 1, 0)]),
    ("a sanitizer on the only way blocks it", [SOURCE, SANITIZER, SINK], [(0, 1), (1, 2)], [0], []),
    (
        "a sanitizer on one way leaves the other open",
        [SOURCE, SANITIZER, NORMAL, NORMAL, SINK],
        [(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)],
        [0],
        [(0, 4, 3, 0)],
    ),
    ("a sanitizer is never a hit", [SOURCE, SANITIZER], [(0, 1)], [0], []),
    ("nothing leaves a sanitizer that is searched from", [SANITIZER, SINK], [(0, 1)], [0], []),
    (
        "the order is source, sink, depth, position, whatever the order of the list",
        [SINK, NORMAL, NORMAL],
        [(1, 0), (2, 1), (2, 0)],
        [2, 1, 2],
        [(1, 0, 1, 1), (2, 0, 1, 0), (2, 0, 1, 2)],
    ),
]


def build(roles: list[int], edges: Edges) -> graph.Graph:
    return graph.try_to_csr(len(roles), edges, node_data=graph.node_words(roles))


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize(
    ("roles", "edges", "sources", "expected"), [case[1:] for case in ARCHETYPES], ids=[c[0] for c in ARCHETYPES]
)
def test_archetypes(
    backend: graph.Backend, roles: list[int], edges: Edges, sources: list[int], expected: object
) -> None:
    hits = graph.bfs(build(roles, edges), sources, backend=backend)
    assert hits.rows() == expected
    assert (hits.total, hits.truncated) == (len(hits), False)
    assert {column.dtype for column in (hits.source, hits.sink, hits.depth, hits.source_idx)} == {np.dtype(np.uint32)}


@pytest.mark.parametrize("backend", ALL)
def test_a_sink_that_also_sanitizes_is_no_hit_for_what_it_sanitizes(backend: graph.Backend) -> None:
    flow = build([SOURCE, SINK, SINK], [(0, 1), (1, 2)])
    masks = graph.Masks(node_masks=np.array([3, 1, 3], np.uint64))  # node 1 cleans bit 1
    facts = graph.fixpoint(flow, [0], masks, words=[3], backend=backend)
    assert facts.rows() == [(0, 1, 1, 0, 0b01), (0, 2, 2, 0, 0b01)]


@pytest.mark.parametrize("backend", ALL)
def test_max_depth_counts_edges(backend: graph.Backend) -> None:
    flow = build([BOTH, SINK, SINK, SINK], [(0, 1), (1, 2), (2, 3)])
    for depth in range(4):
        assert [row[1] for row in graph.bfs(flow, [0], max_depth=depth, backend=backend).rows()] == list(
            range(depth + 1)
        )


@pytest.mark.parametrize("backend", ALL)
def test_past_max_findings_the_first_in_order_are_kept_and_all_are_counted(backend: graph.Backend) -> None:
    flow = build([NORMAL, *[SINK] * 9], [(0, u) for u in range(9, 0, -1)])
    hits = graph.bfs(flow, [0, 0], max_findings=3, backend=backend)
    assert hits.rows() == [(0, 1, 1, 0), (0, 1, 1, 1), (0, 2, 1, 0)]
    assert (hits.total, hits.truncated) == (18, True)
    nothing = graph.bfs(flow, [0], max_findings=0, backend=backend)
    assert (len(nothing), nothing.total, nothing.truncated) == (0, 9, True)


@pytest.mark.parametrize("width", [4_096, 4_097])
def test_a_wide_frontier_loses_nothing(backend: graph.Backend, width: int) -> None:
    leaves = np.arange(1, width + 1)
    end = width + 1
    edges = np.concatenate([np.column_stack([0 * leaves, leaves]), np.column_stack([leaves, 0 * leaves + end])])
    roles = np.full(width + 2, SINK)
    flow = graph.try_to_csr(width + 2, edges, node_data=graph.node_words(roles))
    for hits in (graph.bfs(flow, [0], backend=backend), graph.bfs(flow, [0], backend="reference")):
        assert hits.sink.tolist() == list(range(1, width + 2))
        assert hits.depth.tolist() == [1] * width + [2]


def test_a_frontier_of_a_million_nodes_loses_nothing(backend: graph.Backend) -> None:
    n = 1_000_001
    edges = np.column_stack([np.zeros(n - 1, np.int64), np.arange(1, n)])
    hits = graph.bfs(graph.try_to_csr(n, edges, node_data=graph.node_words(np.full(n, SINK))), [0], backend=backend)
    assert hits.total == n - 1
    assert np.array_equal(hits.sink, np.arange(1, n))
    assert (hits.depth == 1).all()


@pytest.mark.parametrize("backend", FAST)
def test_a_chain_of_a_hundred_thousand_nodes_keeps_its_depths(backend: graph.Backend) -> None:
    n = 100_000
    flow = graph.try_to_csr(
        n, np.column_stack([np.arange(n - 1), np.arange(1, n)]), node_data=graph.node_words(np.full(n, SINK))
    )
    hits = graph.bfs(flow, [0, n // 2], backend=backend)
    assert np.array_equal(hits.depth[: n - 1], np.arange(1, n))
    assert hits.total == n - 1 + n // 2 - 1
    assert graph.parents(flow, n - 3).path(n - 1) == [n - 3, n - 2, n - 1]


@pytest.mark.parametrize("lanes", [0, 1, 63, 64, 65, 256, 257])
@pytest.mark.parametrize("nodes", [1, 31, 32, 33])
def test_lane_counts_and_node_counts_around_a_word(backend: graph.Backend, lanes: int, nodes: int) -> None:
    rng = np.random.default_rng(lanes * 100 + nodes)
    flow = graph.try_to_csr(
        nodes, rng.integers(0, nodes, (2 * nodes, 2)), node_data=graph.node_words(rng.integers(0, 5, nodes))
    )
    sources = rng.integers(0, nodes, lanes)
    assert graph.bfs(flow, sources, backend=backend).rows() == graph.bfs(flow, sources, backend="reference").rows()
    expected = np.zeros((lanes, -(-nodes // 32)), np.uint32)
    for _, node, _, index in graph.reachability(flow, sources, backend="reference").rows():
        expected[index, node // 32] |= np.uint32(1 << node % 32)
    assert np.array_equal(graph.visited(flow, sources, backend=backend), expected)


@pytest.mark.parametrize("backend", ALL)
def test_a_hundred_runs_give_the_same_bytes(backend: graph.Backend) -> None:
    rng = np.random.default_rng(5)
    flow = graph.try_to_csr(200, rng.integers(0, 200, (320, 2)), node_data=graph.node_words(rng.integers(0, 5, 200)))
    runs = {
        b"".join(column.tobytes() for column in (hits.source, hits.sink, hits.depth, hits.source_idx))
        for hits in (graph.bfs(flow, np.arange(0, 200, 3), backend=backend) for _ in range(100))
    }
    assert len(runs) == 1


@pytest.mark.parametrize("backend", ALL)
def test_reachability_tells_every_node_and_leaves_depths_out_if_asked(backend: graph.Backend) -> None:
    flow = build([SOURCE, SANITIZER, NORMAL, SINK], [(0, 1), (1, 2), (0, 3), (3, 0)])
    reached = graph.reachability(flow, [3, 1], backend=backend)
    assert reached.rows() == [(1, 1, 0, 1), (3, 0, 1, 0), (3, 1, 2, 0), (3, 3, 0, 0)]
    pairs = graph.reachability(flow, [3, 1], depth=False, backend=backend)
    assert np.array_equal(pairs.sink, reached.sink)
    assert np.array_equal(pairs.source_idx, reached.source_idx)


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([0, 7], r"sources\[1\] is 7, expected 0\.\.2"),
        ([-1], r"sources\[0\] is -1"),
        ([[0]], "one dimension"),
        ([0.5], "integers"),
    ],
)
def test_sources_outside_the_graph_are_refused(backend: graph.Backend, sources: object, message: str) -> None:
    with pytest.raises(graph.GraphError, match=message):
        graph.bfs(build([0, 0, 0], []), sources, backend=backend)  # type: ignore[arg-type]


def test_too_many_pairs_are_refused_before_anything_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = build([0, 0, 0], [])
    monkeypatch.setattr(search, "MAX_PAIRS", 8)
    with pytest.raises(graph.LimitError, match=r"source_count \* node_count: 9 needed, 8 available; give fewer"):
        graph.bfs(flow, [0, 1, 2])
    monkeypatch.setattr(search, "MAX_BITMAP", 4)
    with pytest.raises(graph.LimitError, match="bytes of the visited bitmap: 8 needed, 4 available"):
        graph.visited(flow, [0, 1])


def test_hits_that_do_not_fit_in_memory_are_refused_unless_a_limit_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyrograph.graph.hits.memory", lambda: 2 * 96 * 5)
    flow = build([NORMAL, *[SINK] * 9], [(0, u) for u in range(1, 10)])
    with pytest.raises(graph.LimitError, match="hits in memory: 9 needed, 5 available; set max_findings"):
        graph.bfs(flow, [0], backend="vectorised")


@pytest.mark.parametrize("backend", FAST)
def test_a_graph_that_no_kernel_has_room_for_is_refused(
    backend: graph.Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyrograph.graph.search.memory", lambda: 47)
    flow = build([NORMAL] * 3, [(0, 1)])
    for operation in (graph.bfs, graph.reachability, graph.visited):
        with pytest.raises(graph.LimitError, match="bytes to search the graph: 48 needed, 47 available") as refused:
            operation(flow, [0], backend=backend)
        assert (refused.value.resource, refused.value.need, refused.value.limit) == (
            "bytes to search the graph",
            48,
            47,
        )
    with pytest.raises(graph.LimitError, match="bytes to search the graph"):
        graph.fixpoint(flow, [0], graph.Masks(), backend=backend)


def test_more_nodes_or_edges_than_a_backend_can_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = build([NORMAL] * 3, [(0, 1), (1, 2)])
    monkeypatch.setattr("pyrograph.graph.csr.MAX_EDGES", 1)
    with pytest.raises(graph.LimitError, match="edges: 2 needed, 1 available; split the graph"):
        graph.bfs(flow, [0])
    monkeypatch.setattr("pyrograph.graph.csr.MAX_NODES", 2)
    with pytest.raises(graph.LimitError, match="nodes: 3 needed, 2 available; split the graph"):
        graph.reachability(flow, [0])
    with pytest.raises(graph.LimitError, match="nodes: 3 needed"):
        graph.to_csr(3, [])


@pytest.mark.skipif("numba" not in FAST, reason="needs numba")
def test_pairs_that_do_not_fit_in_memory_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyrograph.graph.closed.memory", lambda: 2 * 48 * 5)
    monkeypatch.setattr("pyrograph.graph.closed.PAIRS_AT_ONCE", 3)
    flow = build([NORMAL] * 4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    with pytest.raises(graph.LimitError, match="hits in memory: 8 needed, 5 available; set max_findings"):
        graph.reachability(flow, [0, 2], depth=False, backend="numba")
    some = graph.reachability(flow, [2, 0, 2], depth=False, max_findings=7, backend="numba")
    assert some.source.tolist() == [0] * 4 + [2] * 3
    assert some.sink.tolist() == [0, 1, 2, 3, 0, 0, 1]
    assert some.source_idx.tolist() == [1, 1, 1, 1, 0, 2, 0]
    assert (some.total, some.truncated) == (12, True)


def test_negative_limits_are_refused() -> None:
    flow = build([0], [])
    with pytest.raises(ValueError, match="max_depth is -1"):
        graph.bfs(flow, [0], max_depth=-1)
    with pytest.raises(ValueError, match="max_findings is -2"):
        graph.bfs(flow, [0], max_findings=-2)


def test_an_unknown_or_missing_backend_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = build([0], [])
    with pytest.raises(graph.BackendError, match="backend 'gpu' is unknown; choose from auto, host, reference"):
        graph.bfs(flow, [0], backend="gpu")  # type: ignore[arg-type]
    with pytest.raises(graph.BackendError, match="device 'tpu' is unknown"):
        graph.for_device("tpu")  # type: ignore[arg-type]
    without = {"reference", "vectorised"}.__contains__
    monkeypatch.setattr("pyrograph.kernels.installed", without)
    with pytest.raises(
        graph.BackendError,
        match=r"numba' cannot run here: it needs the package numba, .*pip install 'pyrograph-scan\[jit\]'",
    ):
        graph.bfs(flow, [0], backend="numba")
    with pytest.raises(graph.BackendError, match=r"pyrograph-scan\[cuda1[23]\]"):
        graph.for_device("cuda")
    monkeypatch.setattr("pyrograph.graph.backend.installed", without)
    assert graph.bfs(flow, [0], backend="auto").total == 0
