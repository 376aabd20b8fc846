"""A library calls its argument with what the model says."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, targets


@pytest.mark.parametrize(
    ("code", "flow", "bound"),
    [
        ("import lib\ndef f(a, b): pass\nlib.run(f, x)", "call 0(1)", {("x", "a")}),
        ("import lib\ndef f(a, b): pass\nlib.run(f, x, y)", "call 0(1, 2)", {("x", "a"), ("y", "b")}),
        ("import lib\ndef f(a, b): pass\nlib.run(x, f)", "call 0(1)", set()),
        ("import lib\ndef f(a): pass\nlib.run({'k': f}, x)", "call 0[k](1)", {("x", "a")}),
        ("import lib\ndef f(a, b): pass\nlib.run(f, **x)", "call 0(1+)", {("x", "a"), ("x", "b")}),
        ("import lib\ndef f(a, b): pass\nlib.run(f, y, *x)", "call 0(1+)", {("y", "a"), ("x", "b")}),
        ("import lib\ndef f(a, **b): pass\nlib.run(f, **x)", "call 0(1+)", {("x", "a"), ("x", "b")}),
    ],
)
def test_arguments_of_callbacks(code: str, flow: str, bound: set[tuple[str, str]]) -> None:
    program, resolution = modelled(code, "python", [f"lib.run: {flow}"])
    values, parameters = program.tables["values"], program.tables["parameters"]
    names = dict(zip(parameters["value"].tolist(), parameters["name"].tolist(), strict=True))
    text = code.encode()
    found = {
        (text[values["start"][b.argument] : values["end"][b.argument]].decode(), program.strings[names[b.parameter]])
        for b in resolution.bindings
    }
    assert found == bound
    assert len(resolution.callbacks) == bool(bound)


def test_the_result_of_a_callback_is_that_of_the_call() -> None:
    code = "import lib\ndef f(): return g\ndef g(): pass\nlib.run(f)()\n"
    program, resolution = modelled(code, "python", ["lib.run: call 0() -> ret"])
    names = program.tables["functions"]["name"]
    assert {program.strings[names[t.function]] for t in resolution.targets} == {"f", "g"}


def test_a_class_that_a_library_calls_gives_an_instance() -> None:
    code = "import lib\nclass C:\n    def __init__(self, a): pass\n    def m(self): pass\nlib.run(C, x).m()\n"
    program, resolution = modelled(code, "python", ["lib.run: call 0(1) -> ret"])
    assert targets(program, resolution, code.encode())["lib.run(C, x).m()"] == ["m"]


def test_surplus_arguments_of_a_callback_are_gathered() -> None:
    code = "import lib\ndef g(): pass\ndef f(*more): more[0]()\nlib.run(f, g)\n"
    program, resolution = modelled(code, "python", ["lib.run: call 0(1)"])
    assert targets(program, resolution, code.encode())["more[0]()"] == ["g"]


@pytest.mark.parametrize(
    ("code", "known"),
    [
        ("import lib, files\nfor each in lib.run(files.Path, x): each.read()\n", True),
        ("import lib, files\nlib.run(files.Path, x)['k'].read()\n", True),
        ("import lib, files\nfor each in lib.run(files.Other, x): each.read()\n", False),
        ("import lib, files\nfor each in lib.walk(files.Path, x): each.read()\n", False),
    ],
)
def test_what_a_library_makes_of_each_is_an_instance(code: str, known: bool) -> None:
    flows = [
        "lib.run: call 0(1[]) -> ret[]",
        "lib.walk: 1 -> ret[]",
        "files.Path: 0 -> ret",
        "files.Path#read: this -> ret",
    ]
    program, resolution = modelled(code, "python", flows)
    read = program.string_ids["read"]
    names = program.tables["calls"]["name"]
    assert any(int(names[call]) == read for call, _ in resolution.api_calls) == known
