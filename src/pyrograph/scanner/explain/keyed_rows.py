"""Paths that store one row of a table and read another one: ``Setting{Key: "token", Value: token}``, and later
``db.Where("key = ?", "folder").First(&row)``.

A table has one cell for all its rows, so that what is stored in one row seems to arrive in each. The row is known where
the column of a key equals a constant, in the call that stores or in the one that reads. Functions that are given the
key, ``setting("folder")``, are asked with the constants of the calls by which the path enters or leaves them.

The column is known as well where the path itself has lost it: in the list of a dynamic ``UPDATE`` each value stands
beside the text that assigns it (``listed_column``), and what is read of a row by the name of another column is not what
was stored (``is_same_column``).

Only columns that are named as keys tell rows apart (``KEY_COLUMNS``), and of these none that the program changes in a
row that exists: a row with ``status = "new"`` has another status later. Nothing is concluded where a function that the
path passed before stores something in the row that is read: one request may fill several rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_ASKED_VALUES, MAX_CONDITION_TEXT
from pyrograph.policy.names.functions import CHANGING_METHODS
from pyrograph.policy.names.statements import (
    ASSIGNS_COLUMN,
    BOUND,
    COLUMN_EQUALS,
    KEY_COLUMNS,
    OTHER_CONDITIONS,
    OTHER_ROWS,
)
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind
from pyrograph.scanner.analysis.columns import RowsByKey, rows_of
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF, OBJECT
from pyrograph.scanner.explain.branches import FILLED, TEXT, BranchCheck, Known
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.paths import Edge

FILLED_NAME: Final = "\0"  # a column whose name the program puts into a text
FIRST, SECOND = "0", "1"  # the positions of a name and of its value in a pair
NAMED: Final = frozenset({Op.GLOBAL, Op.IMPORT, Op.LOAD})  # what may be the name of a constant

Columns = dict[str, str | None]  # by name of a column: the constant that it equals; None: another value, or several


def plain(name: str) -> str:
    """A column's name without case and underscores.

    >>> plain("config_id") == plain("ConfigID")
    True
    """
    return name.replace("_", "").lower()


def joined(parts: Iterable[Columns]) -> Columns:
    """What holds where all of the parts hold; a column of which they say different things is not known."""
    found: Columns = {}
    for part in parts:
        for name, text in part.items():
            found[name] = text if found.get(name, text) == text else None
    return found


class Entered(NamedTuple):
    """A call that a path enters."""

    call: int
    function: int
    given: int  # the argument that the path goes through


class NamedConstants(BranchCheck):
    """Constants by the names of modules, too: ``Setting{Key: TokenKey}``, where another file declares the name."""

    def constant(self, value: int, known: Known, depth: int = 0) -> str | None:
        text = super().constant(value, known, depth)
        if text is not None or value == NONE or depth == MAX_ASKED_DEPTH:
            return text
        rep = self.reps[value]
        op, row = self.control_flow.op[rep], self.control_flow.data[rep]
        if rep in known:
            return None
        if op == Op.POST and row >= 0:  # a call changes no text
            return self.constant(self.args.value[row], known, depth + 1)
        if rep in self.outer:
            return self.constant(self.outer[rep], {}, depth + 1)
        if op not in NAMED:
            return None
        edges = self.resolution.flows.context_free_edges
        held = {self.reps[edges[row][0]] for row in self.declared.of(rep).tolist()[:MAX_ASKED_VALUES]} - {rep}
        return self.constant(held.pop(), {}, depth + 1) if len(held) == 1 else None

    @cached_property
    def declared(self) -> RowsByKey:
        """The rows of ``context_free_edges`` by what they store into: names of modules, among others."""
        ends = rows_of(self.resolution.flows.context_free_edges, 2)
        return RowsByKey(self.resolution.representative[ends[:, 1]])


class KeyedRows:
    """Answers for one program."""

    def __init__(self, callers: Callers, flow: FlowGraph, args: Arguments) -> None:
        self.branches, self.callers = NamedConstants(callers.regions, flow, args), callers
        branches = self.branches
        self.program, self.args = branches.program, branches.args
        self.control_flow, self.reps = branches.control_flow, branches.reps
        self.op, self.data, self.function = callers.op, callers.data, callers.function
        self.value, self.access_path = flow.value, flow.access_path
        self.context, self.site = flow.context.data, flow.site.data
        self.kind, self.key = flow.kind.data, flow.key.data
        self.stored = branches.resolution.stored
        self.changed: dict[str, bool] = {}  # by name of a column: ``is_changed``

    def wrong_store(self, edges: Sequence[Edge], start: int) -> int:
        """The edge of a path by which it stores in a row or a column that it does not read next, as far as constants
        show; ``NONE`` if there is none. ``start``: the value at which the path begins.
        """
        entered: list[Entered] = []  # what the path is in since it left the last cell
        for at, edge in enumerate(edges):
            context, target = self.context[edge.row], self.value[edge.target]
            if context == Context.CALL:
                entered.append(Entered(self.site[edge.row], int(self.function[target]), self.value[edge.origin]))
            elif context == Context.RETURN and entered:
                entered.pop()
            elif context == Context.HEAP:
                if target in self.stored.tables and not (
                    self.is_same_column(edges, at) and self.is_same_row(edges, at, entered, start)
                ):
                    return at
                entered = []
        return NONE

    def is_same_column(self, edges: Sequence[Edge], at: int) -> bool:
        """Whether the column that the edge ``at`` stores in may be the one that the path reads by its name, later and
        where it is not known any more which column it has: ``row = dict(zip(names, values))``, ``row["folder"]``.
        """
        cell = edges[at].target
        stored = self.name_of(cell) or self.listed_column(edges[: at + 1])
        if not stored or at + 1 == len(edges):
            return True
        columns = self.columns.get(self.value[cell], set())
        read = self.names_read(self.value[cell], edges[at + 1].target)
        if read and not self.name_of(cell):  # a statement puts one of its columns there
            return stored in read
        own = {stored, *read}
        for edge in edges[at + 2 :]:
            if self.value[edge.target] in self.stored.tables:
                break
            key = self.key[edge.row]
            if self.kind[edge.row] != Kind.LOAD or key < 0:
                continue
            name = plain(self.program.strings[key])
            if name in own:
                break
            if name in columns:
                return False
        return True

    def listed_column(self, edges: Sequence[Edge]) -> str:
        """The column of a value that is put into a list of values beside a list of assignments, from which a statement
        is made: ``parts.append("folder = %s"); values.append(folder)``. Or of a value of an object whose names are
        those of the columns: ``parts.append(f"{name} = %s"); values.append(value)``. "" where it is not known.
        """
        for at in range(len(edges) - 1, -1, -1):
            edge = edges[at]
            target = self.value[edge.target]
            if not self.is_put_into_list(edge, target):
                continue
            names = self.assigned.get(self.control_flow.block_of(target), set())
            name = next(iter(names)) if len(names) == 1 else ""
            return self.key_before(edges[:at]) if name == FILLED_NAME else name
        return ""

    def is_put_into_list(self, edge: Edge, target: int) -> bool:
        """Whether an edge puts a value into a list: at a position, by a method of the list, or by a function."""
        key = self.key[edge.row]
        if self.kind[edge.row] == Kind.STORE and (key < 0 or self.program.strings[key].isdigit()):
            return True
        row = self.data[target]
        if self.op[target] == Op.POST and row >= 0 and self.args.position[row] == RECEIVER:
            return self.reps[self.value[edge.origin]] != self.reps[target]
        return self.op[target] == Op.CALL and self.callers.name_of(row) in CHANGING_METHODS

    def key_before(self, edges: Sequence[Edge]) -> str:
        """The last name under which a path stores something in an object, or in a pair of a name and a value; "" where
        it stores at a position after that.
        """
        for edge in reversed(edges):
            key = self.key[edge.row]
            if self.kind[edge.row] != Kind.STORE or key < 0:
                continue
            name = self.program.strings[key]
            if name == SECOND:
                name = self.name_in_pair(self.reps[self.value[edge.target]])
            return "" if name.isdigit() else plain(name)
        return ""

    def name_in_pair(self, pair: int) -> str:
        """The constant text that an object holds first, or ""."""
        stores, first = self.program.tables["stores"], self.program.string_ids.get(FIRST, NONE)
        rows = self.branches.stores.of(pair).tolist()[:MAX_ASKED_VALUES]
        held = [int(stores["value"][row]) for row in rows if stores["key"][row] == first]
        text = self.branches.constant(held[0], {}) if len(held) == 1 else None
        return text[len(TEXT) :] if text is not None and is_known(text) else ""

    @cached_property
    def assigned(self) -> dict[int, set[str]]:
        """By block: the columns that its texts assign a bound value to; ``FILLED_NAME`` for one whose name the program
        puts there. Linear in the texts of the program, once.
        """
        strings, tables = self.program.strings, self.program.tables
        named = {at: found[1] for at, text in enumerate(strings) if (found := ASSIGNS_COLUMN.fullmatch(text))}
        values, texts = tables["values"], tables["texts"]
        constants = np.flatnonzero((values["op"] == int(Op.CONST)) & among(values["data"], list(named)))
        pairs = [(value, int(values["data"][value])) for value in constants.tolist()]
        rows = np.flatnonzero(among(texts["text"], list(named))).tolist()
        pairs += [(int(texts["value"][row]), int(texts["text"][row])) for row in rows]
        found_in: dict[int, set[str]] = {}
        for value, text in pairs:
            if self.function[value] >= 0:
                found_in.setdefault(self.control_flow.block_of(value), set()).add(plain(named[text]))
        return found_in

    def name_of(self, node: int) -> str:
        """The last name below a value that a node of the graph stands for, or ""."""
        below = self.access_path[node]
        key = below[-1] if below else NONE
        return plain(self.program.strings[key]) if isinstance(key, int) and key >= 0 else ""

    def names_read(self, cell: int, node: int) -> set[str]:
        """The columns of a table that a statement puts where a node of the graph stands for, by name or position."""
        below = self.access_path[node]
        if not below:
            return set()
        own = self.name_of(node)
        found = {
            plain(self.program.strings[column])
            for column, put in self.read_from.get((cell, self.value[node]), ())
            if put == below[-1]
        }
        return found | {own} if own else found

    @cached_property
    def read_from(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """By the cell of a table and what is read from it: columns, and the keys under which they are put."""
        found: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for move in self.branches.resolution.flows.moves:
            if move.origin in self.stored.tables and move.take and move.put and move.take[0] >= 0:
                found.setdefault((move.origin, move.target), []).append((move.take[0], move.put[-1]))
        return found

    @cached_property
    def columns(self) -> dict[int, set[str]]:
        """By the cell of a table: the columns in which the program stores by their names, and those that its class
        declares.
        """
        found: dict[int, set[str]] = {}
        resolution = self.branches.resolution
        for cell, record in self.stored.records.items():
            for owner in resolution.lineage(record >> KIND_BITS) if record & KIND == INSTANCE_OF else ():
                for name, values in resolution.class_members.get(owner, {}).items():
                    if any(self.op[self.reps[value]] == Op.CALL for value in values):
                        found.setdefault(cell, set()).add(plain(self.program.strings[name]))
        for move in self.branches.resolution.flows.moves:
            if move.target in self.stored.tables and move.put and move.put[0] >= 0:
                found.setdefault(move.target, set()).add(plain(self.program.strings[move.put[0]]))
        return found

    def is_same_row(self, edges: Sequence[Edge], at: int, entered: Sequence[Entered], start: int) -> bool:
        """Whether the row that the edge ``at`` stores in may be the one that the next edge reads."""
        target = self.value[edges[at].target]
        if at + 1 == len(edges):
            return True
        kept, read = self.value[edges[at].origin], self.value[edges[at + 1].target]
        if (
            entered
            and self.op[self.reps[kept]] == Op.PARAMETER
            and self.is_other_class(target, kept, entered[-1].given)
        ):
            return False
        asked = {
            name: text
            for name, text in self.row_of(read, self.known_behind(edges, at + 1), is_read=True).items()
            if KEY_COLUMNS.search(name) and is_known(text)
        }
        if not asked:
            return True
        known: Known = {}
        for call, function, _ in entered:
            known = self.branches.given(call, function, known) if 0 <= call < len(self.branches.results) else {}
        if not self.is_other_row(asked, self.row_of(kept, known)):
            return True
        before = {start, *(self.value[edge.origin] for edge in edges[: at + 1])}
        passed = {int(self.function[each]) for each in before}
        others = [each for each in self.kept_in.get(target, ()) if int(self.function[each]) in passed and each != kept]
        return not all(self.is_other_row(asked, self.row_of(each, {})) for each in others[:MAX_ASKED_VALUES])

    def is_other_class(self, cell: int, kept: int, given: int) -> bool:
        """Whether what a repository of several models is given to store is a record of another table, by its class.

        Only where the class of what is ``kept`` says which table it is: one that takes forms makes records of them.
        """
        resolution, types = self.branches.resolution, self.program.tables["types"]["type"]
        record = self.stored.records.get(cell, NONE)
        if record == NONE or record & KIND != INSTANCE_OF or record not in resolution.states_of(kept):
            return False
        states = resolution.states_of(given)
        classes = {state >> KIND_BITS for state in states if state & KIND == INSTANCE_OF}
        if len(states) > len(classes) + sum(state & KIND == OBJECT for state in states):
            return False
        for row in self.declared_types.of(self.reps[given]).tolist():
            declared = subjects(resolution.states_of(int(types[row])), CLASS)
            classes.update(each for each in declared if self.has_fields(each))
        owner = record >> KIND_BITS
        above = resolution.lineage(owner)
        return bool(classes) and not any(each in above or owner in resolution.lineage(each) for each in classes)

    def has_fields(self, owner: int) -> bool:
        """Whether a class declares fields, so that it is no interface, of which any class may be."""
        members = self.branches.resolution.class_members.get(owner, {})
        return any(self.op[value] == Op.FIELD for values in members.values() for value in values)

    @cached_property
    def declared_types(self) -> RowsByKey:
        """Declared types by the representative of the value."""
        return RowsByKey(self.branches.resolution.representative[self.program.tables["types"]["value"]])

    def is_other_row(self, asked: Columns, stored: Columns) -> bool:
        """Whether a row has another constant in a column than the one that is read has."""
        return any(
            text != asked[name] and is_known(text) and not self.is_changed(name)
            for name, text in stored.items()
            if name in asked
        )

    def known_behind(self, edges: Sequence[Edge], at: int) -> Known:
        """The constants of the function in which a row is read, by the calls to which the path returns from it."""
        calls: list[tuple[int, int]] = []
        function, depth = int(self.function[self.value[edges[at].target]]), 0
        for edge in edges[at + 1 :]:
            context, target = self.context[edge.row], self.value[edge.target]
            if context == Context.HEAP:
                break
            if context == Context.CALL:
                depth += 1
            elif context == Context.RETURN and depth:
                depth -= 1
            elif context == Context.RETURN:
                calls.append((self.site[edge.row], function))
                function = int(self.function[target])
        known: Known = {}
        for call, function in reversed(calls):
            known = self.branches.given(call, function, known) if 0 <= call < len(self.branches.results) else {}
        return known

    @cached_property
    def kept_in(self) -> dict[int, list[int]]:
        """By the cell of a table: what is moved into it."""
        found: dict[int, list[int]] = {}
        for move in self.branches.resolution.flows.moves:
            if move.target in self.stored.tables:
                found.setdefault(move.target, []).append(move.origin)
        return found

    # -- What is known of a row

    def row_of(self, value: int, known: Known, *, is_read: bool = False) -> Columns:
        """The columns of a row of which ``value`` is the record, a part of it, or an argument of the call that stores
        it; ``is_read``: the result of the call that reads it, or what that call fills.
        """
        op, row = self.op[value], self.data[value]
        if op == Op.POST and row >= 0 and is_read:
            call = int(self.program.tables["arguments"]["call"][row])
            return self.asked_by(call, known, self.args.value[row])
        if op == Op.CALL:
            return self.asked_by(row, known, NONE)
        found = self.members(value, known)
        if found or is_read:
            return found
        rows = self.branches.handed.of(value).tolist()
        if len(rows) == 1:  # "Setting.objects.create(key=..., value=value)"
            return self.asked_by(int(self.program.tables["arguments"]["call"][rows[0]]), known, NONE)
        holders = dict.fromkeys(self.program.tables["stores"]["object"][self.kept_by.of(value)].tolist())
        return self.row_of(self.reps[next(iter(holders))], known, is_read=True) if len(holders) == 1 else {}

    @cached_property
    def kept_by(self) -> RowsByKey:
        """Stores by the value."""
        return RowsByKey(self.program.tables["stores"]["value"])

    def members(self, value: int, known: Known, depth: int = 0) -> Columns:
        """The constants in an object that the program makes, and in objects in it: ``{where: {key: "token"}}``."""
        rep = self.reps[value]
        if self.op[rep] != Op.NEW or depth > 1:
            return {}
        stores, strings = self.program.tables["stores"], self.program.strings
        parts: list[Columns] = []
        for row in self.branches.stores.of(rep).tolist()[:MAX_ASKED_VALUES]:
            key, held = int(stores["key"][row]), int(stores["value"][row])
            if key < 0 or held == NONE:
                return {}
            parts += [self.members(held, known, depth + 1), {plain(strings[key]): self.branches.constant(held, known)}]
        return joined(parts)

    def asked_by(self, call: int, known: Known, filled: int) -> Columns:
        """The columns that a call, or one before it in a chain, compares with a constant, or fills with one:
        ``db.Where("key = ?", key).First(&row)``, ``Setting.objects.get(key=key)``. ``filled``: the argument that gets
        the row.
        """
        parts: list[Columns] = []
        receivers = self.program.tables["calls"]["receiver"]
        for _ in range(MAX_ASKED_DEPTH + 1):
            if OTHER_ROWS.search(self.callers.name_of(call)):
                return {}
            rows = [row for row in self.args.of(call) if self.args.position[row] != RECEIVER]
            found = self.in_arguments([row for row in rows if self.args.value[row] != filled], known)
            if found is None:
                return {}
            parts += found
            receiver = self.reps[int(receivers[call])] if receivers[call] != NONE else NONE
            if receiver == NONE or self.op[receiver] != Op.CALL:
                break
            call = self.data[receiver]
        return joined(parts)

    def in_arguments(self, rows: Sequence[int], known: Known) -> list[Columns] | None:
        """What the arguments of one call say of columns; None where one of them holds for other rows, too."""
        strings, found = self.program.strings, list[Columns]()
        for at, row in enumerate(rows):
            value = self.args.value[row]
            if self.args.keyword[row] >= 0:
                name = plain(strings[self.args.keyword[row]])
                found.append({name: self.branches.constant(value, known)})
            elif self.op[self.reps[value]] == Op.EXPRESSION:
                found += self.in_expression(value, known)
            text = self.branches.constant(value, known) or ""
            if text.startswith(TEXT) and COLUMN_EQUALS.search(text[:MAX_CONDITION_TEXT]):
                if len(text) > MAX_CONDITION_TEXT or OTHER_CONDITIONS.search(text):
                    return None
                found += self.in_text(text, [self.args.value[each] for each in rows[at + 1 :]], known)
            found.append(self.members(value, known))
        return found

    def in_expression(self, value: int, known: Known) -> list[Columns]:
        """``Setting.key == "token"``"""
        table, loads = self.program.tables["conditions"], self.program.tables["loads"]
        found: list[Columns] = []
        for row in self.control_flow.conditions_within(value):
            if table["test"][row] != Test.EQUAL or table["left"][row] == NONE:
                continue
            if OTHER_CONDITIONS.search(self.callers.regions.condition_text(row)):
                continue
            left = self.reps[int(table["left"][row])]
            key = int(loads["key"][self.data[left]]) if self.op[left] == Op.LOAD else NONE
            if key >= 0:
                text = self.branches.constant(int(table["right"][row]), known)
                found.append({plain(self.program.strings[key]): text})
        return found

    def in_text(self, text: str, given: Sequence[int], known: Known) -> list[Columns]:
        """``"key = ? AND kind = 'x'"``, with the values that are bound, one each or in a list."""
        if len(given) == 1 and self.op[self.reps[given[0]]] == Op.NEW:
            stores = self.program.tables["stores"]
            rows = self.branches.stores.of(self.reps[given[0]]).tolist()[:MAX_ASKED_VALUES]
            given = [int(stores["value"][row]) for row in rows]
        found: list[Columns] = []
        for each in COLUMN_EQUALS.finditer(text):
            name, literal = plain(each[1]), each[3]
            if literal is not None:
                found.append({name: f"{TEXT}{literal}"})
                continue
            at = len(BOUND.findall(text, 0, each.start(2)))
            found.append({name: self.branches.constant(given[at], known) if at < len(given) else None})
        return found

    def is_changed(self, name: str) -> bool:
        """Whether the program changes a column of this name in an object that exists. Linear in the stores, once."""
        known = self.changed.get(name)
        if known is None:
            known = self.changed[name] = name in self.fields_changed
        return known

    @cached_property
    def fields_changed(self) -> frozenset[str]:
        """Names of members that are stored in something else than a new object of the same function."""
        stores, strings = self.program.tables["stores"], self.program.strings
        keys: dict[int, None] = {}
        for obj, key in zip(stores["object"].tolist(), stores["key"].tolist(), strict=True):
            if key >= 0 and key not in keys and self.op[self.reps[obj]] != Op.NEW:
                keys[key] = None
        return frozenset(plain(strings[key]) for key in keys)


def is_known(text: str | None) -> bool:
    """Whether a constant is a text whose content is kept.

    >>> [is_known(text) for text in ("'token", "'", "1", None)]
    [True, False, False, False]
    """
    return text is not None and text.startswith(TEXT) and text not in (TEXT, FILLED)
