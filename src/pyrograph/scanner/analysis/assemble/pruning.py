"""Pruning: which flow between values lies on a way from a source to a sink, fields ignored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph import chop
from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import ASCENDING, DESCENDING, FIRST_SUMMARY, LAYERS
from pyrograph.kernels.arrays import among, distinct
from pyrograph.scanner.analysis.assemble.edges import Context, Edges, Ints
from pyrograph.scanner.analysis.assemble.summaries import summarise, two_layers
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program


def matched(
    num_values: int, origin: Ints, target: Ints, context: Ints, site: Ints, sources: Ints, sinks: Ints
) -> npt.NDArray[np.bool_]:
    """Which edges lie on a way from a source to a sink that matches calls and returns, fields ignored."""
    if not len(origin):
        return np.zeros(0, bool)
    values = distinct(np.concatenate([origin, target]))
    number = np.full(num_values, NONE, np.int32)
    number[values] = np.arange(len(values), dtype=np.int32)
    u, v = number[origin], number[target]
    through = summarise(u, v, np.ones(len(u), np.int64), context, site)
    heads, tails, rows = two_layers(u, v, context, through)
    starts, ends = number[sources], number[sinks]
    starts, ends = starts[starts >= 0], ends[ends >= 0]
    num = LAYERS * len(values)
    at = LAYERS * ends
    live = chop(num, heads, tails, LAYERS * starts + ASCENDING, np.concatenate([at + ASCENDING, at + DESCENDING]))
    useful = np.zeros(len(origin), bool)
    passing = (live[heads] & live[tails]) & (rows >= 0)
    useful[rows[passing]] = True
    # What a summary stands for lies inside a callee: keep the ways through every callee that is passed.
    crossed = live[heads] & live[tails] & (rows < 0)
    sites = distinct(through.site[FIRST_SUMMARY - rows[crossed]])
    inside = among(site, sites) & ((context == Context.CALL) | (context == Context.RETURN))
    while True:  # ends: each round but the last adds to ``sites``, of which there are those of the program
        useful |= inside
        entered = v[inside & (context == Context.CALL)]
        left = u[inside & (context == Context.RETURN)]
        level = context == Context.INTRA
        heads = np.concatenate([u[level], through.origin])
        tails = np.concatenate([v[level], through.target])
        passed = chop(len(values), heads, tails, entered, left)
        useful |= level & passed[u] & passed[v]
        crossed = passed[through.origin] & passed[through.target]
        more = distinct(np.concatenate([sites, through.site[crossed]]))
        if len(more) == len(sites):
            return useful
        sites = more
        inside = among(site, sites) & ((context == Context.CALL) | (context == Context.RETURN))


@dataclass(slots=True)
class Pruned:
    """All edges between values, and which of them lie on a way from a source to a sink."""

    edges: Edges
    origin: Ints  # (m,) the columns of ``edges``, each in one piece
    target: Ints
    kind: Ints
    key: Ints
    context: Ints
    site: Ints
    assumed: Ints
    alive: npt.NDArray[np.bool_]  # (values,) what some source reaches and what reaches some sink
    coarse: npt.NDArray[np.int64]  # rows between living values
    matched: npt.NDArray[np.int64]  # those of them that are also passed where calls match returns


def prune(program: Program, labels: Labels, edges: Edges) -> Pruned:
    """What a way from a source to a sink may pass, fields ignored: linear in the program, then in what is left."""
    n = program.num_values
    empty = np.empty(0, np.int32)
    columns = (edges.origin, edges.target, edges.kind, edges.key, edges.context, edges.site, edges.assumed)
    origin, target, kind, key, context, site, assumed = (
        np.concatenate(column) if column else empty for column in columns
    )
    sources = np.array([s.value for s in labels.sources], np.int32)
    sinks = np.array([s.value for s in labels.sinks], np.int32)
    alive = chop(n, origin, target, sources, sinks)
    kept = np.flatnonzero(alive[origin] & alive[target])
    both = kept[matched(n, origin[kept], target[kept], context[kept], site[kept], sources, sinks)]
    return Pruned(edges, origin, target, kind, key, context, site, assumed, alive, kept, both)
