"""Functions of a list: the last parameter of each calls the next one, without the first argument."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import modelled, targets

CODE = """
const lib = require("lib");
function end(error, z) {}
function one(next) { next(null, 1); }
function two(x, next) { next(null, x); }
function three(y, next) { next(null, y); }
lib.run([one, two, three], end);
"""


def test_each_function_calls_the_next_one_and_the_last_one_the_end() -> None:
    program, resolution = modelled(CODE, "javascript", ["lib.run: chain 0 to 1"])
    found = targets(program, resolution, CODE.encode())
    assert found == {"next(null, 1)": ["two"], "next(null, x)": ["three"], "next(null, y)": ["end"]}


def test_the_error_is_not_handed_on_and_the_end_gets_all() -> None:
    program, resolution = modelled(CODE, "javascript", ["lib.run: chain 0 to 1"])
    values, parameters = program.tables["values"], program.tables["parameters"]
    names = dict(zip(parameters["value"].tolist(), parameters["name"].tolist(), strict=True))
    arrived = {
        (CODE[values["start"][each.argument] : values["end"][each.argument]], program.strings[names[each.parameter]])
        for each in resolution.bindings
        if each.parameter in names
    }
    assert arrived == {("1", "x"), ("x", "y"), ("null", "error"), ("y", "z")}
