"""Expansion: the nodes (value, access path), forwards from the sources, on the edges that pruning leaves."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.graph import reached
from pyrograph.ir.codes import KEYS, NO_STRING, OPEN
from pyrograph.ir.packed import PAIR_BITS, PAIR_LOW
from pyrograph.kernels.arrays import Grouped, among, first_of_equals
from pyrograph.policy.limits.flow_graph import MAX_NODES, MAX_PATH, MAX_PATHS, MAX_PATHS_BELOW
from pyrograph.scanner.analysis.assemble.access_paths import (
    Tainted,
    element,
    is_hidden,
    kill_key,
    load_key,
    reaches_sink,
    repeats,
)
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, AccessPath, Edges, FlowGraph, Ints, Kind, Mask
from pyrograph.scanner.analysis.assemble.pruning import Pruned, prune
from pyrograph.scanner.analysis.bounds import BoundReached
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program

NOTHING = -1  # instead of a path's number: nothing is tainted
Effect = tuple[int, int]  # the kind and the key of an edge
NodesOf = dict[int, int]  # of one value: path's number -> node
UNCHANGED: Final = -1  # instead of an effect's number: the path stays as it is
# An edge that leaves a value: the nodes of its target, its target, the number of its effect or UNCHANGED, and path's
# number -> number after it, or NOTHING, of all edges with this effect.
Step = tuple[NodesOf, int, int, dict[int, int]]
ANY_PART: AccessPath = (frozenset(),)  # stands for all paths of an object that has too many


def expand(program: Program, labels: Labels, edges: Edges) -> FlowGraph:
    """The nodes that are tainted by a source and reach a sink, and the edges between them."""
    return expanded(program, labels, prune(program, labels, edges))


def expanded(program: Program, labels: Labels, pruned: Pruned) -> FlowGraph:
    """``expand`` after pruning."""
    edges, origin, kind, key = pruned.edges, pruned.origin, pruned.kind, pruned.key
    context, site, assumed, alive = pruned.context, pruned.site, pruned.assumed, pruned.alive
    empty = np.empty(0, np.int32)
    expansion = _Expansion(program, labels, edges, pruned)
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


class _Expansion:
    """The worklist of the expansion. Guarded access paths are interned: few different ones occur at many values."""

    def __init__(self, program: Program, labels: Labels, edges: Edges, pruned: Pruned) -> None:
        self.program = program
        self.slices = program.tables["slices"]
        self.encodings = labels.encodings
        self.transfers = edges.transfers
        self.lost_keys = edges.lost_keys
        self.unset_keys = labels.keys.unset
        self.tables = labels.keys.tables
        self.unexported = edges.unexported
        everything = (1 << len(labels.vulnerabilities)) - 1
        blocked = [value for value, mask in labels.clean.items() if mask == everything]
        self.tainted: list[Tainted] = []  # by number
        self.numbers: dict[Tainted, int] = {}
        self.rooms: dict[int, tuple[list[int], int]] = {}  # path's number -> what ``room`` returns
        self.nodes_of: dict[int, NodesOf] = {}  # by value
        self.values: list[int] = []  # of each node
        self.parts: list[int] = []  # of each node: the number of its path
        self.edge_target: list[int] = []  # for each node, for each step of its value: the node it leads to, or NOTHING
        self.widened_edges: list[int] = []  # places in ``edge_target``, see ``FlowGraph.widened``
        self.at_bound: set[int] = set()  # values with more paths than are kept apart
        self.is_widened = False  # whether the last call of ``node`` returned a node with a wider path
        self.every = self.number((), frozenset())  # the number of the path of a value that is tainted as a whole
        self.effects: list[Effect] = []
        self.outgoing: dict[int, list[Step]] = {}  # by value, the edges that leave it in the order of their rows
        self.rows = self.set_out(pruned, blocked)  # of steps, by value

    def set_out(self, pruned: Pruned, blocked: Collection[int]) -> Grouped:
        """Fill ``outgoing`` with all edges but those to ``blocked``, and ``effects``; the rows of all steps."""
        kept = pruned.matched[~among(pruned.target[pruned.matched], blocked)] if blocked else pruned.matched
        by_value = Grouped(len(pruned.alive), pruned.origin[kept], kept)
        rows = by_value.values
        kind, key = pruned.kind[rows].astype(np.int64), pruned.key[rows]
        different, number = np.unique(kind << PAIR_BITS | (key.astype(np.int64) & PAIR_LOW), return_inverse=True)
        number[kind == Kind.SAME] = UNCHANGED
        keys = (different & PAIR_LOW).astype(np.uint32).view(np.int32)
        self.effects += zip((different >> PAIR_BITS).tolist(), keys.tolist(), strict=True)
        passed: list[dict[int, int]] = [{} for _ in self.effects]
        passed.append({})  # at UNCHANGED
        targets, numbers = pruned.target[rows].tolist(), number.tolist()
        self.nodes_of = {value: {} for value in targets}
        steps = [
            (self.nodes_of[value], value, effect, passed[effect])
            for value, effect in zip(targets, numbers, strict=True)
        ]
        origin = pruned.origin[rows]
        begin = first_of_equals(origin)
        for value, (start, end) in zip(origin[begin].tolist(), pairwise([*begin.tolist(), len(steps)]), strict=True):
            self.outgoing[value] = steps[start:end]
        return by_value

    def number(self, path: AccessPath, excluded: frozenset[int]) -> int:
        """The number of a path; one that grows without end stands for everything below its beginning."""
        tainted = path, excluded
        found = self.numbers.get(tainted)
        if found is None:
            while len(path) > 1 and (len(path) > MAX_PATH or repeats(path)):
                path, excluded = path[: min(MAX_PATH, len(path) - 1)], frozenset()
            if len(path) < len(tainted[0]):
                found = self.number(path, excluded)
            else:
                found = len(self.tainted)
                self.tainted.append(tainted)
            self.numbers[tainted] = found
        return found

    def node(self, value: int, number: int) -> int:
        """The node of a value and a path.

        Where a value has too many paths, further ones are cut to some part of their first key (of an element of a list:
        of the first key below it), and then of the value; before that to a part which is tainted as a whole, maybe by
        another call.
        """
        nodes = self.nodes_of.setdefault(value, {})
        found = nodes.get(number)
        if found is not None:
            return found
        path, excluded = self.tainted[number]
        count = len(nodes)
        if count >= MAX_PATHS_BELOW:
            for beginning in (self.rooms.get(number) or self.room(number))[0]:
                whole = nodes.get(beginning)
                if whole is not None:
                    self.is_widened = True
                    return whole
        kept = 2 if path[:1] == ANY_PART and count < 2 * MAX_PATHS else 1
        if count >= MAX_PATHS and ((len(path) > kept and path[kept:] != ANY_PART) or (path and excluded)):
            self.at_bound.add(value)
            self.is_widened = True
            return self.node(value, self.number(path[:kept] + ANY_PART if len(path) > kept else path, frozenset()))
        if (count >= 2 * MAX_PATHS or len(self.values) >= MAX_NODES) and (path or excluded) and path != ANY_PART:
            self.at_bound.add(value)
            self.is_widened = True
            widened = ANY_PART if path and len(self.values) < MAX_NODES else ()
            return self.node(value, self.number(widened, frozenset()))
        nodes[number] = node = len(self.values)
        self.values.append(value)
        self.parts.append(number)
        return node

    def room(self, number: int) -> tuple[list[int], int]:
        """The numbers of the parts that the path lies in, as a whole, the value itself first; and how many nodes a
        value has, at least, when ``node`` cuts the path.
        """
        path, excluded = self.tainted[number]
        lengths = range(len(path) + bool(excluded))
        kept = 2 if path[:1] == ANY_PART else 1
        is_cut = (len(path) > kept and path[kept:] != ANY_PART) or bool(path and excluded)
        beginnings = [self.number(path[:length], frozenset()) for length in lengths]
        known = self.rooms[number] = beginnings, MAX_PATHS if is_cut else 2 * MAX_PATHS
        return known

    def run(self) -> None:
        """Follow the edges of all nodes, in the order in which they are made."""
        outgoing, unexported, tainted = self.outgoing, self.unexported, self.tainted
        values, parts, end_at = self.values, self.parts, self.edge_target.append  # hot
        begin_value, begin_part = values.append, parts.append
        unset_keys, every, rooms, widen = self.unset_keys, self.every, self.rooms, self.widened_edges.append
        reading = {number for number, (kind, _) in enumerate(self.effects) if kind in (Kind.LOAD, Kind.MOVE)}
        nothing: list[Step] = []
        # ends: ``node`` makes 2 * MAX_PATHS nodes of a value, plus cut ones; the columns grow while they are read
        for value, number in zip(values, parts, strict=True):
            whole = unexported is not None and not tainted[number][0]
            for nodes, target, effect, passed in outgoing.get(value, nothing):
                following = number
                if effect != UNCHANGED:
                    if whole and effect in reading and unexported is not None and unexported.reads(target):
                        end_at(NOTHING)
                        continue
                    known = passed.get(number)
                    if known is None:
                        after = self.after(*self.effects[effect], *tainted[number])
                        known = passed[number] = NOTHING if after is None else self.number(*after)
                    if known == NOTHING:
                        end_at(NOTHING)
                        continue
                    following = known
                    if unset_keys and target in unset_keys:
                        following = self.filled(target, following)
                end = nodes.get(following)
                if end is None:
                    # What ``node`` does, which is called for the rest: mostly the whole value is tainted, the first
                    # of the beginnings that it looks for, or the path is kept as it is. ``MAX_PATHS_BELOW`` is less
                    # than ``MAX_PATHS``: a value with fewer nodes gets each further path.
                    count = len(nodes)
                    is_free = len(values) < MAX_NODES
                    if count >= MAX_PATHS_BELOW:
                        end = nodes.get(every)
                        if end is not None:
                            widen(len(self.edge_target))
                        elif is_free:
                            beginnings, most = rooms.get(following) or self.room(following)
                            is_free = count < most and nodes.keys().isdisjoint(beginnings)
                    if end is None and is_free:
                        nodes[following] = end = len(values)
                        begin_value(target)
                        begin_part(following)
                    elif end is None:
                        self.is_widened = False
                        end = self.node(target, following)
                        if self.is_widened:
                            widen(len(self.edge_target))
                end_at(end)

    def edges(self, values: Ints) -> tuple[Ints, Ints, npt.NDArray[np.int64], Mask]:
        """Origins, targets and rows of the edges between nodes, in the order of ``run``, and whether they are widened.

        ``values``: of nodes.
        """
        rows, counts = self.rows.places(values)
        tails = np.array(self.edge_target, np.int32)
        widened = np.zeros(len(tails), bool)
        widened[self.widened_edges] = True
        kept = np.flatnonzero(tails != NOTHING)
        heads = np.arange(len(values), dtype=np.int32).repeat(counts)
        return heads[kept], tails[kept], self.rows.values[rows[kept]].astype(np.int64, copy=False), widened[kept]

    def filled(self, value: int, number: int) -> int:
        """The number of what is tainted of an object that a decoder fills, without the keys that it never sets."""
        path, excluded = self.tainted[number]
        return number if path else self.number(path, excluded | self.unset_keys[value])

    def after(self, kind: int, key: int, path: AccessPath, excluded: frozenset[int]) -> Tainted | None:
        """The tainted part of an edge's target if ``path`` of its origin is tainted; None if there is none."""
        if kind == Kind.DERIVED or kind == Kind.SHOWN or kind == Kind.QUOTED or kind == Kind.FILTERED:
            if is_hidden(path):
                return None
            encoding = self.encoding(path)
            return ((), frozenset()) if encoding is None else ((encoding,), frozenset())
        if kind == Kind.IF_WHOLE:
            return (path, frozenset()) if not path or path == (self.encoding(path),) else None
        if kind == Kind.PART:
            return (path, excluded) if path and not is_hidden(path) else None
        if kind == Kind.LOAD:
            return self.load(key, path, excluded)
        if kind == Kind.STORE:
            return (element(key), *path), excluded
        if kind == Kind.TEXT or kind == Kind.SHOWN_TEXT:
            return self.shown(path)
        if kind == Kind.KILL:
            return kill_key(key, path, excluded)
        if kind == Kind.SLICE:
            return self.slice(key, path, excluded)
        take, put = self.transfers[key]
        found: Tainted | None = (path, excluded)
        for each in self.lost_keys.get(key, ()):
            if found is not None:
                found = kill_key(each, *found)
        for each in take:
            if found is not None:
                found = self.load(each, *found)
        return None if found is None else ((*map(element, put), *found[0]), found[1])

    def shown(self, path: AccessPath) -> Tainted | None:
        """The tainted part of text made from a value: it shows the value and its elements, not its named fields."""
        if is_hidden(path):
            return None
        head = path[0] if path else OWN_KEYS
        named = isinstance(head, int) and head >= 0 and head not in self.encodings
        if named and not self.program.strings[head].isdigit():  # type: ignore[index]
            return None
        encoding = self.encoding(path)
        return ((), frozenset()) if encoding is None else ((encoding,), frozenset())

    def encoding(self, path: AccessPath) -> int | None:
        """The key of the encoding that ``path`` passes, if there is one: encoded text is harmless."""
        if not self.encodings:
            return None
        for key in path:
            if key in self.encodings:
                return key
        return None

    def load(self, key: int, path: AccessPath, excluded: frozenset[int]) -> Tainted | None:
        """As ``load_key``; an element of encoded text is encoded as well. The keys of a table are not the program's
        own, where those of the object that it lies in are.
        """
        if key < 0 and path and path[0] == self.encoding(path):
            return path, excluded
        if key in self.tables and not path and key not in excluded:
            excluded -= {OWN_KEYS}
        return load_key(key, path, excluded)

    def slice(self, row: int, path: AccessPath, excluded: frozenset[int]) -> Tainted | None:
        """The tainted part of ``object[start:end]`` if ``path`` of the object is tainted: indices are shifted."""
        if not path:
            return (), frozenset()
        start, end = int(self.slices["start"][row]), int(self.slices["end"][row])
        start = 0 if start == OPEN else start
        head = path[0]
        if isinstance(head, frozenset):
            return (frozenset(), *path[1:]), excluded
        text = self.program.strings[head] if head >= 0 else ""  # below: hidden keys, and what a function value holds
        if not text.isdigit():
            return path, excluded
        index = int(text)
        if 0 <= end < OPEN and index >= end:
            return None
        if start < 0 or start >= OPEN:
            return (frozenset(), *path[1:]), excluded
        return None if index < start else ((self.program.intern(str(index - start)), *path[1:]), excluded)

    def bounds_reached(self) -> list[BoundReached]:
        if not self.at_bound:
            return []
        message = f"an object has more than {MAX_PATHS} tainted parts; its parts are no longer tracked separately"
        return [BoundReached(message, len(self.at_bound), self.at_bound)]
