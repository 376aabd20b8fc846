"""Copying functions: the rows of the tables that belong to a function are appended, with their references moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Flow, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY
from pyrograph.ir.schema import DATA_REFERENCES, OR_END, REFERENCES
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_RARE_COPY_SIZE
from pyrograph.scanner.analysis.resolve.clone_facts import GLOBAL, IMPORT, CloneFacts, Ints, Numbers

Rows = npt.NDArray[np.intp]


@dataclass(slots=True)
class Copies:
    """The copies, by the call they were made for."""

    of: dict[tuple[int, int], int] = field(default_factory=dict)  # (call, function) -> the copy that the call runs
    tables: set[int] = field(default_factory=set)  # names of objects that copies look up in by a constant
    keeping: list[int] = field(default_factory=list)  # objects that such copies make
    left_out: list[int] = field(default_factory=list)  # functions that were not copied: there would be too much of them
    passing: dict[int, list[int]] = field(default_factory=dict)  # calls of such decorators, and what they return
    wrapping: set[int] = field(default_factory=set)  # those of them that return what the called function returns, too


class RowCopier:
    """Copies the rows of functions. New rows are kept apart until ``append`` puts them behind the program's tables."""

    def __init__(self, facts: CloneFacts, copies: Copies) -> None:
        self.facts = facts
        self.program = facts.program
        self.copies = copies
        self.first = {name: len(next(iter(table.values()))) for name, table in self.program.tables.items()}
        self.length = dict(self.first)
        self.added: dict[str, dict[str, list[Ints]]] = {}  # table -> column -> parts
        self.extra: dict[str, list[Ints]] = {}  # "rep", "root", "original" -> parts, of the added values

    def prepare(self, functions: Iterable[int]) -> None:
        """Find the rows of the tables that belong to each of ``functions``, with the functions inside them."""
        t = self.program.tables
        self.children: dict[int, list[int]] = {}
        small = np.flatnonzero(self.facts.size <= MAX_RARE_COPY_SIZE)
        for function, parent in zip(small.tolist(), self.facts.parent[small].tolist(), strict=True):
            self.children.setdefault(parent, []).append(function)
        used = np.zeros(len(self.facts.parent), bool)  # the functions that copies may be made of
        for function in functions:
            used[self.family(function)] = True
        around = self.facts.around
        owners: dict[str, Ints] = {
            "values": around,
            "arguments": around[t["calls"]["result"][t["arguments"]["call"]]],
            "handlers": around[t["calls"]["result"][t["handlers"]["call"]]],
            "functions": np.arange(len(self.facts.parent), dtype=np.int32),
            "conjunctions": t["conditions"]["function"][t["conjunctions"]["condition"]],
            "truths": around[t["calls"]["result"][t["arguments"]["call"][t["truths"]["argument"]]]],
            "streams": t["loops"]["function"][t["streams"]["loop"]],
            "control": t["blocks"]["function"][t["control"]["origin"]],
        }
        for name in ("loads", "slices", "stores", "calls"):
            owners[name] = around[t[name]["result"]]
        for name in ("pis", "types", "texts", "computed", "carries", "joins", "exports"):
            owners[name] = around[t[name]["value"]]
        for name in ("parameters", "captures", "conditions", "loops", "blocks"):
            owners[name] = t[name]["function"]
        self.rows = {name: np.flatnonzero(used[owner]) for name, owner in owners.items()}
        self.owners = {name: owner[self.rows[name]] for name, owner in owners.items()}  # of these rows
        ends = around[t["flows"]["origin"]], around[t["flows"]["target"]]
        self.rows["flows"] = np.flatnonzero(used[ends[0]] | used[ends[1]])
        self.flow_ends = ends[0][self.rows["flows"]], ends[1][self.rows["flows"]]

    def copy(
        self,
        chosen: Mapping[int, Sequence[Sequence[int]]],
        constants: Sequence[Mapping[int, int]],
        filled: Sequence[Sequence[int]],
    ) -> dict[str, Layout]:
        """One copy of each function for each of its groups of calls; where its rows are.

        ``chosen``: groups of calls by function; no function lies in another. ``constants``: for each copy, the
        parameters that are constants there: value -> string. ``filled``: those that its calls always give.
        """
        t = self.program.tables
        functions = sorted(chosen)
        family = np.full(self.first["functions"], NONE, np.int32)  # of each function: which of the chosen it belongs to
        for number, function in enumerate(functions):
            family[self.family(function)] = number
        copy_of = np.repeat(np.arange(len(functions)), [len(chosen[function]) for function in functions])
        layout = {
            name: Layout(self.rows[name], family[owner], copy_of, self.length[name], self.first[name])
            for name, owner in self.owners.items()
        }
        origin, target = (family[end] for end in self.flow_ends)
        crossing = np.flatnonzero(origin != target)  # into variables of functions around, and out of them
        rows = self.rows["flows"]
        ends = np.concatenate([target, origin[crossing]])
        layout["flows"] = Layout(np.concatenate([rows, rows[crossing]]), ends, copy_of, self.length["flows"])

        for name, own in layout.items():
            new = self.added.setdefault(name, {})
            for column, whole in t[name].items():
                moved: Numbers = whole[own.rows]
                reference = REFERENCES.get(name, {}).get(column)
                if reference == "key":
                    moved = self.moved_keys(moved, t[name]["object"][own.rows], own, layout, constants)
                elif reference in layout and column in OR_END.get(name, ()):
                    moved = layout[reference].next(moved, own)
                elif reference in layout:
                    moved = layout[reference].moved(moved, own)
                elif (name, column) == ("values", "data"):
                    ops = t["values"]["op"][own.rows]
                    for op, table in DATA_REFERENCES.items():
                        if table in layout:
                            of_kind = ops == op
                            there = layout[table].moved(np.where(of_kind, moved, NONE), own)
                            moved = np.where(of_kind, there, moved)
                new.setdefault(column, []).append(moved.astype(np.int32))
            self.length[name] += len(own.rows)
        values = layout["values"]
        self.drop_defaults(filled, values)
        self.added["functions"]["value"][-1] = self.function_values(functions, chosen, layout["functions"])
        where = [(number, value, text) for number, known in enumerate(constants) for value, text in known.items()]
        if where:
            copies, known_values, texts = np.array(where, np.int32).T
            at = values.place(known_values, copies) - values.base
            self.added["values"]["op"][-1][at] = Op.CONST
            self.added["values"]["data"][-1][at] = texts
            made = np.array([bool(known) for known in constants])[values.copy]
            made &= self.added["values"]["op"][-1] == Op.NEW
            self.copies.keeping += (values.base + np.flatnonzero(made)).tolist()
        for column, data in (
            ("rep", values.moved(self.facts.rep[values.rows], values)),
            ("root", values.moved(self.facts.root[values.rows], values)),
            ("original", values.rows),
        ):
            self.extra.setdefault(column, []).append(data.astype(np.int32))
        return layout

    def drop_defaults(self, filled: Sequence[Sequence[int]], values: Layout) -> None:
        """Take out the flows by which parameters of the last copies would be their defaults."""
        given = [(number, value) for number, parameters in enumerate(filled) for value in parameters]
        if not given:
            return
        copies, parameters = np.array(given, np.int32).T
        flows = self.added["flows"]
        here = values.place(parameters, copies)
        kept = ~(among(flows["target"][-1], here) & (flows["kind"][-1] == Flow.SAME))
        self.length["flows"] -= len(kept) - int(np.count_nonzero(kept))
        for parts in flows.values():
            parts[-1] = parts[-1][kept]

    def function_values(
        self, functions: Sequence[int], chosen: Mapping[int, Sequence[Sequence[int]]], layout: Layout
    ) -> Ints:
        """The values that the copied functions are; that of a chosen one stays where it was made."""
        whole = self.program.tables["functions"]["value"]
        found = self.added["functions"]["value"][-1]
        numbers = [each for each in functions for _ in chosen[each]]
        at = layout.place(np.array(numbers, np.int32), np.arange(len(numbers))) - layout.base
        found[at] = whole[np.array(numbers)]
        return found

    def moved_keys(
        self,
        keys: Numbers,
        objects: Ints,
        own: Layout,
        layout: Mapping[str, Layout],
        constants: Sequence[Mapping[int, int]],
    ) -> Ints:
        """Keys that are values, of ``objects``: those of the copy, or the constants that they are there."""
        named = keys < UNKNOWN_KEY
        held = layout["values"].moved(np.where(named, FIRST_VALUE_KEY - keys, NONE), own)
        moved = np.where(named, FIRST_VALUE_KEY - held, keys)
        for at in np.flatnonzero(named).tolist():
            text = constants[own.copy[at]].get(int(self.facts.root[FIRST_VALUE_KEY - keys[at]]))
            if text is not None:
                written = self.program.strings[text]
                moved[at] = self.program.intern(written[1:] if written[:1] == "'" else written)
                self.is_table(int(self.facts.root[objects[at]]))
        return moved.astype(np.int32)

    def is_table(self, value: int) -> None:
        """Remember that things are kept in this object under constants."""
        t = self.program.tables
        op, data = int(self.facts.op[value]), int(self.facts.data[value])
        if op == Op.NEW:
            self.copies.keeping.append(value)
        elif op in (GLOBAL, IMPORT, Op.LOAD):
            name = (
                data if op == GLOBAL else int(t["imports"]["name"][data] if op == IMPORT else t["loads"]["key"][data])
            )
            self.copies.tables.add(name)

    def family(self, function: int) -> list[int]:
        """A function and all functions inside it."""
        found = [function]
        for each in found:
            found += self.children.get(each, ())
        return found

    def grow(self) -> None:
        """Extend the columns that later rounds of cloning read by the values that were added so far."""
        added = self.added
        self.facts.op, self.facts.data, self.facts.in_function = (
            np.concatenate([self.program.tables["values"][column], *added["values"][column]])
            for column in ("op", "data", "function")
        )
        self.facts.root = np.concatenate([self.facts.old_root, *self.extra["root"]])
        self.facts.parent = np.concatenate([self.program.tables["functions"]["parent"], *added["functions"]["parent"]])
        self.facts.call_result = np.concatenate([self.program.tables["calls"]["result"], *added["calls"]["result"]])

    def append(self) -> None:
        """Put what was added behind the tables."""
        self.program.append(self.added, np.concatenate(self.extra["original"]))
        self.facts.rep = np.concatenate([self.facts.rep, *self.extra["rep"]])


class Layout:
    """Where the copies of the rows of one table lie: all of the first copy, all of the second, and so on."""

    def __init__(self, rows: Rows, family: Ints, copy_of: Numbers, base: int, length: int = 0) -> None:
        """``family`` of each of ``rows``, or NONE; ``copy_of``: the family that each copy is one of; ``length`` of the
        table, where references to it are asked for.
        """
        order = np.flatnonzero(family >= 0)
        order = order[np.argsort(family[order], kind="stable")]
        chosen, owned = rows[order], family[order]
        num = int(copy_of[-1]) + 1
        count = np.bincount(owned, minlength=num)
        first = np.concatenate([[0], np.cumsum(count)[:-1]])
        self.family = np.full(length, NONE, np.int32)  # of each row of the table
        self.at = np.full(length, NONE, np.int64)  # its place among those of its family
        if length:
            self.family[chosen] = owned
            self.at[chosen] = np.arange(len(chosen)) - first[owned]
        self.chosen, self.owned, self.first = chosen, owned, first  # rows by family, their families, where each begins
        self.copy_of = copy_of
        self.base = base
        sizes = count[copy_of]
        self.start = base + np.concatenate([[0], np.cumsum(sizes)[:-1]])  # of each copy
        self.copy = np.repeat(np.arange(len(copy_of)), sizes)  # of each new row
        within = np.arange(len(self.copy)) - (self.start - base)[self.copy]
        self.rows: Rows = chosen[first[copy_of][self.copy] + within] if len(self.copy) else np.empty(0, np.intp)

    def place(self, rows: Numbers, copies: Numbers) -> Numbers:
        """The numbers of ``rows``, which are of the copies' families, in ``copies``."""
        return self.start[copies] + self.at[rows]

    def moved(self, references: Numbers, own: Layout) -> Numbers:
        """References to this table from the new rows of another: into the same copy, where that has the row."""
        if not len(self.family):
            return references
        known = np.where(references >= 0, references, 0)
        inside = (references >= 0) & (self.family[known] == self.copy_of[own.copy])
        return np.where(inside, self.start[own.copy] + self.at[known], references)

    def next(self, references: Numbers, own: Layout) -> Numbers:
        """References that may name the row after the last: to the first row of the same copy that is not before it.

        A reference behind the last row of the family leads to the end of the copy.
        """
        width = len(self.family) + 1  # of a family's keys: a number for each row, and one for the end of the table
        keys = self.owned.astype(np.int64) * width + self.chosen
        families = self.copy_of[own.copy]
        at = np.searchsorted(keys, families.astype(np.int64) * width + references) - self.first[families]
        moved: Numbers = self.start[own.copy] + at
        return moved

    def to_copy(self, rows: Numbers, copy: int) -> Numbers:
        """The same for rows as one copy sees them."""
        return np.where(self.family[rows] == self.copy_of[copy], self.start[copy] + self.at[rows], rows)
