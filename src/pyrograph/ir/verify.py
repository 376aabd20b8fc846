"""Verification: whether a unit keeps every promise of ``ir.schema``.

``verify`` returns the broken promises as sentences, each with the table, row and column; an empty list says that the
unit is well formed. Nothing is repaired and nothing raised. The checks, from the outside to the inside:

1. **Shape**: every table is there, its length is a multiple of its columns, every number is in its column's range.
2. **Definitions**: the row of a table that defines a value and the value name each other, and nothing is defined twice.
3. **Places**: what a row says of one function stands in that function.
4. **SSA**: a definition comes before its uses, in the numbering and, where the unit's blocks say so, in control flow:
   its block dominates the block of the use. A name that only some ways to a merge bind is, behind it, what it is on
   these: then control gets from the definition to the use on some way. Inputs of phis come from predecessors of their
   block, and flow into them.

A check runs only where those before it found nothing, so that it may index without looking. ``Tables`` holds 1 to 3
for the scanner, which verifies the tables of a whole program in the same way.

Cost: linear in the unit; a few NumPy operations a column, and a loop over the blocks for dominance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import (
    EXCEPTIONAL,
    NONE,
    UNKNOWN_KEY,
    Flow,
    FunctionFlag,
    Op,
    Test,
)
from pyrograph.ir.packed import FIRST_VALUE_KEY, value_key
from pyrograph.ir.schema import BYTES, COLUMNS, DATA_REFERENCES, KEY, REFERENCES, STRINGS, TABLES, Column
from pyrograph.ir.unit import NUMBER_BYTES, Unit
from pyrograph.policy.limits import MAX_SHOWN_ROWS

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

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

# Ops without data; NEW has a truth value.
WITHOUT_DATA: Final = (Op.EXPRESSION, Op.PHI, Op.EXCEPTION, Op.FIELD)

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


class Promises:
    """Broken promises, as sentences."""

    def __init__(self) -> None:
        self.broken: list[str] = []

    def check(self, broken: Mask, why: str, show: Callable[[int], str]) -> bool:
        """Note the rows where ``broken`` holds, ``MAX_SHOWN_ROWS`` of them one by one; whether there are none.

        ``show`` says which cell a row's number stands for, and what it holds.
        """
        rows = np.flatnonzero(broken)
        self.broken += [f"{show(row)}: {why}" for row in rows[:MAX_SHOWN_ROWS].tolist()]
        if len(rows) > MAX_SHOWN_ROWS:
            self.broken.append(f"… and {len(rows) - MAX_SHOWN_ROWS:,} more rows: {why}")
        return not len(rows)

    def say(self, holds: bool, text: str) -> bool:
        """Note ``text`` unless ``holds``."""
        if not holds:
            self.broken.append(text)
        return holds


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
        for table, columns in TABLES.items():
            for column in columns:
                self._in_range(table, column, counts)
        for table in SPANNED:
            start, end = self.tables[table]["start"], self.tables[table]["end"]
            self.check(start < 0, table, "start", "before the text")
            self.check(end < start, table, "end", "before the start")
        self._data(counts)

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
        for kind in Op:
            of_kind = op == kind
            reference = DATA_REFERENCES.get(kind)
            if reference is not None:
                least = NONE if kind == Op.PARAMETER else 0
                bad = of_kind & ((data < least) | (data >= counts[reference]))
                self.check(bad, "values", "data", f"a {kind.name} without a row of {reference}")
            elif kind == Op.NEW:
                self.check(of_kind & (data != 0) & (data != 1), "values", "data", "a NEW is constant (1) or not (0)")
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
        for kind, (table, column) in DEFINED.items():
            cells = self.tables[table][column]
            mine = np.flatnonzero((op == kind) & (data >= 0))
            same = mine if original is None or kind != Op.IMPORT else original[mine]
            self._values(mine[cells[data[mine]] != same], f"a {kind.name} that its row of {table} does not name")
            rows = np.flatnonzero(cells >= 0)
            bad = np.zeros(len(cells), bool)
            bad[rows] = (op[cells[rows]] != kind) | (data[cells[rows]] != rows)
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
        self._values(outs[~(sides[0] | sides[1] | sides[2])], "an OUT that its parameter does not name")
        self._conditions()
        self._functions()

    def _values(self, values: Rows, why: str) -> None:
        bad = np.zeros(self.num_values, bool)
        bad[values] = True
        self.check(bad, "values", "data", why)

    def _defined_by(self, kind: Op, table: str, column: str) -> None:
        mine = np.flatnonzero(self.tables["values"]["op"] == kind)
        self._once(mine, self.tables[table][column], table, column, f"no {kind.name}")

    def _once(self, values: Rows, cells: Ints, table: str, column: str, why: str) -> None:
        """Each of ``values`` stands once in ``cells``, and nothing else does."""
        wanted = np.zeros(self.num_values, bool)
        wanted[values] = True
        self.check(~wanted[cells], table, column, why)
        count = np.bincount(cells, minlength=self.num_values)
        self._values(values[count[values] != 1], f"not one row of {table} has it as its {column}")

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
        """What a row says of one function stands in that function."""
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
        """What a column refers to is of the function ``wanted``; ``functions`` of all that it may refer to."""
        cells = self.tables[table][column]
        if len(functions):
            known = np.maximum(cells, 0)
            bad = (cells >= 0) & (functions[known] != wanted)
            if REFERENCES[table][column] == "values":  # inside a function its own name is its value outside
                bad &= self.tables["values"]["op"][known] != Op.FUNCTION
            self.check(bad, table, column, "stands in another function")


def columns_of(unit: Unit) -> dict[str, dict[str, Ints]]:
    """The tables of a unit as arrays, which share its memory. Raises KeyError or ValueError for a wrong shape."""
    found: dict[str, dict[str, Ints]] = {}
    for name, columns in COLUMNS.items():
        rows = np.frombuffer(unit.tables[name], np.int32).reshape(-1, len(columns))
        found[name] = {column: rows[:, at] for at, column in enumerate(columns)}
    return found


def verify(unit: Unit, size: int | None = None) -> list[str]:
    """The broken promises of ``unit``; none where it is well formed.

    ``size``: bytes of the file, where the caller knows it; spans end there.
    """
    shape = Promises()
    for name, columns in COLUMNS.items():
        table = unit.tables.get(name)
        if shape.say(table is not None, f"{name}: there is no such table") and table is not None:
            shape.say(table.itemsize == NUMBER_BYTES, f"{name}: its numbers have {8 * table.itemsize} bits")
            shape.say(not len(table) % len(columns), f"{name}: {len(table)} numbers in rows of {len(columns)}")
    for name in unit.tables.keys() - COLUMNS.keys():
        shape.say(False, f"{name}: no table of units")
    shape.say(len(set(unit.strings)) == len(unit.strings), "strings: one stands there twice")
    for at, (_, line, _) in enumerate(unit.problems):
        shape.say(0 <= line <= max(unit.lines, 1), f"problems[{at}]: in line {line} of {unit.lines}")
    for at, (line, target, _) in enumerate(unit.comments):
        shape.say(
            0 < line <= target <= max(unit.lines, 1), f"comments[{at}]: in line {line} for {target} of {unit.lines}"
        )
    if shape.broken:
        return shape.broken
    tables = Tables(columns_of(unit), len(unit.strings))
    tables.references()
    if tables.is_sound():
        _text(tables, unit, size)
        tables.definitions()
    if tables.is_sound():
        tables.places()
    if tables.is_sound():
        _single_assignment(tables)
    return tables.promises.broken


def _text(tables: Tables, unit: Unit, size: int | None) -> None:
    """What only a unit promises: spans in its file, the module first, constants as ``constant_text`` writes them."""
    t, promises = tables.tables, tables.promises
    if size is not None:
        for table in SPANNED:
            tables.check(t[table]["end"] > size, table, "end", f"behind the text, which has {size} bytes")
    functions = t["functions"]
    module = functions["flags"] & FunctionFlag.MODULE != 0
    if promises.say(len(module) > 0, "functions: there is no module"):
        tables.check(module != (np.arange(len(module)) == 0), "functions", "flags", "function 0 alone is the module")
        inner = np.arange(len(module)) > 0
        tables.check(inner & (functions["parent"] >= np.arange(len(module))), "functions", "parent", "behind it")
    values = t["values"]
    constants = np.unique(values["data"][values["op"] == Op.CONST])
    bad = [text for text in (unit.strings[each] for each in constants.tolist()) if not _is_constant(text)]
    for text in bad[:MAX_SHOWN_ROWS]:
        promises.say(False, f"strings: {text!r} is no constant as units write them")
    first = t["blocks"]["first"]
    fallen = np.zeros(len(first), bool)
    fallen[1:] = first[1:] < first[:-1]
    tables.check(fallen, "blocks", "first", "before the first value of the block before")
    described = t["texts"]["value"]
    count = np.bincount(described, minlength=tables.num_values)
    tables.check(count[described] > 1, "texts", "value", "described twice")


def _is_constant(text: str) -> bool:
    if text[:1] == "'" or text in ("true", "false", "null", "inf", "-inf", "nan"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


# -- SSA ---------------------------------------------------------------------------------------------------------------

# Values that are known at the function's entry, whatever block first names them; constants, classes and what is
# imported are the same everywhere.
AT_ENTRY: Final = (
    Op.PARAMETER,
    Op.CONST,
    Op.FUNCTION,
    Op.CLASS,
    Op.IMPORT,
    Op.GLOBAL,
    Op.CELL,
    Op.RESULT,
    Op.RAISED,
    Op.FIELD,
    Op.EXCEPTION,
)


def _single_assignment(tables: Tables) -> None:
    """A definition comes before its uses; a phi's inputs come from the predecessors of its block."""
    t = tables.tables
    op, function = t["values"]["op"], t["values"]["function"]
    flows, joins = t["flows"], t["joins"]
    n = tables.num_values
    uses = list(_uses(tables))
    at_entry = np.isin(op, AT_ENTRY)
    at_entry[_cell_versions(tables)] = True
    if t["functions"]["flags"][0] & FunctionFlag.SHARED_NAMES:  # what a module has is read once, for all that name it
        loads = t["loads"]
        at_entry[loads["result"][np.isin(op[loads["object"]], (Op.GLOBAL, Op.IMPORT))]] = True
    for table, column, rows, result, operand in uses:
        bad = np.zeros(tables.length[table], bool)
        bad[rows] = (operand > result) & ~at_entry[operand]
        tables.check(bad, table, column, "defined after its use")
    # A phi's inputs are among what flows into it, and its blocks have one successor in common: the phi's block.
    into = np.flatnonzero((op[flows["target"]] == Op.PHI) & (flows["kind"] == Flow.SAME))
    known = flows["origin"][into].astype(np.int64) * n + flows["target"][into]
    wanted = joins["version"].astype(np.int64) * n + joins["value"]
    tables.check(~np.isin(wanted, known), "joins", "version", "does not flow into its phi")
    phis = np.unique(flows["target"][into])
    empty = np.setdiff1d(np.flatnonzero(op == Op.PHI), phis)
    tables._values(empty, "a PHI into which nothing flows")
    if not tables.is_sound():
        return
    block, homeless = _blocks_of(tables)
    tables.check(homeless, "joins", "value", "its blocks have no successor in common")
    if not tables.is_sound():
        return
    flow = _ControlFlow(tables)
    for table, column, rows, result, operand in uses:
        if table == "pis":  # parts of objects that another arm made are known here, too: a pi of one is never asked for
            continue
        here, there = block[result], block[operand]
        checked = ~at_entry[operand] & (here >= 0) & (there >= 0) & (function[result] == function[operand])
        if (table, column) == ("pis", "input"):
            continue  # also of what lies in an object that was made on another way: nobody reads that version
        if (table, column) == ("stores", "object"):
            checked &= op[operand] != Op.NEW  # one object may be what all returns of a function fill
        bad = np.zeros(tables.length[table], bool)
        bad[rows[checked]] = ~flow.leads(there[checked], here[checked])
        tables.check(bad, table, column, "defined in a block from which control does not get to its use")


def _uses(tables: Tables) -> Iterable[tuple[str, str, Rows, Ints, Ints]]:
    """(table, column, rows, the values that use, the values that are used): all uses but those of phis and carries."""
    t = tables.tables
    op = t["values"]["op"]
    plain: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("loads", "result", ("object",)),
        ("slices", "result", ("object",)),
        ("stores", "result", ("object", "value")),
        ("calls", "result", ("callee", "receiver")),
        ("pis", "value", ("input",)),
    )
    for table, result, columns in plain:
        for column in columns:
            rows = np.flatnonzero(t[table][column] >= 0)
            yield table, column, rows, t[table][result][rows], t[table][column][rows]
    for table in ("loads", "stores"):
        rows = np.flatnonzero(t[table]["key"] < UNKNOWN_KEY)
        yield table, "key", rows, t[table]["result"][rows], FIRST_VALUE_KEY - t[table]["key"][rows]
    arguments = t["arguments"]
    rows = np.arange(len(arguments["call"]))
    yield "arguments", "value", rows, t["calls"]["result"][arguments["call"]], arguments["value"]
    flows = t["flows"]
    rows = np.flatnonzero(op[flows["target"]] == Op.EXPRESSION)
    yield "flows", "origin", rows, flows["target"][rows], flows["origin"][rows]


def _cell_versions(tables: Tables) -> Rows:
    """Phis that a cell flows into: versions of variables that other functions write, known wherever they are named."""
    t = tables.tables
    op, flows = t["values"]["op"], t["flows"]
    rows = (op[flows["target"]] == Op.PHI) & np.isin(op[flows["origin"]], (Op.CELL, Op.GLOBAL))
    return np.asarray(flows["target"][rows], np.intp)


def _blocks_of(tables: Tables) -> tuple[Ints, Mask]:
    """The block of each value, and the rows of joins whose phi has no block.

    A value is of the last block of its function that begins at or before it, but for two kinds: a carry is of the
    header of its loop, whenever it was asked for; a phi with joins of the block that follows all of these.
    """
    t = tables.tables
    function = t["values"]["function"].astype(np.int64)
    blocks, joins, control = t["blocks"], t["joins"], t["control"]
    n = tables.num_values
    keys = blocks["function"].astype(np.int64) * (n + 1) + blocks["first"]
    order = np.argsort(keys, kind="stable")
    wanted = function * (n + 1) + np.arange(n)
    place = np.searchsorted(keys[order], wanted, side="right") - 1
    block = np.where(place >= 0, order[place], NONE) if len(order) else np.full(n, NONE)
    block = np.where((block >= 0) & (blocks["function"][block] == function), block, NONE).astype(np.int32)
    carries = t["carries"]
    block[carries["value"]] = t["loops"]["header"][carries["loop"]]
    following: dict[int, set[int]] = {}
    for origin, target in zip(control["origin"].tolist(), control["target"].tolist(), strict=True):
        following.setdefault(origin, set()).add(target)
    common: dict[int, set[int]] = {}
    nobody: set[int] = set()
    for phi, each in zip(joins["value"].tolist(), joins["block"].tolist(), strict=True):
        known = common.get(phi)
        common[phi] = following.get(each, nobody) if known is None else known & following.get(each, nobody)
    for phi, places in common.items():
        later = [each for each in places if each >= int(block[phi])]
        block[phi] = min(later) if later else NONE
    lost = {phi for phi, places in common.items() if not places}
    return block, np.isin(joins["value"], list(lost))


class _ControlFlow:
    """From which blocks control gets to which, by the table of control.

    Most questions are answered by dominance (Cooper, Harvey, Kennedy: A simple, fast dominance algorithm), the others
    by a walk from the block, once each. Nothing gets to blocks that no entry leads to: they are not asked about.
    """

    def __init__(self, tables: Tables) -> None:
        blocks, control = tables.tables["blocks"], tables.tables["control"]
        num = len(blocks["function"])
        before: list[list[int]] = [[] for _ in range(num)]
        self.after: list[list[int]] = [[] for _ in range(num)]
        self.function: list[int] = blocks["function"].tolist()
        self.handlers: dict[int, list[tuple[int, int]]] = {}  # by function: (block before what is tried, handler)
        edges = zip(control["origin"].tolist(), control["target"].tolist(), control["side"].tolist(), strict=True)
        for origin, target, side in edges:
            before[target].append(origin)
            self.after[origin].append(target)
            if side == EXCEPTIONAL:
                self.handlers.setdefault(self.function[target], []).append((origin, target))
        _, entries = np.unique(blocks["function"], return_index=True)
        self.reached: dict[int, set[int]] = {}
        parent = [NONE] * num  # the immediate dominator; of an entry itself
        order = self._postorder(entries.tolist(), num)
        number = [NONE] * num
        for place, at in enumerate(order):
            number[at] = place
        for entry in entries.tolist():
            parent[entry] = entry
        changed = True
        while changed:  # each round puts dominators further up; where loops have one entry, the second changes nothing
            changed = False
            for at in reversed(order):
                if parent[at] == at:
                    continue
                found = NONE
                for other in before[at]:
                    if parent[other] == NONE:
                        continue
                    if found == NONE:
                        found = other
                    while other != found:
                        while number[other] < number[found]:
                            other = parent[other]
                        while number[found] < number[other]:
                            found = parent[found]
                if parent[at] != found:
                    parent[at] = found
                    changed = True
        self._intervals(parent, order)

    def _postorder(self, entries: Sequence[int], num: int) -> list[int]:
        seen = [False] * num
        order: list[int] = []
        for entry in entries:
            seen[entry] = True
            stack = [(entry, iter(self.after[entry]))]
            while stack:
                at, rest = stack[-1]
                for following in rest:
                    if not seen[following]:
                        seen[following] = True
                        stack.append((following, iter(self.after[following])))
                        break
                else:
                    stack.pop()
                    order.append(at)
        return order

    def _intervals(self, parent: list[int], order: list[int]) -> None:
        """Number the tree of dominators, so that one block dominates another if its interval holds the other's."""
        children: dict[int, list[int]] = {}
        for at in order:
            if parent[at] != at:
                children.setdefault(parent[at], []).append(at)
        num = len(parent)
        self.first = np.full(num, NONE, np.int64)
        self.last = np.full(num, NONE, np.int64)
        clock = 0
        for root in (at for at in order if parent[at] == at):
            stack = [(root, False)]
            while stack:
                at, done = stack.pop()
                if done:
                    self.last[at] = clock
                    continue
                self.first[at] = clock
                clock += 1
                stack.append((at, True))
                stack += [(child, False) for child in children.get(at, ())]

    def leads(self, origin: Ints, target: Ints) -> Mask:
        """Whether control gets from each block of ``origin`` to that of ``target``; True for what is never reached."""
        found = (self.first[origin] < 0) | (self.first[target] < 0)
        found |= (self.first[origin] <= self.first[target]) & (self.first[target] < self.last[origin])
        for at in np.flatnonzero(~found).tolist():
            found[at] = int(target[at]) in self._from(int(origin[at]))
        return found

    def _from(self, block: int) -> set[int]:
        known = self.reached.get(block)
        if known is None:
            known = self.reached[block] = {block}
            work = [block]
            while work:
                at = work.pop()
                fresh = [each for each in (*self.after[at], *self._handlers(at)) if each not in known]
                known.update(fresh)
                work += fresh
        return known

    def _handlers(self, block: int) -> list[int]:
        """Where control gets from within what is tried: blocks have numbers between those before it and its handler."""
        found = self.handlers.get(self.function[block], ())
        return [handler for origin, handler in found if origin <= block < handler]


__all__ = ["MAX_SHOWN_ROWS", "Promises", "Tables", "columns_of", "verify"]
