"""Pruning: which edges stay, against a definition that searches the whole program again for each level of calls."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.kernels import reference
from pyrograph.kernels.edgelists import NARROW
from pyrograph.scanner.analysis.assemble import pruning
from pyrograph.scanner.analysis.assemble.edges import Context
from pyrograph.scanner.analysis.assemble.pruning import inside_calls, matched
from pyrograph.scanner.analysis.assemble.summaries import Summaries, summarise

Edge = tuple[int, int, int, int]  # origin, target, context, site
MAX_NODES, SITES = 12, 4
CALL, RETURN, INTRA = int(Context.CALL), int(Context.RETURN), int(Context.INTRA)


def column(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, np.int32)


def columns(edges: list[Edge]) -> tuple[np.ndarray, ...]:
    return tuple(column([edge[i] for edge in edges]) for i in range(4))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[Edge]]:
    """Edges within procedures without a site, calls and returns with one; heap edges, too."""
    n = draw(st.integers(1, MAX_NODES))
    node = st.integers(0, n - 1)
    inside = st.tuples(node, node, st.sampled_from([Context.INTRA, Context.HEAP]), st.just(-1))
    across = st.tuples(node, node, st.sampled_from([Context.CALL, Context.RETURN]), st.integers(0, SITES - 1))
    return n, [(u, v, int(c), s) for u, v, c, s in draw(st.lists(inside | across, max_size=30))]


def slowly(edges: list[Edge], through: Summaries, crossed: set[int]) -> list[bool]:
    """The definition of ``inside_calls``: all is searched again until no further site is found."""
    summaries = list(zip(through.origin.tolist(), through.target.tolist(), through.site.tolist(), strict=True))
    level = [(u, v) for u, v, context, _ in edges if context == Context.INTRA]
    sites, before = set(crossed), -1
    passed: set[int] = set()
    while before != len(sites):  # grows until it has all
        before = len(sites)
        entered = [v for _, v, context, site in edges if context == Context.CALL and site in sites]
        left = [u for u, _, context, site in edges if context == Context.RETURN and site in sites]
        passed = reference.chop(level + [(u, v) for u, v, _ in summaries], entered, left)
        sites |= {site for u, v, site in summaries if {u, v} <= passed}
    return [
        {u, v} <= passed if context == Context.INTRA else context != Context.HEAP and site in sites
        for u, v, context, site in edges
    ]


@settings(max_examples=200, deadline=None)
@given(graphs(), st.data())
def test_the_edges_inside_calls_are_those_of_the_definition(graph: tuple[int, list[Edge]], data: st.DataObject) -> None:
    n, edges = graph
    u, v, context, site = columns(edges)
    if not edges:
        return
    through = summarise(u, v, np.ones(len(edges), np.int64), context, site)
    known = sorted(set(through.site.tolist()))
    crossed = data.draw(st.sets(st.sampled_from(known))) if known else set()
    with mock.patch.object(pruning, "NARROW", data.draw(st.sampled_from([-1, 1, NARROW]))):
        found = inside_calls(n, u, v, context, site, through, column(sorted(crossed)))
    assert found.tolist() == slowly(edges, through, crossed)


def test_a_site_is_found_when_its_result_is_reached_after_its_argument() -> None:
    # 1, where site 0 enters, reaches the argument of site 2 at once, whose result only reaches the exit of site 1.
    edges = [(0, 1, CALL, 0), (5, 6, RETURN, 0), (1, 2, INTRA, -1), (3, 5, INTRA, -1), (1, 7, INTRA, -1)]
    edges += [(8, 9, INTRA, -1), (2, 10, CALL, 1), (9, 3, RETURN, 1), (7, 11, CALL, 2), (11, 8, RETURN, 2)]
    through = Summaries(column([0, 2, 7]), column([6, 3, 8]), column([0, 1, 2]), np.ones(3, np.int64))
    u, v, context, site = columns(edges)
    for narrow in (-1, NARROW):
        with mock.patch.object(pruning, "NARROW", narrow):
            found = inside_calls(12, u, v, context, site, through, column([0])).tolist()
        assert found == slowly(edges, through, {0})
        assert found[-2:] == [True, True]


def kept(edges: list[Edge], source: int, sink: int) -> list[Edge]:
    u, v, context, site = columns(edges)
    found = matched(MAX_NODES, u, v, context, site, column([source]), column([sink]))
    return [edge for edge, stays in zip(edges, found.tolist(), strict=True) if stays]


def test_a_call_returns_to_the_site_that_made_it() -> None:
    # f(x) is called with the source at site 0 and with a constant at site 1; only 1's result reaches the sink.
    edges = [(0, 2, CALL, 0), (1, 2, CALL, 1), (2, 3, INTRA, -1), (3, 4, RETURN, 0), (3, 5, RETURN, 1)]
    assert kept(edges, source=0, sink=5) == []
    assert kept(edges, source=0, sink=4) == [edges[0], edges[2], edges[3]]


def test_paths_inside_nested_calls_stay() -> None:
    # f calls g: the summary of the outer call stands for a path that crosses the summary of the inner one.
    outer = [(0, 1, CALL, 0), (4, 5, RETURN, 0)]
    inner = [(1, 2, CALL, 1), (2, 3, INTRA, -1), (3, 4, RETURN, 1)]
    assert kept([*outer, *inner], source=0, sink=5) == [*outer, *inner]


def test_a_dead_end_inside_a_callee_is_left_out() -> None:
    edges = [(0, 1, CALL, 0), (1, 2, INTRA, -1), (2, 3, RETURN, 0), (1, 6, INTRA, -1), (7, 2, INTRA, -1)]
    assert kept(edges, source=0, sink=3) == edges[:3]


def test_no_edges_are_no_edges() -> None:
    assert kept([], source=0, sink=1) == []
