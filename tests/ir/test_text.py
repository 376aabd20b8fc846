"""Units as text: small ones read as they were written, large and deep ones are no trouble."""

from __future__ import annotations

import pytest

from pyrograph.ir.text import listing
from pyrograph.parsers import lower


def text(code: str, function: str | None = "f") -> str:
    return listing(lower(code.encode(), "python"), function)


def test_the_example_of_the_module() -> None:
    code = 'def f(x):\n    x = source(x)\n    if x == "b":\n        raise ValueError\n    return x\n'
    assert text(code).splitlines() == [
        "function f(x)",
        "  %1 = x",
        "  %2 = call source(%1)",
        "  %3 = post %1 of %2",
        "  out x = %3",
        '  %4 = %2 where equal(%2, "b") is false',
        "  return %4",
        "  raise ValueError",
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
