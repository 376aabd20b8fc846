"""A check before the handler that is not understood is a doubt; one that lets every value through is none."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
const express = require("express");
const { exec } = require("child_process");
const app = express();

async function exists(req, res, next) {
  const errors = [];
  if (!(await rows.findOne({ name: req.query.name }))) errors.push("unknown");
  if (errors.length > 0) return res.status(404).json(errors);
  next();
}

function noted(req, res, next) {
  const errors = [];
  if (!rows.findOne({ name: req.query.name })) errors.push("unknown");
  res.locals.errors = errors;
  next();
}

app.get("/a", exists, (req, res) => { exec("a" + req.query.name); });
app.get("/b", noted, (req, res) => { exec("b" + req.query.name); });
app.get("/c", exists, (req, res) => { exec("c" + req.query.other); });
"""


def test_only_a_check_that_may_refuse_is_a_doubt(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(PROGRAM, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    lines = PROGRAM.splitlines()
    found = {
        lines[each.place.line - 1][10]: (each.confidence, each.doubt.name if each.doubt else "")
        for each in report.findings
        if each.vulnerability == "command-injection"
    }
    assert found == {"a": ("medium", doubts.CHECKED_BEFORE), "b": ("high", ""), "c": ("high", "")}
