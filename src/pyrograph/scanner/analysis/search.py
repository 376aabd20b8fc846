"""The search: for each vulnerability, the sources that reach each sink in the two-layer graph.

Layer A means "no open call", layer D "inside a call that was entered". A call edge leads to D, which has no return
edges; a heap edge forgets the context and leads back to A. The first search omits assumed edges; the second has them,
for sinks that the first did not reach. The graph is projected per vulnerability, because a value may be clean for one
and a sink of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import ASCENDING, DESCENDING, FIRST_SUMMARY, LAYERS
from pyrograph.kernels.arrays import Grouped, Numbers, first_of_equals, order_of, some_set, stable_order
from pyrograph.policy.limits.search import (
    BACKWARD_RATIO,
    MAX_HITS,
    MAX_NEAREST,
    MAX_PAIRS,
    MAX_SEARCH_WORK,
    MAX_STARTS,
    SHARED_GRAPH,
    SHARED_SEARCH,
)
from pyrograph.scanner.analysis.assemble import FlowGraph, Kind, Summaries, summarise, two_layers
from pyrograph.scanner.analysis.joint_search import SinksOf, search_backwards
from pyrograph.scanner.analysis.label import Labels, SinkRole

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Projection:
    """The two-layer graph of one vulnerability: only nodes between its sources and sinks, renumbered."""

    graph: engine.Graph
    nodes: Longs  # (n,) ``LAYERS * node of the flow graph + layer``
    rows: Ints  # (m,) for each edge: row in FlowGraph, or FIRST_SUMMARY - row in the summaries
    summaries: Summaries
    bit: int
    assumed: bool  # whether it has assumed edges


@dataclass(frozen=True, slots=True)
class LayeredGraph:
    """The two-layer graph of all vulnerabilities; a mask has the vulnerabilities for which a node or edge is between a
    source and a sink. It has the nodes with such a mask alone, renumbered in order: a few of those that the flow graph
    has, so that what the searches look up fits into the processor's caches.
    """

    number: Longs  # (n,) ``LAYERS * node of the flow graph + layer``, ascending
    nodes: Longs  # (n,) mask of each node
    starts: Longs  # (n,) masks of sources; in layer D those that code outside the program passes
    ends: Longs  # (n,) masks of sinks; in both layers
    origin: Longs  # (m,) edges, sorted by origin, target and row
    target: Longs
    rows: Ints  # as in ``Projection``
    mask: Longs
    summaries: Summaries
    assumed: bool


class Hit(NamedTuple):
    """A source reaches a sink. A tuple, because there may be hundreds of thousands."""

    source: int  # node of the projection
    sink: int
    depth: int
    source_role: int  # row in labels.sources
    sink_role: int  # row in labels.sinks
    projection: Projection
    assumed: bool
    through: int = NONE  # the edge of the projection's graph that the path has to take: a call; NONE: any path


SINK_ROLE: Final = itemgetter(Hit._fields.index("sink_role"))  # of a hit, in C

Wanted = dict[int, dict[int, list[int]]]  # vulnerability -> node -> rows in labels.sinks


def search(
    flow: FlowGraph, labels: Labels, *, backend: engine.Backend, max_depth: int | None
) -> tuple[list[Hit], int, int]:
    """All hits, without assumed steps first; also the number of nodes and edges that were searched.

    Each (sink, source) pair occurs once for its vulnerability, at its smallest depth; order is that of ``graph.bfs``.
    Where there are more than ``MAX_HITS``, or finding all would take more than ``MAX_SEARCH_WORK``, each sink keeps its
    ``MAX_NEAREST`` nearest sources; sinks that have more are noted in ``flow.truncated_sinks``.
    """
    hits: list[Hit] = []
    nodes = edges = 0
    done: set[int] = set()
    first_bit = [labels.vulnerabilities.index(name) for name in labels.vulnerabilities]
    first_role = _first_roles(labels, first_bit)
    starting = _StartingRoles.of(flow, labels)
    for assumed in (False, True):
        if assumed and not flow.assumed.any():
            break
        wanted: Wanted = {}
        for node, rows in flow.sinks.items():
            for row in rows:
                if first_role[row] not in done:
                    wanted.setdefault(labels.sinks[row].vulnerability, {}).setdefault(node, []).append(row)
        layers = build_layers(flow, labels, wanted, assumed=assumed)
        ends = {
            bit: {(node, first_role[row]) for node, rows in sinks.items() for row in rows}
            for bit, sinks in wanted.items()
        }
        bits = [
            bit
            for bit in sorted(wanted)
            if not any(
                ends[bit] <= ends.get(earlier, set()) and _is_covered(layers, labels, bit, earlier)
                for earlier in range(first_bit[bit], bit)
            )
        ]
        parts = [part for bit in bits if (part := project(layers, bit)) is not None]
        nodes += sum(part.graph.num_nodes for part in parts)
        edges += sum(part.graph.num_edges for part in parts)
        room = max(0, MAX_HITS - len(hits))
        counted = [_RoleCounts.of(flow, part, wanted[part.bit]) for part in parts]
        known = _searched_together(layers, parts, max_depth) if backend in ("auto", "host") else {}
        ready = [known.get(part.bit) for part in parts]
        for projection, found in zip(parts, _searched(counted, ready, backend, max_depth, room), strict=True):
            hits += _hits(starting, projection, wanted[projection.bit], found)
            for sink in found.truncated:
                flow.truncated_sinks.update(wanted[projection.bit].get(int(projection.nodes[sink]) // LAYERS, ()))
        if not assumed:
            done = {first_role[row] for row in set(map(SINK_ROLE, hits))}
    return hits, nodes, edges


def _first_roles(labels: Labels, first_bit: Sequence[int]) -> list[int]:
    """Row of ``labels.sinks`` -> the first row that differs only by the aspect of the vulnerability."""
    known: dict[SinkRole, int] = {}
    found: list[int] = []
    for row, role in enumerate(labels.sinks):
        bit = first_bit[role.vulnerability]
        found.append(known.setdefault(role if bit == role.vulnerability else role._replace(vulnerability=bit), row))
    return found


def _is_covered(layers: LayeredGraph, labels: Labels, bit: int, earlier: int) -> bool:
    """Whether all paths of an aspect are paths of an earlier one of the same vulnerability, from the same sources."""
    both = 1 << earlier | 1 << bit
    if any(role.harmless & both == 1 << earlier for role in labels.sources):
        return False
    masks = (layers.mask, layers.nodes, layers.starts & layers.nodes, layers.ends & layers.nodes)
    return not any((_has(each, bit) & ~_has(each, earlier)).any() for each in masks)


def build_layers(flow: FlowGraph, labels: Labels, wanted: Wanted, *, assumed: bool) -> LayeredGraph:
    """Build the two-layer graph of all vulnerabilities, and compute for which of them each edge is on a path."""
    clean = labels.clean
    every = sum(1 << bit for bit in wanted)
    rows = np.flatnonzero(~flow.assumed | assumed)
    u, v = flow.origin[rows], flow.target[rows]
    words: dict[int, tuple[int, int]] = {}  # source -> its mask in each layer
    for node, roles in flow.sources.items():
        harmful = [0, 0]
        for role in roles:
            source = labels.sources[role]
            harmful[DESCENDING if source.entered else ASCENDING] |= ~source.harmless
        possible = every & ~clean.get(flow.value[node], 0)
        if possible & (harmful[0] | harmful[1]):
            words[node] = possible & harmful[ASCENDING], possible & harmful[DESCENDING]
    heads = np.array(sorted(words), np.int64)
    tails = np.array(sorted({node for sinks in wanted.values() for node in sinks}), np.int64)
    passed = engine.chop(len(flow.value), u, v, heads, tails)  # calls not matched
    rows = rows[passed[u] & passed[v]]
    chosen = np.flatnonzero(passed)
    place = np.empty(len(passed), np.int32)
    place[chosen] = np.arange(len(chosen))
    num = LAYERS * len(chosen)
    starts, ends = np.zeros(num, np.int64), np.zeros(num, np.int64)
    for node in heads[passed[heads]].tolist():
        for layer in (ASCENDING, DESCENDING):
            starts[LAYERS * int(place[node]) + layer] = words[node][layer]
    for bit, sinks in wanted.items():
        at = np.fromiter(sinks, np.int64, len(sinks))
        at = LAYERS * place[at[passed[at]]].astype(np.int64)
        ends[at + ASCENDING] |= 1 << bit
        ends[at + DESCENDING] |= 1 << bit
    u, v, context = place[flow.origin[rows]], place[flow.target[rows]], flow.context[rows]
    summaries = summarise(u, v, flow.mask[rows], context, flow.site[rows])
    origin, target, row = two_layers(u, v, context, summaries, rows=rows)
    through = row < 0
    mask = np.empty(len(row), np.int64)
    mask[through] = summaries.mask[FIRST_SUMMARY - row[through]]
    mask[~through] = flow.mask[row[~through]]
    arriving = engine.reached_bits(num, origin, target, mask, starts)
    mask &= arriving[origin]
    some = some_set(mask)
    origin, target, row, mask = origin[some], target[some], row[some], mask[some]
    nodes = engine.reached_bits(num, target, origin, mask, ends & arriving)
    mask &= nodes[target]
    kept = some_set(mask)
    kept = kept[order_of(origin[kept], target[kept], row[kept])]
    live = some_set(nodes)
    rank = np.empty(num, np.int64)
    rank[live] = np.arange(len(live))
    number = LAYERS * chosen[live // LAYERS] + live % LAYERS
    ends_of = rank[origin[kept]], rank[target[kept]]
    named = chosen.astype(np.int32)
    summaries = Summaries(named[summaries.origin], named[summaries.target], summaries.site, summaries.mask)
    masks = nodes[live], starts[live], ends[live]
    return LayeredGraph(number, *masks, *ends_of, row[kept].astype(np.int32), mask[kept], summaries, assumed)


def _has(masks: Longs, bit: int) -> npt.NDArray[np.bool_]:
    """Which of these masks have the bit."""
    found: npt.NDArray[np.bool_] = masks & (1 << bit) != 0
    return found


def project(layers: LayeredGraph, bit: int) -> Projection | None:
    """The two-layer graph of one vulnerability; None if no source reaches a sink."""
    nodes = np.flatnonzero(_has(layers.nodes, bit))
    if not len(nodes):
        return None
    number = np.empty(len(layers.nodes), np.uint32)
    number[nodes] = np.arange(len(nodes))
    edges = np.flatnonzero(_has(layers.mask, bit))
    starts, ends = layers.starts[nodes] >> bit & 1, layers.ends[nodes] >> bit & 1
    data = engine.node_words(starts * int(engine.Role.SOURCE) | ends * int(engine.Role.SINK))
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.bincount(number[layers.origin[edges]], minlength=len(nodes)), out=offsets[1:])
    graph = engine.Graph(offsets, number[layers.target[edges]], data)
    return Projection(graph, layers.number[nodes], layers.rows[edges], layers.summaries, bit, layers.assumed)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Pairs of source and sink of one graph: parallel lists, sorted by source, sink and depth."""

    sources: list[int]
    sinks: list[int]
    depths: list[int]
    truncated: list[int]  # sinks that more sources reach than are listed


@dataclass(frozen=True, slots=True)
class _RoleCounts:
    """A projection's graph, and the number of roles of each node."""

    graph: engine.Graph
    sources: Longs  # (nodes,) rows of labels.sources
    sinks: Longs  # (nodes,) rows of labels.sinks

    @classmethod
    def of(cls, flow: FlowGraph, projection: Projection, wanted: dict[int, list[int]]) -> _RoleCounts:
        roles = projection.graph.roles()
        nodes = projection.nodes // LAYERS
        sources, sinks = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
        for each in np.flatnonzero(roles & np.uint8(engine.Role.SOURCE)).tolist():
            sources[each] = len(flow.sources.get(int(nodes[each]), ()))
        for each in np.flatnonzero(roles & np.uint8(engine.Role.SINK)).tolist():
            sinks[each] = len(wanted.get(int(nodes[each]), ()))
        return cls(projection.graph, sources, sinks)

    def hits(self, source: Longs, sink: Longs) -> int:
        """The number of (source role, sink role) pairs of these pairs of nodes."""
        return int((self.sources[source] * self.sinks[sink]).sum())


def _searched_together(layers: LayeredGraph, parts: Sequence[Projection], max_depth: int | None) -> dict[int, Longs]:
    """By vulnerability, the hits of graphs that are searched backwards in the graph that they share."""
    chosen: list[Projection] = []
    pairs = 0
    for part in parts:
        graph = part.graph
        lanes, own = len(_sinks(graph)), _pairs(graph)
        if graph.num_edges < SHARED_GRAPH or lanes > len(_sources(graph)) or _work(graph) > MAX_SEARCH_WORK:
            continue
        if pairs + own <= MAX_PAIRS:
            chosen.append(part)
            pairs += own
    if len(chosen) < 2:
        return {}
    places = [np.flatnonzero(_has(layers.nodes, part.bit)) for part in chosen]
    wanted = [
        SinksOf(part.bit, nodes, _sinks(part.graph).astype(np.int64))
        for part, nodes in zip(chosen, places, strict=True)
    ]
    depth = len(layers.nodes) if max_depth is None else max_depth
    edges = layers.origin, layers.target, layers.mask
    found = search_backwards((layers.nodes, layers.starts), edges, wanted, depth)
    return {part.bit: hits for part, hits in zip(chosen, found, strict=True)}


def _searched(
    parts: Sequence[_RoleCounts],
    ready: Sequence[Longs | None],
    backend: engine.Backend,
    max_depth: int | None,
    room: int,
) -> Iterator[SearchResult]:
    """Search each graph; consecutive small graphs are searched as one.

    ``ready``: the hits of each graph, where they are known by now.
    ``room``: the number of hits in all up to which every hit is kept; then each sink keeps its nearest sources only.
    """
    first = 0
    while first < len(parts):  # ``first`` grows
        last, lanes, edges, pairs = first, 0, 0, 0
        while last < len(parts) and ready[last] is None:  # so does ``last``
            graph = parts[last].graph
            lanes += len(_sources(graph))
            edges += graph.num_edges
            pairs += _pairs(graph)
            if last > first and (lanes * edges > SHARED_SEARCH or pairs > MAX_PAIRS):
                break
            last += 1
        hits = ready[first]
        last = max(last, first + 1)  # one whose hits are known is alone
        chosen = parts[first:last]
        if hits is not None:
            answers: Iterable[SearchResult] = (_all_or_nearest(chosen[0], hits, room),)
        elif len(chosen) == 1 and _work(chosen[0].graph) > MAX_SEARCH_WORK:
            answers = (_searched_for_nearest(chosen[0], max_depth),)
        elif len(chosen) == 1 and lanes * edges > SHARED_SEARCH and _is_better_backwards(chosen[0].graph):
            answers = (_searched_backwards(chosen[0], backend, max_depth, room),)
        elif len(chosen) == 1 and _pairs(chosen[0].graph) > MAX_PAIRS:
            answers = (_searched_in_parts(chosen[0], backend, max_depth, room),)
        else:
            answers = _searched_as_one(chosen, backend, max_depth, room)
        for part, found in zip(chosen, answers, strict=True):
            room = max(0, room - part.hits(np.array(found.sources, np.int64), np.array(found.sinks, np.int64)))
            yield found
        first = last


def _work(graph: engine.Graph) -> int:
    """An upper bound on the edges that a search from each source, or backwards from each sink, follows."""
    return min(len(_sources(graph)), len(_sinks(graph))) * graph.num_edges


def _is_better_backwards(graph: engine.Graph) -> bool:
    return _has_few_sinks(graph) and _pairs(graph) <= MAX_PAIRS


def _has_few_sinks(graph: engine.Graph) -> bool:
    return len(_sources(graph)) >= BACKWARD_RATIO * len(_sinks(graph))


def _searched_backwards(part: _RoleCounts, backend: engine.Backend, max_depth: int | None, room: int) -> SearchResult:
    """The hits of one graph, found from its sinks over reversed edges."""
    result = engine.bfs(_turned(part.graph), _sinks(part.graph), max_depth=max_depth, backend=backend, prune=False)
    hits = np.stack([result.sink, result.source, result.depth]).astype(np.int64)
    return _all_or_nearest(part, hits[:, order_of(hits[0], hits[1], hits[2])], room)


def _turned(graph: engine.Graph) -> engine.Graph:
    """A graph with reversed edges, whose sources are the sinks of the other one."""
    order = stable_order(graph.targets)
    origins = np.repeat(np.arange(graph.num_nodes, dtype=np.uint32), np.diff(graph.offsets))
    offsets = np.zeros(graph.num_nodes + 1, np.int64)
    np.cumsum(np.bincount(graph.targets, minlength=graph.num_nodes), out=offsets[1:])
    roles = graph.roles().astype(np.int64)
    source, sink = int(engine.Role.SOURCE), int(engine.Role.SINK)
    turned: Longs = np.where(roles & source, sink, 0) + np.where(roles & sink, source, 0)
    return engine.Graph(offsets, origins[order], engine.node_words(turned))


def _searched_for_nearest(part: _RoleCounts, max_depth: int | None) -> SearchResult:
    """The ``MAX_NEAREST`` nearest sources of each sink, ties by the source's number."""
    graph = part.graph
    sources = _sources(graph)
    source, node, depth, is_cut = engine.nearest_sources(
        graph.offsets, graph.targets, sources, MAX_NEAREST, max_depth=max_depth
    )
    is_sink = np.zeros(graph.num_nodes, bool)
    is_sink[_sinks(graph)] = True
    hit = np.flatnonzero(is_sink[node])
    hit = hit[np.lexsort((depth[hit], node[hit], source[hit]))]
    return SearchResult(
        source[hit].tolist(), node[hit].tolist(), depth[hit].tolist(), np.flatnonzero(is_sink & is_cut).tolist()
    )


def _pairs(graph: engine.Graph) -> int:
    """An upper bound on the number of hits."""
    return len(_sources(graph)) * len(_sinks(graph))


def _searched_in_parts(part: _RoleCounts, backend: engine.Backend, max_depth: int | None, room: int) -> SearchResult:
    """The hits of one graph with too many pairs, searched from a part of its sources, or of its sinks, at a time.

    If more than ``room`` hits are found, each sink keeps its nearest sources only. Memory is bounded by ``room`` and
    ``MAX_PAIRS``, and so is the time that a search takes whose hits are not kept, by ``MAX_STARTS``.
    """
    graph = part.graph
    is_turned = _has_few_sinks(graph)
    searched, starts = (_turned(graph), _sinks(graph)) if is_turned else (graph, _sources(graph))
    step = max(1, min(MAX_STARTS, MAX_PAIRS * len(starts) // _pairs(graph)))
    held: Longs = np.empty((3, 0), np.int64)  # source, sink, depth
    for first in range(0, len(starts), step):
        result = engine.bfs(searched, starts[first : first + step], max_depth=max_depth, backend=backend, prune=False)
        ends = (result.sink, result.source) if is_turned else (result.source, result.sink)
        held = np.concatenate([held, np.stack([*ends, result.depth]).astype(np.int64)], axis=1)
        if part.hits(held[0], held[1]) > room:
            return _searched_for_nearest(part, max_depth)
    return _found(held[:, order_of(held[0], held[1], held[2])] if is_turned else held)


def _found(hits: Longs) -> SearchResult:
    source, sink, depth = hits
    return SearchResult(source.tolist(), sink.tolist(), depth.tolist(), [])


def _all_or_nearest(part: _RoleCounts, hits: Longs, room: int) -> SearchResult:
    """These hits, which are by source, sink and depth; where they are more than ``room``, the nearest of each sink."""
    if part.hits(hits[0], hits[1]) > room:
        return _truncated(hits, np.bincount(hits[1], minlength=part.graph.num_nodes))
    return _found(hits)


def _truncated(hits: Longs, total: Longs) -> SearchResult:
    """The nearest of ``hits`` of each sink; ``total``: (nodes,) the number of hits of each."""
    hits = nearest(hits, MAX_NEAREST)
    found = _found(hits[:, order_of(hits[0], hits[1], hits[2])])
    missing = total - np.bincount(hits[1], minlength=len(total))
    found.truncated.extend(np.flatnonzero(missing).tolist())
    return found


def nearest(hits: Longs, count: int) -> Longs:
    """The first ``count`` hits of each sink, by depth and source; (3, k): sources, sinks, depths. O(k log k)."""
    hits = hits[:, order_of(hits[1], hits[2], hits[0])]
    begin = first_of_equals(hits[1])
    lengths = np.diff(np.append(begin, hits.shape[1]))
    return hits[:, np.arange(hits.shape[1]) - np.repeat(begin, lengths) < count]


def _searched_as_one(
    parts: Sequence[_RoleCounts], backend: engine.Backend, max_depth: int | None, room: int
) -> Iterator[SearchResult]:
    graphs = [part.graph for part in parts]
    begin = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    at = np.cumsum([0, *(graph.num_edges for graph in graphs)])
    whole = engine.Graph(
        np.concatenate([*(graph.offsets[:-1] + edge for graph, edge in zip(graphs, at, strict=False)), at[-1:]]),
        np.concatenate([graph.targets + np.uint32(node) for graph, node in zip(graphs, begin, strict=False)]),
        np.concatenate([graph.node_data for graph in graphs]),
    )
    result = engine.bfs(whole, _sources(whole), max_depth=max_depth, backend=backend, prune=False)
    ends = np.searchsorted(result.source, begin)
    for part, node, first, last in zip(parts, begin.tolist(), ends.tolist(), ends[1:].tolist(), strict=False):
        one = slice(first, last)
        hits = np.stack([result.source[one], result.sink[one], result.depth[one]]).astype(np.int64)
        hits[:2] -= node
        yield _all_or_nearest(part, hits, room)
        room = max(0, room - part.hits(hits[0], hits[1]))


def _sources(graph: engine.Graph) -> npt.NDArray[np.intp]:
    return np.flatnonzero(graph.roles() & np.uint8(engine.Role.SOURCE))


def _sinks(graph: engine.Graph) -> npt.NDArray[np.intp]:
    return np.flatnonzero(graph.roles() & np.uint8(engine.Role.SINK))


class _StartingRoles(NamedTuple):
    """The roles of all sources, as parallel columns; those of one node in their order."""

    number: Longs  # (k,) ``LAYERS * node of the flow graph + layer`` in which the role begins
    role: Longs  # row in labels.sources
    harmful: Longs  # mask of vulnerabilities

    @classmethod
    def of(cls, flow: FlowGraph, labels: Labels) -> _StartingRoles:
        every = (1 << len(labels.vulnerabilities)) - 1
        rows = [
            (LAYERS * node + (DESCENDING if role.entered else ASCENDING), row, every & ~role.harmless)
            for node, roles in flow.sources.items()
            for row, role in ((row, labels.sources[row]) for row in roles)
        ]
        return cls(*np.array(rows, np.int64).reshape(-1, 3).T)


def _hits(
    starting: _StartingRoles, projection: Projection, sinks: dict[int, list[int]], found: SearchResult
) -> list[Hit]:
    """The nearest hit of each source role and sink role, by both; ties by source and sink."""
    if not found.sources:
        return []
    source, sink, depth = (np.array(each, np.int64) for each in (found.sources, found.sinks, found.depths))
    harmful = _has(starting.harmful, projection.bit)
    pair, source_role = _each_role(projection, starting.number[harmful], starting.role[harmful], source)
    counts = [len(rows) for rows in sinks.values()]
    ending = LAYERS * np.fromiter(sinks, np.int64, len(sinks)).repeat(counts)
    rows = np.array([row for rows in sinks.values() for row in rows], np.int64)
    in_layers = np.concatenate([ending + ASCENDING, ending + DESCENDING])
    which, sink_role = _each_role(projection, in_layers, np.concatenate([rows, rows]), sink[pair])
    pair, source_role = pair[which], source_role[which]
    source, sink, depth = source[pair], sink[pair], depth[pair]
    order = order_of(source_role, sink_role, depth, source, sink)
    order = order[first_of_equals(source_role[order], sink_role[order])]
    columns = (each[order].tolist() for each in (source, sink, depth, source_role, sink_role))
    both = repeat(projection, len(order)), repeat(projection.assumed, len(order)), repeat(NONE, len(order))
    return list(map(partial(tuple.__new__, Hit), zip(*columns, *both, strict=True)))  # ``Hit._make`` in C


def _each_role(projection: Projection, numbers: Longs, roles: Longs, nodes: Longs) -> tuple[Numbers, Numbers]:
    """(place in ``nodes``, role) of each role of each of ``nodes``.

    ``numbers``: the nodes of ``roles``, as ``Projection.nodes`` has them; in any order, and not all need be there.
    """
    place = np.searchsorted(projection.nodes, numbers)
    place[place == len(projection.nodes)] = 0
    there = projection.nodes[place] == numbers
    grouped = Grouped(projection.graph.num_nodes, place[there], roles[there])
    rows, counts = grouped.places(nodes)
    return np.arange(len(nodes)).repeat(counts), grouped.values[rows]


__all__ = ["Hit", "Kind", "Projection", "search"]
