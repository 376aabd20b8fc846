"""Members of libraries are the APIs that packs name; others are external."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import api_calls, modelled


@pytest.mark.parametrize(
    ("code", "called"),
    [
        ("import lib\nlib.a.b(1)", ["lib.a.b"]),
        ("from lib import a\na.b(1)", ["lib.a.b"]),
        ("from lib.a import b as c\nc(1)", ["lib.a.b"]),
        ("import lib\nx = lib.a\nx.b(1)", ["lib.a.b"]),
        ("import lib\nlib.b(1)", []),
        ("import other\nother.a.b(1)", []),
    ],
)
def test_a_path_leads_to_its_api(code: str, called: list[str]) -> None:
    _, resolution = modelled(code, "python", ["lib.a.b: 0 => ret"])
    assert api_calls(resolution, "python") == called
    assert bool(resolution.external) == (not called)


def test_the_first_of_several_results_is_the_result() -> None:
    code = """package p
import "example.org/lib"
func g() {
	c, err := lib.New()
	c.Run(1)
	err.Run(2)
}
"""
    types = [("returns", "example.org/lib.New() : example.org/lib.Client")]
    _, resolution = modelled(code, "go", ["example.org/lib.Client#Run: 0 => ret"], types)
    assert [path.rpartition(".")[2] for path in api_calls(resolution, "go")] == ["New", "Run"]
