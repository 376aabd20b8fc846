"""Lineages are nearest first; changes are counted."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts, resolved

from pyrograph.policy.limits.resolution import MAX_LINEAGE


def test_a_lineage_is_breadth_first_and_each_class_once() -> None:
    classes = parts("", "python").classes
    classes.bases.update({1: [2, 3], 2: [4], 3: [4], 4: [1]})
    assert classes.lineage(1) == [1, 2, 3, 4]


@pytest.mark.parametrize(("count", "reported"), [(MAX_LINEAGE, []), (MAX_LINEAGE + 2, ["app.py"])])
def test_a_lineage_is_bounded_and_the_bound_is_reported(count: int, reported: list[str]) -> None:
    """The method of the class that is furthest away is found up to the bound."""
    classes = "".join(f"class C{each}(C{each - 1}): pass\n" for each in range(1, count))
    code = f"class C0:\n    def f(self): pass\n{classes}C{count - 1}().f()\n"
    _, resolution = resolved({"app.py": code}, "python")
    assert [path for _, path, _ in resolution.reported] == reported


def test_each_change_has_a_number_of_its_own() -> None:
    classes = parts("", "python").classes
    for owner in (7, 8, 7):
        classes.change(owner)
    assert (classes.changes, classes.last_change) == (3, {7: 3, 8: 2})
