"""Fields that a schema declares to hold no text are clean where they are read from what it has checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const {{ exec }} = require("child_process");
const {{ z }} = require("zod");
require("express")().get("/", (req, res) => {{
  const schema = {schema};
  exec("list " + schema.parse(req.query).field);
}});
"""


@pytest.mark.parametrize(
    ("schema", "is_clean"),
    [
        ("z.object({ field: z.number() })", True),
        ("z.object({ field: z.coerce.number().min(1).default(1) })", True),
        ("z.object({ field: z.string() })", False),
        ("z.object({ other: z.number() })", True),  # it is not let through
        ("z.object({ other: z.number() }).passthrough()", False),
        ("z.object({ other: z.number() }).catchall(z.string())", False),
        ("z.object({ other: z.number() }).refine(() => true)", True),
        ("z.object({ field: z.string() }).passthrough().strip()", False),
        ("z.looseObject({ field: z.string() }).strict()", False),
        ("z.object({ field: z.number().or(z.string()) })", False),
        ("z.object({ field: z.number().transform((each) => req.query.name) })", False),
        ("z.object({ field: z.number() }).strict()", True),
        ("z.object({ other: z.string() }).extend({ field: z.enum(['a', 'b']) })", True),
        ("z.object({ field: z.number() }).extend({ field: z.string() })", False),
        ("z.object({ field: z.string() }).merge(z.object({ field: z.number() }))", True),
    ],
)
def test_the_last_declaration_of_a_field_decides(schema: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(schema=schema), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})


@pytest.mark.parametrize(
    ("schema", "confidence"),
    [
        ("z.object({ ...req.route.fields, field: z.string() })", "high"),
        ("z.object({ ...req.route.fields, other: z.string() })", "low"),
        ("z.object({ ...{ other: z.string() } })", "high"),
    ],
)
def test_a_field_that_a_schema_takes_from_elsewhere_is_checked_somehow(
    schema: str, confidence: str, tmp_path: Path
) -> None:
    (tmp_path / "app.js").write_text(CODE.format(schema=schema), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert [each.confidence for each in found] == [confidence]


STRIPPED = """
const yup = require("yup");
const Joi = require("joi");
const { exec } = require("child_process");
const run = (given) => exec("list " + given.field);
require("express")().get("/", async (req, res) => {
  const given = await SCHEMA;
  run(given);
});
"""


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("yup.object({ field: yup.number() }).validate(req.query, { stripUnknown: true })", True),
        ("yup.object({ other: yup.number() }).validate(req.query, { stripUnknown: true })", True),
        ("yup.object({ other: yup.number() }).validate(req.query)", False),
        ("yup.object({ other: yup.number() }).strict().validate(req.query, { stripUnknown: true })", False),
        ("yup.object({ field: yup.string() }).validate(req.query, { stripUnknown: true })", False),
        (
            "yup.object({ other: yup.number() }).when('a', (a, s) => s).validate(req.query, { stripUnknown: true })",
            False,
        ),
        ("Joi.object({ other: Joi.number() }).validateAsync(req.query)", True),
        ("Joi.object({ other: Joi.number() }).validateAsync(req.query, { convert: true })", True),
        ("Joi.object({ other: Joi.number() }).validateAsync(req.query, req.query.options)", False),
        ("Joi.object({ other: Joi.number() }).pattern(/x/, Joi.any()).validateAsync(req.query)", False),
        ("Joi.object().validateAsync(req.query)", False),
        ("Joi.object({ other: Joi.number() }).validate(req.query).value", False),
        ("yup.object({ field: yup.string().oneOf(['a']) }).validate(req.query, { stripUnknown: true })", True),
        ("yup.object({ field: yup.string().oneOf(['a']) }).cast(req.query, { stripUnknown: true })", False),
    ],
)
def test_a_check_that_drops_fields_lets_only_declared_ones_into_other_functions(
    check: str, is_clean: bool, tmp_path: Path
) -> None:
    (tmp_path / "app.js").write_text(STRIPPED.replace("SCHEMA", check), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    assert bool(scanner.scan(options, load_rules(["javascript"], ())).findings) is not is_clean


@pytest.mark.parametrize(("read", "is_clean"), [("error, value", True), ("value", False), ("value, ...rest", False)])
def test_a_check_whose_failure_is_not_asked_about_lets_anything_through(
    read: str, is_clean: bool, tmp_path: Path
) -> None:
    call = "Joi.object({ other: Joi.number() }).validate(req.query)"
    code = STRIPPED.replace("const given = await SCHEMA;", f"const {{ {read} }} = {call};").replace(
        "run(given)", "run(value)"
    )
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    assert bool(scanner.scan(options, load_rules(["javascript"], ())).findings) is not is_clean


CLASS = """
import os
from flask import request
from marshmallow import Schema, fields

class Job(Schema):
    size = fields.Integer()
    name = fields.String()

def show():
    os.system("show " + str(Job().load(request.get_json())["{}"]))
"""


@pytest.mark.parametrize(("field", "is_clean"), [("size", True), ("name", False)])
def test_fields_that_a_class_declares(field: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(CLASS.replace("str(", "(").format(field), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"python/command-injection"})
