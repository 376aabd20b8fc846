"""Where values are used, and where these uses stand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.ir.codes import NONE, Op
from pyrograph.scanner.analysis.label.value_uses import MADE, TAKEN, ValueUses, flows_of_packs

CODE = """
import web
def g(a):
    return web.run(a)
def f():
    x = web.get()
    y = web.join(x)
    z = "a" + x
    g(y)
    box = {"k": z}
    unused = "b" + x
    web.run(box)
    return lambda: web.run(x)
"""


def uses_in(name: str) -> dict[str, set[tuple[int, str]]]:
    """The uses in a function: by the text of a value, (kind, text of where they stand)."""
    rules = RULES + '\n[propagator]\nflow = ["web.join: 0 -> ret"]\n'
    found = labelled(CODE, rules)
    functions = found.program.tables["functions"]
    names = [found.program.strings[each] for each in functions["name"].tolist()]
    chosen = np.array([each == name for each in names])
    uses = ValueUses(found.facts, chosen, flows_of_packs(found.facts))
    assert uses.of(NONE) == []
    result: dict[str, set[tuple[int, str]]] = {}
    for value in range(found.program.num_values):
        for use in uses.of(value):
            if found.facts.op[use.target] not in (Op.POST, Op.RESULT):
                where = "" if use.at == NONE else found.text(use.at)
                result.setdefault(found.text(value), set()).add((use.kind, where))
    return result


def test_uses_of_one_function_say_what_is_made_and_what_something_else_holds() -> None:
    uses = uses_in("f")
    assert (MADE, "web.join(x)") in uses["web.get()"]
    assert {(MADE, '"a" + x'), (TAKEN, "lambda: web.run(x)")} <= uses["x"]  # behind the call
    assert (TAKEN, "g(y)") in uses["web.join(x)"]
    assert uses['"a" + x'] == {(TAKEN, '{"k": z}')}


def test_what_leads_to_no_sink_and_other_functions_are_left_out() -> None:
    uses = uses_in("f")
    assert (MADE, '"b" + x') not in uses["x"]
    assert "a" not in uses
    assert set(uses_in("g")) <= {"a", "web.run(a)"}


@pytest.mark.parametrize("made", ["x = web.get()\n    box = {}", "box = {}\n    x = web.get()"])
def test_the_state_of_another_argument_behind_a_call_is_not_made_of_this_one(made: str) -> None:
    rules = RULES + '\n[propagator]\nflow = ["web.fill: 1 -> 0"]\n'
    found = labelled(f"import web\ndef f():\n    {made}\n    web.fill(box, x)\n    web.run(box)\n", rules)
    facts = found.facts
    everywhere = np.ones(len(found.program.tables["functions"]["name"]), np.bool_)
    uses = ValueUses(facts, everywhere, flows_of_packs(facts)).of(found.value("web.get()", Op.CALL))
    states = [use for use in uses if facts.op[use.target] == Op.POST and found.text(use.target) == "box"]
    assert {use.kind for use in states} == {TAKEN}
