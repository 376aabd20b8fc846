"""A part of a text that is kept where it differs from a constant is as clean as a text without such a part."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
from flask import request

def view():
    path = request.args["path"]
    CHECK
    os.remove("/srv/" + "/".join(kept))
"""
LOOP = "kept = []\n    for part in path.split('/'):\n        {}\n        kept.append(part)"


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("kept = [part for part in path.split('/') if part != '..']", True),
        ("kept = [part for part in path.split('/') if part not in ('.', '..')]", True),
        ("kept = [part for part in path.split('/') if part != '.']", False),
        ("kept = [part for part in path.split(',') if part != '..']", False),
        (LOOP.format("if part == '..': continue"), True),
        (LOOP.format("if part == '.': continue"), False),
        (LOOP.format("print(part)"), False),
    ],
)
def test_parts_that_are_kept(check: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE.replace("CHECK", check), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})
