"""A literal in the words of JSON Schema says what its values hold, also where a library's call is given the words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const {{ exec }} = require("child_process");
const {{ Type }} = require("@sinclair/typebox");
const app = require("fastify")();
const SORTS = {{ name: 1, size: 1 }};
const OPEN = [{{ type: "number" }}, ...given()];
const options = {{ schema: {{ querystring: {{ type: "object", properties: {{ field: {schema} }} }} }} }};
app.get("/a", options, (request, reply) => exec("list " + request.query.field));
"""


@pytest.mark.parametrize(
    ("schema", "is_clean"),
    [
        ('{ type: "array", items: { type: "string", enum: ["a", "b"] } }', True),
        ('{ type: "array", items: { type: "array", items: { type: "integer" } } }', True),
        ('{ type: "array", items: { type: "string" } }', False),
        ('{ items: { type: "integer" } }', False),  # only lists are asked for their elements
        ('{ anyOf: [{ type: "number" }, { enum: ["a"] }] }', True),
        ('{ oneOf: [{ type: "null" }, { type: "array", items: { enum: ["a"] } }] }', True),
        ('{ anyOf: [{ type: "number" }, { type: "string" }] }', False),
        ("{ anyOf: OPEN }", False),
        ("{ anyOf: [] }", False),
        ("Type.String({ enum: Object.keys(SORTS) })", True),
        ('Type.String({ pattern: "^[a-z]+$" })', True),
        ('Type.String({ pattern: "[a-z]+" })', False),
        ('Type.String({ format: "uuid", description: "its number" })', True),
        ('Type.String({ format: "uri" })', False),
        ("Type.String({ maxLength: 9 })", False),
        ("Type.String()", False),
        ("Type.Enum(SORTS)", True),
        ("Type.Optional(Type.Array(Type.Enum(SORTS)))", True),
        ("Type.Union([Type.Enum(SORTS), Type.String()])", False),
        ('Type.Unsafe({ type: "string", enum: ["a", "b"] })', True),
        ('Type.Unsafe({ pattern: "^[a-z]+$" })', False),  # a list passes
    ],
)
def test_the_words_of_a_schema_decide(schema: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(schema=schema), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})


@pytest.mark.parametrize(
    ("schema", "is_clean"),
    [
        ("[Joi.number(), Joi.array().items(Joi.number())]", True),
        ('[Joi.string().valid("a", "b"), Joi.string().regex(/^[a-z]+$/)]', True),
        ("[Joi.number(), Joi.string()]", False),
        ("[Joi.number(), ...given]", False),
    ],
)
def test_a_list_of_schemas_admits_what_each_of_them_does(schema: str, is_clean: bool, tmp_path: Path) -> None:
    code = f"""
const {{ exec }} = require("child_process");
const {{ celebrate, Joi }} = require("celebrate");
const router = require("express").Router();
module.exports = (given) => {{
  router.get("/a", celebrate({{ query: {{ field: {schema} }} }}), (req, res) => exec("list " + req.query.field));
}};
"""
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})
