"""Facts of summaries: which formals reach which nodes inside their procedures, and for which vulnerabilities.

A fact is a pair (node, formal) with a mask. Facts grow in rounds, as in the semi-naive evaluation of Datalog: the facts
that were new in the last round are joined with the edges, and what is new in the result is the next round. Wide rounds
are joined in arrays. The first narrow round and all after it run as a worklist in plain Python, where a round of one
fact costs little.

O(facts x degree), and a logarithm of it for the order of the columns. A wide round costs a constant besides; there are
at most facts x vulnerabilities / ``NARROW_ROUND`` of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Grouped, first_of_equals, some_set, stable_order

Longs = npt.NDArray[np.int64]
Columns = tuple[Longs, Longs]  # pairs, ascending, each once, and their masks
Fact = tuple[int, int, int]  # node, formal that reaches it inside its procedure, mask
Masks = dict[int, int]

NARROW_ROUND: Final = 192  # facts of a round up to which plain Python takes less time than the calls of NumPy


@dataclass(frozen=True, slots=True)
class Level:
    """Edges inside procedures, and calls, between the nodes of one procedure each."""

    num_nodes: int
    origin: Longs  # (m,) with ``target`` and ``mask``: the edges inside procedures
    target: Longs
    mask: Longs
    formal: Longs  # (k,) call edges: the formals, and the sites and arguments from which they are entered
    entered_at: Longs
    argument: Longs
    entering: Longs  # (k,) masks
    exit: Longs  # (l,) return edges: the nodes at exits, and the sites and results to which they are left
    left_at: Longs
    result: Longs
    leaving: Longs  # (l,) masks


def facts_at_exits(level: Level, starts: tuple[Longs, Longs, Longs], is_exit: npt.NDArray[np.bool_]) -> Columns:
    """All facts of the nodes at exits: ``node * level.num_nodes + formal``, and the masks.

    ``starts``: node, formal and mask of the facts that are given, each pair once.
    """
    n = max(level.num_nodes, 1)
    joins = _Joins(level)
    node, formal, bits = starts
    fresh = _united(node * n + formal, bits)
    facts, edges = _Table(), _Table()  # edges: ``argument * n + result``, the summaries that are known
    facts.add(fresh)
    while len(fresh[0]) > NARROW_ROUND:  # ends: a fact is fresh when it gains a bit
        node, formal = np.divmod(fresh[0], n)
        bits = fresh[1]
        place, counts = joins.inside.places(node)
        row = joins.inside.values[place]
        arriving = [_kept(level.target[row] * n + formal.repeat(counts), bits.repeat(counts) & level.mask[row])]
        which, pair, mask = edges.of(node, n)
        arriving.append(_kept(pair % n * n + formal[which], bits[which] & mask))
        found = edges.fresh(_united(*joins.through_calls(node, formal, bits)))
        edges.add(found)
        which, pair, mask = facts.of(found[0] // n, n)
        arriving.append(_kept(found[0][which] % n * n + pair % n, found[1][which] & mask))
        pairs, masks = (np.concatenate(columns) for columns in zip(*arriving, strict=True))
        fresh = facts.fresh(_united(pairs, masks))
        facts.add(fresh)
    if len(fresh[0]):
        facts.add(_Tail(joins, facts.columns(), edges.columns()).run(fresh))
    pairs, masks = facts.columns()
    at_exits = is_exit[pairs // n]
    return pairs[at_exits], masks[at_exits]


def _kept(pairs: Longs, masks: Longs) -> Columns:
    """Those whose masks have a bit."""
    some = some_set(masks)
    return pairs[some], masks[some]


def _united(pairs: Longs, masks: Longs) -> Columns:
    """Each pair once, ascending, with the union of its masks."""
    order = stable_order(pairs)
    pairs, masks = pairs[order], masks[order]
    first = first_of_equals(pairs)
    if len(first) == len(pairs):
        return pairs, masks
    return pairs[first], np.bitwise_or.reduceat(masks, first)


class _Table:
    """Pairs with masks, to which pairs are added: columns in order, each at least twice as long as the next.

    A pair may be in several columns: its mask is the union. All calls of ``add`` together order each pair a logarithmic
    number of times.
    """

    def __init__(self) -> None:
        self.parts: list[Columns] = []

    def add(self, columns: Columns) -> None:
        if not len(columns[0]):
            return
        parts = self.parts
        while parts and len(parts[-1][0]) < 2 * len(columns[0]):
            pairs, masks = parts.pop()
            columns = _united(np.concatenate([pairs, columns[0]]), np.concatenate([masks, columns[1]]))
        parts.append(columns)

    def columns(self) -> Columns:
        """All pairs, each once, ascending; from now on in one piece."""
        empty = np.empty(0, np.int64)
        parts = self.parts or [(empty, empty)]
        pairs, masks = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        self.parts = [_united(pairs, masks)]
        return self.parts[0]

    def fresh(self, columns: Columns) -> Columns:
        """What of these columns, pairs in order and each once, is not in the table."""
        wanted, masks = columns
        for pairs, known in self.parts:
            at = np.searchsorted(pairs, wanted)
            at[at == len(pairs)] = 0
            masks = masks & ~np.where(pairs[at] == wanted, known[at], 0)
        return _kept(wanted, masks)

    def of(self, firsts: Longs, n: int) -> tuple[Longs, Longs, Longs]:
        """All pairs ``first * n + anything`` of these firsts: (place in ``firsts``, pair, mask)."""
        none = np.empty(0, np.int64)
        found: list[tuple[Longs, Longs, Longs]] = [(none, none, none)]
        for pairs, masks in self.parts:
            begin = np.searchsorted(pairs, firsts * n)
            counts = np.searchsorted(pairs, firsts * n + n) - begin
            some = counts.nonzero()[0]
            begin, counts = begin[some], counts[some]
            row = (begin - (counts.cumsum() - counts)).repeat(counts)
            row += np.arange(len(row))
            found.append((some.repeat(counts), pairs[row], masks[row]))
        which, pairs, masks = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return which, pairs, masks


class _Joins:
    """The edges of a level, by the nodes by which they are joined."""

    def __init__(self, level: Level) -> None:
        self.level = level
        n = level.num_nodes
        rows = np.arange(len(level.origin))
        self.inside = Grouped(n, level.origin, rows)
        self.left = Grouped(n, level.exit, np.arange(len(level.exit)))
        self.entered = Grouped(n, level.formal, np.arange(len(level.formal)))
        self.sites = 1 + max(level.entered_at.max(initial=0), level.left_at.max(initial=0))
        names = level.formal * self.sites + level.entered_at
        self.by_call = stable_order(names)
        names = names[self.by_call]
        self.begin = first_of_equals(names)
        self.names = names[self.begin]
        self.count = np.diff(self.begin, append=len(names))

    def through_calls(self, node: Longs, formal: Longs, bits: Longs) -> tuple[Longs, Longs]:
        """The summaries that these facts make: ``argument * num_nodes + result``, repeats are legal, and masks."""
        level = self.level
        place, counts = self.left.places(node)
        leave = self.left.values[place]
        names = formal.repeat(counts) * self.sites + level.left_at[leave]
        bits = bits.repeat(counts) & level.leaving[leave]
        if not len(self.names) or not len(names):
            return names[:0], bits[:0]
        at = np.searchsorted(self.names, names)
        at[at == len(self.names)] = 0
        some = np.flatnonzero((self.names[at] == names) & (bits != 0))
        at, leave, bits = at[some], leave[some], bits[some]
        counts = self.count[at]
        row = (self.begin[at] - (counts.cumsum() - counts)).repeat(counts)
        row += np.arange(len(row))
        enter = self.by_call[row]
        pairs = level.argument[enter] * level.num_nodes + level.result[leave].repeat(counts)
        return _kept(pairs, bits.repeat(counts) & level.entering[enter])


class _Tail:
    """The worklist of narrow rounds. What is known of a node is looked up when the node is first met."""

    def __init__(self, joins: _Joins, facts: Columns, edges: Columns) -> None:
        self.n = joins.level.num_nodes
        self.joins = joins
        self.known_facts = facts[0].data, facts[1].data
        self.known_edges = edges[0].data, edges[1].data
        self.facts: dict[int, Masks] = {}  # node -> formal -> mask
        self.after: dict[int, Masks] = {}  # node -> node after it -> mask
        self.sites: dict[int, dict[int, list[tuple[int, int]]]] = {}  # formal -> site -> (argument, mask)
        self.work: deque[Fact] = deque()  # what is new in ``facts`` and was not passed on

    def run(self, fresh: Columns) -> Columns:
        """Pass on what is fresh; the facts of all nodes that were met."""
        n, work, joins, level = self.n, self.work, self.joins, self.joins.level
        first, count, _ = joins.left.scalars
        rows, site, result_of, leaving = (
            column.data for column in (joins.left.values, level.left_at, level.result, level.leaving)
        )
        for pair, bits in zip(*(column.tolist() for column in fresh), strict=True):
            work.append((*divmod(pair, n), bits))
        while work:  # ends: what is appended is new in ``facts``, whose bits only grow
            node, formal, new = work.popleft()
            for end, passing in self.after_of(node).items():
                if new & passing:
                    self.arrive(end, formal, new & passing)
            for place in range(first[node], first[node] + count[node]):
                row = rows[place]
                for argument, entering in self.sites_of(formal).get(site[row], ()):
                    after, result = self.after_of(argument), result_of[row]
                    through = new & leaving[row] & entering & ~after.get(result, 0)
                    if through:
                        after[result] = after.get(result, 0) | through
                        for outer, arrived in list(self.facts_of(argument).items()):
                            if arrived & through:
                                self.arrive(result, outer, arrived & through)
        rows_of = [(node * n + formal, m) for node, masks in self.facts.items() for formal, m in masks.items()]
        return _united(*np.array(rows_of, np.int64).reshape(-1, 2).T)

    def arrive(self, node: int, formal: int, bits: int) -> None:
        known = self.facts_of(node)
        before = known.get(formal, 0)
        if bits & ~before:
            known[formal] = before | bits
            self.work.append((node, formal, bits & ~before))

    def facts_of(self, node: int) -> Masks:
        """Formal -> mask of the facts of a node."""
        known = self.facts.get(node)
        if known is None:
            known = self.facts[node] = _masks_of(node, self.n, *self.known_facts)
        return known

    def after_of(self, node: int) -> Masks:
        """Node after this one, inside the procedure or across a call -> mask."""
        known = self.after.get(node)
        if known is None:
            known = self.after[node] = _masks_of(node, self.n, *self.known_edges)
            level, inside = self.joins.level, self.joins.inside
            for row in inside.of_few([node]):
                end = int(level.target[row])
                known[end] = known.get(end, 0) | int(level.mask[row])
        return known

    def sites_of(self, formal: int) -> dict[int, list[tuple[int, int]]]:
        """Site -> (argument, mask) of the call edges into a formal."""
        known = self.sites.get(formal)
        if known is None:
            known = self.sites[formal] = {}
            level = self.joins.level
            for row in self.joins.entered.of_few([formal]):
                pair = int(level.argument[row]), int(level.entering[row])
                known.setdefault(int(level.entered_at[row]), []).append(pair)
        return known


def _masks_of(first: int, n: int, pairs: memoryview, masks: memoryview) -> Masks:
    """Second -> mask of all pairs ``first * n + second``."""
    found: Masks = {}
    at = bisect_left(pairs, first * n)
    while at < len(pairs) and pairs[at] < first * n + n:  # ends with the pairs
        found[pairs[at] - first * n] = masks[at]
        at += 1
    return found
