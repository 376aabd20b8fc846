"""Functions with bound arguments: what a call of the result calls, and which parameter gets which argument."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, targets

BIND = "functools.partial: bind 0(1+) -> ret"
EACH = "lib.each: call 1(0[])"
CODE = """
import functools, lib
class C:
    def __init__(self, a, b): pass
    def __call__(self, c, d): pass
def f(x, y, z): pass
{}
"""


def bound(code: str) -> tuple[set[str], set[tuple[str, str]]]:
    """(names of functions that are called, (argument's text, parameter's name) of whole arguments)."""
    text = CODE.format(code)
    program, resolution = modelled(text, "python", [BIND, EACH])
    parameters, values, functions = (program.tables[name] for name in ("parameters", "values", "functions"))
    names = {
        int(value): program.strings[name]
        for value, name in zip(parameters["value"], parameters["name"], strict=True)
        if name >= 0
    }
    called = {program.strings[functions["name"][target.function]] for target in resolution.targets}
    called |= {program.strings[functions["name"][callback.function]] for callback in resolution.callbacks}
    passed = {
        (text[values["start"][b.argument] : values["end"][b.argument]], names[b.parameter])
        for b in resolution.bindings
        if b.parameter in names
    }
    return called, passed


@pytest.mark.parametrize(
    ("code", "called", "passed"),
    [
        ("g = functools.partial(f, 1)\ng(2, 3)", {"f"}, {("1", "x"), ("2", "y"), ("3", "z")}),
        ("g = functools.partial(f)\ng(1)", {"f"}, {("1", "x")}),
        ("g = functools.partial(functools.partial(f, 1), 2)\ng(3)", {"f"}, {("1", "x"), ("2", "y"), ("3", "z")}),
        ("g = functools.partial(C, 1)\ng(2)", {"__init__"}, {("1", "a"), ("2", "b")}),
        ("g = functools.partial(C(0, 0), 1)\ng(2)", {"__init__", "__call__"}, {("1", "c"), ("2", "d")}),
        ("g = functools.partial(f, 1)", {"f"}, {("1", "x")}),
        (
            "c = functools.partial(C, 1)(2)\nc(3, 4)",
            {"__init__", "__call__"},
            {("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")},
        ),
    ],
)
def test_bound_arguments_come_first(code: str, called: set[str], passed: set[tuple[str, str]]) -> None:
    found = bound(code)
    assert found[0] == called
    assert passed <= found[1]


def test_a_library_calls_the_result_with_its_own_arguments_behind_the_bound_ones() -> None:
    _, passed = bound("g = functools.partial(f, 1)\nlib.each(items, g)")
    assert ("1", "x") in passed
    assert not any(parameter in ("y", "z") for argument, parameter in passed if argument == "1")


def test_the_result_of_another_call_calls_nothing() -> None:
    text = CODE.format("g = lib.other(f, 1)\ng(2)")
    program, resolution = modelled(text, "python", [BIND, EACH])
    assert "g(2)" not in targets(program, resolution, text.encode())
