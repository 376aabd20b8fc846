"""Tests of positions."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.guarded import clean_sides


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("NAMES.indexOf(x) === -1", (False, True)),
        ("NAMES.indexOf(x) < 0", (False, True)),
        ("NAMES.indexOf(x) > -1", (True, False)),
        ("NAMES.indexOf(x) === 1", (False, False)),
        ("y.indexOf(x) > -1", (False, False)),
    ],
)
def test_a_position_says_whether_an_element_is_there(test: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, "in", language="javascript") == clean


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("x.find('/') == 0", "prefix", (True, False)),
        ("x.rfind('/') == 0", "prefix", (False, False)),
        ("x.find('..') >= 0", "! contains _ '..'", (False, True)),
        ("x.find('..') == -1", "! contains _ '..'", (True, False)),
    ],
)
def test_a_position_in_a_text_says_how_it_begins_or_what_it_contains(
    test: str, guard: str, clean: tuple[bool, bool]
) -> None:
    assert clean_sides(test, guard) == clean


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("x.count('..') == 0", "! contains _ '..'", (True, False)),
        ("x.count('..') > 0", "! contains _ '..'", (False, True)),
        ("x.count('.') == 0", "! contains _ '..'", (False, False)),
        ("NAMES.count(x) > 0", "in", (True, False)),
        ("NAMES.count(x) == 0", "in", (False, True)),
        ("y.count(x) > 0", "in", (False, False)),
    ],
)
def test_a_number_says_whether_something_is_found(test: str, guard: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, guard) == clean
