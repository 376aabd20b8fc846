"""Signatures name each parameter as calls do."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.codes import NONE
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.resolve.functions import is_bound_late

CODE = "class C:\n    def m(self, a, /, b, *rest, c, **more): pass\n"


def names(code: str, rows: list[int]) -> list[str]:
    solver = parts(code, "python")
    return [solver.strings[solver.functions.param_name[row]] for row in rows]


def test_a_signature_names_parameters_by_position_and_by_name() -> None:
    functions = parts(CODE, "python").functions
    method = len(functions.name) - 1
    signature = functions.signature(method)
    assert names(CODE, [signature.receiver]) == ["self"]
    assert {at: names(CODE, [row])[0] for at, row in signature.by_position.items()} == {0: "a", 1: "b"}
    assert names(CODE, [signature.vararg, signature.keywords]) == ["rest", "more"]
    assert signature.end == 2
    assert names(CODE, list(signature.by_name.values()))[-1] == "c"
    assert functions.signature(method) is signature
    assert functions.receiver(method) == functions.param_value[signature.receiver]


def test_a_function_without_a_receiver_has_none() -> None:
    functions = parts("def f(a): pass", "python").functions
    assert functions.receiver(1) == functions.receiver_out(1) == NONE


@pytest.mark.parametrize(
    ("which", "first", "chosen"),
    [(0, 0, ["a"]), (0, 1, ["b"]), ("b", 0, ["b"]), ("none", 0, []), ("*", 1, ["b", "rest", "c", "more"])],
)
def test_parameters_are_chosen_by_position_name_or_all(which: int | str, first: int, chosen: list[str]) -> None:
    functions = parts(CODE, "python").functions
    assert names(CODE, functions.chosen_parameters(len(functions.name) - 1, which, first)) == chosen


@pytest.mark.parametrize(("language", "is_late"), [("python", True), ("javascript", False), ("go", False)])
def test_a_function_without_a_class_is_bound_when_it_is_read_in_some_languages(language: str, is_late: bool) -> None:
    traits = language_of(language).traits
    assert is_bound_late(NONE, traits) is is_late
    assert not is_bound_late(0, traits), "a method is bound by its declaration"
