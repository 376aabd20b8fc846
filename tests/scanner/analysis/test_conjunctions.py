"""Conditions that are made of others."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.conjunctions import conjuncts

PARTS = {5: [(1, 1), (2, 0)], 6: [(5, 1), (3, 1)], 7: [(5, 0), (4, 1)]}  # 6 is 5 and 3; 7 is not 5, and 4


@pytest.mark.parametrize(
    ("condition", "side", "sides"),
    [
        (1, 0, {(1, 0)}),
        (5, 1, {(1, 1), (2, 0)}),
        (5, 0, {(5, 0)}),
        (6, 1, {(1, 1), (2, 0), (3, 1)}),
        (7, 1, {(5, 0), (4, 1)}),
    ],
)
def test_a_conjunction_that_holds_is_its_parts_and_one_that_fails_stays_whole(
    condition: int, side: int, sides: set[tuple[int, int]]
) -> None:
    found = conjuncts(PARTS, condition, side)
    assert len(found) == len(sides)
    assert set(found) == sides
