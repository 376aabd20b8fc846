"""A handler that the program makes with a schema makes objects doubtful in what the handlers behind it read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const express = require("express");
const Joi = require("joi");
const {{ User }} = require("./models");
const valid = (schema, part) => (req, res, next) => check(schema, req, part, next);
const schema = Joi.object({{ token: Joi.string() }});
const app = express();
app.use(express.json());
app.post("/a", {handlers});
"""
MODELS = """
const mongoose = require("mongoose");
exports.User = mongoose.model("User", new mongoose.Schema({ token: {} }));
"""
SAVE = "(req, res) => User.findOne({ token: req.body.token })"


@pytest.mark.parametrize(
    ("handlers", "confidence"),
    [
        (SAVE, "high"),
        (f"valid(schema), {SAVE}", "low"),
        (f'valid(schema, "body"), {SAVE}', "low"),
        (f'valid(schema, "query"), {SAVE}', "high"),
        (f"valid({{ body: schema }}), {SAVE}", "low"),
        (f"valid({{ query: schema }}), {SAVE}", "high"),
        (f"[valid(schema)], {SAVE}", "low"),
        (f'valid({{ body: {{ type: "object" }} }}), {SAVE}', "low"),
        (f'audit({{ body: {{ type: "order" }} }}), {SAVE}', "high"),
        (f'valid({{ body: {{ type: ["string", "null"] }} }}), {SAVE}', "low"),
        (f"valid({{ query: schema }}), {SAVE}".replace("body.token", "body.query"), "high"),
        (f"{SAVE}, valid(schema)", "high"),
        (f'valid("token"), {SAVE}', "high"),
    ],
)
def test_a_schema_that_is_not_followed_makes_objects_doubtful(handlers: str, confidence: str, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(handlers=handlers), encoding="utf-8")
    (tmp_path / "models.js").write_text(MODELS, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert [(each.rule_id, each.confidence) for each in found] == [("javascript/nosql-injection", confidence)]
