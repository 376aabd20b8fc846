"""Paths through JSON that read another field than the one which holds the data.

    cache.set("board", JSON.stringify(board))         // the data is in board.owner
    render(JSON.parse(cache.get("board")).title)

A text has no fields, so all of it is tainted if a part of what it was made of is, and so is all that is made of the
text. Along one path it is known in which field the data lay: what is read of the result by another name is not it.

Fields are compared as long as the path leaves both the text and the result of reading it as they are; a key that is
not known, or a position, may be any. Two fields to which tags give one name in JSON are the same (Go), and so are names
that differ in case and underscores alone.

Cost: linear in the edges of a path that reads JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeGuard

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.assemble import AccessPath, Kind
from pyrograph.scanner.explain.keyed_rows import plain
from pyrograph.scanner.explain.paths import Edge, PathFinder
from pyrograph.scanner.explain.sent_names import sent_names

Keys = tuple[int, ...]

# Edges behind which a value is the same one, or a part of it, or in an object
PASSING: Final = frozenset({int(Kind.SAME), int(Kind.KILL), int(Kind.LOAD), int(Kind.STORE), int(Kind.MOVE)})


class Wrong(NamedTuple):
    """Two edges of a path that exclude each other, as positions on it: the one that stores and the one that reads."""

    store: int
    read: int


class JsonFields:
    """Answers for one program."""

    def __init__(self, steps: PathFinder) -> None:
        self.steps = steps
        self.made, self.read = steps.labels.encoded.json_made, steps.labels.encoded.json_read
        flow = steps.flow
        self.value, self.access_path = flow.value, flow.access_path
        self.key = flow.key.data
        self.strings = steps.program.strings

    def wrong(self, edges: Sequence[Edge], keys: Keys) -> Wrong | None:
        """The edge by which a path makes JSON, and that by which it reads another field of it; None if there is none.
        ``keys``: of the sink's value, the part that does harm.
        """
        if not self.read or not self.passes(edges):
            return None
        texts: list[tuple[int, AccessPath]] = []  # in one another: where each was made, and the field with the data
        left: AccessPath = ()  # the field of what was read that the path has still to read
        at_made = NONE
        for at, edge in enumerate(edges):
            pair = self.value[edge.origin], self.value[edge.target]
            if pair in self.made:
                texts.append((at, (*self.access_path[edge.origin], *left)))
                left = ()
            elif pair in self.read:
                at_made, left = texts.pop() if texts else (NONE, ())
            elif self.steps.kind[edge.row] not in PASSING:
                texts, left = [], ()
            elif left:
                taken = self.taken(edge)
                rest = self.rest(left, taken) if taken is not None else ()
                if rest is None:
                    return Wrong(at_made, at)
                left = rest
        is_other = left and self.rest(left, keys[len(self.access_path[edges[-1].target]) :]) is None
        return Wrong(at_made, len(edges) - 1) if is_other else None

    def rest(self, left: AccessPath, taken: AccessPath) -> AccessPath | None:
        """What is left of a field behind keys that are read; None where another field is read."""
        for key in taken:
            if left and self.is_name(key) and self.is_name(left[0]) and not self.is_one_in_json(key, left[0]):
                return None
            left = left[1:]
        return left

    def passes(self, edges: Sequence[Edge]) -> bool:
        """Whether a path reads JSON."""
        value = self.value
        return any((value[edge.origin], value[edge.target]) in self.read for edge in edges)

    def taken(self, edge: Edge) -> Keys | None:
        """The keys that an edge reads of the value itself, beyond those of objects that the path has put it into; None
        where that is not known.
        """
        kind, around = self.steps.kind[edge.row], self.access_path[edge.origin]
        if kind not in (Kind.LOAD, Kind.MOVE):
            return ()
        if any(isinstance(each, frozenset) for each in around):
            return None
        if kind == Kind.LOAD:
            return (self.key[edge.row],)[len(around) :]
        keys = self.moved.get((self.value[edge.origin], self.value[edge.target]))
        return None if keys is None else keys[len(around) :]

    def is_name(self, key: int | frozenset[int]) -> TypeGuard[int]:
        """Whether a key is the name of a field: no position, and none that stands for what has no name."""
        text = self.strings[key] if isinstance(key, int) and key >= 0 else ""
        return bool(text) and not text.isdigit() and not text.startswith("\0")

    @cached_property
    def moved(self) -> dict[tuple[int, int], Keys]:
        """By two values: the keys of the first that libraries move into the second, if all that move there agree."""
        found: dict[tuple[int, int], Keys] = {}
        several: set[tuple[int, int]] = set()
        moves = [(each.origin, each.target, each.take) for each in self.steps.labels.flows]
        moves += [(each.origin, each.target, each.take) for each in self.steps.resolution.flows.moves]
        for origin, target, take in moves:
            if found.setdefault((origin, target), take) != take:
                several.add((origin, target))
        for pair in several:
            del found[pair]
        return found

    def is_one_in_json(self, one: int, other: int) -> bool:
        """Whether two fields may have the same name in JSON."""
        names = [{plain(self.strings[each]), *self.sent.get(each, ())} for each in (one, other)]
        return not names[0].isdisjoint(names[1])

    @cached_property
    def sent(self) -> dict[int, set[str]]:
        """By the name of a field: other names that it has in JSON."""
        program = self.steps.program
        found: dict[int, set[str]] = {}
        for name, fields in sent_names(program, self.steps.texts, {file.language for file in program.files}).items():
            for key in [program.string_ids[field] for field in fields if field in program.string_ids]:
                found.setdefault(key, set()).add(plain(name))
        return found
