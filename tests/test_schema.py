"""Every table is defined once, and who reads it uses names: the schema agrees with itself and with its offsets."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from pyrograph.ir import schema
from pyrograph.ir.codes import Op
from pyrograph.ir.rows import Rows
from pyrograph.ir.schema import BYTES, COLUMNS, DATA, DATA_REFERENCES, KEY, ROWS, STRINGS, TABLES, columns_of
from pyrograph.ir.unit import Unit

WIDTH: Final = "_WIDTH"


def test_every_column_refers_to_something_that_exists() -> None:
    for columns in TABLES.values():
        for column in columns:
            assert column.cells.to in {*TABLES, STRINGS, KEY, DATA, BYTES, ""}
    assert set(DATA_REFERENCES.values()) <= {*TABLES, STRINGS}
    assert set(DATA_REFERENCES) <= set(Op)


def test_every_table_says_what_a_row_is() -> None:
    assert [name for name, row in ROWS.items() if not (row.__doc__ or "").rstrip().endswith(".")] == []


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
