"""Lineages are bounded; changes are counted."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts, resolved

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_LINEAGE


@pytest.mark.parametrize(("count", "reported"), [(MAX_LINEAGE, []), (MAX_LINEAGE + 2, ["app.py"])])
def test_a_lineage_is_bounded_and_the_bound_is_reported(count: int, reported: list[str]) -> None:
    """The method of the class that is furthest away is found up to the bound."""
    classes = "".join(f"class C{each}(C{each - 1}): pass\n" for each in range(1, count))
    code = f"class C0:\n    def f(self): pass\n{classes}C{count - 1}().f()\n"
    _, resolution = resolved({"app.py": code}, "python")
    assert [path for _, path, _ in resolution.reached.reported] == reported


def test_each_change_has_a_number_of_its_own() -> None:
    classes = parts("", "python").classes
    for owner, name in ((7, 5), (8, NONE), (7, 6)):
        classes.change(owner, name)
    assert (classes.changes, classes.last_change) == (3, {7: 3, 8: 2})
    assert (classes.last_change_of_bases, classes.changed_names) == ({8: 2}, {5: 1, 6: 3})


def test_declared_fields_come_from_the_furthest_base_first_and_follow_changes() -> None:
    solver = parts("class A:\n    a: str\n    def f(self): pass\nclass B: pass\nclass C: pass\n", "python")
    classes = solver.classes
    names = [solver.program.strings[name] for name in classes.member_name]
    field, method = (classes.member_value[names.index(name)] for name in "af")
    classes.members.update({1: {10: [field], 11: [method]}, 2: {12: [method, field]}})
    classes.add_base(2, 1, 0)
    assert classes.declared_fields(2) == [10, 12]
    classes.members[1][13] = [field]
    classes.change(1, 13)
    assert (classes.declared_fields(1), classes.declared_fields(2)) == ([10, 13], [10, 13, 12])
