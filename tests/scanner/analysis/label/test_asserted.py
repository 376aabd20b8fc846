"""Conditions that are handed to a call which raises where they do not hold."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

GUARD = RULES + '[guard]\nany = ["asserts web.demand(0)"]\ndanger = ["eq"]\n'
HELPERS = {
    "it raises": "def ensure(ok):\n    if not ok:\n        raise ValueError\n",
    "it returns where the condition holds": "def ensure(ok):\n    if ok:\n        return\n    raise ValueError\n",
}
OTHERS = {
    "it writes a line": "def ensure(ok):\n    if not ok:\n        log(ok)\n",
    "it raises for something else": "def ensure(ok):\n    if late:\n        raise ValueError\n",
    "it raises where the condition holds": "def ensure(ok):\n    if ok:\n        raise ValueError\n",
}


def is_clean(lines: str, helper: str = "", rules: str = GUARD) -> bool:
    """Whether what ``web.run`` gets behind these lines is clean."""
    body = "".join(f"    {line}\n" for line in ["x = web.get()", *lines.split("\n"), "web.run(x)"])
    found = labelled(f"import web\n{helper}\ndef f(y):\n{body}", rules)
    return all(found.labels.clean.get(role.value, 0) & 1 for role in found.labels.sinks)


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
def test_a_condition_holds_behind_a_function_that_raises_where_it_does_not(helper: str) -> None:
    assert is_clean("ensure(x == 'a')", helper)


@pytest.mark.parametrize("helper", OTHERS.values(), ids=OTHERS)
def test_another_function_proves_nothing(helper: str) -> None:
    assert not is_clean("ensure(x == 'a')", helper)


@pytest.mark.parametrize(
    ("lines", "clean"),
    [
        ("web.demand(x == 'a')", True),
        ("web.demand(x == 'a' or x == 'b')", True),
        ("web.demand(x == 'a' or y)", False),
        ("web.demand(x != 'a')", False),
        ("web.demand(not x != 'a')", True),
        ("web.other(x == 'a')", False),
        ("if y:\n    web.demand(x == 'a')", False),
    ],
)
def test_calls_of_libraries_assert_what_packs_say(lines: str, clean: bool) -> None:
    assert is_clean(lines) == clean


def test_without_such_a_guard_a_library_asserts_nothing() -> None:
    assert not is_clean("web.demand(x == 'a')", rules=RULES + '[guard]\ndanger = ["eq"]\n')


def test_a_function_may_ask_as_often_as_it_likes() -> None:
    asks = "".join(f"    if ok == {number}:\n        raise ValueError\n" for number in range(2000))
    assert is_clean("ensure(x == 'a')", f"def ensure(ok):\n    if not ok:\n        raise ValueError\n{asks}")


@pytest.mark.parametrize(
    ("asked", "clean"), [("is_a(x)", True), ("is_a(y)", False), ("not is_a(x)", False), ("not is_b(x)", True)]
)
def test_a_function_of_the_program_may_answer_what_is_asserted(asked: str, clean: bool) -> None:
    helpers = "def is_a(v):\n    return v == 'a'\ndef is_b(v):\n    return v != 'a'\n"
    assert is_clean(f"web.demand({asked})", helpers) == clean
