"""Calls on receivers of more types than are kept mean all implementations of their interface."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved

from pyrograph.policy.limits.resolution import MAX_OVERRIDES, MAX_STATES

MANY = MAX_STATES + 4


def methods_run(number: int, methods: str) -> int:
    """How many methods ``A`` a call may run on what a method of what one of ``number`` constructors of a table makes
    returns; the interface has this method, ``Open``, and ``methods``.
    """
    names = methods.split()
    types = "".join(
        f"type T{i} struct{{}}\nfunc init() {{ register({i}, func() I {{ return &T{i}{{}} }}) }}\n"
        f"func (t *T{i}) Open() (I, error) {{ return t, nil }}\n"
        + "".join(f"func (t *T{i}) {name}(a string) {{ use(a) }}\n" for name in names)
        for i in range(number)
    )
    asked = "; ".join(f"{name}(a string)" for name in names)
    code = f"""package p
type I interface {{ Open() (I, error); {asked} }}
var made = map[int]func() I{{}}
func register(kind int, make func() I) {{ made[kind] = make }}
func open(kind int) (I, error) {{
    make, ok := made[kind]
    if !ok {{ return nil, missing }}
    return make().Open()
}}
func g(kind int) {{
    it, err := open(kind)
    if err != nil {{ return }}
    it.A("x")
}}
{types}"""
    program, resolution = resolved({"app.go": code}, "go")
    functions = program.tables["functions"]["name"]
    return [program.strings[functions[each.function]] for each in resolution.targets].count("A")


@pytest.mark.parametrize("number", [2, MAX_STATES, MANY])
def test_a_call_means_all_types_that_have_four_methods_of_the_interface(number: int) -> None:
    assert methods_run(number, "A B C") == number


def test_a_call_of_a_small_interface_or_of_too_many_types_means_those_that_are_kept() -> None:
    assert methods_run(MANY, "A B") < MANY
    assert methods_run(MAX_OVERRIDES + 1, "A B C") <= MAX_STATES
