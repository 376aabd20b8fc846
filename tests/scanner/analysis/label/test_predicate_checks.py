"""Calls whose truth is tested."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.guarded import clean_sides


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("web.ok(x)", "call web.ok(0)", (True, False)),
        ("not web.ok(x)", "call web.ok(0)", (False, True)),
        ("web.ok(x)", "! call web.ok(0)", (False, True)),
        ("web.no(x)", "call web.ok(0)", (False, False)),
        ("web.ok(y, x)", "call web.ok(0)", (False, False)),
        ("web.ok(x)", "call web.ok(0) when 1 == 'a'", (False, False)),
        ("web.ok(x, 'a')", "call web.ok(0) when 1 == 'a'", (True, False)),
    ],
)
def test_a_predicate_proves_something_of_the_argument_that_its_guard_names(
    test: str, guard: str, clean: tuple[bool, bool]
) -> None:
    assert clean_sides(test, guard) == clean


@pytest.mark.parametrize(("test", "clean"), [("web.Ok(x)", True), ("web.No(x)", False)])
def test_the_first_of_several_results_is_the_answer(test: str, clean: bool) -> None:
    assert clean_sides(test, "call web.Ok(0)", language="go") == (clean, False)
