"""The promises of hits: each is a shortest path of its graph from a source to a sink."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrograph.ir.packed import ASCENDING, DESCENDING, LAYERS
from pyrograph.policy.limits.explanation import MAX_SHOWN_HITS, MAX_VERIFIED_HITS
from pyrograph.scanner.analysis.assemble import FlowGraph
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.search import Hit, Projection
from pyrograph.scanner.analysis.verify.rows import Rows


def hits(roles: Labels, flow: FlowGraph, found: Sequence[Hit]) -> list[str]:
    """The broken promises of hits: each joins a source to a sink of its vulnerability by a way of the graph.

    The graphs themselves are looked at once each; ways are looked for from the first ``MAX_VERIFIED_HITS`` hits.
    """
    rows = Rows()
    graphs: dict[int, Projection] = {id(hit.projection): hit.projection for hit in found}
    for each in graphs.values():
        _projection(each, flow, rows)
    if rows.broken:
        return rows.broken
    for at, hit in enumerate(found):
        name = f"hits[{at}]"
        projection = hit.projection
        size = len(projection.nodes)
        if not rows.say(0 <= hit.source < size and 0 <= hit.sink < size, f"{name}: ends outside of its graph"):
            continue
        start, end = int(projection.nodes[hit.source]), int(projection.nodes[hit.sink])
        if 0 <= hit.source_role < len(roles.sources):
            layer = DESCENDING if roles.sources[hit.source_role].entered else ASCENDING
            rows.say(start % LAYERS == layer, f"{name}: begins in layer {start % LAYERS}")
        rows.say(hit.source_role in flow.sources.get(start // LAYERS, ()), f"{name}: begins at no such source")
        rows.say(hit.sink_role in flow.sinks.get(end // LAYERS, ()), f"{name}: ends at no such sink")
        known = 0 <= hit.sink_role < len(roles.sinks)
        if rows.say(known, f"{name}: sink_role = {hit.sink_role}"):
            rows.say(roles.sinks[hit.sink_role].vulnerability == projection.bit, f"{name}: of another vulnerability")
        if at < MAX_VERIFIED_HITS and not rows.broken:
            depth = _distance(projection, hit.source, hit.sink, hit.depth)
            rows.say(depth == hit.depth, f"{name}: {hit.depth} steps, the shortest way has {depth}")
    return rows.broken[:MAX_SHOWN_HITS]


def _projection(projection: Projection, flow: FlowGraph, rows: Rows) -> None:
    graph, name = projection.graph, f"graph of vulnerability {projection.bit}"
    offsets = graph.offsets.astype(np.int64)
    size, num = len(projection.nodes), LAYERS * len(flow.value)
    if rows.say(len(offsets) == size + 1 and offsets[0] == 0, f"{name}: offsets of other nodes"):
        rows.hold(name, "offsets", offsets[1:], np.diff(offsets) < 0, "falls")
        rows.say(int(offsets[-1]) == len(graph.targets), f"{name}: offsets end before the edges, or behind them")
    rows.within(name, "targets", graph.targets.astype(np.int64), 0, size)
    rows.within(name, "nodes", projection.nodes, 0, num)
    rows.hold(name, "nodes", projection.nodes[1:], np.diff(projection.nodes) <= 0, "not ascending")
    summaries = projection.summaries
    rows.within(name, "rows", projection.rows, -len(summaries.origin), len(flow.origin))
    rows.say(len(projection.rows) == len(graph.targets), f"{name}: not one row an edge")
    for column in ("origin", "target"):
        rows.within("summaries", column, getattr(summaries, column), 0, len(flow.value))
    lengths = {len(summaries.origin), len(summaries.target), len(summaries.site), len(summaries.mask)}
    if rows.say(len(lengths) == 1, f"summaries: columns of different lengths: {sorted(lengths)}"):
        order = np.lexsort((summaries.site, summaries.target, summaries.origin))
        rows.say(bool((order == np.arange(len(order))).all()), "summaries: not sorted by origin, target and site")
        rows.hold("summaries", "mask", summaries.mask, summaries.mask <= 0, "lets nothing pass")


def _distance(projection: Projection, source: int, sink: int, limit: int) -> int:
    """The edges of the shortest way from ``source`` to ``sink``, -1 past ``limit``."""
    if source == sink:
        return 0
    offsets, targets = projection.graph.offsets, projection.graph.targets
    seen = np.zeros(len(projection.nodes), bool)
    level = np.array([source], np.int64)
    for depth in range(1, limit + 1):
        first, last = offsets[level].astype(np.int64), offsets[level + 1].astype(np.int64)
        count = last - first
        at = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        following = np.unique(targets[at].astype(np.int64))
        level = following[~seen[following]]
        seen[level] = True
        if seen[sink]:
            return depth
        if not len(level):
            break
    return -1
