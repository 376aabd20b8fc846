"""What was stored under an unknown key is found under a name only where nothing is stored by that name."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, resolved


@pytest.mark.parametrize(
    ("code", "call", "functions"),
    [
        ("def f(): pass\nd = {}\nd[k] = f\nd['a']()", "d['a']()", ["f"]),
        ("def f(): pass\ndef g(): pass\nd = {'a': g}\nd[k] = f\nd['a']()", "d['a']()", ["g"]),
        ("def f(): pass\nd = {'a': f}\nd[k]()", "d[k]()", ["f"]),
        ("def f(): pass\nd = {'a': f}\nd['b']()", "d['b']()", []),
    ],
)
def test_keys(code: str, call: str, functions: list[str]) -> None:
    assert called(code, "python").get(call, []) == functions


def test_an_instance_has_what_its_prototype_and_the_prototype_of_that_have() -> None:
    code = "function B() {}\nB.prototype.m = function m() {}\nfunction C() {}\nC.prototype = new B()\nnew C().m()\n"
    assert called(code, "javascript")["new C().m()"] == ["m"]


def test_a_class_with_arguments_of_types_is_the_class() -> None:
    code = "class A:\n    def m(self): pass\nclass B:\n    def m(self): pass\nclass C(list): pass\nA[C]().m()\n"
    program, resolution = resolved({"app.py": code}, "python")
    owners = program.tables["functions"]["owner"]
    assert {int(owners[each.function]) for each in resolution.targets} == {0}
