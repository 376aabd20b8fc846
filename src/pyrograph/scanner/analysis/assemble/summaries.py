"""Summaries of calls (IFDS), and the two layers that match calls and returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.graph import chop
from pyrograph.ir.packed import ASCENDING, DESCENDING, FIRST_SUMMARY, LAYERS
from pyrograph.kernels.arrays import distinct, first_of_equals, order_of, some_set, stable_order
from pyrograph.scanner.analysis.assemble.edges import Context, Ints
from pyrograph.scanner.analysis.assemble.facts import Level, facts_at_exits

Longs = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.integer]

NOWHERE: Final = -1


@dataclass(slots=True)
class Summaries:
    """Summary edges: (argument's node, result's node, site, mask), sorted by the first three."""

    origin: Ints
    target: Ints
    site: Ints
    mask: Longs


def summarise(origin: Ints, target: Ints, mask: Longs, context: Numbers, site: Numbers) -> Summaries:
    """The results that each argument reaches through the callee, and for which vulnerabilities, along these edges.

    A fact is the mask of vulnerabilities for which a formal reaches a node inside its procedure. Facts are computed
    on a smaller graph: nodes on no path from a formal to an exit are left out, and nodes with equal facts become one.
    On programs this leaves a sixth of the edges. Recursion needs no special case.
    """
    inside, enter, leave = (np.flatnonzero(context == each) for each in (Context.INTRA, Context.CALL, Context.RETURN))
    if not len(enter) or not len(leave):
        none = np.empty(0, np.int32)
        return Summaries(none, none, none, np.empty(0, np.int64))
    n = int(max(origin.max(), target.max())) + 1
    sites = distinct(site[leave])
    left = np.searchsorted(sites, site[leave])
    entered = np.minimum(np.searchsorted(sites, site[enter]), len(sites) - 1)
    returns = sites[entered] == site[enter]
    enter, entered = enter[returns], entered[returns]
    # Over-approximation: each call leads from all its arguments to all its results.
    heads = np.concatenate([origin[inside], origin[enter], n + left])
    tails = np.concatenate([target[inside], n + entered, target[leave]])
    live = chop(n + len(sites), heads, tails, target[enter], origin[leave])[:n]

    number = np.where(live, np.cumsum(live) - 1, NOWHERE)
    inside = inside[live[origin[inside]] & live[target[inside]]]
    into = _CallEdges.of(number, target[enter], origin[enter], entered, mask[enter])
    back = _CallEdges.of(number, origin[leave], target[leave], left, mask[leave])
    all_bits = int(np.bitwise_or.reduce(mask))
    level = _IntraGraph(
        int(np.count_nonzero(live)), number[origin[inside]], number[target[inside]], mask[inside], all_bits
    )
    level.contract(into, back)
    return _joined(_facts(level, into, back), level.representative, into, back, sites)


@dataclass(frozen=True, slots=True)
class _CallEdges:
    """Call edges, or return edges; parallel columns."""

    inner: Longs  # the end in the procedure: a formal, or a version at an exit
    outer: Longs  # the other end, an argument or a result; ``NOWHERE`` if no fact there can matter
    node: Ints  # the other end, as the caller of ``summarise`` numbers it
    site: Longs  # place of the site in order
    mask: Longs

    @classmethod
    def of(cls, number: Longs, inner: Ints, outer: Ints, site: Longs, mask: Longs) -> _CallEdges:
        """The edges whose inner ends have a number."""
        kept = number[inner] >= 0
        outer = outer[kept]
        return cls(number[inner[kept]], number[outer], outer, site[kept], mask[kept])


@dataclass(slots=True)
class _IntraGraph:
    """The edges inside procedures, and the nodes that represent others."""

    num_nodes: int
    origin: Longs
    target: Longs
    mask: Longs
    all_bits: int  # mask of all vulnerabilities
    representative: Longs = field(init=False)  # (n,) the node that has the facts of this one
    forward_to: Longs = field(init=False)  # (n,) the only node to which facts of this one flow, possibly itself

    def contract(self, into: _CallEdges, back: _CallEdges) -> None:
        """Merge nodes with equal facts, as long as that removes half of the edges.

        A node with a single incoming edge has the facts of its predecessor. A node with a single outgoing edge, whose
        facts are not needed themselves, is skipped.
        """
        n = self.num_nodes
        begins, ends = np.zeros(n, bool), np.zeros(n, bool)
        begins[into.inner] = begins[back.outer[back.outer >= 0]] = True  # facts arrive through calls
        ends[back.inner] = ends[into.outer[into.outer >= 0]] = True  # facts are needed
        self.representative = self.forward_to = np.arange(n)
        before = 2 * len(self.origin) + 1
        while 2 * len(self.origin) < before:  # at most half of the edges are left each time
            before = len(self.origin)
            alone = (np.bincount(self.target, minlength=n) == 1) & ~begins
            single = alone[self.target] & (self.mask == self.all_bits)
            first = _followed(n, self.target[single], self.origin[single])
            ends[first[ends]] = True
            self.representative = first[self.representative]
            self._keep(~single, first[self.origin], self.target)

            alone = (np.bincount(self.origin, minlength=n) == 1) & ~ends
            single = alone[self.origin] & (self.mask == self.all_bits)
            last = _followed(n, self.origin[single], self.target[single])
            begins[last[begins]] = True
            self.forward_to = last[self.forward_to]
            self._keep(~single, self.origin, last[self.target])

    def _keep(self, kept: npt.NDArray[np.bool_], origin: Longs, target: Longs) -> None:
        """Keep some of the edges, with new ends; parallel edges become one."""
        kept &= origin != target
        name = origin[kept] * self.num_nodes + target[kept]
        order = stable_order(name)
        name = name[order]
        first = first_of_equals(name)
        self.mask = _joined_masks(self.mask[kept][order], first)
        self.origin, self.target = np.divmod(name[first], max(self.num_nodes, 1))


def _followed(num_nodes: int, nodes: Longs, others: Longs) -> Longs:
    """The end of the chain of each node, where each of ``nodes`` points to one of ``others`` (pointer jumping).

    The end of a ring, and of chains into it, is its least member. That is exact: no fact enters a ring of nodes that
    each have a single predecessor, and none leaves a ring of nodes with a single successor. Rings occur because
    ``summarise`` keeps an argument that matters to the result of some callee, although another callee ignores it.
    O(nodes), times the logarithm of the longest chain.
    """
    to = np.arange(num_nodes)
    to[nodes] = others
    least = to  # of the next 2 ** k nodes after each, in round k
    # After round k ``to`` is 2 ** k steps on. A chain has fewer steps than there are nodes: what still moves after
    # that many lies in a ring, and the least node of as many steps is the least of the whole ring.
    for _ in range(num_nodes.bit_length()):
        further = to[to]
        if np.array_equal(further, to):
            break
        least = np.minimum(least, least[to])
        to = further
    return least[to]


def _facts(level: _IntraGraph, into: _CallEdges, back: _CallEdges) -> tuple[Longs, Longs, Longs]:
    """(formal, exit, mask) of each formal that reaches an exit, by representatives."""
    n = level.num_nodes
    argument, result = _at(level.representative, into.outer), _at(level.forward_to, back.outer)
    exits = level.representative[back.inner]
    entered, left = argument != NOWHERE, result != NOWHERE
    calls = Level(
        *(n, level.origin, level.target, level.mask),
        *(into.inner[entered], into.site[entered], argument[entered], into.mask[entered]),
        *(exits[left], back.site[left], result[left], back.mask[left]),
    )
    formals = distinct(into.inner)
    is_exit = np.zeros(n, bool)
    is_exit[exits] = True
    starts = level.forward_to[formals], formals, np.full(len(formals), level.all_bits)
    pairs, masks = facts_at_exits(calls, starts, is_exit)
    node, formal = np.divmod(pairs, max(n, 1))
    return formal, node, masks


def _joined(
    facts: tuple[Longs, Longs, Longs], representative: Longs, into: _CallEdges, back: _CallEdges, sites: Numbers
) -> Summaries:
    """Facts at exits as summaries: from each argument to each result, at each site with both edges."""
    formal, node, mask = facts
    fact, leave = _matches(node, representative[back.inner])
    found, enter = _matches(formal[fact] * len(sites) + back.site[leave], into.inner * len(sites) + into.site)
    fact, leave = fact[found], leave[found]
    through = mask[fact] & back.mask[leave] & into.mask[enter]
    kept = some_set(through)
    origin, target, site = into.node[enter[kept]], back.node[leave[kept]], back.site[leave[kept]]
    order = order_of(origin, target, site)
    origin, target, site = origin[order], target[order], site[order]
    first = first_of_equals(origin, target, site)
    masks = _joined_masks(through[kept][order], first)
    return Summaries(origin[first], target[first], sites[site[first]].astype(np.int32), masks)


def _at(places: Longs, nodes: Longs) -> Longs:
    """``places[nodes]``; ``NOWHERE`` stays ``NOWHERE``."""
    return np.where(nodes == NOWHERE, NOWHERE, places[nodes]) if len(places) else nodes


def _matches(wanted: Longs, names: Longs) -> tuple[Longs, Longs]:
    """An inner join: the indices of all equal pairs, in ``wanted`` (ascending) and in ``names``."""
    order = stable_order(names)
    names = names[order]
    first = np.searchsorted(names, wanted)
    count = np.searchsorted(names, wanted, side="right") - first
    row = np.repeat(np.arange(len(wanted)), count)
    return row, order[np.arange(len(row)) + (first - (np.cumsum(count) - count))[row]]


def _joined_masks(masks: Longs, first: Longs) -> Longs:
    """The union of the masks of each group; ``first``: where groups begin."""
    return np.bitwise_or.reduceat(masks, first) if len(first) else masks[:0]


def two_layers(
    u: Ints,
    v: Ints,
    context: Ints,
    summaries: Summaries,
    *,
    rows: npt.NDArray[np.integer] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The two-layer graph: (origin, target, row) with nodes in layers (``LAYERS * node + layer``).

    Args:
        rows: The number of each edge; its index in the columns when absent.

    Returns:
        ``row`` is an edge's number, or FIRST_SUMMARY - the number of a summary.
    """
    rows = np.arange(len(u)) if rows is None else rows
    summary_rows = FIRST_SUMMARY - np.arange(len(summaries.origin))
    intra, call = context == Context.INTRA, context == Context.CALL
    returns, heap = context == Context.RETURN, context == Context.HEAP
    origins, targets, numbers = [], [], []
    for chosen, before, after in (
        (intra, ASCENDING, ASCENDING),
        (intra, DESCENDING, DESCENDING),
        (call, ASCENDING, DESCENDING),
        (call, DESCENDING, DESCENDING),
        (returns, ASCENDING, ASCENDING),
        (heap, ASCENDING, ASCENDING),
        (heap, DESCENDING, ASCENDING),
    ):
        origins.append(LAYERS * u[chosen].astype(np.int64) + before)
        targets.append(LAYERS * v[chosen].astype(np.int64) + after)
        numbers.append(rows[chosen].astype(np.int64))
    for layer in (ASCENDING, DESCENDING):
        origins.append(LAYERS * summaries.origin.astype(np.int64) + layer)
        targets.append(LAYERS * summaries.target.astype(np.int64) + layer)
        numbers.append(summary_rows)
    return np.concatenate(origins), np.concatenate(targets), np.concatenate(numbers)
