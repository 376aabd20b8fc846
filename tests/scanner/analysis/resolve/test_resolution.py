"""The result: rows as arrays, bounds that were reached, lineages."""

from __future__ import annotations

from pyrograph.scanner.analysis.columns import Rows
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import Reached
from pyrograph.scanner.analysis.schema import Target


def test_rows_are_named_tuples_and_arrays() -> None:
    resolution = Resolution(targets=Rows(Target, 2, [(1, 2), (3, 4)]))
    assert resolution.targets[1] == Target(3, 4)
    assert resolution.targets[1].function == 4
    assert resolution.rows("targets").tolist() == [[1, 2], [3, 4]]
    assert resolution.rows("bindings").shape == (0, 5)


def test_only_bounds_that_were_reached_are_reported_once_each() -> None:
    resolution = Resolution(reached=Reached(overflown={3, 4}))
    assert [each.values for each in resolution.bounds_reached()] == [{3, 4}]
    for _ in range(2):
        resolution.report("many", "a.py", 1)
    assert list(resolution.reached.reported) == [("many", "a.py", 1)]


def test_classes_that_inherit_from_each_other_have_a_finite_lineage() -> None:
    assert Resolution(class_bases={1: [2], 2: [1, 3]}).lineage(1) == [1, 2, 3]
