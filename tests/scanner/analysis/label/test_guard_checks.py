"""Conditions that are checks, and others that look like them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence

PICK = """
def pick(x):
    for each in NAMES:
        if each {} x:
            return True
    return False
--
if not pick(x):
    return"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if NAMES.index(x) == 0: return", "high"),
        ("if x is None: return", "high"),
        ("if x != 'a': return", ""),
        (PICK.format("=="), ""),
        (PICK.format("!="), "high"),
    ],
)
def test_a_condition_cleans_what_it_proves(code: str, expected: str, tmp_path: Path) -> None:
    assert confidence(code, tmp_path) == expected
