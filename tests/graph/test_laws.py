"""Laws that hold between questions, whatever the answers are: reversal, renumbering, more edges, more sanitizers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.graph.strategies import FAST, graphs, lanes

from pyrograph import graph
from pyrograph.graph import tree as tree_module
from pyrograph.kernels.edgelists import NARROW

LAW = settings(deadline=None, max_examples=50)


def pairs_of(flow: graph.Graph) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    origin = np.repeat(np.arange(flow.num_nodes), np.diff(flow.offsets))
    return np.column_stack([origin, flow.targets.astype(np.int64)])


def with_roles(flow: graph.Graph, roles: object) -> graph.Graph:
    return graph.try_to_csr(flow.num_nodes, pairs_of(flow), node_data=graph.node_words(roles))  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_reversing_the_graph_swaps_the_ends(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sanitizers = flow.roles() == graph.Role.SANITIZER
    sources = [node for node in set(data.draw(lanes(flow))) if not sanitizers[node]]
    sinks = np.flatnonzero(np.isin(flow.roles(), (2, 3))).tolist()
    back = np.where(sanitizers, 4, 0)
    back[sources] = 2
    backwards = graph.try_to_csr(flow.num_nodes, pairs_of(flow)[:, ::-1], node_data=graph.node_words(back))
    there = {row[:3] for row in graph.bfs(flow, sources, backend=backend).rows() if row[2]}
    again = {(sink, source, depth) for source, sink, depth, _ in graph.bfs(backwards, sinks, backend=backend).rows()}
    assert there == again


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_renumbering_nodes_renumbers_the_hits(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sources = data.draw(lanes(flow))
    new = np.array(data.draw(st.permutations(range(flow.num_nodes))), np.int64)
    roles = np.zeros(flow.num_nodes, np.int64)
    roles[new] = flow.roles()
    renumbered = graph.try_to_csr(flow.num_nodes, new[pairs_of(flow)], node_data=graph.node_words(roles))
    moved = {(int(new[s]), int(new[t]), d, i) for s, t, d, i in graph.bfs(flow, sources, backend=backend).rows()}
    assert set(graph.bfs(renumbered, [int(new[s]) for s in sources], backend=backend).rows()) == moved


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_lanes_do_not_see_each_other(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sources = data.draw(lanes(flow))
    order = data.draw(st.permutations(range(len(sources))))
    shuffled = graph.bfs(flow, [sources[i] for i in order], backend=backend).rows()
    whole = graph.bfs(flow, sources, backend=backend).rows()
    assert sorted((s, t, d, order[i]) for s, t, d, i in shuffled) == sorted(whole)
    for index in order[:2]:
        alone = graph.bfs(flow, [sources[index]], backend=backend).rows()
        assert [(s, t, d) for s, t, d, _ in alone] == [(s, t, d) for s, t, d, i in whole if i == index]


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_a_further_sanitizer_adds_no_hit_and_shortens_nothing(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs().filter(lambda flow: flow.num_nodes > 0))
    sources = data.draw(lanes(flow))
    roles = flow.roles().astype(np.int64)
    roles[data.draw(st.integers(0, flow.num_nodes - 1))] = graph.Role.SANITIZER
    before = {(t, i): d for _, t, d, i in graph.bfs(flow, sources, backend=backend).rows()}
    after = {(t, i): d for _, t, d, i in graph.bfs(with_roles(flow, roles), sources, backend=backend).rows()}
    assert all(key in before and before[key] <= depth for key, depth in after.items())


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_a_further_edge_removes_no_hit_and_lengthens_nothing(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs().filter(lambda flow: flow.num_nodes > 0))
    sources = data.draw(lanes(flow))
    node = st.integers(0, flow.num_nodes - 1)
    more = np.concatenate([pairs_of(flow), [[data.draw(node), data.draw(node)]]])
    larger = graph.try_to_csr(flow.num_nodes, more, node_data=flow.node_data)
    before = {(t, i): d for _, t, d, i in graph.bfs(flow, sources, backend=backend).rows()}
    after = {(t, i): d for _, t, d, i in graph.bfs(larger, sources, backend=backend).rows()}
    assert all(key in after and after[key] <= depth for key, depth in before.items())


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_depths_are_those_of_shortest_paths(backend: graph.Backend, data: st.DataObject) -> None:
    """Each reached node has a predecessor one level up, no edge skips a level, and no open edge leads out."""
    flow = data.draw(graphs())
    roles = flow.roles()
    found: dict[int, dict[int, int]] = {}
    for _, node, depth, index in graph.reachability(flow, data.draw(lanes(flow)), backend=backend).rows():
        found.setdefault(index, {})[node] = depth
    edges = [(u, v) for u, v in pairs_of(flow).tolist() if roles[u] != graph.Role.SANITIZER]
    for depth_of in found.values():
        assert list(depth_of.values()).count(0) == 1
        for u, v in edges:
            if u in depth_of:
                assert depth_of[v] <= depth_of[u] + 1
        for node, depth in depth_of.items():
            assert depth == 0 or any(v == node and depth_of.get(u) == depth - 1 for u, v in edges)


@LAW
@given(data=st.data())
def test_paths_are_the_canonical_shortest_ones(data: st.DataObject) -> None:
    from pyrograph.kernels import reference

    flow = data.draw(graphs())
    depth = data.draw(st.one_of(st.none(), st.integers(0, 4)))
    for source in set(data.draw(lanes(flow))):
        tree = graph.parents(flow, source, max_depth=depth)
        plain = (flow.offsets.tolist(), flow.targets.tolist(), flow.roles().tolist())
        expected = reference.parents(*plain, source, depth)
        assert dict(zip(tree.nodes.tolist(), tree.parent.tolist(), strict=True)) == expected
        assert dict(zip(tree.nodes.tolist(), tree.depth.tolist(), strict=True)) == reference.depths(
            *plain, source, depth
        )
        for node, length in zip(tree.nodes.tolist(), tree.depth.tolist(), strict=True):
            path = tree.path(node)
            assert (path[0], path[-1], len(path)) == (source, node, length + 1)


@LAW
@given(data=st.data())
def test_paths_of_many_sources_are_those_of_each(data: st.DataObject) -> None:
    flow = data.draw(graphs())
    trees = {source: graph.parents(flow, source) for source in data.draw(lanes(flow))}
    ends = [(source, node) for source, tree in trees.items() for node in tree.nodes.tolist()]
    paths = graph.Paths(flow)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree_module, "NARROW", data.draw(st.sampled_from([-1, 2, NARROW])))
        patch.setattr(tree_module, "WIDE", data.draw(st.sampled_from([0, 2, tree_module.WIDE])))
        for source, node in data.draw(st.lists(st.sampled_from(ends))) if ends else []:
            assert len(paths.edges(source, node)) == len(trees[source].path(node)) - 1
            if data.draw(st.booleans()):
                paths.forget()
    for source, tree in trees.items():
        for node in range(flow.num_nodes):
            if node not in tree.nodes:
                with pytest.raises(graph.GraphError, match=f"node {node} is not reached from {source}"):
                    paths.edges(source, node)
                continue
            edges, expected = paths.edges(source, node), tree.path(node)
            assert [source, *flow.targets[edges].tolist()] == expected
            for edge, u, v in zip(edges, expected, expected[1:], strict=False):
                parallel = range(int(flow.offsets[u]), int(flow.offsets[u + 1]))
                assert edge == min(each for each in parallel if flow.targets[each] == v)


@LAW
@given(data=st.data())
def test_a_path_that_avoids_edges_is_the_one_a_queue_finds_first(data: st.DataObject) -> None:
    flow = data.draw(graphs())
    assume(flow.num_nodes)
    source, sink = (data.draw(st.integers(0, flow.num_nodes - 1)) for _ in range(2))
    closed = np.array([data.draw(st.booleans()) for _ in flow.targets], bool)
    by: dict[int, list[int]] = {source: []}  # node -> edges of its path
    waiting = [source]
    for node in waiting:
        for edge in range(int(flow.offsets[node]), int(flow.offsets[node + 1])):
            target = int(flow.targets[edge])
            if not closed[edge] and target not in by:
                by[target] = [*by[node], edge]
                waiting.append(target)
    assert graph.path_avoiding(flow, source, sink, closed) == by.get(sink)


def test_a_path_that_avoids_edges_is_asked_for_between_nodes() -> None:
    flow = graph.to_csr(2, [(0, 1)]).graph
    with pytest.raises(graph.GraphError, match="expected nodes below 2"):
        graph.path_avoiding(flow, 0, 2, np.zeros(1, bool))
    with pytest.raises(graph.GraphError, match="one value for each edge"):
        graph.path_avoiding(flow, 0, 1, np.zeros(2, bool))


@LAW
@given(data=st.data())
def test_a_path_under_masks_exists_for_every_bit_that_arrives(data: st.DataObject) -> None:
    flow = data.draw(graphs())
    rule = graph.Masks(node_masks=np.array([data.draw(st.integers(0, 7)) for _ in range(flow.num_nodes)], np.uint64))
    assert flow.edge_data is not None
    assert rule.node_masks is not None
    origin = np.repeat(np.arange(flow.num_nodes), np.diff(flow.offsets)).tolist()
    through: dict[tuple[int, int], int] = {}
    for u, v, word in zip(origin, flow.targets.tolist(), flow.edge_data.tolist(), strict=True):
        through[u, v] = through.get((u, v), 0) | word
    seeds = data.draw(lanes(flow))[:5]
    for source, sink, depth, _, word in graph.fixpoint(flow, seeds, rule, words=[7] * len(seeds)).rows():
        for bit in range(3):
            if word >> bit & 1:
                path = graph.parents(flow, source, transfer=rule, bit=bit).path(sink)
                assert len(path) == depth + 1
                for u, v in itertools.pairwise(path):
                    assert through[u, v] >> bit & 1
                    assert int(rule.node_masks[u]) >> bit & 1


def test_a_path_to_what_is_not_reached_is_refused() -> None:
    flow = graph.try_to_csr(3, [(0, 1)])
    tree = graph.parents(flow, 0)
    with pytest.raises(graph.GraphError, match="node 2 is not reached from 0"):
        tree.path(2)
    with pytest.raises(graph.GraphError, match="bit is 64"):
        graph.parents(flow, 0, bit=64)
    with pytest.raises(graph.GraphError, match=r"source\[0\] is 3"):
        graph.parents(flow, 3)
    with pytest.raises(graph.GraphError, match="transfer is a function"):
        graph.parents(flow, 0, transfer=lambda *_: 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", FAST)
@LAW
@given(data=st.data())
def test_what_is_not_pruned_changes_no_answer(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sources = data.draw(lanes(flow))
    pruned, whole = (graph.bfs(flow, sources, backend=backend, prune=prune) for prune in (True, False))
    assert whole.rows() == pruned.rows()


def test_a_search_from_the_sink_goes_no_further_than_to_the_source() -> None:
    fan = [(0, 1), *((1, 2 + i) for i in range(100)), *((2 + i, 0) for i in range(100)), (2, 102)]
    paths = graph.Paths(graph.to_csr(103, fan).graph)
    assert len(paths.edges(0, 102)) == 3
    distances = paths._distances[102].edges
    assert {node: distance for node, distance in enumerate(distances.tolist()) if distance >= 0} == {
        102: 0,
        2: 1,
        1: 2,
        0: 3,
    }
    assert len(paths.edges(2, 102)) == 1
    assert len(paths.edges(50, 102)) == 4  # further than the first source
    assert paths.kept == 4 * 103
    paths.forget()
    assert paths.kept == 0
    for source, sink in ((103, 0), (0, 103), (-1, 0)):
        with pytest.raises(graph.GraphError, match=f"node {sink} is not reached from {source}"):
            paths.edges(source, sink)
