"""Methods are matched by name, interface, relatives, arity and visibility."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, parts, resolved

from pyrograph.policy.limits.resolution import (
    MAX_CANDIDATES,
    MAX_IMPLEMENTATIONS,
    MAX_OVERRIDES,
    MIN_TELLING_METHODS,
)
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


def implemented(number: int, methods: str) -> int:
    """How many methods ``A`` a call of an interface with ``methods`` may run, if ``number`` types have them all."""
    names = methods.split()
    types = "".join(
        f"type T{i} struct{{}}\n" + "".join(f"func (T{i}) {name}(a string) {{ use(a) }}\n" for name in names)
        for i in range(number)
    )
    asked = "; ".join(f"{name}(a string)" for name in names)
    code = f"package p\ntype I interface {{ {asked} }}\nfunc g(i I) {{ i.A(x) }}\n{types}"
    program, resolution = resolved({"app.go": code}, "go")
    functions = program.tables["functions"]["name"]
    return [program.strings[functions[each.function]] for each in resolution.targets].count("A")


def test_an_interface_that_no_type_implements_by_accident_may_have_many_implementations() -> None:
    few, telling = "A B C", "A B C D"
    assert len(telling.split()) == MIN_TELLING_METHODS
    assert implemented(MAX_IMPLEMENTATIONS, few) == MAX_IMPLEMENTATIONS
    assert implemented(MAX_IMPLEMENTATIONS + 1, few) == 0
    assert implemented(MAX_IMPLEMENTATIONS + 1, telling) == MAX_IMPLEMENTATIONS + 1
    assert implemented(MAX_OVERRIDES + 1, telling) == 0


ASKED = "M(a string, b *User) error"


def implementing(methods: str, asked: str = ASKED) -> set[str]:
    """The types whose method ``M`` a call of an interface with the method ``asked`` may run."""
    code = f"""package p
import "example.com/app/api"
import "example.com/lib"
type User struct{{}}
type ID = string
type Names = []string
type I interface {{ {asked} }}
func g(i I) {{ i.M(x, y) }}
{methods}
"""
    files = {"go.mod": "module example.com/app\n", "app.go": code, "api/api.go": "package api\ntype User struct{}\n"}
    program, resolution = resolved(files, "go")
    owner = program.tables["functions"]["owner"]
    return {program.strings[program.tables["owners"]["name"][owner[t.function]]] for t in resolution.targets}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("M(a string, b *User) error { return nil }", True),
        ("M(string, *User) (err error) { return nil }", True),
        ("M(a, b string) error { return nil }", False),
        ("M(a string, b User) error { return nil }", False),
        ("M(a string, b *api.User) error { return nil }", False),
        ("M(a string, b *lib.User) error { return nil }", True),  # may be an alias
        ("M(a ID, b *User) error { return nil }", True),
        ("M(a Names, b *User) error { return nil }", True),
        ("M(a []string, b *User) error { return nil }", False),
        ("M(a string, b *User) (int, error) { return 0, nil }", False),
        ("M(a string, b *User) { }", False),
        ("M(a string, b ...*User) error { return nil }", False),
    ],
)
def test_a_type_implements_an_interface_with_the_same_types_only(method: str, expected: bool) -> None:
    assert implementing(f"type A struct{{}}\nfunc (A) {method}\n") == ({"A"} if expected else set())


def test_types_with_parameters_and_nested_types_are_compared_as_far_as_they_are_known() -> None:
    asked = "M(a map[string][]*User, b lib.Page[User]) (any, chan int)"
    methods = """type A struct{}
func (A) M(a map[string][]*User, b lib.Page[User]) (interface{}, chan int) { return nil, nil }
type B struct{}
func (B) M(a map[lib.Key][]*User, b lib.List) (interface{}, <-chan int) { return nil, nil }
type C struct{}
func (C) M(a map[lib.Key][]User, b lib.List) (interface{}, chan int) { return nil, nil }
type D[T any] struct{}
func (D[T]) M(a map[string][]T, b T) (T, chan int) { return nil, nil }
type E struct{}
func (E) M(a map[string][]*User, b lib.Page[User]) (interface{}, chan byte) { return nil, nil }
"""
    assert implementing(methods, asked=asked) == {"A", "B", "D"}


def test_a_method_that_an_embedded_type_has_counts_with_its_types() -> None:
    methods = """type Base struct{}
func (Base) M(a string, b *User) error { return nil }
type Other struct{}
func (Other) M(a, b int) error { return nil }
type A struct{ Base }
type B struct{ Other }
"""
    assert implementing(methods) == {"Base"}


def test_one_method_with_other_types_is_enough() -> None:
    code = """package p
type I interface { M(a string); N(a string) }
type A struct{}
func (A) M(a string) {}
func (A) N(a string) {}
type B struct{}
func (B) M(a string) {}
func (B) N(a int) {}
func g(i I) { i.M("") }
"""
    program, resolution = resolved({"app.go": code}, "go")
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
