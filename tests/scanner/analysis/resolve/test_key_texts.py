"""Two keys have one text if they are equal: in Go, only if their types are."""

from __future__ import annotations

import pytest

from pyrograph.parsers import lower
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.imports import seed
from pyrograph.scanner.analysis.resolve.key_texts import text_of_key
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.solver import Solver

GO = """package p
import "example.org/lib"
type kind int
type other int
type text string
type more string
type pair struct{ A, B string }
type named struct{ name string }
const (
    A kind = iota
    B
)
const C other = 0
const D = 0
var E = &named{"e"}
var F = new(int)
func f(x kind) { send(%s) }
"""


def texts(code: str, language: str) -> list[str | None]:
    """The key that each argument of the only call of ``send`` is."""
    name = {"go": "p/a.go", "python": "a.py"}[language]
    program = link([name], [lower(code.encode(), language)], {})
    solver = Solver(program, {language: Apis([], low=False)})
    seed(solver)
    (call,) = [row for row in range(len(solver.calls.callee)) if len(solver.calls.args.of(row)) == 2]
    return [text_of_key(solver, port_values(solver, call, Port("position", n))[0]) for n in (0, 1)]


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("A", "A", True),
        ("A", "B", False),
        ("A", "C", False),
        ("A", "D", False),
        ("D", "0", True),
        ("E", "E", True),
        ("E", "F", False),
        ('named{"a"}', 'named{"a"}', True),
        ('named{"a"}', 'named{"b"}', False),
        ('pair{A: "x"}', 'pair{B: "x"}', False),
        ('pair{A: "x", B: "y"}', 'pair{B: "y", A: "x"}', True),
        ('pair{A: "x", B: "y"}', 'pair{A: "y", B: "x"}', False),
        ('pair{A: "x"}', 'pair{"x", ""}', True),
        ('pair{A: "0"}', "pair{}", False),
        ("lib.Key", "lib.Key", True),
        ("lib.Key", "lib.Other", False),
    ],
)
def test_keys_of_go_are_equal_if_type_and_value_are(one: str, two: str, equal: bool) -> None:
    first, second = texts(GO % f"{one}, {two}", "go")
    assert first is not None
    assert second is not None
    assert (first == second) == equal


@pytest.mark.parametrize(
    ("statements", "one", "two", "equal"),
    [
        ('k := text("k")', "k", 'text("k")', True),
        ('k := text("k")', "k", '"k"', False),
        ('var k text = "k"', "k", 'text("k")', True),
        ('var k text = "k"', "k", '"k"', False),
        ('var k any = text("k")', "k", 'text("k")', True),
        ('var k string = "k"', "k", '"k"', True),
        ('k := "k"; g(text(k))', "k", '"k"', True),
        ('k := "k"', "text(k)", "more(k)", False),
        ('k := "k"', "text(k)", 'text("k")', True),
        ("k := A", "k", "A", True),
        ("k := A", "k", "0", False),
    ],
)
def test_a_variable_and_what_it_is_converted_to_have_types_of_their_own(
    statements: str, one: str, two: str, equal: bool
) -> None:
    first, second = texts(GO.replace("send(", f"{statements}; send(") % f"{one}, {two}", "go")
    assert first is not None
    assert (first == second) == equal


def test_a_call_with_a_constant_is_no_conversion() -> None:
    code = GO + "func made(s string) string { return s + lib.Next() }\n"
    assert texts(code % 'made("k"), lib.Kind("k")', "go") == [None, "\0example.org/lib/Kind\0k"]


def test_a_type_of_another_file_is_converted_to() -> None:
    program = link(
        ["p/a.go", "p/b.go"],
        [lower(each.encode(), "go") for each in (GO % 'away("k"), away("l")', "package p\ntype away string\n")],
        {},
    )
    solver = Solver(program, {"go": Apis([], low=False)})
    seed(solver)
    (call,) = [row for row in range(len(solver.calls.callee)) if len(solver.calls.args.of(row)) == 2]
    found = [text_of_key(solver, port_values(solver, call, Port("position", n))[0]) for n in (0, 1)]
    assert found == ["\0p/away\0k", "\0p/away\0l"]


def test_a_literal_whose_fields_change_is_not_known() -> None:
    assert texts(GO.replace("send(", 's := pair{A: "x"}; s.A = "y"; send(') % "s, A", "go")[0] is None


def test_what_callers_pass_is_not_known() -> None:
    assert texts(GO % "x, A", "go")[0] is None


def test_a_key_of_other_languages_is_its_text() -> None:
    assert texts("K = 'k'\nsend(K, 'k')", "python") == ["k", "k"]
