"""CSR graphs: what building does, and what validation says about each broken promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph import graph
from pyrograph.graph.csr import MAX_NODES

SOUND = {
    "offsets": np.array([0, 2, 2, 3], np.int64),
    "targets": np.array([1, 2, 0], np.uint32),
    "node_data": np.array([1, 0, 2], np.uint32) << 16,
    "edge_data": np.array([1, 2, 3], np.uint64),
}

BROKEN = [
    ({"offsets": np.array([0, 2, 3], np.int64)}, "offsets has 3 entries for 3 nodes"),
    ({"offsets": np.array([1, 2, 2, 3], np.int64)}, "offsets[0] is 1, expected 0"),
    ({"offsets": np.array([0, 2, 1, 3], np.int64)}, "offsets[2] is 1, expected at least 2 (offsets[1])"),
    ({"offsets": np.array([0, -1, 2, 3], np.int64)}, "offsets[1] is -1, expected at least 0"),
    ({"offsets": np.array([0, 2, 2, 4], np.int64)}, "offsets[3] is 4, expected 3, the length of targets"),
    ({"offsets": np.array([0, 2, 2, 3], np.int32)}, "offsets has shape (4,) and type int32, expected a one-dim"),
    ({"targets": np.array([1, 3, 0], np.uint32)}, "targets[1] is 3, expected a node id in 0..2 (3 nodes)"),
    ({"targets": np.array([[1, 2, 0]], np.uint32)}, "targets has shape (1, 3)"),
    ({"targets": [1, 2, 0]}, "targets is a list, expected"),
    (
        {"targets": np.array([1, 9, 2, 9, 0, 9], np.uint32)[::2]},
        "targets has shape (3,) and type uint32, not contiguous",
    ),
    ({"node_data": np.array([0, 5, 0], np.uint32) << 16}, "node_data[1] has role 5 in bits 16..23, expected 0..4"),
    ({"edge_data": np.array([1], np.uint64)}, "edge_data has 1 entries, expected 3: one per entry of targets"),
    ({"edge_data": np.array([1.0, 2.0, 3.0])}, "edge_data has shape (3,) and type float64"),
]


def test_a_sound_graph_has_no_problems() -> None:
    graph.Graph(**SOUND).validate()  # type: ignore[arg-type]


@pytest.mark.parametrize(("change", "message"), BROKEN, ids=[message[:30] for _, message in BROKEN])
def test_each_broken_promise_is_named_with_its_place_and_range(change: dict[str, object], message: str) -> None:
    broken = graph.Graph(**{**SOUND, **change})  # type: ignore[arg-type]
    with pytest.raises(graph.GraphError) as error:
        broken.validate()
    assert message in str(error.value)


def test_several_broken_promises_are_told_together() -> None:
    broken = graph.Graph(
        np.array([1, 0, 7], np.int64), np.array([5], np.uint32), np.array([9 << 16, 0], np.uint32), None
    )
    assert len(broken.problems()) == 5


@pytest.mark.parametrize("backend", ["auto", "reference", "vectorised"])
def test_no_operation_runs_on_a_broken_graph(backend: graph.Backend) -> None:
    broken = graph.Graph(np.array([0, 1], np.int64), np.array([4], np.uint32), np.zeros(1, np.uint32))
    for operation in (graph.bfs, graph.reachability, graph.visited):
        with pytest.raises(graph.GraphError, match=r"targets\[0\] is 4"):
            operation(broken, [0], backend=backend)
    with pytest.raises(graph.GraphError, match=r"targets\[0\] is 4"):
        graph.fixpoint(broken, [0], graph.Reach(), backend=backend)
    with pytest.raises(graph.GraphError, match=r"targets\[0\] is 4"):
        graph.parents(broken, 0)


def test_to_csr_leaves_invalid_edges_out_and_counts_them() -> None:
    edges = [(0, 1), (0, 3), (-1, 0), (2, 0), (7, 7)]
    built, omitted = graph.to_csr(3, edges, edge_data=[10, 11, 12, 13, 14])
    assert omitted == 3
    assert built.offsets.tolist() == [0, 1, 1, 2]
    assert built.targets.tolist() == [1, 0]
    assert built.edge_data is not None
    assert built.edge_data.tolist() == [10, 13]


def test_try_to_csr_refuses_what_to_csr_leaves_out() -> None:
    with pytest.raises(
        graph.GraphError, match=r"edges\[1\] is \(0, 3\), expected both ends in 0\.\.2 \(2 such edges\)"
    ):
        graph.try_to_csr(3, [(0, 1), (0, 3), (-1, 0)])
    huge = np.array([[0, 2**64 - 1]], np.uint64)
    with pytest.raises(graph.GraphError, match=r"edges\[0\]"):
        graph.try_to_csr(3, huge)


@pytest.mark.parametrize("edges", [[(0, 1, 2)], [0, 1], [(0.5, 1.0)]])
def test_edges_that_are_no_pairs_of_integers_are_refused(edges: object) -> None:
    with pytest.raises(graph.GraphError, match="edges has shape"):
        graph.to_csr(3, edges)  # type: ignore[arg-type]


def test_words_for_edges_that_do_not_match_them_are_refused() -> None:
    with pytest.raises(graph.GraphError, match="edge_data has shape"):
        graph.to_csr(3, [(0, 1)], edge_data=[1, 2])


def test_more_nodes_than_can_be_numbered_are_refused_before_anything_is_allocated() -> None:
    with pytest.raises(graph.LimitError, match="nodes: 2,147,483,648 needed") as error:
        graph.to_csr(MAX_NODES + 1, [])
    assert (error.value.resource, error.value.need, error.value.limit) == ("nodes", MAX_NODES + 1, MAX_NODES)


def test_roles_and_metadata_share_a_word_without_touching() -> None:
    data = graph.node_words([0, 1, 2, 3, 4], metadata=[0xFF00FFFF] * 5)
    assert graph.to_csr(5, [], node_data=data).graph.roles().tolist() == [0, 1, 2, 3, 4]
    assert (data & ~np.uint32(graph.ROLE_MASK)).tolist() == [0xFF00FFFF] * 5
    with pytest.raises(graph.GraphError, match=r"bits 16\.\.23"):
        graph.node_words([0], metadata=1 << graph.ROLE_SHIFT)
    with pytest.raises(graph.GraphError, match=r"roles\[1\] is 5"):
        graph.node_words([0, 5])


@settings(deadline=None)
@given(
    st.integers(0, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(-2, 11), st.integers(-2, 11))))
    )
)
def test_to_csr_keeps_exactly_the_valid_edges_in_order(case: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = case
    built, omitted = graph.to_csr(n, edges, edge_data=range(len(edges)))
    valid = sorted((u, v, i) for i, (u, v) in enumerate(edges) if 0 <= u < n and 0 <= v < n)
    assert omitted == len(edges) - len(valid)
    sources = np.repeat(np.arange(n), np.diff(built.offsets)).tolist()
    assert built.edge_data is not None
    assert list(zip(sources, built.targets.tolist(), built.edge_data.tolist(), strict=True)) == valid
    assert graph.to_csr(n, edges).graph.targets.tolist() == built.targets.tolist()
    built.validate()
