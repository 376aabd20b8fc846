"""Where checks of a text pass: the sides of conditions, and the calls that raise where a check fails."""

from __future__ import annotations

import numpy as np
import pytest
from tests.scanner.analysis.label.programs import RULES, Labelled, labelled

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.passing_checks import Passing, by_mask, checked_roots, runs_now
from pyrograph.scanner.analysis.label.text_versions import Versions
from pyrograph.scanner.analysis.label.value_uses import flows_of_packs

GUARDS = '\n[guard]\ndanger = ["in"]\n'
PROGRAM = """
import web
def demand(x):
    if x not in ("a", "b"):
        raise ValueError(x)
async def later(x):
    if x not in ("a", "b"):
        raise ValueError(x)
def each(x):
    if x not in ("a", "b"):
        raise ValueError(x)
    yield x
async def f():
    x = web.get()
    {}
    web.run(x)
"""


def passing(body: str) -> tuple[Labelled, list[Passing]]:
    found = labelled(PROGRAM.format(body), RULES + GUARDS)
    facts = found.facts
    versions = Versions(facts, shared_blocks(facts))
    roots = checked_roots(facts, versions, np.ones(len(facts.op), np.bool_), flows_of_packs(facts))
    row = next(row for row in facts.args.of(found.call("web.run(x)")) if facts.arg_position[row] == 0)
    return found, roots.get(versions.root(facts.arg_value[row]), [])


@pytest.mark.parametrize(
    ("body", "sides", "calls"),
    [
        ('if x not in ("a", "b"):\n        return', 1, 0),
        ('if x in ("a", "b") or x in ("c", "d"):\n        web.log(x)', 2, 0),
        ("demand(x)", 0, 1),
        ("later(x)", 0, 0),  # nothing has run yet
        ("each(x)", 0, 0),
        ("web.log(x)", 0, 0),
        ('x.a = "b"\n    demand(x)', 0, 0),  # it is no text
    ],
)
def test_where_checks_of_a_text_pass(body: str, sides: int, calls: int) -> None:
    _, found = passing(body)
    assert len([each for each in found if each.condition != NONE]) == sides
    assert len([each for each in found if each.call != NONE]) == calls
    assert all(each.mask & 1 for each in found)


@pytest.mark.parametrize(("call", "is_now"), [("demand(x)", True), ("later(x)", False), ("each(x)", False)])
def test_a_function_that_has_not_run_has_checked_nothing(call: str, is_now: bool) -> None:
    found = labelled(PROGRAM.format(call), RULES + GUARDS)
    assert runs_now(found.facts, found.call(call)) is is_now


def test_bits_that_the_same_checks_clear_are_asked_together() -> None:
    one, two = Passing(1, 1, NONE, 0b011, 5), Passing(2, 0, NONE, 0b110, 6)
    assert by_mask([one, two]) == [(0b001, [one]), (0b010, [one, two]), (0b100, [two])]
    assert by_mask([one]) == [(0b011, [one])]
    assert by_mask([]) == []
