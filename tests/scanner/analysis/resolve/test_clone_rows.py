"""Rows of copies lie copy after copy, and refer to rows of the same copy."""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.resolve.clone_rows import Layout


def test_references_lead_into_the_same_copy_and_to_the_rest_as_before() -> None:
    # rows 2 and 5 of a table of 6 belong to family 0, row 3 to family 1; two copies of family 0, one of family 1
    rows, family = np.array([2, 3, 5], np.intp), np.array([0, 1, 0], np.int32)
    layout = Layout(rows, family, np.array([0, 0, 1]), 6, 6)
    assert layout.rows.tolist() == [2, 5, 2, 5, 3]
    assert layout.place(np.array([5, 5, 3]), np.array([0, 1, 2])).tolist() == [7, 9, 10]
    references = np.array([5, 2, 5, NONE, 3], np.int32)
    assert layout.moved(references, layout).tolist() == [7, 6, 9, NONE, 10]
    assert layout.to_copy(np.array([2, 3, 0]), 1).tolist() == [8, 3, 0]


def test_the_end_of_a_table_becomes_the_end_of_the_copy() -> None:
    # rows 2 and 5 of a table of 6 belong to family 0, row 3 to family 1; blocks begin at rows, or at the end
    rows, family = np.array([2, 3, 5], np.intp), np.array([0, 1, 0], np.int32)
    layout = Layout(rows, family, np.array([0, 0, 1]), 6, 6)
    blocks = Layout(np.arange(4), np.array([0, 0, 0, 1], np.int32), np.array([0, 0, 1]), 4)
    first = np.array([2, 3, 6, 6])
    assert layout.next(first[blocks.rows], blocks).tolist() == [6, 7, 8, 8, 9, 10, 11]
