"""Methods are matched by name, interface, relatives, arity and visibility."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, parts, resolved

from pyrograph.policy.limits.resolution import MAX_CANDIDATES
from pyrograph.scanner.analysis.resolve.candidates import accepts


@pytest.mark.parametrize(
    ("code", "functions"),
    [
        ("def h(o): o.run_it(1)\nclass C:\n    def run_it(self, a): pass\n", ["run_it"]),
        ("def h(o): o.run_it(1)\nclass C:\n    def run_it(self): pass\n", []),
        ("import lib\ndef h(): lib.run_it(1)\nclass C:\n    def run_it(self, a): pass\n", []),
    ],
)
def test_a_method_is_found_by_its_name_if_it_takes_the_arguments(code: str, functions: list[str]) -> None:
    found = called(code, "python")
    assert [name for names in found.values() for name in names] == functions


def test_a_name_that_too_many_classes_have_means_none_of_them() -> None:
    def code(number: int) -> str:
        return "def h(o): o.run_it()\n" + "".join(f"class C{i}:\n    def run_it(self): pass\n" for i in range(number))

    assert len(resolved({"app.py": code(MAX_CANDIDATES)}, "python")[1].targets) == MAX_CANDIDATES
    assert not resolved({"app.py": code(MAX_CANDIDATES + 1)}, "python")[1].targets


INTERFACE = """package p
type I interface { M(); N() }
type A struct{}
func (A) M() {}
func (A) N() {}
type B struct{}
func (B) M() {}
func g(i I) { i.M() }
"""


def test_an_interface_means_the_types_that_have_all_its_methods() -> None:
    program, resolution = resolved({"app.go": INTERFACE}, "go")
    owner = program.tables["functions"]["owner"]
    names = {program.strings[program.tables["owners"]["name"][owner[t.function]]] for t in resolution.targets}
    assert names == {"A"}


@pytest.mark.parametrize(
    ("parameters", "arity", "expected"),
    [("a int, b int", 2, True), ("a int, b int", 3, False), ("a ...int", 3, True), ("a int, b ...int", 2, True)],
)
def test_a_function_of_go_takes_all_arguments_or_any_number(parameters: str, arity: int, expected: bool) -> None:
    solver = parts(f"package p\nfunc f({parameters}) {{}}\n", "go")
    (function,) = [
        each for each, name in enumerate(solver.functions.name) if name != -1 and solver.strings[name] == "f"
    ]
    assert accepts(solver, function, arity) is expected
