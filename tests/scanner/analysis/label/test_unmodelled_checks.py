"""Checks that no rule describes lower the confidence; what checks nothing, whatever its name, does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def is_valid(x): return x.count('..') == 0\n--\nif not is_valid(x): return", "high"),
        ("def is_valid(x): return x is not None\n--\nif not is_valid(x): return", "high"),
        ("def is_valid(x): return len(x) > 3\n--\nif not is_valid(x): return", "high"),
        ("def is_valid(x): return x.find(';') < 0\n--\nif not is_valid(x): return", "high"),
        ("import unknown\ndef is_valid(x): return unknown.has(x)\n--\nif not is_valid(x): return", "low"),
        ("def clean(x): return x.strip()\n--\nx = clean(x)", "high"),
        ("def check(x):\n    if len(x) > 300: raise ValueError\n--\ncheck(x)", "high"),
        ("def check(x):\n    if x.count(';'): raise ValueError\n--\ncheck(x)", "low"),
        ("if x != view.__doc__: return", "low"),
        ("import unknown\n--\nif unknown.validate_name(x) is not None: return", "low"),
        ("import unknown\n--\nif unknown.validate_name(x) is None: return", "high"),
        ("import unknown\n--\nif unknown.record(x) is not None: return", "high"),
        ("import unknown\n--\nunknown.validate_name(x)", "low"),
        ("import unknown\n--\nunknown.record(x)", "high"),
    ],
)
def test_a_check_by_its_name_asks_something_of_the_text(code: str, expected: str, tmp_path: Path) -> None:
    assert confidence(code, tmp_path) == expected
