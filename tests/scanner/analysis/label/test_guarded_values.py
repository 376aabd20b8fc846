"""The values that a test is about: the operand itself, a slice of it, or what a call and its members computed."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.guarded import clean_sides


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("web.parse(x).host in NAMES", True),
        ("web.parse(x).port in NAMES", False),
        ("web.parse(y, x).host in NAMES", False),
        ("web.read(x).host in NAMES", False),
        ("x in NAMES", False),
    ],
)
def test_a_guard_with_a_transform_is_about_the_argument_of_its_call(test: str, clean: bool) -> None:
    assert clean_sides(test, "in web.parse(0).host") == (clean, False)


@pytest.mark.parametrize(
    ("test", "clean"), [("x[1:3] == 'ab'", True), ("x[1:4] == 'abc'", False), ("x == 'ab'", False)]
)
def test_a_guard_of_a_slice_is_about_tests_of_the_same_slice(test: str, clean: bool) -> None:
    assert clean_sides(test, "eq _[1:3]") == (clean, False)
