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
