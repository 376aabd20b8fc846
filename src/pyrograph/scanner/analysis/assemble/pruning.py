"""Pruning: the edges between values that are on a path from a source to a sink, access paths ignored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph import Reached, chop
from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import ASCENDING, DESCENDING, FIRST_SUMMARY, LAYERS
from pyrograph.kernels.arrays import Grouped, distinct
from pyrograph.kernels.edgelists import NARROW
from pyrograph.scanner.analysis.assemble.edges import Context, Edges, Ints
from pyrograph.scanner.analysis.assemble.summaries import Summaries, summarise, two_layers
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program


def matched(
    num_values: int, origin: Ints, target: Ints, context: Ints, site: Ints, sources: Ints, sinks: Ints
) -> npt.NDArray[np.bool_]:
    """Which edges (m,) are on a path from a source to a sink that matches calls and returns, access paths ignored.

    O(edges + summaries), and a constant for each level of nested calls.
    """
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
    passing = live[heads] & live[tails]
    useful[rows[passing & (rows >= 0)]] = True
    crossed = through.site[FIRST_SUMMARY - rows[passing & (rows < 0)]]
    return useful | inside_calls(len(values), u, v, context, site, through, crossed)


def inside_calls(
    num_nodes: int, origin: Ints, target: Ints, context: Ints, site: Ints, through: Summaries, crossed: Ints
) -> npt.NDArray[np.bool_]:
    """The edges (m,) that the summaries of these sites represent: call and return edges, and paths in the callees.

    A path inside a callee may pass a summary of another site, whose edges are then included as well. It passes a
    summary if an entered parameter reaches the argument, and the result reaches an exit that is left. Both searches
    only grow, so all sites together cost one search forwards and one backwards.

    Args:
        crossed: Sites whose summaries are on a path; repeats are legal.
    """
    if not len(through.site):
        return np.zeros(len(origin), bool)
    sites = distinct(through.site)
    summary_site = np.searchsorted(sites, through.site)
    edge_site = np.minimum(np.searchsorted(sites, site), len(sites) - 1)
    has_site = sites[edge_site] == site
    level = context == Context.INTRA
    enters, leaves = (has_site & (context == each) for each in (Context.CALL, Context.RETURN))
    heads, tails = np.concatenate([origin[level], through.origin]), np.concatenate([target[level], through.target])
    forwards, backwards = Reached(num_nodes, heads, tails), Reached(num_nodes, tails, heads)
    entered = Grouped(len(sites), edge_site[enters], target[enters])
    left = Grouped(len(sites), edge_site[leaves], origin[leaves])
    every = np.arange(len(through.site))
    leading, arriving = Grouped(num_nodes, through.origin, every), Grouped(num_nodes, through.target, every)
    counted = np.zeros(len(sites), bool)  # sites whose edges count
    fresh = distinct(np.searchsorted(sites, crossed))
    sees, seen, counts = forwards.seen.data, backwards.seen.data, counted.data
    argument, result, site_of = through.origin.data, through.target.data, summary_site.data
    while len(fresh):  # ends: a site is fresh once
        few: list[int] = fresh.tolist() if len(fresh) <= NARROW else []
        while 0 < len(few) <= NARROW:  # calls inside of calls inside of calls: a level for each
            for each in few:
                counts[each] = True
            crossing = leading.of_few(forwards.add_few(entered.of_few(few)))
            crossing += arriving.of_few(backwards.add_few(left.of_few(few)))
            further = {site_of[row] for row in crossing if sees[argument[row]] and seen[result[row]]}
            few = [each for each in further if not counts[each]]
            fresh = np.array(few, np.intp)
        counted[fresh] = True
        after, before = forwards.add(entered.of(fresh)), backwards.add(left.of(fresh))
        rows = np.concatenate([leading.of(after), arriving.of(before)])
        rows = rows[forwards.seen[through.origin[rows]] & backwards.seen[through.target[rows]]]
        found = summary_site[rows]
        fresh = distinct(found[~counted[found]])
    passed = forwards.seen & backwards.seen
    useful: npt.NDArray[np.bool_] = level & passed[origin] & passed[target]
    useful |= (enters | leaves) & counted[edge_site]
    return useful


@dataclass(slots=True)
class Pruned:
    """All edges between values, and which of them are on a path from a source to a sink."""

    edges: Edges
    origin: Ints  # (m,) the columns of ``edges``, each in one piece
    target: Ints
    kind: Ints
    key: Ints
    context: Ints
    site: Ints
    assumed: Ints
    alive: npt.NDArray[np.bool_]  # (values,) the chop: some source reaches it, and it reaches some sink
    coarse: npt.NDArray[np.int64]  # rows between values of the chop
    matched: npt.NDArray[np.int64]  # those of them on a path on which calls match returns


def prune(program: Program, labels: Labels, edges: Edges) -> Pruned:
    """Find the edges that a path from a source to a sink may pass, access paths ignored.

    Linear in the program for the chop, then in what is left of it.
    """
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
