"""What is called on another branch says nothing of a call; what is called on the same way does."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import applies, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.label.branches import Branches


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (["if x:", "    c.use('a')", "web.run(c, x)"], True),
        (["if x:", "    c.use('a')", "else:", "    web.run(c, x)"], False),
        (["if x:", "    web.run(c, x)", "    return", "c.use('a')"], False),
        (["try:", "    c.use('a')", "except OSError:", "    web.run(c, x)"], True),
    ],
)
def test_only_calls_that_one_run_can_make_count(body: list[str], holds: bool) -> None:
    lines = ["import web", "def f():", "    x = web.get()", "    c = web.connect()", *(f"    {line}" for line in body)]
    assert applies("when 0 called use('a')", "\n".join(lines) + "\n") is holds


@pytest.mark.parametrize(
    ("body", "is_set"),
    [
        (["if x:", "    web.one()", "else:", "    web.two()"], True),
        (["if x:", "    web.one()"], False),
        (["if x:", "    web.one()", "elif web.log():", "    web.two()", "else:", "    web.one()"], True),
        (["if x:", "    web.one()", "elif web.log():", "    web.two()"], False),
        (["web.one()"], True),
    ],
)
def test_what_all_ways_from_a_value_set_is_set(body: list[str], is_set: bool) -> None:
    lines = ["import web", "def f(x):", "    at = web.get()", "    if x:", "        web.log(at)"]
    made = labelled("\n".join([*lines, *(f"    {line}" for line in body)]) + "\n")
    calls = [made.facts.call_result[row] for row in range(len(made.facts.call_result))]
    settings = {each: ("k", True) for each in calls if made.text(each) in ("web.one()", "web.two()")}
    branches = Branches(made.facts)
    assert branches.always_set(settings, made.value("web.get()", Op.CALL)) is is_set
    unwanted = {each: ("k", False) for each in settings}
    assert not branches.always_set(unwanted, made.value("web.get()", Op.CALL))
