"""Keys of ports are texts, constants of arguments, or unknown."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.ports import key_at, keys_named, port_values


def test_keys_of_a_path() -> None:
    solver = parts("f('k', x)", "python")
    assert solver.strings[key_at(solver, 0, "name")] == "name"
    assert solver.strings[key_at(solver, 0, "$0")] == "k"
    assert key_at(solver, 0, "$1") == key_at(solver, 0, "$7") == key_at(solver, 0, "") == UNKNOWN_KEY


@pytest.mark.parametrize(
    ("port", "texts"), [(Port("position", 0), ["k"]), (Port("all"), ["k", None]), (Port("this"), [])]
)
def test_values_of_a_port(port: Port, texts: list[str | None]) -> None:
    solver = parts("f('k', x)", "python")
    assert [constant(solver, value) for value in port_values(solver, 0, port)] == texts


@pytest.mark.parametrize(
    ("argument", "keys"), [("'a.b[0]'", ["a", "b", "0"]), ("['a', 'b.c']", ["a", "b.c"]), ("x", [None]), ("''", [None])]
)
def test_an_argument_may_name_several_keys_one_in_the_other(argument: str, keys: list[str | None]) -> None:
    solver = parts(f"f({argument})", "python")
    named = keys_named(solver, 0, "$0.")
    assert [None if key == UNKNOWN_KEY else solver.strings[key] for key in named] == keys


def test_the_result_is_a_port() -> None:
    solver = parts("f('k', x)", "python")
    assert port_values(solver, 0, Port("ret")) == [solver.calls.result[0]]


def test_a_call_without_an_object_has_no_receiver() -> None:
    solver = parts("f('k')(x)", "python")
    assert [port_values(solver, row, Port("this")) for row in range(len(solver.calls.result))] == [[], []]
    decorated = parts("@signal.connect\ndef f(): pass\n", "python")
    (receiver,) = port_values(decorated, 0, Port("this"))
    assert decorated.strings[decorated.data[receiver]] == "signal"
