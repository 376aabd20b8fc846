"""Ranges, definitions and places: the promises of tables, those of a unit or of a whole program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, FunctionFlag, Op, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY, value_key
from pyrograph.ir.schema import BYTES, DATA_REFERENCES, KEY, REFERENCES, STRINGS, TABLES, Column
from pyrograph.ir.verify.promises import Promises

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

NO_LEAST: Final = -(1 << 31)  # numbers have 32 bits
NO_END: Final = 1 << 31

# Tables whose ``start`` and ``end`` are bytes of the text.
SPANNED: Final = tuple(
    [name for name, columns in TABLES.items() if any(c.name == "start" and c.cells.to == BYTES for c in columns)]
)

# What defines the values of an op: the row that ``data`` names has the value in this column.
DEFINED: Final[dict[Op, tuple[str, str]]] = {
    Op.PARAMETER: ("parameters", "value"),
    Op.PI: ("pis", "value"),
    Op.CALL: ("calls", "result"),
    Op.LOAD: ("loads", "result"),
    Op.STORE: ("stores", "result"),
    Op.POST: ("arguments", "post"),
    Op.FUNCTION: ("functions", "value"),
    Op.CLASS: ("owners", "value"),
    Op.IMPORT: ("imports", "value"),
    Op.RESULT: ("functions", "result"),
    Op.RAISED: ("functions", "raised"),
}

# Columns whose values are of the same function as the row's result, and how that function is found.
RESULTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "loads": ("result", ("object",)),
    "slices": ("result", ("object",)),
    "stores": ("result", ("object", "value")),
    "calls": ("result", ("callee", "receiver")),
    "pis": ("value", ("input",)),
    "computed": ("value", ("operand",)),
    "carries": ("value", ("initial", "fed")),
    "joins": ("value", ("version",)),
}


class Tables:
    """The tables of a unit or of a program, and which of their promises are broken."""

    def __init__(self, tables: Mapping[str, Mapping[str, Ints]], num_strings: int) -> None:
        self.tables = tables
        self.num_strings = num_strings
        self.promises = Promises()
        self.length = {name: len(next(iter(columns.values()))) for name, columns in tables.items()}
        self.num_values = self.length["values"]

    def check(self, broken: Mask, table: str, column: str, why: str) -> bool:
        """``Promises.check`` of the rows of a column."""
        cells = self.tables[table][column]
        return self.promises.check(broken, why, lambda row: f"{table}[{row}].{column} = {cells[row]}")

    def is_sound(self) -> bool:
        """Whether nothing was found so far."""
        return not self.promises.broken

    def references(self) -> None:
        """Every number is in its column's range."""
        counts = {**self.length, STRINGS: self.num_strings}
        columns = [(table, each) for table, columns in TABLES.items() if self.length[table] for each in columns]
        for at in self._outside(columns, counts):
            self._in_range(*columns[at], counts)
        for table in SPANNED:
            if not self.length[table]:
                continue
            start, end = self.tables[table]["start"], self.tables[table]["end"]
            self.check(start < 0, table, "start", "before the text")
            self.check(end < start, table, "end", "before the start")
        self._data(counts)

    def _outside(self, columns: Sequence[tuple[str, Column]], counts: Mapping[str, int]) -> list[int]:
        """The places of those columns, none of them empty, that have a number out of their range.

        All columns are looked at together: those of a small unit have few numbers each.
        """
        if not columns:
            return []
        cells = [self.tables[table][column.name] for table, column in columns]
        first = np.cumsum([0, *map(len, cells[:-1])])
        whole = np.concatenate(cells)
        least, most = np.minimum.reduceat(whole, first).tolist(), np.maximum.reduceat(whole, first).tolist()
        ranges = [self._range_of(column, counts) for _, column in columns]
        return [at for at, (low, end) in enumerate(ranges) if least[at] < low or most[at] >= end]

    def _range_of(self, column: Column, counts: Mapping[str, int]) -> tuple[int, int]:
        """The least number that a column may have, and the one behind the greatest."""
        of = column.cells
        if of.to == KEY:
            return value_key(self.num_values) + 1, self.num_strings
        if of.to in counts:
            return 0 if of.absent is None else min(of.absent, 0), counts[of.to] + of.or_end
        if of.to == "":
            return of.least if of.absent is None else min(of.absent, of.least), of.most + 1
        return NO_LEAST, NO_END

    def _in_range(self, table: str, column: Column, counts: Mapping[str, int]) -> None:
        """Every number of a column is one of those that its ``Cells`` allow."""
        name, of = column.name, column.cells
        cells = self.tables[table][name]
        if of.to == KEY:
            self.check(cells >= self.num_strings, table, name, "no string")
            self.check(cells <= value_key(self.num_values), table, name, "the key of no value")
        elif of.to in counts:
            end = counts[of.to] + of.or_end
            least = 0 if of.absent is None else min(of.absent, 0)
            bad = (cells < least) | (cells >= end)
            self.check(bad, table, name, f"no row of {of.to}, of which there are {counts[of.to]:,}")
        elif of.to == "":
            least = of.least if of.absent is None else min(of.absent, of.least)
            self.check((cells < least) | (cells > of.most), table, name, f"not in {least} … {of.most}")

    def _data(self, counts: Mapping[str, int]) -> None:
        op, data = self.tables["values"]["op"], self.tables["values"]["data"]
        known = op[(op >= 0) & (op < len(Op))]  # others are broken promises themselves
        for kind in map(Op, np.bincount(known).nonzero()[0].tolist()):
            of_kind = op == int(kind)
            reference = DATA_REFERENCES.get(kind)
            if reference is not None:
                least = NONE if kind == Op.PARAMETER else 0
                bad = of_kind & ((data < least) | (data >= counts[reference]))
                self.check(bad, "values", "data", f"a {kind.name} without a row of {reference}")
            elif kind == Op.NEW:
                self.check(of_kind & ((data < 0) | (data > 2)), "values", "data", "a NEW is constant (1, 2) or not (0)")
            else:
                self.check(of_kind & (data != NONE), "values", "data", f"a {kind.name} has no data")

    def definitions(
        self, copied: Mask | None = None, constant: Mask | None = None, original: Ints | None = None
    ) -> None:
        """Values and the rows that define them name each other.

        ``copied``: functions whose value stays that of the function they are copies of; ``constant``: values that are
        parameters elsewhere and constants here; ``original``: of each value what it is a copy of: imports have one row
        for all copies.
        """
        values = self.tables["values"]
        op, data = values["op"], values["data"]
        there = np.bincount(op, minlength=len(Op))
        for kind, (table, column) in DEFINED.items():
            if not there[kind] and not self.length[table]:
                continue
            cells = self.tables[table][column]
            mine = np.flatnonzero((op == int(kind)) & (data >= 0))
            same = mine if original is None or kind != Op.IMPORT else original[mine]
            self.check_values(mine[cells[data[mine]] != same], f"a {kind.name} that its row of {table} does not name")
            rows = np.flatnonzero(cells >= 0)
            bad = np.zeros(len(cells), bool)
            bad[rows] = (op[cells[rows]] != int(kind)) | (data[cells[rows]] != rows)
            if copied is not None and (table, column) == ("functions", "value"):
                bad &= ~copied
            if constant is not None and (table, column) == ("parameters", "value"):
                bad &= ~constant[cells]
            self.check(bad, table, column, f"no {kind.name} of this row")
        self._defined_by(Op.CARRY, "carries", "value")
        carries, captures = self.tables["carries"], self.tables["captures"]
        bad = data[carries["value"]] != carries["loop"]
        self.check(bad, "carries", "loop", "not the loop that its value names")
        hidden = (op == Op.PARAMETER) & (data == NONE)
        self._once(np.flatnonzero(hidden), captures["inner"], "captures", "inner", "no hidden parameter")
        outs = np.flatnonzero(op == Op.OUT)
        parameters = self.tables["parameters"]
        sides = [parameters[side][data[outs]] == outs for side in ("out", "true", "false")]
        self.check_values(outs[~(sides[0] | sides[1] | sides[2])], "an OUT that its parameter does not name")
        self._conditions()
        self._functions()

    def check_values(self, values: Rows, why: str) -> None:
        bad = np.zeros(self.num_values, bool)
        bad[values] = True
        self.check(bad, "values", "data", why)

    def _defined_by(self, kind: Op, table: str, column: str) -> None:
        mine = np.flatnonzero(self.tables["values"]["op"] == kind)
        self._once(mine, self.tables[table][column], table, column, f"no {kind.name}")

    def _once(self, values: Rows, cells: Ints, table: str, column: str, why: str) -> None:
        """Each of ``values`` stands once in ``cells``, and nothing else does."""
        if not len(values) and not len(cells):
            return
        wanted = np.zeros(self.num_values, bool)
        wanted[values] = True
        self.check(~wanted[cells], table, column, why)
        count = np.bincount(cells, minlength=self.num_values)
        self.check_values(values[count[values] != 1], f"not one row of {table} has it as its {column}")

    def _conditions(self) -> None:
        conditions, both = self.tables["conditions"], self.tables["conjunctions"]
        test, left, right = conditions["test"], conditions["left"], conditions["right"]
        alone = test == Test.BOTH
        self.check((left == NONE) != alone, "conditions", "left", "a test has a left operand, a conjunction none")
        lonely = alone | (test == Test.TRUTH)
        self.check((right == NONE) != lonely, "conditions", "right", "a comparison has a right operand, nothing else")
        count = np.bincount(both["condition"], minlength=len(test))
        self.check(count != alone, "conditions", "test", "a conjunction has one row of conjunctions, others none")
        for side in ("left", "right"):
            self.check(both[side] >= both["condition"], "conjunctions", side, "not known before the conjunction")

    def _functions(self) -> None:
        functions = self.tables["functions"]
        module = functions["flags"] & FunctionFlag.MODULE != 0
        self.check((functions["parent"] == NONE) != module, "functions", "parent", "all but modules lie in a function")
        self.check((functions["value"] == NONE) != module, "functions", "value", "all but modules have a value")

    def places(self) -> None:
        """The values that a row of one function names belong to that function."""
        t = self.tables
        function = t["values"]["function"]
        for table, (result, columns) in RESULTS.items():
            around = function[t[table][result]]
            for column in columns:
                self._same(table, column, function, around)
        for table in ("loads", "stores"):
            keys = t[table]["key"]
            computed = keys < UNKNOWN_KEY
            if not self.num_values:
                continue
            there = np.where(computed, FIRST_VALUE_KEY - keys, 0)
            bad = computed & (function[there] != function[t[table]["result"]])
            bad &= t["values"]["op"][there] != Op.FUNCTION  # as in _same
            self.check(bad, table, "key", "the key of another function's value")
        calls = function[t["calls"]["result"]][t["arguments"]["call"]]
        for column in ("value", "post"):
            self._same("arguments", column, function, calls)
        for column in ("value", "out", "true", "false"):
            self._same("parameters", column, function, t["parameters"]["function"])
        functions = np.arange(self.length["functions"])
        for column in ("result", "raised"):
            self._same("functions", column, function, functions)
        captures = t["captures"]
        for column in ("inner", "out"):
            self._same("captures", column, function, captures["function"])
        self._same("captures", "outer", function, t["functions"]["parent"][captures["function"]])
        conditions = t["conditions"]
        for column in ("left", "right"):
            self._same("conditions", column, function, conditions["function"])
        self._same("pis", "condition", conditions["function"], function[t["pis"]["value"]])
        both = t["conjunctions"]
        for column in ("left", "right"):
            self._same("conjunctions", column, conditions["function"], conditions["function"][both["condition"]])
        truths = t["truths"]
        self._same("truths", "condition", conditions["function"], calls[truths["argument"]])
        self._same("owners", "value", function, t["owners"]["function"])
        blocks, loops, control, joins = (t[name] for name in ("blocks", "loops", "control", "joins"))
        for column in ("header", "body", "exit"):
            self._same("loops", column, blocks["function"], loops["function"])
        self._same("control", "target", blocks["function"], blocks["function"][control["origin"]])
        self._same("control", "condition", conditions["function"], blocks["function"][control["origin"]])
        self._same("joins", "block", blocks["function"], function[joins["value"]])
        self._same("carries", "loop", loops["function"], function[t["carries"]["value"]])
        self._same("loops", "induction", function, loops["function"])
        self._same("loops", "over", function, loops["function"])
        for column in ("start", "step", "bound"):
            self._same("streams", column, function, loops["function"][t["streams"]["loop"]])
        self.check(loops["body"] < loops["header"], "loops", "body", "before the header")
        self.check(loops["exit"] < loops["body"], "loops", "exit", "before the body")
        op = t["values"]["op"]
        self.check(op[joins["value"]] != Op.PHI, "joins", "value", "no PHI")
        self._ordered()

    def _ordered(self) -> None:
        """The arguments of a call stand together, in the order of the calls."""
        call = self.tables["arguments"]["call"]
        bad = np.zeros(len(call), bool)
        bad[1:] = call[1:] < call[:-1]
        self.check(bad, "arguments", "call", "not in the order of the calls")

    def _same(self, table: str, column: str, functions: npt.NDArray[np.integer], wanted: npt.ArrayLike) -> None:
        """A column refers to rows of the function ``wanted``; ``functions`` has the function of each such row."""
        cells = self.tables[table][column]
        if len(functions) and len(cells):
            known = np.maximum(cells, 0)
            bad = (cells >= 0) & (functions[known] != wanted)
            if REFERENCES[table][column] == "values":  # inside a function its own name is its value outside
                bad &= self.tables["values"]["op"][known] != Op.FUNCTION
            self.check(bad, table, column, "stands in another function")
