"""Searches over edge lists give what their definitions in ``reference`` give."""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.strategies import edge_lists

from pyrograph import graph
from pyrograph.kernels import edgelists, reference

BITS = 4
SIZES = st.integers(1, 40)


def columns(rows: Sequence[tuple[int, ...]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(-1, width).T


def nodes(found: np.ndarray) -> set[int]:
    return set(np.flatnonzero(found).tolist())


@settings(max_examples=300)
@given(st.data())
def test_reached_and_chop_are_those_of_the_reference(data: st.DataObject) -> None:
    n = data.draw(SIZES)
    edges = data.draw(edge_lists(n))
    starts, ends = (data.draw(st.lists(st.integers(0, n - 1), max_size=3)) for _ in range(2))
    origin, target = columns(edges, 2)
    assert nodes(graph.reached(n, origin, target, np.array(starts, np.int64))) == reference.reached(edges, starts)
    found = graph.chop(n, origin, target, np.array(starts, np.int64), np.array(ends, np.int64))
    assert nodes(found) == reference.chop(edges, starts, ends)


@settings(max_examples=300)
@given(st.data())
def test_reached_bits_are_those_of_the_reference(data: st.DataObject) -> None:
    n = data.draw(SIZES)
    word = st.integers(0, (1 << BITS) - 1)
    rows = [(*edge, data.draw(word)) for edge in data.draw(edge_lists(n))]
    words = data.draw(st.lists(word, min_size=n, max_size=n))
    origin, target, passing = columns(rows, 3)
    found = graph.reached_bits(n, origin, target, passing, np.array(words, np.int64))
    assert found.tolist() == reference.reached_bits(rows, words)


@settings(max_examples=300)
@given(st.data(), st.integers(1, 3), st.sampled_from([None, 0, 1, 3]))
def test_the_nearest_sources_are_those_of_the_reference(data: st.DataObject, count: int, depth: int | None) -> None:
    n = data.draw(SIZES)
    flow = graph.to_csr(n, data.draw(edge_lists(n))).graph
    sources = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=8))
    *found, is_cut = graph.nearest_sources(
        flow.offsets, flow.targets, np.array(sources, np.int64), count, max_depth=depth
    )
    rows, expected = reference.nearest_sources(
        flow.offsets.tolist(), flow.targets.tolist(), sources, count, max_depth=depth
    )
    assert list(zip(*(column.tolist() for column in found), strict=True)) == rows
    if depth is None:
        assert is_cut.tolist() == expected


@settings(max_examples=300)
@given(st.data())
def test_seeds_that_come_one_after_the_other_reach_what_they_reach_together(data: st.DataObject) -> None:
    n = data.draw(SIZES)
    edges = data.draw(edge_lists(n))
    parts = data.draw(st.lists(st.lists(st.integers(0, n - 1), max_size=3), max_size=4))
    search = graph.Reached(n, *columns(edges, 2))
    given_so_far: list[int] = []
    for part in parts:
        before = nodes(search.seen)
        fresh = search.add(np.array(part, np.int64)).tolist()
        given_so_far += part
        assert nodes(search.seen) == reference.reached(edges, given_so_far)
        assert sorted(fresh) == sorted(nodes(search.seen) - before)


@settings(max_examples=300)
@given(st.data())
def test_a_search_that_begins_anew_knows_nothing_of_the_others(data: st.DataObject) -> None:
    n = data.draw(SIZES)
    edges = data.draw(edge_lists(n))
    first, second = (data.draw(st.lists(st.integers(0, n - 1), max_size=3)) for _ in range(2))
    search = graph.Reached(n, *columns(edges, 2))
    search.add(np.array(first, np.int64))
    other = search.anew()
    other.add(np.array(second, np.int64))
    assert nodes(search.seen) == reference.reached(edges, first)
    assert nodes(other.seen) == reference.reached(edges, second)


@settings(max_examples=300)
@given(st.data())
def test_narrow_levels_give_the_nodes_in_the_order_of_wide_ones(data: st.DataObject) -> None:
    n = data.draw(SIZES)
    origin, target = columns(data.draw(edge_lists(n)), 2)
    seeds = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=4)), np.int64)
    found = []
    for narrow in (-1, 2, 8):
        with mock.patch.object(edgelists, "NARROW", narrow):
            found.append(graph.Reached(n, origin, target).add(seeds).tolist())
    assert found[0] == found[1] == found[2]


@settings(max_examples=300)
@given(st.data(), st.sampled_from([-1, 2, 8]))
def test_few_seeds_reach_what_they_reach_in_any_width(data: st.DataObject, narrow: int) -> None:
    n = data.draw(SIZES)
    edges = data.draw(edge_lists(n))
    parts = data.draw(st.lists(st.lists(st.integers(0, n - 1), max_size=4), max_size=4))
    few, many = (graph.Reached(n, *columns(edges, 2)) for _ in range(2))
    with mock.patch.object(edgelists, "NARROW", narrow):
        for part in parts:
            assert sorted(few.add_few(part)) == sorted(many.add(np.array(part, np.int64)).tolist())
            assert few.seen.tolist() == many.seen.tolist()


@settings(max_examples=300)
@given(st.data(), st.sampled_from([-1, 2, 100]))
def test_bits_are_the_same_in_any_width(data: st.DataObject, narrow: int) -> None:
    n = data.draw(SIZES)
    word = st.integers(-1, (1 << BITS) - 1)
    rows = [(*edge, data.draw(word)) for edge in data.draw(edge_lists(n))]
    words = data.draw(st.lists(word, min_size=n, max_size=n))
    origin, target, passing = columns(rows, 3)
    with mock.patch.object(edgelists, "NARROW", narrow):
        found = graph.reached_bits(n, origin, target, passing, np.array(words, np.int64))
    assert found.tolist() == reference.reached_bits(rows, words)


def test_a_chain_takes_no_calls_of_numpy_for_each_level() -> None:
    n = 1_000
    origin, target = np.arange(n - 1), np.arange(1, n)
    paths = graph.Paths(graph.to_csr(n, list(zip(origin.tolist(), target.tolist(), strict=True))).graph)
    with mock.patch.object(np, "cumsum", side_effect=np.cumsum) as levels:
        words = np.array([1] + [0] * (n - 1))
        assert graph.reached_bits(n, origin, target, np.ones(n - 1, np.int64), words).all()
        assert sorted(graph.Reached(n, origin, target).add_few([0])) == list(range(n))
        assert paths.edges(0, n - 1) == list(range(n - 1))
    assert levels.call_count < 10
