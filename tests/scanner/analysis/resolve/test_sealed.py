"""What a call signs comes back where another call of the program opens it, in every calling context."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.scanner.analysis.resolve.programs import modelled

PAIR = [("sealed", "lib.sign(0) : lib.open()")]
PYTHON = "import lib\ndef a(x): return lib.sign({'back': x}, 1)\ndef b(t): return lib.open(t)\n"
JAVASCRIPT = """\
const lib = require("lib");
function a(x) { return lib.sign({ back: x }); }
function b(t) { return lib.open(t); }
"""
GO = """\
package app

import "lib"

func a(x any) { lib.Sign(x) }

func b(t string) {
	var back any
	lib.Open(t, &back)
	use(back)
}
"""


def joined(
    code: str, language: Literal["python", "javascript", "go"], facts: list[tuple[str, str]]
) -> set[tuple[str, str]]:
    """The texts of both ends of the edges that forget their calling context."""
    program, resolution = modelled(code, language, ["lib.sign:", "lib.open:", "lib.Sign:", "lib.Open:"], facts)
    start, end = program.tables["values"]["start"], program.tables["values"]["end"]

    def text(value: int) -> str:
        return code.encode()[start[value] : end[value]].decode()

    return {(text(origin), text(target)) for origin, target in resolution.flows.context_free_edges}


def test_what_is_signed_comes_back_as_a_result() -> None:
    assert ("{'back': x}", "lib.open(t)") in joined(PYTHON, "python", PAIR)
    assert ("{ back: x }", "lib.open(t)") in joined(JAVASCRIPT, "javascript", PAIR)


def test_what_is_signed_comes_back_in_an_argument_that_a_call_fills() -> None:
    found = joined(GO, "go", [("sealed", "lib.Sign(0) : lib.Open(1)")])
    assert any(origin == "x" for origin, _ in found)


@pytest.mark.parametrize(
    "facts", [[], [("sealed", "lib.sign(0) : lib.read()")], [("sealed", "lib.write(0) : lib.open()")]]
)
def test_calls_that_no_pack_joins_get_nothing_of_each_other(facts: list[tuple[str, str]]) -> None:
    assert not any(target == "lib.open(t)" for _, target in joined(PYTHON, "python", facts))


def test_an_argument_that_is_not_signed_does_not_come_back() -> None:
    assert not any(origin == "1" for origin, _ in joined(PYTHON, "python", PAIR))
