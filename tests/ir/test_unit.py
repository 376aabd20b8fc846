"""Units as bytes: what was written is read, and what was not written is refused."""

from __future__ import annotations

import struct
from array import array
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.ir.codes import Op
from pyrograph.ir.schema import COLUMNS, DATA_REFERENCES, REFERENCES
from pyrograph.ir.stored import UnitError, dump, load
from pyrograph.ir.unit import Unit, constant_text
from pyrograph.parsers import lower

INTS = st.integers(-(2**31), 2**31 - 1)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)  # lone surrogates too: names come from any bytes


@st.composite
def units(draw: st.DrawFn) -> Unit:
    tables = {}
    for name, columns in COLUMNS.items():
        rows = draw(st.lists(st.tuples(*[INTS] * len(columns)), max_size=3))
        tables[name] = array("i", [number for row in rows for number in row])
    problems = draw(st.lists(st.tuples(TEXTS, st.integers(0, 10**6), TEXTS), max_size=2))
    count, line = st.integers(0, 2**32 - 1), st.integers(0, 10**6)
    return Unit(
        language=draw(TEXTS),
        tables=tables,
        strings=draw(st.lists(TEXTS, max_size=4)),
        problems=problems,
        package=draw(TEXTS),
        lines=draw(count),
        syntax_nodes=draw(count),
        error_nodes=draw(count),
        unhandled_nodes=draw(count),
        comments=draw(st.lists(st.tuples(line, line, line, TEXTS), max_size=2)),
    )


@settings(max_examples=150)
@given(units())
def test_what_was_written_is_read(unit: Unit) -> None:
    assert load(dump(unit)) == unit


@settings(max_examples=150)
@given(units(), st.data())
def test_damaged_bytes_are_refused_or_read_and_nothing_else(unit: Unit, data: st.DataObject) -> None:
    written = bytearray(dump(unit))
    for _ in range(data.draw(st.integers(1, 4))):
        written[data.draw(st.integers(0, len(written) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(written)))
    for damaged in (bytes(written), bytes(written[:cut])):
        with suppress(UnitError):
            assert isinstance(load(damaged), Unit)


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UnitError):
        load(data)


def test_lengths_that_promise_more_than_there_is_are_refused_before_anything_is_made() -> None:
    written = bytearray(dump(Unit("python")))
    for at in range(8, len(written) - 3, 4):
        broken = written.copy()
        broken[at : at + 4] = struct.pack("<I", 2**32 - 1)
        try:
            load(bytes(broken))
        except UnitError:
            continue


def test_a_lowered_file_survives() -> None:
    unit = lower(Path(__file__).read_bytes(), "python")
    assert load(dump(unit)) == unit


def test_references_name_columns_and_tables_that_exist() -> None:
    targets = {*COLUMNS, "strings", "key"}
    for table, columns in REFERENCES.items():
        assert set(columns) <= set(COLUMNS[table])
        assert set(columns.values()) <= targets
    assert set(DATA_REFERENCES.values()) <= targets
    assert set(DATA_REFERENCES) <= set(Op)


CONSTANTS = st.one_of(st.text(), st.integers(), st.booleans(), st.none())


@given(CONSTANTS, CONSTANTS)
def test_constants_of_different_kinds_have_different_texts(left: str | int | None, right: str | int | None) -> None:
    same = type(left) is type(right) and left == right
    assert (constant_text(left) == constant_text(right)) == same
