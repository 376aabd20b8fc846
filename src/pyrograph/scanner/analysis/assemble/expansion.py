"""Expansion: the nodes (value, access path), forwards from the sources, on the edges that pruning leaves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.graph import reached
from pyrograph.ir.codes import KEYS, NO_STRING
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.assemble.access_paths import (
    reaches_sink,
)
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, AccessPath, Edges, FlowGraph, Ints, Kind
from pyrograph.scanner.analysis.assemble.pruning import Pruned, prune
from pyrograph.scanner.analysis.assemble.worklist import Worklist
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program


def expand(program: Program, labels: Labels, edges: Edges) -> FlowGraph:
    """The nodes that are tainted by a source and reach a sink, and the edges between them."""
    return expanded(program, labels, prune(program, labels, edges))


def expanded(program: Program, labels: Labels, pruned: Pruned) -> FlowGraph:
    """``expand`` after pruning."""
    edges, origin, kind, key = pruned.edges, pruned.origin, pruned.kind, pruned.key
    context, site, assumed, alive = pruned.context, pruned.site, pruned.assumed, pruned.alive
    empty = np.empty(0, np.int32)
    expansion = Worklist(program, labels, edges, pruned)
    by_part: dict[tuple[int, AccessPath], list[int]] = {}
    for row, source in enumerate(labels.sources):
        if alive[source.value]:
            by_part.setdefault((source.value, source.keys), []).append(row)
    source_nodes: dict[int, list[int]] = {}
    for (value, keys), roles in by_part.items():
        keyed = all(labels.sources[row].keyed for row in roles)
        excluded = labels.keys.clean.get(value, frozenset()) | ({OWN_KEYS} if keyed else set())
        excluded |= labels.keys.unset.get(value, frozenset()) if not keys else frozenset()
        source_nodes.setdefault(expansion.node(value, expansion.number(keys, excluded)), []).extend(roles)
    expansion.run()
    sinks_of: dict[int, list[int]] = {}
    for row, sink in enumerate(labels.sinks):
        if alive[sink.value]:
            sinks_of.setdefault(sink.value, []).append(row)
    own = program.string_ids.get(KEYS, NO_STRING)
    asked = {  # the sinks that use the keys of an object
        row: sink._replace(keys=tuple([OWN_KEYS if key == own else key for key in sink.keys]))
        for row, sink in enumerate(labels.sinks)
        if own in sink.keys
    }
    sink_nodes: dict[int, list[int]] = {}
    chosen_keys: set[tuple[int, AccessPath]] = set()
    values = np.array(expansion.values, np.int32)
    for node in np.flatnonzero(among(values, sinks_of)).tolist():
        value, (path, without) = expansion.values[node], expansion.tainted[expansion.parts[node]]
        if path[-1:] == (OWN_KEYS,):
            chosen_keys.add((value, path[:-1]))
        found = [
            row
            for row in sinks_of[value]
            if reaches_sink(asked.get(row, labels.sinks[row]), path, without) and expansion.encoding(path) is None
        ]
        if found:
            sink_nodes[node] = found
    heads, tails, rows, widened = expansion.edges(values)
    num = len(values)
    useful = reached(num, tails, heads, np.array(sorted(sink_nodes), np.int32)) if num else np.zeros(0, bool)
    keep = useful[heads] & useful[tails] if len(heads) else np.zeros(0, bool)
    heads, tails, rows, widened = heads[keep], tails[keep], rows[keep], widened[keep]
    paths = [expansion.tainted[number][0] for number in expansion.parts]
    everything = (1 << len(labels.vulnerabilities)) - 1
    mask = np.full(len(heads), everything, np.int64)
    if labels.clean and len(heads):
        cleaned = among(values[tails], labels.clean)
        for position in np.flatnonzero(cleaned).tolist():
            mask[position] &= ~labels.clean[int(values[tails[position]])]
    if labels.quoted.harmless and len(heads):
        kinds = kind[rows]
        for position in np.flatnonzero((kinds >= Kind.SHOWN) & (kinds <= Kind.QUOTED)).tolist():
            if kinds[position] == Kind.QUOTED or paths[int(heads[position])]:
                mask[position] &= ~labels.quoted.harmless
    _clear_harmless(labels, edges, values, (heads, tails, rows), (kind, key), mask)
    graph = FlowGraph(
        expansion.values,
        paths,
        heads,
        tails,
        mask,
        context[rows] if len(rows) else empty,
        site[rows] if len(rows) else empty,
        (assumed[rows].astype(bool) | widened) if len(rows) else empty.astype(bool),
        kind[rows] if len(rows) else empty,
        key[rows] if len(rows) else empty,
        sink_nodes,
        {node: found for node, found in source_nodes.items() if useful[node]},
        expansion.bounds_reached(),
        len(origin),
        frozenset(np.flatnonzero(widened).tolist()),
        frozenset(chosen_keys),
    )
    return graph


def _clear_harmless(
    labels: Labels,
    edges: Edges,
    values: Ints,
    kept: tuple[Ints, Ints, npt.NDArray[np.int64]],
    columns: tuple[Ints, Ints],
    mask: npt.NDArray[np.int64],
) -> None:
    """Clear bits of ``mask`` on edges from harmless parts of texts, and on harmless flows of models.

    ``values``: of nodes. ``kept``: the edges between nodes, with their rows in ``columns``.
    """
    heads, tails, rows = kept
    if not len(heads):
        return
    if labels.harmless_parts:
        into = among(values[tails], {text for _, text in labels.harmless_parts})
        for position in np.flatnonzero(into).tolist():
            pair = int(values[heads[position]]), int(values[tails[position]])
            mask[position] &= ~labels.harmless_parts.get(pair, 0)
    if edges.harmless_transfers:
        kind, key = columns
        by_row = (kind[rows] == Kind.MOVE) | (kind[rows] == Kind.FILTERED)
        moved = by_row & among(key[rows], edges.harmless_transfers)
        for position in np.flatnonzero(moved).tolist():
            mask[position] &= ~edges.harmless_transfers[int(key[rows[position]])]
