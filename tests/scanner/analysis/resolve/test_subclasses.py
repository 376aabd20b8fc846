"""Classes that extend a class are given to its hook, and lie in the list that it asks for."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called

OTHERS = "".join(f"class Other{each}:\n    def run(self): pass\n" for each in range(5))
HOOK = """
class B:
    table = {}
    def __init_subclass__(cls, **k):
        super().__init_subclass__(**k)
        B.table[cls.name] = cls
"""


@pytest.mark.parametrize("base", ["B", "M"])
def test_a_hook_runs_for_each_class_that_extends_its_class(base: str) -> None:
    code = f"{OTHERS}{HOOK}class M(B): pass\nclass C({base}):\n    def run(self): pass\ndef f(x): B.table[x]().run()\n"
    assert called(code, "python").get("B.table[x]().run()") == ["run"]
    without = code.replace("__init_subclass__", "__init__")
    assert called(without, "python").get("B.table[x]().run()") is None


@pytest.mark.parametrize(("base", "expected"), [("B", ["run"]), ("object", None)])
def test_a_list_holds_those_that_extend_a_class(base: str, expected: list[str] | None) -> None:
    code = f"{OTHERS}class B: pass\nclass C({base}):\n    def run(self): pass\n"
    code += "def f():\n    for each in B.__subclasses__(): each().run()\n"
    assert called(code, "python").get("each().run()") == expected


def test_the_nearest_hook_runs() -> None:
    code = f"{OTHERS}{HOOK}class M(B):\n    kept = {{}}\n    def __init_subclass__(cls, **k): M.kept[cls.name] = cls\n"
    code += "class C(M):\n    def run(self): pass\ndef f(x): M.kept[x]().run()\n"
    assert called(code, "python").get("M.kept[x]().run()") == ["run"]
