"""The search: for each vulnerability, which sources reach which sinks in the two-layer graph.

Layer A is "no open call yet", layer D "inside a call that was entered": a call edge leads to D, where no return edge
leaves; a heap edge forgets the context and leads back to A. Assumed edges (unknown callees) are left out at first;
only what was missed is searched again with them. Roles are projected per vulnerability, so that a value may be clean
for one and a sink for another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.scanner.assemble import FlowGraph, Kind, Summaries, summarise, two_layers
from pyrograph.scanner.label import Labels
from pyrograph.scanner.reach import reached

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Layered:
    """The graph of one vulnerability: node ``2 * u`` is u in layer A, ``2 * u + 1`` in layer D, renumbered to what
    is left.
    """

    graph: engine.Graph
    nodes: Ints  # (n,) number in the two-layer graph of each node
    rows: npt.NDArray[np.int64]  # (m,) for each edge: row in FlowGraph, or -1 - row in the summaries
    summaries: Summaries
    bit: int
    assumed: bool  # assumed steps are among the edges


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
        summaries = summarise(flow, assumed=assumed)
        for bit in range(len(labels.vulnerabilities)):
            sinks = {
                node: [r for r in rows if labels.sinks[r].vulnerability == bit and r not in done]
                for node, rows in flow.sinks.items()
            }
            sinks = {node: rows for node, rows in sinks.items() if rows}
            if not sinks:
                continue
            layered = project(flow, labels, summaries, bit, sinks, assumed=assumed)
            if layered is None:
                continue
            nodes += layered.graph.num_nodes
            edges += len(layered.graph.targets)
            hits += _hits(flow, layered, sinks, backend, max_depth, assumed)
        done |= {hit.sink_role for hit in hits}
    return hits, nodes, edges


def project(
    flow: FlowGraph,
    labels: Labels,
    summaries: Summaries,
    bit: int,
    sinks: dict[int, list[int]],
    *,
    assumed: bool,
) -> Layered | None:
    """The two-layer graph of one vulnerability, pruned to what lies between its sources and its sinks."""
    live = (flow.mask >> bit) & 1 == 1
    if not assumed:
        live &= ~flow.assumed
    rows = np.flatnonzero(live)
    u, v, context = flow.origin[rows], flow.target[rows], flow.context[rows]
    passing = np.flatnonzero((summaries.mask >> bit) & 1 == 1)
    through = Summaries(
        summaries.origin[passing], summaries.target[passing], summaries.site[passing], summaries.mask[passing]
    )
    origin, target, row = two_layers(u, v, context, through, rows=rows, summary_rows=passing)
    clean = labels.clean
    sources = [2 * node for node in flow.sources if not clean.get(flow.value[node], 0) >> bit & 1]
    ends = [2 * node + layer for node in sinks for layer in (0, 1)]
    num = 2 * len(flow.value)
    alive = reached(num, origin, target, np.array(sources, np.int32)) & reached(
        num, target, origin, np.array(ends, np.int32)
    )
    nodes = np.flatnonzero(alive).astype(np.int32)
    if not len(nodes):
        return None
    number = np.full(num, -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    kept = alive[origin] & alive[target]
    origin, target, row = number[origin[kept]], number[target[kept]], row[kept]
    order = np.lexsort((row, target, origin))
    origin, target, row = origin[order], target[order], row[order]
    roles = np.zeros(len(nodes), np.uint32)
    source_numbers = number[np.array(sources, np.int64)]
    roles[source_numbers[source_numbers >= 0]] |= int(engine.Role.SOURCE)
    end_numbers = number[np.array(ends, np.int64)]
    roles[end_numbers[end_numbers >= 0]] |= int(engine.Role.SINK)
    graph = engine.try_to_csr(len(nodes), np.stack([origin, target], 1), node_data=engine.node_words(roles))
    return Layered(graph, nodes, row, summaries, bit, assumed)


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
