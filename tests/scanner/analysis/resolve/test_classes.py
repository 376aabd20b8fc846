"""Lineages are nearest first; changes are counted."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import parts

from pyrograph.policy.limits import MAX_LINEAGE


def test_a_lineage_is_breadth_first_and_each_class_once() -> None:
    classes = parts("", "python").classes
    classes.bases.update({1: [2, 3], 2: [4], 3: [4], 4: [1]})
    assert classes.lineage(1) == [1, 2, 3, 4]


def test_a_lineage_is_bounded() -> None:
    classes = parts("", "python").classes
    classes.bases.update({each: [each + 1] for each in range(2 * MAX_LINEAGE)})
    assert classes.lineage(0) == list(range(MAX_LINEAGE))


def test_each_change_has_a_number_of_its_own() -> None:
    classes = parts("", "python").classes
    for owner in (7, 8, 7):
        classes.change(owner)
    assert (classes.changes, classes.last_change) == (3, {7: 3, 8: 2})
