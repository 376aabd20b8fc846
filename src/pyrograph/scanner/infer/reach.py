"""One search from all parameters of all public functions: what each reaches.

Three graphs with the nodes of the flow graph, searched as one by ``graph.bfs``. Assumed edges are in none of them, and
summaries stand for completed calls:

=========  =================================  ==========================================================
graph      edges                              asks
=========  =================================  ==========================================================
passed     inside a procedure                 which parameters reach the result, or another parameter
harmed     these and calls                    which parameters reach a sink, however many calls deeper
returned   inside a procedure, and returns    which sources come back as the result of a public function
=========  =================================  ==========================================================

So no path leaves the function that it begins in, except for the sources of the third.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, summarise
from pyrograph.scanner.analysis.label import Labels

Longs = npt.NDArray[np.int64]


class Reaches(NamedTuple):
    """A source reaches a sink: nodes of the flow graph, and the bit of the weakness."""

    source: int
    sink: int
    bit: int


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the graphs for one bit, without nodes that are on no path from a source to a sink."""

    graph: engine.Graph
    nodes: Longs  # (n,) nodes of the flow graph
    bit: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the search found."""

    pairs: list[Reaches]  # sorted
    # Node of a parameter -> mask of the bits for which it was searched from. What it passes on for another bit is what
    # it passes on at all: no edge that it reaches lacks this bit.
    asked: dict[int, int]


def search(
    flow: FlowGraph, labels: Labels, *, arguments: set[int], ends: set[int], passed: int, backend: engine.Backend
) -> Found:
    """All pairs of a source and a sink.

    Args:
        arguments: Rows of ``labels.sources`` that are parameters; the others are sources of the packs.
        ends: Rows of ``labels.sinks`` that are results and states at exit; the others are sinks of the packs.
        passed: The bit that stands for data that is passed on.
    """
    rows = np.flatnonzero(~flow.assumed)
    origin, target, mask, context = flow.origin[rows], flow.target[rows], flow.mask[rows], flow.context[rows]
    through = summarise(origin, target, mask, context, flow.site[rows])
    inside = context == Context.INTRA
    level = (
        np.concatenate([origin[inside], through.origin]),
        np.concatenate([target[inside], through.target]),
        np.concatenate([mask[inside], through.mask]),
    )
    crossing = {kind: np.flatnonzero(context == kind) for kind in (Context.CALL, Context.RETURN)}
    given, read = _starts(flow, labels, arguments)
    results = _ends(flow, labels, ends)
    sinks = _ends(flow, labels, set(range(len(labels.sinks))) - ends)
    n = len(flow.value)

    def wider(kind: Context) -> tuple[Longs, Longs, Longs]:
        chosen = crossing[kind]
        further = (origin[chosen], target[chosen], mask[chosen])
        first, second, third = (np.concatenate([one, other]) for one, other in zip(level, further, strict=True))
        return first, second, third

    harmed, returned = wider(Context.CALL), wider(Context.RETURN)
    parts: list[_Part | None] = []
    asked: dict[int, int] = {}
    for bit, found in sorted(results.items()):
        chosen = given if bit == passed else _affected(n, level, bit, passed, given)
        for node in chosen:
            asked[node] = asked.get(node, 0) | 1 << bit
        parts.append(_part(n, level, bit, chosen, found))
    parts += [_part(n, harmed, bit, given, found) for bit, found in sorted(sinks.items())]
    parts.append(_part(n, returned, passed, read, results.get(passed, {})))
    return Found(sorted(set(_searched([part for part in parts if part is not None], backend))), asked)


def _starts(flow: FlowGraph, labels: Labels, arguments: set[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Nodes of parameters, and nodes of the packs' sources, with the mask for which each is untrusted."""
    given: dict[int, int] = {}
    read: dict[int, int] = {}
    for node, rows in flow.sources.items():
        clean = labels.clean.get(flow.value[node], 0)
        for row in rows:
            chosen = given if row in arguments else read
            chosen[node] = chosen.get(node, 0) | (~labels.sources[row].harmless & ~clean)
    return given, read


def _ends(flow: FlowGraph, labels: Labels, wanted: set[int]) -> dict[int, dict[int, int]]:
    """Bit -> nodes that are sinks of it."""
    found: dict[int, dict[int, int]] = {}
    for node, rows in flow.sinks.items():
        for row in rows:
            if row in wanted:
                found.setdefault(labels.sinks[row].vulnerability, {})[node] = 1
    return found


def _affected(
    num_nodes: int, edges: tuple[Longs, Longs, Longs], bit: int, passed: int, starts: dict[int, int]
) -> dict[int, int]:
    """The sources that reach an edge over which data is passed on that is clean for this bit, or are clean themselves.

    Hardly any source does, and a search for each bit from all of them would cost as much as all bits together.
    """
    origin, target, mask = edges
    whole = mask >> passed & 1 != 0
    clean = np.unique(origin[whole & (mask >> bit & 1 == 0)])
    before = engine.reached(num_nodes, target[whole], origin[whole], clean)
    return {node: had for node, had in starts.items() if before[node] or not had >> bit & 1}


def _part(
    num_nodes: int, edges: tuple[Longs, Longs, Longs], bit: int, starts: dict[int, int], ends: dict[int, int]
) -> _Part | None:
    """The graph of one bit; None if no source reaches a sink."""
    first = np.array(sorted(node for node, mask in starts.items() if mask >> bit & 1), np.int64)
    last = np.array(sorted(ends), np.int64)
    origin, target, mask = edges
    kept = np.flatnonzero(mask >> bit & 1)
    origin, target = origin[kept], target[kept]
    live = engine.chop(num_nodes, origin, target, first, last)
    nodes = np.flatnonzero(live)
    if not len(nodes):
        return None
    number = np.full(num_nodes, -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    kept = np.flatnonzero(live[origin] & live[target])
    origin, target = number[origin[kept]], number[target[kept]]
    order = np.lexsort((target, origin))
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.bincount(origin, minlength=len(nodes)), out=offsets[1:])
    roles = np.zeros(len(nodes), np.int64)
    roles[number[first[live[first]]]] |= int(engine.Role.SOURCE)
    roles[number[last[live[last]]]] |= int(engine.Role.SINK)
    graph = engine.Graph(offsets, target[order].astype(np.uint32), engine.node_words(roles))
    return _Part(graph, nodes, bit)


def _searched(parts: list[_Part], backend: engine.Backend) -> Iterator[Reaches]:
    """The hits of all graphs, from one search of their union."""
    if not parts:
        return
    begin = np.cumsum([0, *(part.graph.num_nodes for part in parts)])
    at = np.cumsum([0, *(part.graph.num_edges for part in parts)])
    graphs = [part.graph for part in parts]
    union = engine.Graph(
        np.concatenate([*(graph.offsets[:-1] + edge for graph, edge in zip(graphs, at, strict=False)), at[-1:]]),
        np.concatenate([graph.targets + np.uint32(node) for graph, node in zip(graphs, begin, strict=False)]),
        np.concatenate([graph.node_data for graph in graphs]),
    )
    sources = np.flatnonzero(union.roles() & np.uint8(engine.Role.SOURCE))
    found = engine.bfs(union, sources, backend=backend, prune=False)
    owner = np.searchsorted(begin, found.source, side="right") - 1
    for part, source, sink in zip(owner.tolist(), found.source.tolist(), found.sink.tolist(), strict=True):
        nodes = parts[part].nodes
        yield Reaches(int(nodes[source - begin[part]]), int(nodes[sink - begin[part]]), parts[part].bit)


__all__ = ["Found", "Reaches", "search"]
