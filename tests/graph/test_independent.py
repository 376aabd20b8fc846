"""An oracle that shares no code with the engine: shortest paths of networkx, on every shape of graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.graph.strategies import BITS, DEPTHS, graphs, lanes, masks

from pyrograph import graph

networkx = pytest.importorskip("networkx")
COMPARE = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
ALL_BITS = 2**BITS - 1


def lengths(flow: graph.Graph, source: int, closed: set[int], used: np.ndarray, depth: int | None) -> dict[int, int]:
    """Fewest edges from ``source`` to each node over ``used`` edges, none of which leaves a ``closed`` node."""
    seen = networkx.MultiDiGraph()
    seen.add_nodes_from(range(flow.num_nodes))
    for node in range(flow.num_nodes):
        for edge in range(flow.offsets[node], flow.offsets[node + 1]):
            if used[edge] and node not in closed:
                seen.add_edge(node, int(flow.targets[edge]))
    found: dict[int, int] = networkx.single_source_shortest_path_length(seen, source, cutoff=depth)
    return found


@COMPARE
@given(data=st.data())
def test_searches_find_the_shortest_paths_of_networkx(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs())
    sources, depth = data.draw(lanes(flow))[:12], data.draw(DEPTHS)
    roles = flow.roles()
    sanitizers = set(np.flatnonzero(roles == graph.Role.SANITIZER).tolist())
    everything = np.ones(flow.num_edges, np.bool_)
    reached, hits = [], []
    for index, source in enumerate(sources):
        for node, length in lengths(flow, source, sanitizers, everything, depth).items():
            reached.append((source, node, length, index))
            if roles[node] == graph.Role.SOURCE_AND_SINK or (roles[node] == graph.Role.SINK and length > 0):
                hits.append((source, node, length, index))
    assert graph.bfs(flow, sources, max_depth=depth, backend=backend).rows() == sorted(hits)
    assert graph.reachability(flow, sources, max_depth=depth, backend=backend).rows() == sorted(reached)


@COMPARE
@given(data=st.data())
def test_every_bit_of_a_fact_takes_the_shortest_path_of_networkx(backend: graph.Backend, data: st.DataObject) -> None:
    flow = data.draw(graphs(max_nodes=20))
    seeds, depth = data.draw(lanes(flow))[:5], data.draw(DEPTHS)
    rule = data.draw(masks(flow))
    roles = flow.roles()
    assert flow.edge_data is not None
    whole = np.full(flow.num_nodes, ALL_BITS, np.uint64)
    leaves = whole if rule.node_masks is None else rule.node_masks
    accepts = leaves & (whole if rule.sink_masks is None else rule.sink_masks)
    expected = []
    for bit in range(BITS):
        one = np.uint64(1 << bit)
        closed = set(np.flatnonzero((roles == graph.Role.SANITIZER) | (leaves & one == 0)).tolist())
        for index, seed in enumerate(seeds):
            for node, length in lengths(flow, seed, closed, flow.edge_data & one != 0, depth).items():
                is_hit = roles[node] == graph.Role.SOURCE_AND_SINK or (roles[node] == graph.Role.SINK and length > 0)
                if is_hit and accepts[node] & one:
                    expected.append((seed, node, length, index, bit))
    facts = graph.fixpoint(flow, seeds, rule, words=[ALL_BITS] * len(seeds), max_depth=depth, backend=backend)
    found = [(*row[:4], bit) for row in facts.rows() for bit in range(BITS) if row[4] >> bit & 1]
    assert sorted(found) == sorted(expected)
