"""A model applies to the calls of its API, and to each once."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, targets, used

CODE = "import lib\ndef f(): pass\nlib.same(f)()\nlib.other(f)()\n"


def test_a_value_passes_through_the_call_of_a_model() -> None:
    program, resolution = modelled(CODE, "python", ["lib.same: 0 => ret"])
    found = targets(program, resolution, CODE.encode())
    assert found.get("lib.same(f)()") == ["f"]
    assert "lib.other(f)()" not in found


def test_calls_of_apis_are_listed_once_and_unknown_ones_are_external() -> None:
    program, resolution = modelled(CODE, "python", ["lib.same: 0 => ret"])
    assert len(set(resolution.api_calls)) == len(resolution.api_calls) == 1
    calls = program.tables["calls"]
    text = CODE.encode()
    shown = {text[calls["start"][row] : calls["end"][row]].decode() for row in resolution.external}
    assert "lib.other(f)" in shown


def test_an_unknown_decorator_returns_its_argument() -> None:
    code = "import lib\n@lib.deco\ndef f(): pass\nf()\n"
    program, resolution = modelled(code, "python")
    assert targets(program, resolution, code.encode())["f()"] == ["f"]


@pytest.mark.parametrize(
    ("code", "functions"),
    [
        ("lib.route('/')(f)", {"f"}),
        ("deco = lib.route('/')\ndeco(f)", {"f"}),
        ("lib.route(f)", {"f"}),
        ("for each in [f, g]:\n    lib.route('/')(each)", {"f", "g"}),
        ("def add(h):\n    lib.route('/')(h)\n    return h\n@add\ndef h(x): pass", {"h"}),
        ("class C:\n    def m(self, x): pass\n    def __init__(self): lib.route()(self.m)", {"m"}),
        ("@lib.route(f)\ndef h(x): pass", {"h"}),  # f is asked, and h is registered
        ("lib.route('/', f)", set()),
        ("lib.other('/')(f)", set()),
    ],
)
def test_a_decorator_that_is_called_registers_its_argument(code: str, functions: set[str]) -> None:
    text = f"import lib\ndef f(x): pass\ndef g(x): pass\n{code}\n"
    assert used({"app.py": text}, "@lib.route:*") == functions
