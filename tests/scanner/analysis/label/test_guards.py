"""Versions behind conditions: which side is clean, joint guards, and predicates of the program."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, Labelled, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.label.guards import argument_before_calls, last_results

TEXTS = RULES + '[propagator]\nflow = ["builtins.str#startswith:"]\n[type]\nbuiltin = ["builtins.str"]\n'
EQUAL = RULES + "[guard]\ndanger = ['eq']\n"


def clean_at_sink(code: str, guard: str, *, language: str = "python") -> list[bool]:
    """For each sink, in the order of the text, whether its value is clean for the first vulnerability."""
    rules = TEXTS + f"[guard]\ndanger = ['''{guard}''']\n"
    found = labelled(f"import web\nx = web.get()\n{code}\n", rules, language)
    sinks = sorted(found.labels.sinks, key=lambda role: role.start)
    return [bool(found.labels.clean.get(role.value, 0) & 1) for role in sinks]


BOTH = "if {}:\n    web.run(x)\nelse:\n    web.run(x)\n"


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("x == 'a'", "eq", [True, False]),
        ("x != 'a'", "eq", [False, True]),
        ("not x == 'a'", "eq", [False, True]),
        ("x in ('a', 'b')", "in", [True, False]),
        ("x not in ('a', 'b')", "in", [False, True]),
        ("x in y", "in", [False, False]),
        ("x.startswith('/')", "prefix", [True, False]),
        ("'..' in x", "! contains _ '..'", [False, True]),
        ("'.' in x", "! contains _ '..'", [False, False]),
        ("web.ok(x)", "call web.ok(0)", [True, False]),
        ("web.ok(x)", "! call web.ok(0)", [False, True]),
        ("x == 'a' and y", "eq", [True, False]),
        ("x == 'a' or y", "eq", [False, False]),
        ("x", "eq", [False, True]),
    ],
)
def test_the_side_of_a_condition_that_is_clean(test: str, guard: str, clean: list[bool]) -> None:
    assert clean_at_sink(BOTH.format(test), guard) == clean


def test_a_guard_is_for_its_vulnerability_alone() -> None:
    rules = RULES + "[guard]\nother = ['eq']\n"
    found = labelled(f"import web\nx = web.get()\n{BOTH.format(chr(120) + ' == 1')}", rules)
    assert set(found.labels.clean.values()) == {2}


def test_all_tests_of_a_joint_guard_must_hold_in_any_order() -> None:
    guard = "! contains _ '..' and prefix _ '/'"
    inner = "if {}:\n    if {}:\n        web.run(x)\n    web.run(x)\n"
    first, second = "'..' not in x", "x.startswith('/')"
    assert clean_at_sink(inner.format(first, second), guard) == [True, False]
    assert clean_at_sink(inner.format(second, first), guard) == [True, False]
    assert clean_at_sink(inner.format(first, first), guard) == [False, False]
    assert clean_at_sink(f"if {first} and {second}:\n    web.run(x)\n", guard) == [True]


def checked(found: Labelled) -> set[tuple[str, int]]:
    """(the call, the side) of each version that has what a predicate's parameter is at its exits."""
    calls = found.facts.call_result
    return {(found.text(calls[call]), side) for call, _, side in found.labels.checks.checked_by_call.values()}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def ok(v):\n    return v == 'a'\nif ok(x):\n    web.run(x)", {("ok(x)", 0), ("ok(x)", 1)}),
        ("def ok(v):\n    return True\nif ok(x):\n    web.run(x)", {("ok(x)", 1)}),
        ("if unknown(x):\n    web.run(x)", set()),
    ],
)
def test_a_predicate_of_the_program_gives_its_versions(code: str, expected: set[tuple[str, int]]) -> None:
    found = labelled(f"import web\nx = web.get()\n{code}\n", EQUAL)
    assert checked(found) == expected


def test_a_predicate_that_may_be_several_functions_gives_nothing() -> None:
    code = "def a(v):\n    return v == 'a'\ndef b(v):\n    return v == 'b'\nok = a if c else b\n"
    found = labelled(
        f"import web\nx = web.get()\n{code}if ok(x):\n    web.run(x)\n", RULES + "[guard]\ndanger = ['eq']\n"
    )
    assert checked(found) == set()


def test_the_last_of_several_results_says_whether_a_call_succeeded() -> None:
    code = "package main\nfunc g(s string) (string, error) { return s, nil }\n"
    code += "func f(a string) { b, err := g(a); use(b, err) }\n"
    found = labelled(code, language="go")
    (value,) = last_results(found.facts)
    assert found.text(found.facts.call_result[last_results(found.facts)[value]]) == "g(a)"
    key = found.facts.load_key[found.facts.data[value]]
    assert found.program.strings[key] == "1"
    assert last_results(labelled("def f(a):\n    b, c = g(a)\n").facts) == {}


def test_the_argument_before_calls_calls() -> None:
    found = labelled("def f(a):\n    g(a)\n    g(a)\n    return a.k\n")
    facts = found.facts
    read = facts.load_object[facts.data[found.value("a.k", Op.LOAD)]]
    assert facts.op[read] == Op.POST
    assert facts.op[argument_before_calls(facts, read)] == Op.PARAMETER
