"""The two-layer graph with summaries finds what following calls and returns one by one finds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph import graph as engine
from pyrograph.ir.packed import DESCENDING, LAYERS
from pyrograph.policy.limits.search import MAX_NEAREST
from pyrograph.scanner.analysis import search as searching
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind, summarise
from pyrograph.scanner.analysis.assemble.summaries import _followed
from pyrograph.scanner.analysis.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.search import Hit, nearest, search

T = TypeVar("T")
BITS = 2
ALL = (1 << BITS) - 1


@dataclass(frozen=True)
class Edge:
    origin: int
    target: int
    context: Context
    site: int = -1
    mask: int = ALL
    assumed: bool = False


@dataclass(frozen=True)
class Small:
    """A small program: edges, sources and sinks (node, vulnerability)."""

    num_nodes: int
    edges: tuple[Edge, ...]
    sources: tuple[int, ...]
    sinks: tuple[tuple[int, int], ...]


Reaches = Callable[[Small, int, int, bool], set[int]]  # source, bit, assumed edges too -> nodes


class Choices:
    """Decisions that bytes make: a draw of Hypothesis for each took nine tenths of the time of a test."""

    def __init__(self, taken: bytes) -> None:
        self.bytes = iter(taken)

    def number(self, least: int, most: int) -> int:
        return least + next(self.bytes) % (most + 1 - least)

    def one(self, values: Sequence[T]) -> T:
        return values[self.number(0, len(values) - 1)]


@st.composite
def programs(draw: st.DrawFn, *, recursive: bool, longest: int = 4, steps: int = 8) -> Small:
    """A few functions of a few nodes; every edge inside a function, through a call site, or through the heap."""
    enough = 5 * steps + 160  # decisions
    chosen = Choices(draw(st.binary(min_size=enough, max_size=enough)))
    num_functions = chosen.number(1, 4)
    per_function = chosen.number(2, longest)
    nodes = num_functions * per_function

    def node(function: int) -> int:
        return function * per_function + chosen.number(0, per_function - 1)

    def mask() -> int:
        return chosen.one([ALL, ALL, ALL, 1, 2])

    edges: list[Edge] = []
    for _ in range(chosen.number(0, steps)):
        function = chosen.number(0, num_functions - 1)
        assumed = chosen.one([False, False, False, True])
        edges.append(Edge(node(function), node(function), Context.INTRA, mask=mask(), assumed=assumed))
    for site in range(chosen.number(0, 4)):
        caller = chosen.number(0, num_functions - 1)
        lowest = 0 if recursive else caller + 1
        for _ in range(chosen.number(1, 2)):  # a call may have several targets
            if lowest >= num_functions:
                break
            callee = chosen.number(lowest, num_functions - 1)
            for _ in range(chosen.number(1, 2)):
                edges.append(Edge(node(caller), node(callee), Context.CALL, site, mask()))
            for _ in range(chosen.number(0, 2)):
                edges.append(Edge(node(callee), node(caller), Context.RETURN, site, mask()))
    last = nodes - 1
    for _ in range(chosen.number(0, 2)):
        edges.append(Edge(chosen.number(0, last), chosen.number(0, last), Context.HEAP, mask=mask()))
    sources = {chosen.number(0, last): None for _ in range(chosen.number(1, 2))}
    sinks = {(chosen.number(0, last), chosen.number(0, BITS - 1)): None for _ in range(chosen.number(1, 3))}
    return Small(nodes, tuple(edges), tuple(sources), tuple(sinks))


def live(program: Small, bit: int, assumed: bool) -> Iterator[Edge]:
    return (e for e in program.edges if e.mask >> bit & 1 and (assumed or not e.assumed))


def by_call_stacks(program: Small, source: int, bit: int, assumed: bool, deepest: int = 4) -> set[int]:
    """Nodes reached by walking with a stack of open calls: a return closes the newest, or leaves the first function.

    Exact where no function calls itself; else all ways with at most ``deepest`` open calls.
    """
    edges = list(live(program, bit, assumed))
    start: tuple[int, tuple[int, ...]] = (source, ())
    seen = {start}
    queue = deque([start])
    while queue:
        node, stack = queue.popleft()
        for edge in edges:
            if edge.origin != node:
                continue
            if edge.context == Context.CALL:
                after = (*stack, edge.site)
                if len(after) > deepest:
                    continue
            elif edge.context == Context.RETURN:
                if stack and stack[-1] != edge.site:
                    continue
                after = stack[:-1]
            else:
                after = () if edge.context == Context.HEAP else stack
            if (edge.target, after) not in seen:
                seen.add((edge.target, after))
                queue.append((edge.target, after))
    return {node for node, _ in seen}


def by_grammar(program: Small, source: int, bit: int, assumed: bool) -> set[int]:
    """Nodes reached on ways whose calls and returns match like brackets: the grammar's rules, until nothing is new."""
    edges = list(live(program, bit, assumed))
    calls = [e for e in edges if e.context == Context.CALL]
    returns = [e for e in edges if e.context == Context.RETURN]
    matched, _ = brackets(program, edges)
    reached = {(source, False)}
    before = -1
    while before != len(reached):
        before = len(reached)
        reached |= {(w, entered) for u, entered in reached for v, w in matched if u == v}
        reached |= {(e.target, True) for e in calls for entered in (False, True) if (e.origin, entered) in reached}
        reached |= {(e.target, False) for e in returns if (e.origin, False) in reached}
        heap = (e for e in edges if e.context == Context.HEAP)
        reached |= {(e.target, False) for e in heap if {(e.origin, False), (e.origin, True)} & reached}
    return {node for node, _ in reached}


def brackets(program: Small, edges: Sequence[Edge]) -> tuple[set[tuple[int, int]], set[tuple[int, int, int]]]:
    """(from, to) of ways inside a function, calls passed as a whole; (argument, result, site) of these calls."""
    matched = {(u, u) for u in range(program.num_nodes)}
    calls = [e for e in edges if e.context == Context.CALL]
    returns = [e for e in edges if e.context == Context.RETURN]
    passed: set[tuple[int, int, int]] = set()
    before = -1
    while before != len(matched):
        before = len(matched)
        passed |= {
            (c.origin, r.target, c.site)
            for c in calls
            for r in returns
            if c.site == r.site and (c.target, r.origin) in matched
        }
        steps = {(e.origin, e.target) for e in edges if e.context == Context.INTRA} | {(u, v) for u, v, _ in passed}
        matched |= {(u, w) for u, v in matched for x, w in steps if v == x}
    return matched, passed


def expected(program: Small, reaches: Reaches) -> set[tuple[int, int, bool]]:
    """(source role, sink role, assumed): with assumed steps only where a sink was not reached without."""
    plain = _hits(program, reaches, False)
    missed = set(range(len(program.sinks))) - {sink for _, sink in plain}
    further = {(source, sink) for source, sink in _hits(program, reaches, True) if sink in missed}
    return {(*hit, False) for hit in plain} | {(*hit, True) for hit in further}


def _hits(program: Small, reaches: Reaches, assumed: bool) -> set[tuple[int, int]]:
    return {
        (source_role, sink_role)
        for sink_role, (sink, bit) in enumerate(program.sinks)
        for source_role, source in enumerate(program.sources)
        if sink in reaches(program, source, bit, assumed)
    }


def found(program: Small) -> set[tuple[int, int, bool]]:
    return {(hit.source_role, hit.sink_role, hit.assumed) for hit in searched(program)[1]}


def searched(program: Small) -> tuple[FlowGraph, list[Hit]]:
    labels = Labels(("first", "second"))
    labels.sources = [SourceRole(node, "http", "s") for node in program.sources]
    labels.sinks = [SinkRole(node, bit, "t", 0, 0, 0, (), False) for node, bit in program.sinks]
    sinks: dict[int, list[int]] = {}
    for row, (node, _) in enumerate(program.sinks):
        sinks.setdefault(node, []).append(row)
    count = len(program.edges)
    origin, target, mask, context, site = columns(program)
    flow = FlowGraph(
        value=list(range(program.num_nodes)),
        access_path=[()] * program.num_nodes,
        origin=origin,
        target=target,
        mask=mask,
        context=context,
        site=site,
        assumed=np.array([e.assumed for e in program.edges], bool),
        kind=np.full(count, Kind.SAME, np.int32),
        key=np.full(count, -1, np.int32),
        sinks=sinks,
        sources={node: [row] for row, node in enumerate(program.sources)},
        bounds_reached=[],
    )
    return flow, search(flow, labels, backend="reference", max_depth=None)[0]


Ints = npt.NDArray[np.int32]


def columns(program: Small) -> tuple[Ints, Ints, npt.NDArray[np.int64], Ints, Ints]:
    """(origin, target, mask, context, site) of the edges."""
    return (
        np.array([e.origin for e in program.edges], np.int32),
        np.array([e.target for e in program.edges], np.int32),
        np.array([e.mask for e in program.edges], np.int64),
        np.array([e.context for e in program.edges], np.int32),
        np.array([e.site for e in program.edges], np.int32),
    )


@settings(max_examples=400)
@given(programs(recursive=True, longest=9, steps=40))
def test_summaries_are_the_calls_that_matched_brackets_pass(program: Small) -> None:
    found = summarise(*columns(program))
    rows = list(zip(found.origin.tolist(), found.target.tolist(), found.site.tolist(), strict=True))
    assert rows == sorted(set(rows))
    for bit in range(BITS):
        _, passed = brackets(program, list(live(program, bit, assumed=True)))
        assert {row for row, mask in zip(rows, found.mask.tolist(), strict=True) if mask >> bit & 1} == passed


@st.composite
def programs_with_rings(draw: st.DrawFn) -> Small:
    """A function whose nodes form a ring, with few edges into it and out of it.

    Node 0 is a formal and node 1 an exit. Its calls give the ring's nodes to a callee that ignores one argument and
    returns the other, or that has a result which depends on no argument.
    """
    used, ignored, returned, made = 2, 3, 4, 5  # two formals and two exits of the callee
    ring = list(range(6, 6 + draw(st.integers(2, 7))))
    last = ring[-1] + 2
    mask = st.sampled_from([ALL, ALL, ALL, 1])
    edges = [Edge(u, v, Context.INTRA) for u, v in zip(ring, [*ring[1:], ring[0]], strict=True)]
    edges += [Edge(used, returned, Context.INTRA, mask=draw(mask))]
    inside = st.sampled_from([0, 1, *ring, *range(ring[-1] + 1, last)])
    for _ in range(draw(st.integers(0, 4))):
        edges.append(Edge(draw(inside), draw(inside), Context.INTRA, mask=draw(mask)))
    for site in range(draw(st.integers(1, 3))):
        for formal in (used, ignored):
            edges.append(Edge(draw(inside), formal, Context.CALL, site, draw(mask)))
        for exit_ in (returned, made):
            edges.append(Edge(exit_, draw(inside), Context.RETURN, site, draw(mask)))
    for site in (8, 9):  # somebody calls this function, and it may call itself
        caller = st.sampled_from([ring[0], last])
        edges += [Edge(draw(caller), 0, Context.CALL, site), Edge(1, draw(caller), Context.RETURN, site)]
    return Small(last + 1, tuple(edges), (0,), ((0, 0),))


@settings(max_examples=250)
@given(programs_with_rings())
def test_summaries_are_exact_where_nodes_form_rings(program: Small) -> None:
    found = summarise(*columns(program))
    rows = list(zip(found.origin.tolist(), found.target.tolist(), found.site.tolist(), strict=True))
    for bit in range(BITS):
        _, passed = brackets(program, list(live(program, bit, assumed=True)))
        assert {row for row, mask in zip(rows, found.mask.tolist(), strict=True) if mask >> bit & 1} == passed


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30))
def test_a_chain_ends_at_its_last_node_or_at_the_least_of_its_ring(after: list[int]) -> None:
    following = [node % len(after) for node in after]
    expected = []
    for node in range(len(following)):
        passed = [node]
        while following[passed[-1]] not in passed:
            passed.append(following[passed[-1]])
        expected.append(min(passed[passed.index(following[passed[-1]]) :]))
    found = _followed(len(following), np.arange(len(following)), np.array(following))
    assert found.tolist() == expected


@settings(max_examples=400)
@given(programs(recursive=False))
def test_the_search_finds_what_walking_with_a_call_stack_finds(program: Small) -> None:
    assert found(program) == expected(program, by_call_stacks)


@settings(max_examples=400)
@given(programs(recursive=True))
def test_with_recursion_the_search_finds_what_matched_brackets_allow(program: Small) -> None:
    assert found(program) == expected(program, by_grammar)


@settings(max_examples=300)
@given(programs(recursive=True))
def test_with_recursion_the_search_misses_no_walk_of_a_few_calls(program: Small) -> None:
    walks = _hits(program, by_call_stacks, True)
    assert walks <= {(source, sink) for source, sink, _ in found(program)} | _hits_without_assumed_are_enough(program)


def _hits_without_assumed_are_enough(program: Small) -> set[tuple[int, int]]:
    """Hits that need assumed steps at a sink that has one without: the search does not look for them."""
    plain = {sink for _, sink in _hits(program, by_grammar, False)}
    return {(source, sink) for source, sink in _hits(program, by_grammar, True) if sink in plain}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(0, 4)), unique_by=lambda row: row[:2]))
def test_the_nearest_sources_of_a_sink_are_kept(hits: list[tuple[int, int, int]]) -> None:
    kept = nearest(np.array(hits, np.int64).reshape(-1, 3).T, 2)
    expected = []
    for sink in sorted({sink for _, sink, _ in hits}):
        of_sink = sorted((depth, source) for source, each, depth in hits if each == sink)
        expected += [(source, sink, depth) for depth, source in of_sink[:2]]
    assert list(zip(*kept.tolist(), strict=True)) == expected


def complete(sources: int, sinks: int) -> Small:
    """Sources in a chain to one node, from which all sinks hang: the last source is the nearest."""
    middle = sources
    edges = [Edge(node, node + 1, Context.INTRA) for node in range(sources)]
    edges += [Edge(middle, middle + 1 + sink, Context.INTRA) for sink in range(sinks)]
    ends = tuple((middle + 1 + sink, 0) for sink in range(sinks))
    return Small(middle + 1 + sinks, tuple(edges), tuple(range(sources)), ends)


def test_where_there_are_too_many_hits_each_sink_keeps_its_nearest_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_HITS", 50)
    for pairs in (1 << 20, 30):  # at once, and some sources after the other
        monkeypatch.setattr(searching, "MAX_PAIRS", pairs)
        flow, hits = searched(complete(20, 10))
        assert {(hit.source_role, hit.sink_role) for hit in hits} == {
            (source, sink) for source in range(20 - MAX_NEAREST, 20) for sink in range(10)
        }
        assert flow.truncated_sinks == set(range(10))


def test_where_a_search_is_too_much_work_each_sink_keeps_its_nearest_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = searched(complete(20, 10))
    monkeypatch.setattr(searching, "MAX_SEARCH_WORK", 10)
    flow, hits = searched(complete(20, 10))
    first = 20 - MAX_NEAREST  # the sources before it are further away
    assert rows(hits) == [row for row in rows(whole) if row[0] >= first]
    assert flow.truncated_sinks == set(range(10))


def rows(hits: list[searching.Hit]) -> list[tuple[int, int, int]]:
    return [(hit.source_role, hit.sink_role, hit.depth) for hit in hits]


@st.composite
def graphs(draw: st.DrawFn) -> engine.Graph:
    """Up to twelve nodes, some of them sources, sinks, or both."""
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    roles = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=count, max_size=count))
    edges = draw(st.lists(st.tuples(node, node), max_size=30))
    return engine.to_csr(count, edges, node_data=engine.node_words(roles)).graph


@settings(max_examples=300)
@given(graphs(), st.sampled_from([None, 0, 1, 3]), st.sampled_from([1, 100]))
def test_a_search_backwards_finds_the_same(graph: engine.Graph, depth: int | None, room: int) -> None:
    ones = np.ones(graph.num_nodes, np.int64)
    part = searching._RoleCounts(graph, ones, ones)
    (forwards,) = searching._searched_as_one([part], "reference", depth, room)
    assert searching._searched_backwards(part, "reference", depth, room) == forwards


@settings(max_examples=200)
@given(graphs(), st.sampled_from([None, 1, 3]), st.sampled_from([1, 100]), st.integers(1, 4), st.sampled_from([0, 9]))
def test_a_search_in_parts_finds_the_same(
    graph: engine.Graph, depth: int | None, room: int, starts: int, ratio: int
) -> None:
    ones = np.ones(graph.num_nodes, np.int64)
    part = searching._RoleCounts(graph, ones, ones)
    (whole,) = searching._searched_as_one([part], "reference", depth, room)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(searching, "MAX_STARTS", starts)
        patched.setattr(searching, "BACKWARD_RATIO", ratio)  # 0: from the sinks; 9: mostly from the sources
        if len(searching._sources(graph)) and len(searching._sinks(graph)):
            assert searching._searched_in_parts(part, "reference", depth, room) == whole


def test_searching_some_sources_after_the_other_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = searched(complete(20, 10))
    monkeypatch.setattr(searching, "MAX_PAIRS", 30)
    flow, parts = searched(complete(20, 10))
    assert [(h.source_role, h.sink_role, h.depth) for h in whole] == [
        (h.source_role, h.sink_role, h.depth) for h in parts
    ]
    assert not flow.truncated_sinks


@st.composite
def found_pairs(draw: st.DrawFn) -> tuple[dict[int, list[int]], dict[int, list[int]], list[SourceRole], Any]:
    """Rows of sources and sinks by node, the roles of the sources, and pairs with depths in a graph of both layers."""
    node = st.integers(0, 3)
    roles = draw(st.lists(st.builds(source_role, harmless=st.integers(0, 1), entered=st.booleans()), max_size=5))
    sources: dict[int, list[int]] = {each: [] for each in range(4)}
    for row in range(len(roles)):
        for each in draw(st.sets(node, max_size=2)):
            sources[each].append(row)
    sinks = {each: [row] for row, each in enumerate(draw(st.lists(node, max_size=5)))}
    pair = st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2))
    pairs = sorted(draw(st.lists(pair, unique_by=lambda row: row[:2], max_size=20)))
    return sources, sinks, roles, pairs


def source_role(harmless: int, entered: bool) -> SourceRole:
    return SourceRole(0, "http", "", harmless=harmless, entered=entered)


@given(found_pairs())
def test_each_pair_of_roles_keeps_its_nearest_pair_of_nodes(drawn: Any) -> None:
    sources, sinks, roles, pairs = drawn
    best: dict[tuple[int, int], tuple[int, int, int]] = {}
    for source, sink, depth in pairs:
        for sink_row in sinks.get(sink // LAYERS, ()):
            for row in sources[source // LAYERS]:
                role = roles[row]
                if not role.harmless & 1 and role.entered == (source % LAYERS == DESCENDING):
                    best[row, sink_row] = min(best.get((row, sink_row), (9, 0, 0)), (depth, source, sink))
    columns: list[Any] = [list(each) for each in zip(*pairs, strict=True)] or [[], [], []]
    graph = engine.to_csr(8, []).graph
    projection: Any = SimpleNamespace(nodes=np.arange(8), graph=graph, bit=0, assumed=False)
    flow: Any = SimpleNamespace(sources=sources)
    labels: Any = SimpleNamespace(sources=roles, vulnerabilities=["one"])
    starting = searching._StartingRoles.of(flow, labels)
    found = searching._hits(starting, projection, sinks, searching.SearchResult(columns[0], columns[1], columns[2], []))
    assert [(hit.source_role, hit.sink_role) for hit in found] == sorted(best)
    assert [(hit.depth, hit.source, hit.sink) for hit in found] == [best[each] for each in sorted(best)]
