"""What a handler of the program checks holds for the handlers behind it, with the schema of their own route."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import express from "express";
import Joi from "joi";
import * as yup from "yup";
import {{ z }} from "zod";
import {{ exec }} from "child_process";
const app = express();
{middleware}
app.post("/a", {call}, (req, res) => exec("run " + {read}));
app.post("/b", valid(z.object({{ other: z.string() }})), (req, res) => res.end());
"""
NUMBER = "z.object({ field: z.number() })"
TEXT = "z.object({ field: z.string() })"
SYNC, ASYNC = "const valid = (schema) => (req, res, next) =>", "const valid = (schema) => async (req, res, next) =>"
STORED = SYNC + " { req.body = schema.parse(req.body); next(); };"
NAMED = SYNC.replace("schema)", 'schema, at = "body")') + " { req[at] = schema.parse(req[at]); next(); };"
PART = SYNC + " { const all = schema.parse({ body: req.body }); req.body = all.body; next(); };"
ASKED = ASYNC + " { await schema.parseAsync({ body: req.body }); next(); };"
NOT_AWAITED = SYNC + " { schema.parseAsync({ body: req.body }); next(); };"
SIDE = SYNC + " { if (schema.safeParse(req.body).success) return next(); res.end(); };"
OTHER_SIDE = SYNC + " { if (schema.safeParse(req.body).success) res.end(); else next(); };"
ERROR = SYNC + " { const { error } = schema.validate(req.body); if (error) return next(error); next(); };"
IGNORED = SYNC + " { const { error } = schema.validate(req.body); if (error) console.log(error); next(); };"


@pytest.mark.parametrize(
    ("middleware", "call", "read", "is_clean"),
    [
        (STORED, f"valid({NUMBER})", "req.body.field", True),
        (STORED, f"valid({TEXT})", "req.body.field", False),
        (STORED, f"valid({NUMBER})", "req.query.field", False),
        (STORED, f"valid({NUMBER})", "req.body.other", False),
        (NAMED, f"valid({NUMBER})", "req.body.field", True),
        (NAMED, f'valid({NUMBER}, "query")', "req.query.field", True),
        (NAMED, f'valid({NUMBER}, "query")', "req.body.field", False),
        (PART, f"valid(z.object({{ body: {NUMBER} }}))", "req.body.field", True),
        (PART, f"valid(z.object({{ body: {TEXT} }}))", "req.body.field", False),
        (ASKED, f"valid(z.object({{ body: {NUMBER} }}))", "req.body.field", True),
        (ASKED, f"valid(z.object({{ query: {NUMBER} }}))", "req.body.field", False),
        (NOT_AWAITED, f"valid(z.object({{ body: {NUMBER} }}))", "req.body.field", False),
        (SIDE, f"valid({NUMBER})", "req.body.field", True),
        (OTHER_SIDE, f"valid({NUMBER})", "req.body.field", False),
        (ERROR, "valid(Joi.object({ field: Joi.string().alphanum() }))", "req.body.field", True),
        (ERROR, "valid(Joi.object({ field: Joi.string() }))", "req.body.field", False),
        (IGNORED, "valid(Joi.object({ field: Joi.string().alphanum() }))", "req.body.field", False),
    ],
)
def test_the_schema_of_the_route_decides(middleware: str, call: str, read: str, is_clean: bool, tmp_path: Path) -> None:
    code = CODE.format(middleware=middleware, call=call, read=read)
    (tmp_path / "app.ts").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})


def test_a_handler_of_two_routes_is_left_alone(tmp_path: Path) -> None:
    code = CODE.format(middleware=STORED, call=f"valid({NUMBER})", read="req.body.field")
    code = code.replace('(req, res) => exec("run " + req.body.field)', "run")
    code += 'function run(req, res) { exec("run " + req.body.field); }\napp.post("/c", run);\n'
    (tmp_path / "app.ts").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == {"javascript/command-injection"}
