"""Methods that are there to be overridden: which are, and whose overriding methods a call reaches."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts, resolved

from pyrograph.policy.limits.resolution import MAX_OVERRIDES
from pyrograph.scanner.analysis.resolve.overrides import idle_methods

BODIES = {
    "pass": True,
    "raise NotImplementedError(x)": True,
    "return None": True,
    "return 'name'": True,
    "print(x)": False,
    "self.x = x": False,
    "return x.name": False,
}


@pytest.mark.parametrize(("body", "idle"), BODIES.items())
def test_a_method_is_there_to_be_overridden_if_it_raises_or_uses_no_parameter(body: str, idle: bool) -> None:
    solver = parts(f"class A:\n  def run(self, x):\n    {body}\n", "python")
    assert bool(idle_methods(solver)) == idle


@pytest.mark.parametrize(
    "code", ["class A:\n  def run(self): pass\n", "class A:\n  def __init__(self, x): pass\n", "def f(x): pass\n"]
)
def test_methods_without_parameters_constructors_and_functions_are_not(code: str) -> None:
    assert not idle_methods(parts(code, "python"))


def program(body: str, count: int) -> str:
    subclasses = "".join(f"class B{each}(A):\n  def run(self, x): print(x)\n" for each in range(count))
    return f"class A:\n  def run(self, x): {body}\n  def start(self, x): self.run(x)\n{subclasses}A().start(1)\n"


@pytest.mark.parametrize(
    ("body", "count", "reached"),
    [("pass", 3, 4), ("pass", MAX_OVERRIDES, MAX_OVERRIDES + 1), ("pass", MAX_OVERRIDES + 1, 1), ("print(x)", 3, 1)],
)
def test_a_call_reaches_the_methods_of_subclasses_up_to_a_bound(body: str, count: int, reached: int) -> None:
    assert targets_of(program(body, count)) == reached


MADE = "class Made(A):\n  def run(self, x): return len(x)\n"


@pytest.mark.parametrize(
    ("base", "use", "reached"),
    [
        ("raise ValueError(x)", "Made().start(1)", 3),  # also that of B0, of which no code makes an instance
        ("raise ValueError(x)", "Made().start(1)\nB0().start(1)", 3),
        ("raise ValueError(x)", "Made().start(1)\nB0()", 2),
        ("return x", "Made().start(1)", 2),  # what B0 overrides is no placeholder
    ],
)
def test_a_method_of_its_own_object_is_also_that_of_subclasses_that_no_code_makes(
    base: str, use: str, reached: int
) -> None:
    subclass = "class B0(A):\n  def run(self, x): print(x)\n"
    code = f"class A:\n  def run(self, x): {base}\n  def start(self, x): self.run(x)\n{MADE}{subclass}{use}\n"
    assert targets_of(code) == reached


def targets_of(code: str) -> int:
    """The number of functions that ``self.run(x)`` may mean."""
    linked, resolution = resolved({"app.py": code}, "python")
    calls = linked.tables["calls"]
    text = code.encode()
    sites = {
        row
        for row, (start, end) in enumerate(zip(calls["start"], calls["end"], strict=True))
        if text[start:end] == b"self.run(x)"
    }
    return len({target.function for target in resolution.targets if target.site in sites})


def test_a_method_that_is_handed_on_is_also_that_of_subclasses() -> None:
    code = "def first(): pass\ndef call(f): f(1)\nclass A:\n  def run(self, x): pass\n"
    code += "  def start(self):\n    call(self.run)\nclass B(A):\n  def run(self, x): print(x)\nA().start()\n"
    linked, resolution = resolved({"app.py": code}, "python")
    calls, names = linked.tables["calls"], linked.tables["functions"]["name"]
    at = code.index("f(1)")
    reached = {target.function for target in resolution.targets if calls["start"][target.site] == at}
    assert len(reached) == 2
    assert {linked.strings[int(names[each])] for each in reached} == {"run"}


@pytest.mark.parametrize(("call", "number"), [("cls.load(key)", 2), ("Base.load(key)", 1)])
def test_a_method_of_the_class_reaches_those_of_subclasses_where_it_is_called_on_its_own_class(
    call: str, number: int
) -> None:
    code = f"""
class Base:
    @classmethod
    def load(cls, key): pass
    @classmethod
    def run(cls, key): return {call}
class Sub(Base):
    @classmethod
    def load(cls, key): return key
def handle(key): return Base.run(key)
"""
    program, resolution = resolved({"app.py": code}, "python")
    names = [program.strings[program.tables["functions"]["name"][each.function]] for each in resolution.targets]
    assert names.count("load") == number
