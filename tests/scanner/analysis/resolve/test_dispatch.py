"""A call runs the functions that its callee may be, the constructor of a class, or what makes an instance callable."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, parts

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.resolve.dispatch import receiver_of


@pytest.mark.parametrize(
    ("language", "code", "call", "functions"),
    [
        ("python", "def f(): pass\nf()", "f()", ["f"]),
        ("python", "def f(): pass\ng = f\ng()", "g()", ["f"]),
        ("python", "def f(): pass\ndef h(k): k()\nh(f)", "k()", ["f"]),
        ("python", "def f(): pass\nd = {'a': f}\nd['a']()", "d['a']()", ["f"]),
        ("python", "class C:\n    def m(self): pass\nC().m()", "C().m()", ["m"]),
        ("python", "class B:\n    def m(self): pass\nclass C(B): pass\nC().m()", "C().m()", ["m"]),
        ("python", "class C:\n    def __init__(self): pass\nC()", "C()", ["__init__"]),
        ("python", "class C:\n    def __call__(self): pass\nc = C()\nc()", "c()", ["__call__"]),
        ("python", "def f():\n    def g(): pass\n    return g\nf()()", "f()()", ["g"]),
        ("python", "def f(c: 'C'): pass\nclass C:\n    def m(self): pass\ndef h(c: C):\n    c.m()", "c.m()", ["m"]),
        ("python", "def a(): pass\ndef b(): pass\ndef f(c):\n    x = a if c else b\n    x()", "x()", ["a", "b"]),
        ("javascript", "const f = () => 1; f()", "f()", ["f"]),
        ("javascript", "class C { m() {} } new C().m()", "new C().m()", ["m"]),
        ("javascript", "class B { m() {} } class C extends B {} new C().m()", "new C().m()", ["m"]),
        ("javascript", "class C { constructor() {} } new C()", "new C()", ["constructor"]),
        ("javascript", "const o = { m() {} }; o.m()", "o.m()", ["m"]),
        ("javascript", "function F() {} F.prototype.m = function m() {}; new F().m()", "new F().m()", ["m"]),
        ("javascript", "function f() {} function g(k) { k() } g(f)", "k()", ["f"]),
        ("typescript", "class C { m() {} } function f(c: C) { c.m() }", "c.m()", ["m"]),
        ("go", "package p\nfunc f() {}\nfunc g() { f() }", "f()", ["f"]),
        ("go", "package p\ntype T struct{}\nfunc (t T) m() {}\nfunc g(t T) { t.m() }", "t.m()", ["m"]),
        ("go", "package p\ntype T struct{}\nfunc (t *T) m() {}\nfunc g() { t := &T{}; t.m() }", "t.m()", ["m"]),
        ("go", "package p\ntype B int\nfunc (B) m() {}\ntype T struct{ B }\nfunc g(t T) { t.m() }", "t.m()", ["m"]),
        ("go", "package p\nfunc g() { f := func() {}; f() }", "f()", ["f"]),
    ],
)  # fmt: skip
def test_a_call_finds_its_functions(language: str, code: str, call: str, functions: list[str]) -> None:
    found = called(code, language).get(call, [])
    assert [name or "f" for name in found] == functions


def test_a_function_that_nothing_names_is_called_by_nobody() -> None:
    assert called("def f(): pass\ndef g(): pass\nf()", "python") == {"f()": ["f"]}


@pytest.mark.parametrize(("code", "receiver"), [("@r.add\ndef f(): pass\n", "r"), ("@add\ndef f(): pass\n", None)])
def test_the_receiver_of_a_decorator_is_the_object_that_has_it(code: str, receiver: str | None) -> None:
    solver = parts(code, "python")
    value = receiver_of(solver, 0)
    assert (None if value == NONE else solver.strings[solver.data[value]]) == receiver
    method = parts("def g(r): r.add(1)\n", "python")
    assert receiver_of(method, 0) == method.calls.receiver[0]
