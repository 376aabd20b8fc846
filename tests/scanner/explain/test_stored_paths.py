"""Paths through tables: each request counts alone, and the column that is read names the part of the request."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Finding
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """\
const express = require("express");
const {{ Sequelize, DataTypes }} = require("sequelize");
const sequelize = new Sequelize("sqlite::memory:");
const Note = sequelize.define("Note", {{ text: DataTypes.TEXT }});
const app = express();
app.post("/", async (req, res) => {{ await Note.create({kept}); res.end(); }});
app.get("/:id", async (req, res) => {{
  const note = await Note.findByPk(req.params.id);
  res.send("<p>" + {read} + "</p>");
}});
"""


def findings(folder: Path, code: str) -> list[Finding]:
    """What a scan with default options reports."""
    (folder / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    rules = load_rules(["javascript"], cache_folder=folder / "c")
    return [each for each in scanner.scan(options, rules).findings if each.confidence == "high"]


@pytest.mark.parametrize("kept", ["req.body", "{ text: req.body.text }"])
@pytest.mark.parametrize("read", ["note.text", "note.get({ plain: true }).text"])
def test_what_one_request_stores_another_one_shows(tmp_path: Path, kept: str, read: str) -> None:
    [found] = findings(tmp_path, CODE.format(kept=kept, read=read))
    assert found.rule_id == "javascript/xss"
    [trace] = found.traces[:1]
    assert [step.resumed for step in trace.steps].count(True) == 1


def test_a_whole_record_is_no_column(tmp_path: Path) -> None:
    assert not findings(tmp_path, CODE.format(kept="req.body", read="note"))
