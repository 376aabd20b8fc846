"""A check of all elements of a list is one of the values that the list was written down with."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
from flask import abort, request

def check_all(paths):
    for path in paths:
        if ".." in path:
            raise ValueError

def are_sane(paths):
    return all(".." not in path for path in paths)

def view():
    name, other = request.args["name"], request.args["other"]
    CHECK
    open("/srv/" + name)
"""


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("check_all([name, other])", True),
        ("check_all((other, name))", True),
        ("check_all([other])", False),
        ("if not are_sane([name, other]): abort(400)", True),
        ("if are_sane([name, other]): abort(400)", False),
        ("for each in (name, other):\n        if '..' in each: abort(400)", True),
        ("for each in (name, other):\n        if '..' in each: break", False),
        ("for each in (name, other):\n        if other and '..' in each: abort(400)", False),
        ("if other: check_all([name])", False),
    ],
)
def test_what_a_list_is_made_of(check: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE.replace("CHECK", check), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})
