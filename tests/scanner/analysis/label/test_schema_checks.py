"""What passed a schema's check is clean itself, as far as the schema says something of what it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const {{ exec }} = require("child_process");
const Joi = require("joi");
const Ajv = require("ajv");
const yup = require("yup");
const {{ z }} = require("zod");
const v = require("valibot");
require("express")().get("/", async (req, res) => {{
  const schema = {schema};
  {check}
  exec("list " + req.query.field);
}});
"""
ZOD, JOI = "z.object({ field: z.uuid() })", "Joi.object({ field: Joi.string().guid() })"


def found(schema: str, check: str, folder: Path) -> set[str]:
    (folder / "app.js").write_text(CODE.format(schema=schema, check=check), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    return {each.rule_id for each in scanner.scan(options, load_rules(["javascript"], ())).findings}


@pytest.mark.parametrize(
    ("schema", "check", "is_clean"),
    [
        (ZOD, "if (!schema.safeParse(req.query).success) return;", True),
        (ZOD, "if (schema.safeParse(req.query).success) return;", False),
        (ZOD, "const { success } = schema.safeParse(req.query); if (success === false) return;", True),
        (ZOD, "const { success } = schema.safeParse(req.query); if (success === true) return;", False),
        (ZOD, "const { success } = schema.safeParse(req.query); if (success !== undefined) {} else return;", False),
        (ZOD, "schema.parse(req.query);", True),
        (ZOD, "await schema.parseAsync(req.query);", True),
        (ZOD, "schema.parseAsync(req.query);", False),
        (ZOD, "const later = schema.parseAsync(req.query); exec(req.query.field); await later;", False),
        (ZOD, "schema.parse(req.body);", False),
        (ZOD, "if (!(await schema.safeParseAsync(req.query)).success) return;", True),
        (ZOD, "const { success } = schema.safeParseAsync(req.query); if (success === false) return;", False),
        ("yup.object({ field: yup.number() })", "if (!(await schema.isValid(req.query))) return;", True),
        ("yup.object({ field: yup.number() })", "if (!schema.isValid(req.query)) return;", False),
        (JOI, "const { error } = schema.validate(req.query); if (error) throw error;", True),
        (JOI, "const { error } = schema.validate(req.query); if (error === undefined) return;", False),
        (JOI, "const result = schema.validate(req.query); if (result.error != null) return;", True),
        (JOI, "const { value } = schema.validate(req.query); if (value) return;", False),
        (JOI, "Joi.assert(req.query, schema);", True),
        (JOI, "if (schema.validate({ field: req.query.field }).error) return;", True),
        (JOI, "const { error } = schema.validate({ field: req.query.field }); if (error) return;", True),
        (JOI, "const { error } = schema.validate({ field: req.query.other }); if (error) return;", False),
        (JOI, "const { error } = schema.validate({ other: req.query.field }); if (error) return;", False),
        (JOI, "if (schema.validate({ field: req.query.field, ...req.body }).error) return;", False),
        (ZOD, "if (!schema.safeParse({ field: req.query.field }).success) return;", True),
        (ZOD, "if (schema.safeParse({ field: req.query.field }).success) return;", False),
        ("Joi.string().guid()", "if (schema.validate(req.query.field).error) return;", True),
        ("Joi.string().guid()", "if (schema.validate(req.query.field.trim()).error) return;", True),
        ("Joi.string().guid()", "if (schema.validate(req.query.field.slice(0, 36)).error) return;", False),
    ],
)
def test_the_outcome_of_the_check_decides(schema: str, check: str, is_clean: bool, tmp_path: Path) -> None:
    assert found(schema, check, tmp_path) == (set() if is_clean else {"javascript/command-injection"})


@pytest.mark.parametrize(
    ("field", "is_clean"),
    [
        ("Joi.string().pattern(/^[a-z]+$/)", True),
        ("Joi.number().integer()", True),
        ("Joi.string().valid('a', 'b')", True),
        ("Joi.string()", False),
        ("Joi.date()", False),
        ("Joi.string().replace(/[^a-z]/g, '').pattern(/^[a-z]+$/)", False),
        ("Joi.string().max(3).truncate().pattern(/^[a-z]+$/)", False),
        ("Joi.number().failover(1)", False),
        ("Joi.string().trim().pattern(/^[a-z]+$/)", False),
        ("Joi.number().empty(Joi.any())", False),
        ("Joi.string().pattern(/^[a-z]+$/).warn()", False),
    ],
)
def test_a_lenient_schema_says_nothing_of_what_it_is_given(field: str, is_clean: bool, tmp_path: Path) -> None:
    check = "const { error } = schema.validate(req.query); if (error) return;"
    reported = found(f"Joi.object({{ field: {field} }})", check, tmp_path)
    assert reported == (set() if is_clean else {"javascript/command-injection"})


@pytest.mark.parametrize(
    ("field", "is_clean"),
    [
        ("z.uuid().optional()", True),
        ("z.number().nullable().optional()", True),
        ("z.number().default(1)", True),
        ("z.uuid().optional().catch('')", False),
        ("z.date().catch(null)", False),
        ("z.number().default(1).catch(2)", False),
        ("z.number().unheardOf()", False),
    ],
)
def test_nothing_is_known_behind_a_method_that_packs_do_not_know(field: str, is_clean: bool, tmp_path: Path) -> None:
    reported = found(f"z.object({{ field: {field} }})", "schema.parse(req.query);", tmp_path)
    assert reported == (set() if is_clean else {"javascript/command-injection"})


@pytest.mark.parametrize(
    ("field", "is_clean"),
    [
        ("z.number().min(1).default(1)", True),
        ("z.number().min(1).optional()", True),
        ("z.number().default(1).catch(2)", False),  # the type of what ``default`` returns is not known
        ("z.number().optional().catch(undefined)", False),
        ("z.string().trim().regex(/^[a-z]+$/)", False),
        ("z.string().cuid2()", True),
        ("z.string().cuid()", False),
    ],
)
def test_a_method_of_a_schema_of_unknown_type_may_let_anything_through(
    field: str, is_clean: bool, tmp_path: Path
) -> None:
    reported = found(f"z.object({{ field: {field} }})", "schema.parse(req.query);", tmp_path)
    assert reported == (set() if is_clean else {"javascript/command-injection"})


FORM = """
import os
from flask import request
from marshmallow import Schema, fields

class Item(Schema):
    size = fields.Integer({field})

def show():
    body = request.get_json()
    Item({given}).load(body)
    os.system("show " + body["size"])
"""


@pytest.mark.parametrize(
    ("field", "given", "is_clean"),
    [
        ("required=True", "", True),
        ("data_key='length'", "", False),
        ("dump_only=True", "", False),
        ("", "", True),
        ("", "partial=True", False),  # an argument may leave fields out
        ("", "exclude=['size']", False),
        ("", "only=['name']", False),
    ],
)
def test_a_field_says_nothing_of_what_has_another_name(field: str, given: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(FORM.format(field=field, given=given), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    reported = {each.rule_id for each in scanner.scan(options, load_rules(["python"], ())).findings}
    assert reported == (set() if is_clean else {"python/command-injection"})


@pytest.mark.parametrize(
    ("schema", "is_clean"),
    [
        ("v.object({ field: v.number() })", True),
        ("v.fallback(v.object({ field: v.number() }), { field: 1 })", False),
        ("v.object({ field: v.fallback(v.number(), 1) })", False),
    ],
)
def test_a_schema_that_replaces_what_fails_says_nothing(schema: str, is_clean: bool, tmp_path: Path) -> None:
    reported = found(schema, "if (!v.is(schema, req.query)) return;", tmp_path)
    assert reported == (set() if is_clean else {"javascript/command-injection"})


@pytest.mark.parametrize(
    ("field", "is_clean"),
    [
        ("{ type: 'integer' }", True),
        ("{ enum: ['a', 'b'] }", True),
        ("{ type: 'string', pattern: '^[a-z]+$' }", True),
        ("{ pattern: '^[a-z]+$' }", False),  # a list has no pattern to match
        ("{ type: ['string', 'array'], pattern: '^[a-z]+$' }", False),
        ("{ format: 'uuid' }", False),
        ("{ type: 'string', format: 'uuid' }", False),  # a format that the library was not given is passed over
    ],
)
def test_words_for_texts_say_nothing_of_lists(field: str, is_clean: bool, tmp_path: Path) -> None:
    schema = f"new Ajv({{ strict: false }}).compile({{ type: 'object', properties: {{ field: {field} }} }})"
    reported = found(schema, "if (!schema(req.query)) return;", tmp_path)
    assert reported == (set() if is_clean else {"javascript/command-injection"})
