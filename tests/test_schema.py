"""Every table is defined once, and who reads it uses names: the schema agrees with itself and with its offsets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import pyrograph
from pyrograph.ir import schema
from pyrograph.ir.codes import Op
from pyrograph.ir.rows import Rows
from pyrograph.ir.schema import BYTES, COLUMNS, DATA, DATA_REFERENCES, KEY, ROWS, STRINGS, TABLES, columns_of
from pyrograph.ir.unit import Unit
from pyrograph.scanner.analysis.assemble import FlowGraph
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.label.labels import CheckRoles, Encoded, KeptChanges, KnownKeys, Quoted
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import Flows
from pyrograph.scanner.analysis.schema import (
    APIS,
    FILES,
    LABELS,
    MASKS,
    NODES,
    RESOLUTION,
    SITES,
    VULNERABILITIES,
    Edge,
)

WIDTH: Final = "_WIDTH"


def test_every_column_refers_to_something_that_exists() -> None:
    for columns in TABLES.values():
        for column in columns:
            assert column.cells.to in {*TABLES, STRINGS, KEY, DATA, BYTES, ""}
    assert set(DATA_REFERENCES.values()) <= {*TABLES, STRINGS}
    assert set(DATA_REFERENCES) <= set(Op)


def test_columns_of_later_stages_refer_to_something_that_exists() -> None:
    others = {SITES, APIS, NODES, MASKS, VULNERABILITIES, FILES, STRINGS, ""}
    for row in (*RESOLUTION.values(), *LABELS.values(), Edge):
        assert {column.cells.to for column in columns_of(row)} <= {*TABLES, *others}
    assert set(RESOLUTION) <= {each.name for kind in (Resolution, Flows) for each in fields(kind)}
    names = {each.name for kind in (Labels, CheckRoles) for each in fields(kind)}
    names |= {f"quoted_{each.name}" for each in fields(Quoted)} | {f"keys_{each.name}" for each in fields(KnownKeys)}
    names |= {f"encoded_{each.name}" for each in fields(Encoded)}
    assert set(LABELS) <= names | {f"kept_{each.name}" for each in fields(KeptChanges)}
    assert set(Edge._fields) <= {each.name for each in fields(FlowGraph)}


def test_every_table_says_what_a_row_is() -> None:
    rows = {**ROWS, **RESOLUTION, **LABELS}
    assert [name for name, row in rows.items() if not (row.__doc__ or "").rstrip().endswith(".")] == []


def test_a_column_that_does_not_say_what_it_holds_is_refused() -> None:
    class Vague(NamedTuple):
        number: int

    with pytest.raises(TypeError, match=r"Vague\.number"):
        columns_of(Vague)


def test_the_offsets_of_flat_tables_are_those_of_the_columns() -> None:
    singular = {row.__name__.removesuffix("Row").upper(): name for name, row in ROWS.items()}
    widths = [name.removesuffix(WIDTH) for name in vars(schema) if name.endswith(WIDTH)]
    assert len(widths) > 10
    for prefix in widths:
        columns = COLUMNS[singular[prefix]]
        offsets = {name: number for name, number in vars(schema).items() if name.startswith(f"{prefix}_")}
        assert offsets.pop(prefix + WIDTH) == len(columns)
        for name, number in offsets.items():
            assert columns[number] == name.removeprefix(f"{prefix}_").lower()


def test_rows_have_every_table_under_its_name() -> None:
    unit = Unit("python")
    for table in unit.tables.values():
        table.extend(range(8 * 9 * 7 * 5))  # a multiple of every width
    assert vars(Rows(unit)) == {name: unit.rows(row) for name, row in ROWS.items()}


# -- no unnamed columns ------------------------------------------------------------------------------------------------

SOURCES: Final = Path(pyrograph.__file__).parent
# Whoever works with the bits of something that is no table, and why. ``kernels`` know arrays only: their words of bits
# are no columns either.
WITH_DIGITS: Final = {
    "ir/dataflow/types.py": "the formats of floating-point numbers",
    "ir/dataflow/text.py": "UTF-16 surrogates of an escape",
    "parsers/javascript/syntax/expressions.py": "JavaScript shifts by the low 5 bits",
    "parsers/go/syntax/constants.py": "an octal escape is a byte",
    "report/text/excerpts.py": "lengths of excerpts",
    "scanner/files/discover.py": "modes of files",
    "scanner/files/writing.py": "modes of files",
    "scanner/fix/verify.py": "halves of a list",
    "scanner/faulty.py": "halves of a list",
    "scanner/minimal.py": "halves of a list",
    "scanner/forked.py": "an exit status is a byte",
}


def digits(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, expression) of what looks like a packed value or a flat column that is taken apart with digits.

    ``mask >> bit & 1`` is none: that is how a member of a set of bits is asked for.
    """
    inside_subscripts = {id(n) for s in ast.walk(tree) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)}
    named = {id(n) for a in ast.walk(tree) if isinstance(a, ast.AnnAssign) for n in ast.walk(a)}  # X: Final = -2
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.expr)):
        if isinstance(node, ast.BinOp):
            left, right = is_digit(node.left), is_digit(node.right)
            is_member = isinstance(node.right, ast.Constant) and node.right.value == 1 and is_shift(node.left)
            sliced = id(node) in inside_subscripts and isinstance(node.op, ast.Mult) and (left or right)
            masked = isinstance(node.op, ast.BitAnd) and (left or right) and not is_member
            shifted = isinstance(node.op, (ast.RShift, ast.LShift)) and right and not left
            rows = isinstance(node.op, ast.FloorDiv) and right and is_length(node.left)
            coded = isinstance(node.op, ast.Sub) and is_negative(node.left, 1)
            if sliced or masked or shifted or rows or coded:
                yield node.lineno, ast.unparse(node)
        elif is_negative(node, 2) and id(node) not in named | inside_subscripts:
            yield node.lineno, ast.unparse(node)


def is_digit(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def is_negative(node: ast.AST, least: int) -> bool:
    """Whether ``node`` is written ``-n`` with an ``n`` from ``least`` on."""
    if not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)):
        return False
    return type(node.operand.value) is int and node.operand.value >= least


def is_shift(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift) and not is_digit(node.right)


def is_length(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


@pytest.mark.parametrize(
    "text",
    [
        "values[5 * value + 4]",
        "del columns[5 * known:]",
        "len(stores) // 4",
        "state & 7",
        "state >> 3",
        "owner << 3 | CLASS",
        "-2 - key",
        "site = -2",
    ],
)
def test_digits_that_take_columns_apart_are_found(text: str) -> None:
    assert list(digits(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "values[VALUE_WIDTH * value + VALUE_DATA]",
        "mask >> bit & 1",
        "1 << bit",
        "(1 << bits) - 1",
        "names[-2:]",
        "GONE: Final = -2",
        "len(group) // parts",
    ],
)
def test_names_and_sets_of_bits_are_no_such_digits(text: str) -> None:
    assert not list(digits(ast.parse(text)))


def test_nothing_takes_columns_apart_with_digits() -> None:
    found = {}
    for file in sorted(SOURCES.rglob("*.py")):
        name = file.relative_to(SOURCES).as_posix()
        if not name.startswith("kernels/") and (lines := list(digits(ast.parse(file.read_text(encoding="utf-8"))))):
            found[name] = lines
    assert {name: lines for name, lines in found.items() if name not in WITH_DIGITS} == {}
    assert found.keys() == WITH_DIGITS.keys()  # no file is excused that has nothing to excuse
