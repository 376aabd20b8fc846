"""Comparisons that guards of their kind of test name."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.guarded import clean_sides


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("x == 'a'", "eq", (True, False)),
        ("x != 'a'", "eq", (False, True)),
        ("x is None", "eq", (True, False)),
        ("x == 'a'", "in", (False, False)),  # a guard of another kind
        ("'a' in x", "contains _ 'a'", (True, False)),
        ("'b' in x", "contains _ 'a'", (False, False)),  # of another text
    ],
)
def test_a_comparison_proves_what_a_guard_of_its_kind_and_text_states(
    test: str, guard: str, clean: tuple[bool, bool]
) -> None:
    assert clean_sides(test, guard) == clean


@pytest.mark.parametrize(
    ("test", "guard", "clean"), [("x == y", "eq", False), ("web.host(x) == y", "eq web.host(0)", True)]
)
def test_equality_with_a_value_that_varies_proves_something_of_a_part_only(test: str, guard: str, clean: bool) -> None:
    assert clean_sides(test, guard) == (clean, False)


def test_what_several_texts_have_in_common_is_tested_as_their_beginning_is() -> None:
    test = "web.common(['/srv', web.absolute({})]) == '/srv'"
    guards = "eq web.common(0[])", "prefix web.absolute(0)"
    assert clean_sides(test.format("x"), *guards) == (True, False)
    assert clean_sides(test.format("y"), *guards) == (False, False)
    assert clean_sides(test.format("x"), guards[0]) == (False, False)
