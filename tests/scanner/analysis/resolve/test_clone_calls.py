"""Candidate calls are found by name, and by the arguments that they pass."""

from __future__ import annotations

import pytest

from pyrograph.parsers import lower
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.clone_calls import CallFinder
from pyrograph.scanner.analysis.resolve.clone_facts import CloneFacts
from pyrograph.scanner.analysis.resolve.representatives import representatives


@pytest.mark.parametrize(
    ("call", "found"),
    [("f(g)", 1), ("f(k=1, a=g)", 1), ("f(1)", 0), ("other(g)", 0), ("f(*g)", 0)],
)
def test_calls_that_pass_a_function(call: str, found: int) -> None:
    code = f"def f(a): a()\ndef g(): pass\n{call}\n"
    program = link(["app.py"], [lower(code.encode(), "python")], {})
    names = [program.strings[name] for name in program.tables["functions"]["name"]]
    finder = CallFinder(CloneFacts(program, representatives(program)), {})
    calls = finder.find_uses({names.index("f"): [0]})
    assert len(calls) == found
    assert all(each.function == names.index("f") and each.given[0][0] == 0 for each in calls)


@pytest.mark.parametrize(
    ("call", "found"),
    [("kept.one(g)", 1), ("kept.two(g)", 0), ("kept[other](g)", 0), ("unknown.one(g)", 0)],
)
def test_calls_of_what_a_literal_holds(call: str, found: int) -> None:
    """A literal holds what a call returned: the functions that the call makes are meant."""
    code = (
        f"const maker = (...fs) => (a) => a();\nfunction g() {{}}\nconst kept = {{ one: maker(g), two: 1 }};\n{call};\n"
    )
    program = link(["app.js"], [lower(code.encode(), "javascript")], {})
    facts = CloneFacts(program, representatives(program))
    parents = program.tables["functions"]["parent"]
    made = next(each for each in range(len(parents)) if parents[each] > 0)
    rows = [row for row, each in enumerate(program.tables["parameters"]["function"]) if each == made]
    assert len(CallFinder(facts, {}).find_uses({made: rows})) == found
