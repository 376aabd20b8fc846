"""A method of a type of a library is no method of the program that has its name."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled


@pytest.mark.parametrize(("declared", "calls"), [("any", 1), ("lib.Client", 0)])
def test_a_declared_type_of_a_library_is_foreign(declared: str, calls: int) -> None:
    code = f"""package p
import "example.org/lib"
type T struct{{}}
func (T) RunIt(x int) {{}}
func g(c {declared}) {{ c.RunIt(1) }}
var _ = lib.X
"""
    _, resolution = modelled(code, "go")
    assert len(resolution.targets) == calls


def test_the_result_of_a_library_is_foreign_too() -> None:
    code = """package p
import "example.org/lib"
type T struct{}
func (T) RunIt(x int) {}
func g() { c := lib.New(); c.RunIt(1) }
"""
    assert not modelled(code, "go")[1].targets


OWN = """import lib
class T:
    def run_it(self, x):
        pass
"""


@pytest.mark.parametrize(
    ("code", "calls"),
    [
        ("def g():\n    with lib.new() as c:\n        c.run_it(1)\n", 0),
        ("async def g():\n    async with lib.new() as c:\n        await c.run_it(1)\n", 0),
        ("def g(a):\n    c = lib.new() if a else lib.other()\n    c.run_it(1)\n", 0),
        ("def g(a, b):\n    c = lib.new() if a else b\n    c.run_it(1)\n", 1),
        ("def g(b):\n    with b as c:\n        c.run_it(1)\n", 1),
        ("def g(a):\n    c = None\n    if a:\n        c = lib.new()\n    c.run_it(1)\n", 1),
    ],
)
def test_a_join_is_foreign_if_all_its_inputs_are(code: str, calls: int) -> None:
    _, resolution = modelled(OWN + code, "python")
    assert len(resolution.targets) == calls
