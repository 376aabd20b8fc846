"""Rows are grouped by key, in their order."""

from __future__ import annotations

import numpy as np
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.scanner.analysis.resolve.tables import grouped, runs


def test_rows_are_grouped_by_key_in_order_and_negative_keys_left_out() -> None:
    program = parts("", "python").program
    assert grouped(program, np.array([3, -1, 0, 3, 0, 3], np.int32)) == {0: [2, 4], 3: [0, 3, 5]}
    assert grouped(program, np.empty(0, np.int32)) == {}


def test_runs_end_with_the_number_of_keys() -> None:
    keys, starts = runs(np.array([1, 1, 4, 9, 9], np.int32))
    assert (keys.tolist(), starts.tolist()) == ([1, 4, 9], [0, 2, 3, 5])
