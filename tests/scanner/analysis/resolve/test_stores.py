"""Members that are assigned from outside belong to the class."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, resolved

from pyrograph.ir.packed import KIND
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF


@pytest.mark.parametrize(
    ("code", "call", "functions"),
    [
        ("class C: pass\ndef f(self): pass\nC.m = f\nC().m()", "C().m()", ["f"]),
        ("class C: pass\nclass D(C): pass\ndef f(self): pass\nC.m = f\nD().m()", "D().m()", ["f"]),
        ("def f(): pass\nclass C:\n    def __init__(self):\n        self.m = f\nC().m()", "C().m()", ["f"]),
        ("class C:\n    def m(self): self.n()\n    def n(self): pass", "self.n()", ["n"]),
        ("class B:\n    def m(self): pass\nclass C(B):\n    def n(self): super().m()", "super().m()", ["m"]),
        (
            "class A: pass\nclass B:\n    def m(self): pass\ndef base(): return B\n"
            "class C(base()):\n    def n(self): super().m()",
            "super().m()",
            ["m"],
        ),
    ],
)
def test_members(code: str, call: str, functions: list[str]) -> None:
    assert called(code, "python").get(call, []) == functions


WRAPPED = """
def wrap(f):
    def g(self): return self.n()
    return g
def bare(f):
    def h(first): return first.n()
    return h
class C:
    @wrap
    def m(self): pass
    @staticmethod
    @bare
    def s(first): pass
    def n(self): pass
"""


def test_what_decorators_make_of_a_method_gets_the_object_first_and_of_a_static_method_does_not() -> None:
    program, resolution = resolved({"app.py": WRAPPED}, "python")
    parameters, functions = program.tables["parameters"], program.tables["functions"]
    instances = {
        program.strings[int(functions["name"][function])]
        for function, value in zip(parameters["function"].tolist(), parameters["value"].tolist(), strict=True)
        if any(state & KIND == INSTANCE_OF for state in resolution.states_of(value))
    }
    assert instances == {"g", "m", "n"}
