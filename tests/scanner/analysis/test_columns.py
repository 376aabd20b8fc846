"""Tables that grow row by row, against lists of tuples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.scanner.analysis.columns import Rows, RowsByKey, rows_of

numbers = st.integers(-(2**31), 2**31 - 1)
tables = st.lists(st.tuples(numbers, numbers, numbers))


class Triple(NamedTuple):
    first: int
    second: int
    third: int


@given(tables, tables)
def test_rows_are_what_a_list_of_tuples_is(first: list[tuple[int, int, int]], more: list[tuple[int, int, int]]) -> None:
    rows = Rows(Triple, 3, first)
    for row in more:
        rows.append(row)
    expected = [*first, *more]
    assert list(rows) == expected
    assert len(rows) == len(expected)
    assert bool(rows) == bool(expected)
    assert [rows[at] for at in range(-len(expected), len(expected))] == expected * 2
    assert rows[1:] == expected[1:]
    assert rows.array().tolist() == rows_of(rows, 3).tolist() == [list(row) for row in expected]
    assert all(row.third == row[2] for row in rows)


@given(tables, st.sets(numbers))
def test_dropping_leaves_out_the_rows_with_one_of_the_keys(rows: list[tuple[int, int, int]], keys: set[int]) -> None:
    keys |= {row[0] for row in rows[::2]}
    table = Rows(Triple, 3, rows)
    table.drop(keys)
    assert list(table) == [row for row in rows if row[0] not in keys]


def test_replaced_rows_can_grow() -> None:
    table = Rows(Triple, 3, [(1, 2, 3)])
    table.replace(np.array([[4, 5, 6], [7, 8, 9]], np.int32))
    table.append((0, 0, 0))
    assert list(table) == [(4, 5, 6), (7, 8, 9), (0, 0, 0)]


def test_a_row_that_is_not_there_and_a_number_that_is_too_large_are_errors() -> None:
    table = Rows(Triple, 3)
    with pytest.raises(IndexError):
        table[0]
    with pytest.raises(OverflowError):
        table.append((2**31, 0, 0))


@given(st.lists(st.integers(-3, 12)))
def test_rows_are_found_by_key(keys: list[int]) -> None:
    found = RowsByKey(np.array(keys, np.int32))
    for key in range(-4, 15):  # also such as no row has
        assert found.of(key).tolist() == [row for row, each in enumerate(keys) if each == key]
