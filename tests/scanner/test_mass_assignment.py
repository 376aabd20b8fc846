"""Mass assignment is of what is untrusted as a whole, not of single fields; low confidence, so no example says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

CODE = """
const express = require("express");
const { Sequelize } = require("sequelize");

const sequelize = new Sequelize("sqlite::memory:");
const User = sequelize.define("user", { name: Sequelize.STRING, role: Sequelize.STRING });
const app = express();

app.post("/users", async (req, res) => {
  const { role, ...rest } = req.body;
  const named = {};
  named.name = req.body.name;
  const user = %s;
  res.json(user);
});
"""


@pytest.mark.parametrize(
    ("call", "chosen"),
    [
        ("await User.create(req.body)", True),
        ("await User.create(req.body.user)", True),
        ("await User.create({ ...req.body, active: true })", True),
        ("await User.create(rest)", True),
        ("await User.update(req.body, { where: { id: 1 } })", True),
        ("await User.create({ name: req.body.name })", False),
        ("await User.create(named)", False),
        ("await User.update({ active: true }, { where: { id: req.body.id } })", False),
    ],
)
def test_who_chooses_all_fields_assigns_them_who_chooses_one_does_not(
    call: str, chosen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "app.js").write_text(CODE % call)
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", profile="audit", confidence="low")
    found = {finding.rule_id for finding in scanner.scan(options, load_rules(None, ())).findings}
    assert found == ({"javascript/mass-assignment"} if chosen else set())
