"""The search: for each vulnerability, which sources reach which sinks in the two-layer graph.

Layer A is "no open call yet", layer D "inside a call that was entered": a call edge leads to D, where no return edge
leaves; a heap edge forgets the context and leads back to A. Assumed edges (unknown callees) are left out at first;
only what was missed is searched again with them. Roles are projected per vulnerability, so that a value may be clean
for one and a sink for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.scanner.assemble import FlowGraph, Kind, Summaries, summarise, two_layers
from pyrograph.scanner.label import Labels
from pyrograph.scanner.reach import reached

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layered:
    """The graph of one vulnerability: node ``2 * u`` is u in layer A, ``2 * u + 1`` in layer D, renumbered to what
    is left.
    """

    graph: engine.Graph
    nodes: Ints  # (n,) number in the two-layer graph of each node
    rows: Longs  # (m,) for each edge: row in FlowGraph, or -1 - row in the summaries
    summaries: Summaries
    bit: int
    assumed: bool  # assumed steps are among the edges


@dataclass(frozen=True, slots=True)
class Layers:
    """The two-layer graph of all vulnerabilities, renumbered to what is left."""

    nodes: Ints  # (n,) numbers in the two-layer graph, ascending
    origin: Longs  # (m,) of each edge: place in ``nodes``
    target: Longs
    rows: Longs  # (m,) as in ``Layered``
    mask: Longs  # (m,) vulnerabilities that flow on
    summaries: Summaries
    assumed: bool

    def places(self, numbers: Ints) -> Longs:
        """Where in ``nodes`` these numbers of the two-layer graph are; those that are not in it are left out."""
        at = np.searchsorted(self.nodes, numbers)
        known = at < len(self.nodes)
        known[known] = self.nodes[at[known]] == numbers[known]
        return at[known]


@dataclass(frozen=True, slots=True)
class Hit:
    """A source reaches a sink."""

    source: int  # node of the layered graph
    sink: int
    depth: int
    source_role: int  # row in labels.sources
    sink_role: int  # row in labels.sinks
    layered: Layered
    assumed: bool


def search(
    flow: FlowGraph, labels: Labels, *, backend: engine.Backend, max_depth: int | None
) -> tuple[list[Hit], int, int]:
    """All hits, without assumed steps first; also the number of nodes and edges that were searched.

    Each (sink, source) pair occurs once for its vulnerability, at its smallest depth; order is that of ``graph.bfs``.
    """
    hits: list[Hit] = []
    nodes = edges = 0
    done: set[int] = set()
    for assumed in (False, True):
        if assumed and not flow.assumed.any():
            break
        wanted: dict[int, dict[int, list[int]]] = {}  # bit -> node -> roles
        for node, rows in flow.sinks.items():
            for row in rows:
                if row not in done:
                    wanted.setdefault(labels.sinks[row].vulnerability, {}).setdefault(node, []).append(row)
        layers = lay(flow, {node for sinks in wanted.values() for node in sinks}, assumed=assumed)
        for bit, sinks in sorted(wanted.items()):
            layered = project(flow, labels, layers, bit, sinks)
            if layered is None:
                continue
            nodes += layered.graph.num_nodes
            edges += len(layered.graph.targets)
            hits += _hits(flow, layered, sinks, backend, max_depth, assumed)
        done |= {hit.sink_role for hit in hits}
    return hits, nodes, edges


def lay(flow: FlowGraph, sinks: Iterable[int], *, assumed: bool) -> Layers:
    """The layers of all vulnerabilities at once, between any source and ``sinks``: what is left is a small part."""
    ends = np.fromiter(sinks, np.int32)
    rows = np.flatnonzero(~flow.assumed | assumed)
    u, v = flow.origin[rows], flow.target[rows]
    rows = rows[_between(len(flow.value), u, v, np.fromiter(flow.sources, np.int32), ends)[1]]  # calls not matched yet
    summaries = summarise(flow.origin[rows], flow.target[rows], flow.mask[rows], flow.context[rows], flow.site[rows])
    origin, target, row = two_layers(flow.origin[rows], flow.target[rows], flow.context[rows], summaries, rows=rows)
    num = 2 * len(flow.value)
    nodes, kept, origin, target = _between(num, origin, target, _starts(flow.sources), _ends(ends.tolist()))
    row = row[kept]
    through = row < 0
    mask = np.empty(len(row), np.int64)
    mask[through] = summaries.mask[-1 - row[through]]
    mask[~through] = flow.mask[row[~through]]
    return Layers(nodes, origin, target, row, mask, summaries, assumed)


def project(
    flow: FlowGraph, labels: Labels, layers: Layers, bit: int, sinks: Mapping[int, Sequence[int]]
) -> Layered | None:
    """The two-layer graph of one vulnerability, pruned to what lies between its sources and its sinks."""
    live = (layers.mask >> bit) & 1 == 1
    clean = labels.clean
    starts = layers.places(_starts(node for node in flow.sources if not clean.get(flow.value[node], 0) >> bit & 1))
    ends = layers.places(_ends(sinks))
    nodes, kept, origin, target = _between(len(layers.nodes), layers.origin[live], layers.target[live], starts, ends)
    if not len(nodes):
        return None
    row = layers.rows[live][kept]
    order = np.lexsort((row, target, origin))
    origin, target, row = origin[order], target[order], row[order]
    roles = np.zeros(len(nodes), np.uint32)
    roles[np.isin(nodes, starts)] |= int(engine.Role.SOURCE)
    roles[np.isin(nodes, ends)] |= int(engine.Role.SINK)
    graph = engine.try_to_csr(len(nodes), np.stack([origin, target], 1), node_data=engine.node_words(roles))
    return Layered(graph, layers.nodes[nodes], row, layers.summaries, bit, layers.assumed)


def _starts(nodes: Iterable[int]) -> Ints:
    """Sources as nodes of the two-layer graph: no call is open where a way begins."""
    return np.array([2 * node for node in nodes], np.int32)


def _ends(nodes: Iterable[int]) -> Ints:
    """Sinks as nodes of the two-layer graph, in either layer."""
    return np.array([2 * node + layer for node in nodes for layer in (0, 1)], np.int32)


def _between(
    num: int, origin: Ints | Longs, target: Ints | Longs, starts: Ints | Longs, ends: Ints | Longs
) -> tuple[Ints, npt.NDArray[np.bool_], Longs, Longs]:
    """What lies between some start and some end: the nodes, which of the edges, and their ends, renumbered."""
    alive = reached(num, origin, target, starts) & reached(num, target, origin, ends)
    nodes = np.flatnonzero(alive).astype(np.int32)
    number = np.cumsum(alive) - 1
    kept = alive[origin] & alive[target]
    return nodes, kept, number[origin[kept]], number[target[kept]]


def _hits(
    flow: FlowGraph,
    layered: Layered,
    sinks: dict[int, list[int]],
    backend: engine.Backend,
    max_depth: int | None,
    assumed: bool,
) -> list[Hit]:
    roles = (layered.graph.node_data & np.uint32(engine.ROLE_MASK)) >> np.uint32(engine.ROLE_SHIFT)
    lanes = np.flatnonzero(roles & int(engine.Role.SOURCE)).astype(np.uint32)
    result = engine.bfs(layered.graph, lanes, max_depth=max_depth, backend=backend)
    best: dict[tuple[int, int], Hit] = {}
    for source, sink, depth in zip(result.source.tolist(), result.sink.tolist(), result.depth.tolist(), strict=True):
        start, end = int(layered.nodes[source]) // 2, int(layered.nodes[sink]) // 2
        for sink_role in sinks.get(end, ()):
            for source_role in flow.sources[start]:
                name = (source_role, sink_role)
                known = best.get(name)
                if known is None or (depth, source, sink) < (known.depth, known.source, known.sink):
                    best[name] = Hit(source, sink, depth, source_role, sink_role, layered, assumed)
    return [best[name] for name in sorted(best)]


__all__ = ["Hit", "Kind", "Layered", "search"]
