"""Requests that a server checks against a description that is not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """\
const express = require("express");
const mongoose = require("mongoose");
{registered}
const User = mongoose.model("User", new mongoose.Schema({{ name: String }}));
const app = express();
app.get("/", (req, res) => {{
  User.findOne({{ name: req.query.name }});
  res.send("<b>" + req.query.name);
}});
"""
MIDDLEWARE = 'app.use(require("express-openapi-validator").middleware({{ apiSpec: "api.yaml"{option} }}));'


@pytest.mark.parametrize(
    ("registered", "place", "is_doubtful"),
    [
        (MIDDLEWARE.format(option=""), ".", True),
        (MIDDLEWARE.format(option=", validateRequests: true"), ".", True),
        (MIDDLEWARE.format(option=", validateRequests: false"), ".", False),
        ("", ".", False),
        (MIDDLEWARE.format(option=""), "other", False),
    ],
)
def test_objects_are_unlikely_in_the_package_whose_server_checks(
    registered: str, place: str, *, is_doubtful: bool, tmp_path: Path
) -> None:
    for folder in {".", place}:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "package.json").write_text('{"name": "a"}', encoding="utf-8")
    (tmp_path / "app.js").write_text(CODE.format(registered=""), encoding="utf-8")
    (tmp_path / place / "checks.js").write_text(f"module.exports = (app) => {{ {registered} }};", encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    rules = load_rules(["javascript"], ())
    found = {each.rule_id: each.confidence for each in scanner.scan(options, rules).findings}
    assert (found["javascript/nosql-injection"] == "low") is is_doubtful
    assert found["javascript/xss"] == "high"
