"""The nearest class of the lineage that has a member hides the others."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, resolved


def test_an_overriding_method_alone_is_called() -> None:
    code = "class B:\n    def m(self): pass\nclass C(B):\n    def m(self): C().m()\n"
    program, resolution = resolved({"app.py": code}, "python")
    owners = program.tables["functions"]["owner"]
    assert {int(owners[t.function]) for t in resolution.targets} == {1}


@pytest.mark.parametrize(
    ("members", "functions"),
    [
        ("    def __getitem__(self, key): return f\n", ["f"]),
        ("    def __getitem__(self, key): return f\n    def m(self): self['a'] = g\n", ["g"]),  # the store decides
        ("    def other(self, key): return f\n", []),
    ],
)
def test_a_read_under_a_key_gives_the_result_of_the_item_method(members: str, functions: list[str]) -> None:
    code = f"def f(): pass\ndef g(): pass\nclass C:\n{members}C()['a']()\n"
    assert called(code, "python").get("C()['a']()", []) == functions


def test_the_item_method_of_the_nearest_class_counts() -> None:
    code = "def f(): pass\ndef g(): pass\nclass B:\n    def __getitem__(self, key): return f\n"
    code += "class C(B):\n    def __getitem__(self, key): return g\nC()['a']()\nB()['b']()\n"
    found = called(code, "python")
    assert (found["C()['a']()"], found["B()['b']()"]) == (["g"], ["f"])


def test_the_item_method_gets_a_computed_key() -> None:
    code = "class C:\n    def __getitem__(self, key): key()\ndef f(): pass\nC()[f]\n"
    assert called(code, "python")["key()"] == ["f"]
