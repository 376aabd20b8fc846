"""Conditions that are checks, and others that look like them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

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


ABOVE = """import os
from flask import request, send_file
def view():
    full = os.path.abspath(os.path.join("/srv", request.args["x"]))
    seen = os.path.relpath(full, "/srv")
    if {}:
        return None
    return send_file(full)
"""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("seen.split(os.sep)[0] == os.pardir", False),
        ("seen.split(os.sep)[0] == '..'", False),
        ("seen.split(os.sep)[0] == '.git'", True),
        ("seen.split(os.sep)[0] == os.curdir", True),
        ("seen.split('/', 1)[0] == '..'", False),
        ("seen.split('-')[0] == '..'", True),
        ("seen.split()[0] == '..'", True),
        ("seen.startswith(os.pardir)", False),
        ("seen.startswith(os.curdir)", True),
    ],
)
def test_a_name_of_the_folder_above_is_compared_as_its_text(condition: str, expected: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(ABOVE.format(condition), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    assert bool(scanner.scan(options, load_rules(["python"], ())).findings) is expected
