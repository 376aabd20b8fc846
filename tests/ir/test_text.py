"""Units as text: small ones read as they were written, large and deep ones are no trouble."""

from __future__ import annotations

import pytest

from pyrograph.ir.text import listing
from pyrograph.parsers import lower


def text(code: str, function: str | None = "f") -> str:
    return listing(lower(code.encode(), "python"), function)


def test_a_small_function() -> None:
    code = 'def f(x):\n    if x == "b":\n        raise ValueError(x)\n    return [x, g(x.a)]\n'
    assert text(code).splitlines() == [
        "function f(x)",
        "  %1 = x",
        '  %2 = %1 where equal(%1, "b") is true',
        "  %3 = call ValueError(%2)",
        '  %4 = %1 where equal(%1, "b") is false',
        "  %5 = load %4.a",
        "  %6 = call g(%5)",
        "  %7 = post %5 of %6",
        "  %8 = store %4.a, %7",
        "  out x = %8",
        "  %9 = new",
        "  %10 = store %9.0, %4",
        "  %11 = store %10.1, %6",
        "  return %11",
        "  raise %3",
    ]


def test_what_is_not_needed_is_not_shown() -> None:
    assert text("def f(x):\n    y = x.a.b\n    return 1\n").splitlines() == ["function f(x)", "  return 1"]


def test_a_whole_unit_begins_with_the_module() -> None:
    assert text("def f(): pass\nf()\n", None).splitlines()[0] == "module"


def test_a_function_that_does_not_exist_has_no_text() -> None:
    assert text("def g(): pass\n") == "\n"


@pytest.mark.parametrize("deep", ["[" * 5000 + "x" + "]" * 5000, "x" + ".a" * 300, "x" + " + x" * 5000])
def test_depth_is_no_trouble(deep: str) -> None:
    assert "call use(" in text(f"def f(x):\n    use({deep})\n")


def test_the_same_unit_gives_the_same_text() -> None:
    code = "def f(x):\n    while x:\n        x = g(x, [x])\n    return x\n"
    assert text(code) == text(code)
