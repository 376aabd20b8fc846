"""A loop that replaces constant characters in a text leaves none of them, if it is not left early."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

LOOP = """
from flask import request

def view(other):
    name = request.args["name"]
    for each in {}:
        {}
    open("/srv/" + name)
"""


@pytest.mark.parametrize(
    ("texts", "body", "is_clean"),
    [
        ("'/|'", "name = name.replace(each, '_')", True),
        ("['/', '|', '..']", "name = name.replace(each, '')", True),
        ("'xy'", "name = name.replace(each, '_')", False),  # a slash is left
        ("['//', '..']", "name = name.replace(each, '')", False),  # in another place it appears again
        ("'/|'", "name = name.replace(each, '/')", False),
        ("'/|'", "name = name.replace(each, other)", False),
        ("'/|'", "name = name.replace('|', each)", False),
        ("'/|'", "name = other.replace(each, '_') + name", False),
        ("other", "name = name.replace(each, '_')", False),
        ("'/|'", "name = name.replace(each, '_') if other else name", False),
        ("'/|'", "name = name.replace(each, '_')\n        if other: break", False),
    ],
)
def test_what_a_loop_takes_out(texts: str, body: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LOOP.format(texts, body).replace("|", r"\\"), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})
