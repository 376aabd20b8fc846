"""Searches of several vulnerabilities as one find what a search in the graph of each finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph import graph as engine
from pyrograph.scanner.analysis import joint_search
from pyrograph.scanner.analysis.joint_search import SinksOf, search_backwards

BITS = 3


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_each_vulnerability_has_the_hits_of_its_own_graph(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 9))
    node, mask = st.integers(0, n - 1), st.integers(0, (1 << BITS) - 1)
    words = st.lists(mask, min_size=n, max_size=n)
    nodes, starts, ends = (np.array(data.draw(words), np.int64) for _ in range(3))
    rows = sorted(data.draw(st.lists(st.tuples(node, node, mask), max_size=25)))
    origin, target, passing = (np.array([row[at] for row in rows], np.int64) for at in range(3))
    passing &= nodes[origin] & nodes[target]
    depth = data.draw(st.integers(1, n + 1))
    wanted = []
    expected = []
    for bit in range(BITS):
        own = np.flatnonzero(nodes >> bit & 1)
        sinks = np.flatnonzero(ends[own] >> bit & 1)
        wanted.append(SinksOf(bit, own, sinks))
        number = {each: place for place, each in enumerate(own.tolist())}
        edges = [(number[u], number[v]) for u, v, word in zip(origin, target, passing, strict=True) if word >> bit & 1]
        roles = np.zeros(len(own), np.int64)
        roles[sinks] = int(engine.Role.SINK)
        graph = engine.to_csr(len(own), edges, node_data=engine.node_words(roles)).graph
        sources = np.flatnonzero(starts[own] >> bit & 1)
        found = engine.bfs(graph, sources, max_depth=depth, backend="reference")
        hits = zip(found.source.tolist(), found.sink.tolist(), found.depth.tolist(), strict=True)
        expected.append(sorted(hits))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_search, "LANES", data.draw(st.sampled_from([1, 2, 64])))
        answers = search_backwards((nodes, starts), (origin, target, passing), wanted, depth)
    assert [list(map(tuple, hits.T.tolist())) for hits in answers] == expected


def test_nothing_is_wanted() -> None:
    none = np.zeros(0, np.int64)
    assert search_backwards((none, none), (none, none, none), [], 5) == []
    (hits,) = search_backwards((none, none), (none, none, none), [SinksOf(0, none, none)], 5)
    assert hits.shape == (3, 0)
