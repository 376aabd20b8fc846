"""What the schema of a route admits is what its handler reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const {{ exec }} = require("child_process");
const app = require("fastify")();
const options = {{ schema: {{ querystring: {schema} }} }};
app.get("/a", options, (request, reply) => exec("list " + request.query.field));
"""


@pytest.mark.parametrize(
    ("schema", "is_clean"),
    [
        ('{ type: "object", properties: { field: { type: "integer" } } }', True),
        ('{ field: { type: "number" } }', True),
        ('{ properties: { field: { enum: ["a", "b"] } } }', True),
        ('{ properties: { field: { type: "string", format: "uuid" } } }', True),
        ('{ properties: { field: { type: "string", pattern: "^[a-z]+$" } } }', True),
        ('{ properties: { field: { type: "string", pattern: "[a-z]+" } } }', False),
        ('{ properties: { field: { pattern: "^[a-z]+$" } } }', False),  # a list of any texts passes
        ('{ properties: { field: { format: "uuid" } } }', False),
        (
            '{ properties: { field: { type: ["string", "null"], pattern: "^[a-z]+$" } } }',
            False,
        ),  # one type is read
        ('{ properties: { field: { type: "string", format: "uri" } } }', False),
        ('{ properties: { field: { type: "string" } } }', False),
        ('{ properties: { other: { type: "integer" } } }', False),
        ("load()", False),
    ],
)
def test_the_schema_of_a_route_decides(schema: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(schema=schema), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})


def test_a_schema_holds_for_its_own_route_only(tmp_path: Path) -> None:
    code = CODE.format(schema='{ field: { type: "integer" } }')
    code += 'app.get("/b", (request, reply) => exec("list " + request.query.field));\n'
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert [each.place.line for each in found] == [6]


MIDDLEWARE = """
const {{ exec }} = require("child_process");
const express = require("express");
const {{ celebrate, Joi }} = require("celebrate");
const app = express();
app.get("/a", {arguments});
"""
CHECK = "celebrate({ query: Joi.object({ field: Joi.number() }) })"
HANDLER = '(req, res) => exec("list " + req.query.field)'


@pytest.mark.parametrize(
    ("arguments", "is_clean"),
    [
        (f"{CHECK}, {HANDLER}", True),
        (f"{CHECK}, (req, res, next) => next(), {HANDLER}", True),
        (f"{HANDLER}, {CHECK}", False),
        (f"{CHECK.replace('query', 'body')}, {HANDLER}", False),
        (HANDLER, False),
    ],
)
def test_a_check_holds_for_the_handlers_behind_it(arguments: str, is_clean: bool, tmp_path: Path) -> None:
    code = MIDDLEWARE.format(arguments=arguments)
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert [each.place.line for each in found] == ([] if is_clean else [6])
