"""Arguments arrive at the parameters that position, keyword and spread name; exits alone return something."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import SUFFIX, called, received, resolved


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", "def f(a, b): pass\nf(x, y)", {("x", "a"), ("y", "b")}),
        ("python", "def f(a, b): pass\nf(b=x, a=y)", {("x", "b"), ("y", "a")}),
        ("python", "def f(a, *b): pass\nf(x, y, z)", {("x", "a"), ("y", "b"), ("z", "b")}),
        ("python", "def f(a, **b): pass\nf(x, k=y)", {("x", "a"), ("y", "b")}),
        ("python", "def f(a, *, b): pass\nf(x, b=y)", {("x", "a"), ("y", "b")}),
        ("python", "def f(a, b): pass\nf(*x)", {("x", "a"), ("x", "b")}),
        ("python", "def f(a, *b): pass\nf(*x)", {("x", "a"), ("x", "b")}),
        ("python", "def f(a, *b): pass\nf(y, z, *x)", {("y", "a"), ("z", "b"), ("x", "b")}),
        ("python", "class C:\n    def m(self, a): pass\nC().m(x)", {("C()", "self"), ("x", "a")}),
        ("python", "class C:\n    def m(self, a): pass\nC.m(o, x)", {("o", "self"), ("x", "a")}),
        ("python", "class C:\n    def __init__(self, a, b): pass\nC.__init__(o, x, y)",
            {("o", "self"), ("x", "a"), ("y", "b")}),
        ("python", "class C:\n    def __new__(cls, a): pass\nC.__new__(k, x)", {("k", "cls"), ("x", "a")}),
        ("python", "class C:\n    @staticmethod\n    def m(a): pass\nC().m(x)", {("x", "a")}),
        # a method that is bound already: keywords that are spread are no receiver
        ("python", "class C:\n    def m(self, a): pass\ndef r(f): f(x, **z)\nr(C().m)",
            {("x", "a"), ("C()", "self"), ("C().m", "f")}),
        ("javascript", "function f(a, ...b) {} f(x, y)", {("x", "a"), ("y", "b")}),
        ("javascript", "class C { m(a) {} } new C().m(x)", {("x", "a")}),
        ("go", "package p\nfunc f(a int, b ...int) {}\nfunc g() { f(x, y) }", {("x", "a"), ("y", "b")}),
    ],
)  # fmt: skip
def test_arguments_find_their_parameters(language: str, code: str, expected: set[tuple[str, str]]) -> None:
    found = {(argument, name) for argument, name in received(code, language) if name != "this"}
    assert found == expected


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "function F(x) { this.x = x; throw x }\nconst f = new F(1)"),
        ("javascript", "function F(x) { for (;;) { this.x = x } }\nconst f = new F(1)"),
        ("javascript", "class C { constructor(x) { throw x } }\nconst c = new C(1)"),
        ("javascript", "class B { constructor(x) { throw x } }\nclass C extends B {}\nconst c = new C(1)"),
        ("javascript", "class C { m(x) { throw x } get g() { throw 1 } }\nconst c = new C(); c.m(c); c.g"),
        ("typescript", "abstract class C { constructor(private x: string) { throw x } }\nnew C('')"),
        ("python", "class C:\n    def __init__(self, x):\n        raise x\nc = C(1)"),
        ("python", "class C:\n    def __new__(cls, x):\n        raise x\nc = C(1)"),
        ("python", "class C:\n    def m(self, x): raise x\n    @property\n    def p(self): raise x\nC().m(C().p)"),
        ("python", "class C:\n    def __getitem__(self, k): raise k\n    def __call__(self, k): raise k\nC()[x](y)"),
        ("python", "class C:\n    def __init__(self, x):\n        while True:\n            self.x = x\nc = C(1)"),
        ("go", "package p\ntype T struct{}\nfunc (t *T) m(x *T) { for { x.m(t) } }\nfunc g() { t := &T{}; t.m(t) }"),
        ("go", "package p\nfunc f(x *int) { panic(x) }\nfunc g() { x := 1; f(&x); defer f(&x) }"),
    ],
)  # fmt: skip
def test_a_function_that_never_returns_hands_nothing_back_from_its_exit(language: str, code: str) -> None:
    program, resolution = resolved({f"app.{SUFFIX[language]}": code}, language)
    assert resolution.bindings or resolution.targets
    assert all(min(row) >= 0 for row in resolution.returns)
    assert all(row.argument >= 0 and row.parameter >= 0 for row in resolution.bindings)
    assert all(0 <= value < program.num_values for row in resolution.flows.context_free_edges for value in row)


def test_a_copy_of_a_class_method_gets_the_class() -> None:
    """A registry by constant names is copied for each name."""
    code = """
class R:
    table = {}
    @classmethod
    def add(cls, name):
        def wrap(f):
            cls.table[name] = f
            return f
        return wrap
    @classmethod
    def run(cls, name):
        cls.table[name]()

@R.add("a")
def g():
    pass
"""
    assert called(code, "python").get("cls.table[name]()") == ["g"]


def test_a_function_that_hands_its_argument_back_joins_no_calls() -> None:
    code = "def same(g):\n    h = g\n    return h\ndef a(): pass\ndef b(): pass\nx = same(a)\ny = same(b)\nx()\ny()\n"
    found = called(code, "python")
    assert (found["x()"], found["y()"]) == (["a"], ["b"])
