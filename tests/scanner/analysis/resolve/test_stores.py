"""Members that are assigned from outside belong to the class."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called


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
