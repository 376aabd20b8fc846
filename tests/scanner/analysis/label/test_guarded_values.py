"""The values that a test is about: the operand itself, a slice of it, or what a call and its members computed."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.guarded import clean_sides
from tests.scanner.analysis.label.programs import RULES, labelled


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


@pytest.mark.parametrize(
    ("merged", "clean"),
    [
        ("web.parse(x) if NAMES else web.parse('/' + x)", True),
        ("web.parse(x) if NAMES else x", False),
        ("web.parse(x) if NAMES else web.read(x)", False),
    ],
)
def test_a_merge_of_results_of_one_transform_is_one(merged: str, clean: bool) -> None:
    code = (
        f"import web\nNAMES = web.names()\nx = web.get()\np = {merged}\nif p == 'a':\n    web.run(p)\n    web.run(x)\n"
    )
    found = labelled(code, RULES + '[guard]\ndanger = ["eq web.parse(0)"]\n')
    p, x = sorted(role.value for role in found.labels.sinks)
    assert (bool(found.labels.clean.get(p, 0) & 1), bool(found.labels.clean.get(x, 0) & 1)) == (clean, False)


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        ("return web.parse('/' + v)", True),
        ("if NAMES:\n        return None\n    return web.parse(v)", True),
        ("if NAMES:\n        return web.parse('/a' + v)\n    return web.parse(v)", True),
        ("if NAMES:\n        return v\n    return web.parse(v)", False),
        ("return web.read(v)", False),
        ("return web.parse(v) + v", False),
    ],
)
def test_the_result_of_a_function_that_returns_what_the_transform_made_is_one(body: str, clean: bool) -> None:
    code = (
        f"import web\nNAMES = web.names()\ndef located(v):\n    {body}\n"
        "x = web.get()\np = located(x)\nif p == 'a':\n    web.run(p)\n    web.run(x)\n"
    )
    found = labelled(code, RULES + '[guard]\ndanger = ["eq web.parse(0)"]\n')
    p, x = sorted(role.value for role in found.labels.sinks)
    assert (bool(found.labels.clean.get(p, 0) & 1), bool(found.labels.clean.get(x, 0) & 1)) == (clean, False)
