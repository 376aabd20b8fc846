"""A value that a check was given as a part is clean where the check passed, however it is used there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SUFFIX = {"python": "py", "javascript": "js", "go": "go"}
PYTHON = """
import os
import uuid
from enum import Enum
from typing import Annotated, Literal
import cerberus, jsonschema, pydantic, voluptuous
from django import forms
from flask import request
from marshmallow import Schema, fields, validate
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, constr, field_validator
from rest_framework import serializers

class Kind(str, Enum):
    A = "a"
class M(BaseModel):
    name: str = Field(pattern="^[a-z]+$")
    other: str
    size: int
    kind: Kind
    uid: uuid.UUID
    word: constr(pattern="^[a-z]+$")
    alias: str = Field(pattern="^[a-z]+$", alias="title")
class Before(BaseModel):
    name: str = Field(pattern="^[a-z]+$")
    @field_validator("name", mode="before")
    @classmethod
    def shortened(cls, value):
        return value.split()[0]
class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)
    name: str = Field(pattern="^[a-z]+$")
class S(Schema):
    name = fields.Str(validate=validate.Regexp("^[a-z]+$"))
    other = fields.Str()
class F(forms.Form):
    size = forms.IntegerField()
    other = forms.CharField()
class D(serializers.Serializer):
    size = serializers.IntegerField()
JSON = {{"type": "object", "properties": {{"name": {{"type": "string", "pattern": "^[a-z]+$"}}}}}}
CALLED = voluptuous.Schema({{voluptuous.Required("name"): voluptuous.Match("^[a-z]+$"), "other": str}})
RULES = cerberus.Validator({{"name": {{"type": "string", "allowed": ["a", "b"]}}, "other": {{"type": "string"}}}})

def helper(name):
    M(name=name)

def show():
    name = request.args["name"]
    {check}
    os.system("ls " + name)
"""
JAVASCRIPT = """
const {{ exec }} = require("child_process");
const {{ z }} = require("zod");
const Joi = require("joi");
const yup = require("yup");
const v = require("valibot");
const s = require("superstruct");
const Z = z.object({{ name: z.string().regex(/^[a-z]+$/), other: z.string(), id: z.uuid() }});
const J = Joi.object({{ name: Joi.string().pattern(/^[a-z]+$/), other: Joi.string() }});
const Y = yup.object({{ name: yup.string().matches(/^[a-z]+$/), other: yup.string() }});
const V = v.object({{ name: v.pipe(v.string(), v.regex(/^[a-z]+$/)), other: v.string() }});
const T = s.object({{ name: s.pattern(s.string(), /^[a-z]+$/), kind: s.enums(["a"]), other: s.string() }});
function helper(name) {{ Z.parse({{ name }}); }}
require("express")().get("/", async (req, res) => {{
  const name = req.query.name;
  {check}
  exec("ls " + name);
}});
"""
GO = """
package main

import (
	"net/http"
	"os/exec"
	"regexp"

	validation "github.com/go-ozzo/ozzo-validation/v4"
	"github.com/go-ozzo/ozzo-validation/v4/is"
	"github.com/go-playground/validator/v10"
)

type In struct {{
	Name  string `validate:"required,alphanum"`
	Other string `validate:"required"`
}}

var validate = validator.New()
var word = regexp.MustCompile("^[a-z]+$")

func handle(w http.ResponseWriter, r *http.Request) {{
	name := r.FormValue("name")
	{check}
	exec.Command("sh", "-c", "ls "+name).Run()
}}
"""
PROGRAMS = {"python": PYTHON, "javascript": JAVASCRIPT, "go": GO}


def is_found(language: str, check: str, folder: Path) -> bool:
    (folder / f"app.{SUFFIX[language]}").write_text(PROGRAMS[language].format(check=check), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    findings = scanner.scan(options, load_rules([language], ())).findings
    return f"{language}/command-injection" in {each.rule_id for each in findings}


def test_without_a_check_it_is_found(tmp_path: Path) -> None:
    assert is_found("python", "pass", tmp_path)
    assert is_found("javascript", "", tmp_path)
    assert is_found("go", "", tmp_path)


@pytest.mark.parametrize(
    "check",
    [
        "M(name=name)",
        "M(size=name)",
        "M(kind=name)",
        "M(uid=name)",
        "M(word=name)",
        'M(**{"name": name})',
        'M.model_validate({"name": name})',
        'TypeAdapter(Annotated[str, Field(pattern="^[a-z]+$")]).validate_python(name)',
        'TypeAdapter(M).validate_python({"name": name})',
        'TypeAdapter(Literal["a", "b"]).validate_python(name)',
        "TypeAdapter(int).validate_python(name)",
        'S().load({"name": name})',
        'form = F({"size": name})\n    if not form.is_valid():\n        return',
        'if not F(data={"size": name}).is_valid():\n        return',
        'D(data={"size": name}).is_valid(raise_exception=True)',
        'jsonschema.validate({"name": name}, JSON)',
        'jsonschema.validate(name, {"type": "string", "pattern": "^[a-z]+$"})',
        'jsonschema.Draft7Validator(JSON).validate({"name": name})',
        'if not jsonschema.Draft7Validator(JSON).is_valid({"name": name}):\n        return',
        'CALLED({"name": name})',
        'if not RULES.validate({"name": name}):\n        return',
        "try:\n        M(name=name)\n    except pydantic.ValidationError:\n        return",
        'command = "ls " + name\n    M(name=name)\n    os.system(command)',
        'M(name=request.args["name"])\n    name = request.args["name"]',
        "helper(name)",
    ],
)
def test_python(check: str, tmp_path: Path) -> None:
    assert not is_found("python", check, tmp_path)


@pytest.mark.parametrize(
    "check",
    [
        "M(other=name)",
        "M(unheard_of=name)",
        "M(alias=name)",
        "M(name=name[:3])",
        "M.model_construct(name=name)",
        'M(**{"name": name, **request.json})',
        "Before(name=name)",
        "Stripped(name=name)",
        'os.system("ls " + name)\n    M(name=name)',
        "try:\n        M(name=name)\n    except pydantic.ValidationError:\n        print(name)",
        'if request.args.get("strict"):\n        M(name=name)',
        'M(name=name)\n    name = request.args["another"]',
        'S().load({"other": name})',
        'S(exclude=["name"]).load({"name": name})',
        'F({"size": name}).is_valid()',
        'if F({"size": name}).is_valid():\n        return',
        'if not F({"other": name}).is_valid():\n        return',
        'D(data={"size": name}).is_valid()',
        'jsonschema.Draft7Validator(JSON).is_valid({"name": name})',
        'jsonschema.validate(name, {"type": "string", "format": "uuid"})',
        'CALLED({"other": name})',
        'voluptuous.Schema({"name": voluptuous.All(voluptuous.Strip, voluptuous.Match("^[a-z]+$"))})({"name": name})',
        'RULES.validate({"name": name})',
        "TypeAdapter(str).validate_python(name)",
    ],
)
def test_python_that_proves_nothing(check: str, tmp_path: Path) -> None:
    assert is_found("python", check, tmp_path)


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("Z.parse({ name });", True),
        ("Z.parse({ id: name });", True),
        ("Z.parse({ other: name });", False),
        ("Z.parse({ name, ...req.body });", False),
        ("Z.safeParse({ name });", False),
        ("await Z.parseAsync({ name });", True),
        ("Z.parseAsync({ name });", False),
        ("try { Z.parse({ name }); } catch (e) { return res.sendStatus(400); }", True),
        ("try { Z.parse({ name }); } catch (e) { console.log(e); }", False),
        ("if (req.query.strict) Z.parse({ name });", False),
        ("helper(name);", True),
        ("Z.parse({ name: req.query.name }); exec(req.query.name); return;", True),
        ("exec(name); Z.parse({ name });", False),
        ("Joi.assert({ name }, J);", True),
        ("Joi.attempt({ name }, J);", True),
        ("Joi.attempt({ other: name }, J);", False),
        ("await J.validateAsync({ name });", True),
        ("Y.validateSync({ name });", True),
        ("Y.validateSync({ other: name });", False),
        ("v.parse(V, { name });", True),
        ("v.parse(V, { other: name });", False),
        ("v.parse(v.object({ name: v.pipe(v.string(), v.trim(), v.regex(/^[a-z]+$/)) }), { name });", False),
        ("s.assert({ name }, T);", True),
        ("s.assert({ other: name }, T);", False),
        ("if (!s.is({ kind: name }, T)) return;", True),
        ("const [error] = s.validate({ kind: name }, T); if (error) return;", True),
        ("T.assert({ kind: name });", True),
    ],
)
def test_javascript(check: str, is_clean: bool, tmp_path: Path) -> None:
    assert is_found("javascript", check, tmp_path) != is_clean


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("if err := validate.Struct(In{Name: name}); err != nil { return }", True),
        ("if err := validate.Struct(&In{Name: name}); err != nil { return }", True),
        ("in := In{Name: name}\n	if err := validate.Struct(in); err != nil { return }", True),
        ("if err := validate.Struct(In{Other: name}); err != nil { return }", False),
        ("if err := validate.Struct(In{Name: name}); err == nil { return }", False),
        ("if err := validate.Struct(In{Name: name}); err != nil { println(err) }", False),
        ("validate.Struct(In{Name: name})", False),
        ('if err := validate.StructExcept(In{Name: name}, "Name"); err != nil { return }', False),
        ('if err := validate.VarCtx(r.Context(), name, "alphanum"); err != nil { return }', True),
        ("if err := validation.Validate(name, validation.Match(word)); err != nil { return }", True),
        ("if err := validation.Validate(name, validation.Required, is.Alphanumeric); err != nil { return }", True),
        ("if err := validation.Validate(name, validation.Length(1, 9)); err != nil { return }", False),
    ],
)
def test_go(check: str, is_clean: bool, tmp_path: Path) -> None:
    assert is_found("go", check, tmp_path) != is_clean
