"""What some seed reaches: by levels, for one thing and for many at once, as by walking."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.scanner.analysis.reach import between, reached, spread

BITS = 4
NODES = st.integers(1, 12)


def walked(edges: list[tuple[int, int]], seeds: set[int]) -> set[int]:
    found = set(seeds)
    before = -1
    while before != len(found):
        before = len(found)
        found |= {v for u, v in edges if u in found}
    return found


@given(st.data())
def test_words_spread_as_each_of_their_bits_does(data: st.DataObject) -> None:
    num_nodes = data.draw(NODES)
    node, word = st.integers(0, num_nodes - 1), st.integers(0, (1 << BITS) - 1)
    rows = data.draw(st.lists(st.tuples(node, node, word), max_size=40))
    words = data.draw(st.lists(word, min_size=num_nodes, max_size=num_nodes))
    origin, target, passing = np.array(rows, np.int64).reshape(-1, 3).T
    found = spread(num_nodes, origin, target, passing, np.array(words, np.int64))
    for bit in range(BITS):
        edges = [(u, v) for u, v, mask in rows if mask >> bit & 1]
        expected = walked(edges, {u for u, mask in enumerate(words) if mask >> bit & 1})
        assert set(np.flatnonzero(found >> bit & 1).tolist()) == expected


@given(st.data())
def test_what_lies_between_is_reached_and_reaches(data: st.DataObject) -> None:
    num_nodes = data.draw(NODES)
    node = st.integers(0, num_nodes - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=30))
    starts, ends = (np.array(data.draw(st.lists(node, max_size=3)), np.int64) for _ in range(2))
    origin, target = np.array(edges, np.int64).reshape(-1, 2).T
    after = walked(edges, set(starts.tolist()))
    assert set(np.flatnonzero(reached(num_nodes, origin, target, starts)).tolist()) == after
    found = between(num_nodes, origin, target, starts, ends)
    before = walked([(v, u) for u, v in edges], set(ends.tolist()))
    assert set(np.flatnonzero(found).tolist()) == after & before
