"""Flows of a model are sorted by what resolution does with them."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.rules import grammar
from pyrograph.rules.entries import Origin
from pyrograph.scanner.analysis.api_roles import Roles
from pyrograph.scanner.analysis.resolve.models import CALLS_BACK, MOVES, PASSES, PUTS, READS, TAKES, model_of


@pytest.mark.parametrize(
    ("flow", "kinds"),
    [
        ("0 => ret", [PASSES]),
        ("0 => this[]", [PUTS]),
        ("this[$0] => ret", [TAKES]),
        ("this[] => ret[]", [MOVES]),
        ("this[a][b] => ret", [READS]),
        ("this[a] => ret", [TAKES, READS]),  # of a library's object, and of a class of the program
        ("0[a][b] => ret", []),  # resolution follows one step
        ("this[a][b] => ret[]", [MOVES]),
        ("this[a][b][c] => ret[]", []),
        ("call 0(1)", [CALLS_BACK]),
        ("0 -> ret", []),
        ("call 0(1); 1 => ret", [CALLS_BACK, PASSES]),
    ],
)
def test_flows_are_sorted(flow: str, kinds: list[int]) -> None:
    propagators = grammar.propagators(f"lib.f: {flow}", "python", Origin("test.toml", 1, ""))
    assert [kind for kind, _ in model_of(Roles(propagators=propagators)).flows] == kinds


def test_calls_that_decorate_or_get_a_function_may_register_it() -> None:
    solver = parts("def f(): pass\na(f)\nb(1)\n@c(2)\ndef g(): pass\n", "python")
    calls = solver.program.tables["calls"]
    text = b"def f(): pass\na(f)\nb(1)\n@c(2)\ndef g(): pass\n"
    found = {text[calls["start"][row] : calls["end"][row]].decode() for row in solver.models.registering}
    assert "a(f)" in found
    assert "b(1)" not in found
    assert "c(2)" in found
