"""The worklist of the expansion: which nodes (value, access path) there are, and where their edges lead.

Compiled (``hatch_build.py``): the steps of all nodes are the hottest loop of assembly.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import OPEN
from pyrograph.ir.packed import PAIR_BITS, PAIR_LOW
from pyrograph.kernels.arrays import Grouped, among, first_of_equals
from pyrograph.policy.limits.flow_graph import MAX_NODES, MAX_PATH, MAX_PATHS, MAX_PATHS_BELOW
from pyrograph.scanner.analysis.assemble.access_paths import (
    Tainted,
    element,
    is_hidden,
    kill_key,
    load_key,
    repeats,
)
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, AccessPath, Edges, Ints, Kind, Mask
from pyrograph.scanner.analysis.assemble.pruning import Pruned
from pyrograph.scanner.analysis.bounds import BoundReached
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program

# Members of the enumeration as numbers: compiled code would look each of them up by name.
SAME: Final = int(Kind.SAME)
DERIVED: Final = int(Kind.DERIVED)
LOAD: Final = int(Kind.LOAD)
STORE: Final = int(Kind.STORE)
KILL: Final = int(Kind.KILL)
MOVE: Final = int(Kind.MOVE)
SLICE: Final = int(Kind.SLICE)
TEXT: Final = int(Kind.TEXT)
SHOWN: Final = int(Kind.SHOWN)
SHOWN_TEXT: Final = int(Kind.SHOWN_TEXT)
QUOTED: Final = int(Kind.QUOTED)
IF_WHOLE: Final = int(Kind.IF_WHOLE)
PART: Final = int(Kind.PART)
FILTERED: Final = int(Kind.FILTERED)

NOTHING: Final = -1  # instead of a path's number: nothing is tainted
Effect = tuple[int, int]  # the kind and the key of an edge
NodesOf = dict[Any, Any]  # of one value: path's number -> node
UNCHANGED: Final = -1  # instead of an effect's number: the path stays as it is
# An edge that leaves a value: the nodes of its target, its target, the number of its effect or UNCHANGED, and path's
# number -> number after it, or NOTHING, of all edges with this effect.
Step = tuple[NodesOf, Any, int, dict[Any, Any]]
ANY_PART: Final[AccessPath] = (frozenset(),)  # stands for all paths of an object that has too many


class Worklist:
    """The worklist of the expansion. Guarded access paths are interned: few different ones occur at many values."""

    def __init__(self, program: Program, labels: Labels, edges: Edges, pruned: Pruned) -> None:
        self.program = program
        self.slices = program.tables["slices"]
        self.encodings = labels.encoded.keys
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
        number[kind == SAME] = UNCHANGED
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
        found: int | None = nodes.get(number)
        if found is not None:
            return found
        path, excluded = self.tainted[number]
        count = len(nodes)
        if count >= MAX_PATHS_BELOW:
            for beginning in (self.rooms.get(number) or self.room(number))[0]:
                whole: int | None = nodes.get(beginning)
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
        # Numbers that only pass through are typed Any, as in ``resolve/propagation.py``.
        values: list[Any] = self.values
        parts: list[Any] = self.parts
        ends: list[Any] = self.edge_target
        nothing: Any = NOTHING
        every: Any = self.every
        number: Any
        following: Any
        known: Any
        end: Any
        unset_keys, rooms, widened = self.unset_keys, self.rooms, self.widened_edges
        reading = {number for number, (kind, _) in enumerate(self.effects) if kind in (LOAD, MOVE)}
        done = 0
        while done < len(values):  # ends: ``node`` makes 2 * MAX_PATHS nodes of a value, plus cut ones
            steps = outgoing.get(values[done])
            number = parts[done]
            done += 1
            if steps is None:
                continue
            place: int = number
            whole = unexported is not None and not tainted[place][0]
            for nodes, target, effect, passed in steps:
                following = number
                if effect != UNCHANGED:
                    if whole and effect in reading and unexported is not None and unexported.reads(target):
                        ends.append(nothing)
                        continue
                    known = passed.get(number)
                    if known is None:
                        kind, key = self.effects[effect]
                        path, excluded = tainted[place]
                        after = self.after(kind, key, path, excluded)
                        known = passed[number] = nothing if after is None else self.number(*after)
                    if known == nothing:
                        ends.append(nothing)
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
                            widened.append(len(ends))
                        elif is_free:
                            beginnings, most = rooms.get(following) or self.room(following)
                            is_free = count < most and nodes.keys().isdisjoint(beginnings)
                    if end is None and is_free:
                        end = len(values)
                        nodes[following] = end
                        values.append(target)
                        parts.append(following)
                    elif end is None:
                        self.is_widened = False
                        end = self.node(target, following)
                        if self.is_widened:
                            widened.append(len(ends))
                ends.append(end)

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
        if kind in (DERIVED, SHOWN, QUOTED, FILTERED):
            if is_hidden(path):
                return None
            encoding = self.encoding(path)
            return ((), frozenset()) if encoding is None else ((encoding,), frozenset())
        if kind == IF_WHOLE:
            return (path, frozenset()) if not path or path == (self.encoding(path),) else None
        if kind == PART:
            return (path, excluded) if path and not is_hidden(path) else None
        if kind == LOAD:
            return self.load(key, path, excluded)
        if kind == STORE:
            return (element(key), *path), excluded
        if kind in (TEXT, SHOWN_TEXT):
            return self.shown(path)
        if kind == KILL:
            return kill_key(key, path, excluded)
        if kind == SLICE:
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
