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
