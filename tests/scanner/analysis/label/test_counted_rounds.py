"""A loop over the positions of the parts of a text says of the text what a loop over the parts does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const express = require("express");
const fs = require("fs");

express().get("/", (req, res) => {
  const path = req.query.path;
  const parts = path.split("/");
  CHECK
  fs.unlinkSync("/srv/" + USED);
});
"""
LOOP = "for (let i = {}; i < parts.length; i++) if ({}) return;"


@pytest.mark.parametrize("used", ["path", 'parts.join("/")'])
@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        (LOOP.format("0", 'parts[i] === ".."'), True),
        (LOOP.format("0", 'parts[i] === "." || parts[i] === ".."'), True),
        (LOOP.format("1", 'parts[i] === ".."'), False),
        (LOOP.format("0", 'parts[0] === ".."'), False),
        (LOOP.format("0", 'parts[i] === "."'), False),
    ],
)
def test_a_loop_by_position(check: str, is_clean: bool, used: str, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(CODE.replace("CHECK", check).replace("USED", used), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})
