"""The verifier notices every promise of a unit that is broken, and nothing in a unit that is well formed."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.ir.codes import NONE, Flow, Op
from pyrograph.ir.schema import (
    BYTES,
    COLUMNS,
    DATA,
    KEY,
    REFERENCES,
    ROWS,
    TABLES,
    BlockRow,
    Column,
    ConditionRow,
    FlowRow,
    FunctionRow,
    JoinRow,
    LoadRow,
    LoopRow,
    ValueRow,
)
from pyrograph.ir.stored import dump, load
from pyrograph.ir.unit import Unit
from pyrograph.ir.verify import SPANNED, verify
from pyrograph.parsers import lower
from pyrograph.policy.limits.lowering import MAX_SHOWN_ROWS

PYTHON = """\
import os
from a import b

class Base:
    size = 1

class C(Base):
    def __init__(self, x: str, *rest, key=None):
        self.x = x
        super().__init__(x)

    def get(self, name, n):
        out = []
        total = 0
        for i in range(0, n, 2):
            total = total + i * 2
            if name and i < 3 or isinstance(name, str):
                out.append(f"{name}-{i}")
            elif name == "q":
                out[i] = name[1:]
                continue
            else:
                break
        while total in out:
            total = self.x[total]
        def inner(y):
            nonlocal total
            total = y
            return out, name
        try:
            v = os.system(name, key=inner)
        except ValueError as error:
            v = error
        if not name:
            raise ValueError(name)
        return v if name else inner(*out, **self.x)

def again(a, n):
    for i in range(n):
        if a:
            a = n
    ensure(n == 3)
    return a

c = C("a")
c.get(b, 3)
"""
JAVASCRIPT = """\
const cp = require("child_process"), { q } = require("./q")
function f(a, b = 1, ...rest) {
  let s = a
  while (b) { s = a + (s + `x${a}`); b-- }
  for (const k of rest) if (k && a !== b) s = s.slice(1, k)
  rest.map(e => { s = e; return a })
  if (a.startsWith("x")) return cp.exec(s)
  throw a
}
class D { constructor(p) { this.p = p } m() { return this.p } }
exports.f = f
module.exports.g = new D(f).m()
"""
GO = """\
package p

import "os/exec"

type T struct{ name string }

func (t *T) run(a string, n int) (string, error) {
	for i := 0; i < n; i++ {
		if a == "x" || i > 2 && a != t.name {
			a = a + t.name
		}
	}
	defer func() { t.name = a }()
	switch a {
	case "b":
		return a, nil
	}
	out, err := exec.Command(a, a[1:]).Output()
	return string(out), err
}
"""
SOURCES = {"python": PYTHON, "javascript": JAVASCRIPT, "go": GO}
BEHIND = 1 << 30  # more than there is of anything


def good(language: str = "python") -> Unit:
    return lower(SOURCES[language].encode(), language)


def cell(unit: Unit, table: str, column: str, row: int) -> int:
    width = len(COLUMNS[table])
    return row * width + COLUMNS[table].index(column)


def changed(unit: Unit, table: str, column: str, row: int, number: int) -> Unit:
    """A copy of ``unit`` with one number changed."""
    copy = load(dump(unit))
    copy.tables[table][cell(unit, table, column, row)] = number
    return copy


def row_of(unit: Unit, table: str, holds: Callable[[tuple[int, ...]], bool]) -> int:
    return next(at for at, row in enumerate(unit.rows(ROWS[table])) if holds(row))


@pytest.mark.parametrize("language", SOURCES)
def test_a_unit_that_a_front_end_makes_is_well_formed(language: str) -> None:
    source = SOURCES[language].encode()
    assert verify(lower(source, language), len(source)) == []


def test_the_examples_have_rows_in_every_table() -> None:
    units = [good(language) for language in SOURCES]
    assert [name for name in COLUMNS if not any(unit.tables[name] for unit in units)] == []


@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, columns in TABLES.items() for column in columns], ids=str
)
def test_a_number_out_of_its_range_is_noticed(table: str, column: Column) -> None:
    cells, tried = column.cells, 0
    for language in SOURCES:
        unit = good(language)
        for row in range(len(unit.rows(ROWS[table]))):
            numbers = []
            if cells.to == "":
                least = cells.least if cells.absent is None else cells.absent
                numbers = [least - 1, *([cells.most + 1] if cells.most < (1 << 31) - 1 else [])]
            elif cells.to == BYTES:
                assert table in SPANNED
                numbers = [-1, BEHIND]
            else:
                numbers = [BEHIND, -BEHIND]
                if cells.absent is None and cells.to not in (KEY, DATA):
                    numbers.append(NONE)
            for number in numbers:
                broken = verify(changed(unit, table, column.name, row, number), len(SOURCES[language]))
                assert broken, (language, table, row, column, number)
                assert any(table in text or "values" in text for text in broken)
                tried += 1
    assert tried


@given(st.data())
def test_a_reference_to_something_else_is_noticed_or_another_good_unit(data: st.DataObject) -> None:
    """Any number in range at any place: no check fails with an exception, whatever the others find."""
    unit = good(data.draw(st.sampled_from(sorted(SOURCES))))
    table = data.draw(st.sampled_from([name for name in COLUMNS if unit.tables[name]]))
    at = data.draw(st.integers(0, len(unit.tables[table]) - 1))
    unit.tables[table][at] = data.draw(st.integers(-3, len(unit.rows(ValueRow))))
    assert isinstance(verify(unit, len(SOURCES["python"])), list)


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("loads", column) for column in ("result", "object")),
        *(("stores", column) for column in ("result", "object")),
        *(("calls", column) for column in ("result", "callee")),
        *(("pis", column) for column in ("value", "input", "condition")),
        *(("functions", column) for column in ("value", "parent", "result", "raised")),
        *(("parameters", column) for column in ("function", "value", "out")),
        *(("captures", column) for column in ("function", "inner", "outer")),
        *(("carries", column) for column in ("value", "loop")),
        *(("owners", column) for column in ("value", "function")),
        *(("imports", column) for column in ("value",)),
        *(("arguments", column) for column in ("value", "post")),
        *(("joins", column) for column in ("value", "version", "block")),
        *(("loops", column) for column in ("function", "header", "body", "exit")),
        *(("control", column) for column in ("origin", "target")),
    ],
)
def test_a_reference_to_a_row_of_another_function_is_noticed(table: str, column: str) -> None:
    """The number of something that exists, and that belongs to another function or row."""
    unit = good()
    reference = REFERENCES[table][column]
    functions = [row.function for row in unit.rows(ValueRow)]
    around = {
        "values": functions,
        "conditions": [row.function for row in unit.rows(ConditionRow)],
        "blocks": [row.function for row in unit.rows(BlockRow)],
        "loops": [row.function for row in unit.rows(LoopRow)],
        "functions": [row.parent for row in unit.rows(FunctionRow)],
    }[reference]
    noticed = 0
    for row, cells in enumerate(unit.rows(ROWS[table])):
        mine = cells[COLUMNS[table].index(column)]
        others = [at for at, function in enumerate(around) if mine >= 0 and function != around[mine]]
        if others:
            assert verify(changed(unit, table, column, row, others[-1])), (table, row, column, others[-1])
            noticed += 1
    assert noticed


def test_a_use_before_its_definition_is_noticed() -> None:
    unit = good()
    ops = [row[0] for row in unit.rows(ValueRow)]
    functions = [row[1] for row in unit.rows(ValueRow)]
    row = row_of(unit, "loads", lambda each: ops[each[1]] == Op.LOAD or functions[each[0]] > 0)
    result = unit.rows(LoadRow)[row][0]
    later = next(
        at
        for at in range(result + 1, len(ops))
        if functions[at] == functions[result] and ops[at] in (Op.CALL, Op.LOAD, Op.POST)
    )
    assert "loads" in verify(changed(unit, "loads", "object", row, later))[0]


def test_a_use_that_control_does_not_reach_from_its_definition_is_noticed() -> None:
    unit = lower(b"def f(a, c):\n    if c:\n        x = a.b\n    else:\n        y = g(a.d)\n    return c\n", "python")
    assert verify(unit) == []
    loads = [row[0] for row in unit.rows(LoadRow)]
    argument = row_of(unit, "arguments", lambda row: row[1] == loads[1])
    (broken,) = verify(changed(unit, "arguments", "value", argument, loads[0]))
    assert broken.startswith(f"arguments[{argument}].value = {loads[0]}: ")


def test_a_phi_without_inputs_is_noticed() -> None:
    unit = good()
    ops = [row[0] for row in unit.rows(ValueRow)]
    flows = [row for row in unit.rows(FlowRow) if ops[row[1]] != Op.PHI]
    unit.tables["flows"] = array("i", [number for row in flows for number in row])
    unit.tables["joins"] = array("i")
    assert any("a PHI into which nothing flows" in text for text in verify(unit))


def test_an_input_of_a_phi_that_does_not_flow_into_it_is_noticed() -> None:
    unit = good()
    value, version, _ = unit.rows(JoinRow)[0]
    row = row_of(unit, "flows", lambda each: each == (version, value, Flow.SAME))
    assert verify(changed(unit, "flows", "kind", row, Flow.DERIVED))


def test_a_phi_whose_blocks_lead_to_no_common_one_is_noticed() -> None:
    unit = good()
    unit.tables["control"] = array("i")
    assert any("no successor in common" in text for text in verify(unit))


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_that_is_cut_or_missing_is_noticed(name: str) -> None:
    unit = good()
    unit.tables[name] = unit.tables[name] + array("i", [0] * (len(COLUMNS[name]) - 1 or 1))
    if len(COLUMNS[name]) > 1:
        assert verify(unit)
    del unit.tables[name]
    assert verify(unit) == [f"{name}: there is no such table"]


def test_a_definition_that_stands_twice_is_noticed() -> None:
    for table in ("loads", "carries", "captures", "pis", "imports"):
        unit = good()
        width = len(COLUMNS[table])
        unit.tables[table] += unit.tables[table][:width]
        assert verify(unit), table


def test_strings_and_problems_are_looked_at() -> None:
    unit = good()
    unit.strings.append(unit.strings[0])
    assert verify(unit) == ["strings: one stands there twice"]
    unit = good()
    unit.problems.append(("limit", 1000, "too far"))
    assert verify(unit) == [f"problems[0]: in line 1000 of {unit.lines}"]
    unit.problems.clear()
    unit.comments += [(1, 1, 1, "# nosec"), (1, 0, 1, "# nosec"), (1, 1, 1000, "# nosec")]
    assert verify(unit) == [
        f"comments[1]: in line 1 for 0 to 1 of {unit.lines}",
        f"comments[2]: in line 1 for 1 to 1000 of {unit.lines}",
    ]
    unit = good()
    constant = next(row[4] for row in unit.rows(ValueRow) if row[0] == Op.CONST)
    unit.strings[constant] = "neither text nor number"
    assert "is no constant" in verify(unit)[0]


def test_many_broken_rows_are_counted() -> None:
    unit = lower(b"\n".join(b"f(%d)" % number for number in range(100)), "python")
    width = len(COLUMNS["calls"])
    for row in range(100):
        unit.tables["calls"][row * width + 1] = BEHIND
    broken = verify(unit)
    assert len(broken) == MAX_SHOWN_ROWS + 1
    assert broken[-1].startswith("… and 80 more rows")
