"""Rows that a library reads are objects, which a server sends as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const express = require("express");
const {{ Sequelize, DataTypes }} = require("sequelize");
const User = new Sequelize("sqlite::memory:").define("User", {{ name: DataTypes.STRING }});
const app = express();
app.post("/users", (req, res) => {{ User.create(req.body).then(() => res.json({{}})); }});
const show = (res, user) => res.send(user);
app.get("/user", async (req, res) => {{ {body} }});
"""


@pytest.mark.parametrize(
    ("body", "findings"),
    [
        ("User.findByPk(1).then((user) => res.send(user));", 0),
        ("const user = await User.findByPk(1); res.send(user);", 0),
        ("let user = await User.findByPk(1); if (!user) user = null; res.send(user);", 0),
        ("show(res, await User.findByPk(1));", 0),
        ("show(res, await User.findByPk(1)); show(res, req.query.name);", 1),
        ("const user = await User.findByPk(1); res.send(user.name);", 1),
        ("const user = await User.findByPk(1); res.send(user || req.query.name);", 1),
    ],
)
def test_a_row_is_no_text(body: str, findings: int, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(body=body), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    rules = [found.rule_id for found in scanner.scan(options, load_rules(None, ())).findings]
    assert rules == ["javascript/xss"] * findings
