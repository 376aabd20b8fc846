"""Fields and parameters with decorators hold what these ask for, where something checks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import {{ Body, Controller, Post }} from "@nestjs/common";
import {{ PartialType, PickType }} from "@nestjs/mapped-types";
import {{ IsInt, IsOptional, IsString }} from "class-validator";
{enforced}
import {{ exec }} from "child_process";

{classes}

@Controller("jobs")
export class Jobs {{
  @Post()
  run(@Body() job: Job) {{
    exec("run " + job.count);
  }}
}}
"""
PIPE = 'import { ValidationPipe } from "@nestjs/common"; app.useGlobalPipes(new ValidationPipe());'


@pytest.mark.parametrize(
    ("classes", "enforced", "is_clean"),
    [
        ("class Job { @IsInt() count: string; }", PIPE, True),
        ("class Job { @IsInt() count: string; }", "", False),
        ("class Job { @IsOptional() @IsInt() count: string; }", PIPE, True),
        ("class Job { @IsString() count: string; }", PIPE, False),
        ("class Job { @IsInt() other: string; count: string; }", PIPE, False),
        ("class Base { @IsInt() count: string; } class Job extends Base { name: string; }", PIPE, True),
        (
            "class Base { @IsInt() count: string; } class Job extends PartialType(PickType(Base)) {}",
            PIPE,
            True,
        ),
        ("class Base { count: string; } class Job extends PartialType(Base) {}", PIPE, False),
    ],
)
def test_a_decorated_field_is_clean_where_something_checks_it(
    classes: str, enforced: str, *, is_clean: bool, tmp_path: Path
) -> None:
    (tmp_path / "jobs.controller.ts").write_text(CODE.format(classes=classes, enforced=enforced), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})


RESOLVER = """
import {{ Body, Headers, Param, Post }} from "@nestjs/common";
import {{ Args, Field, Int }} from "@nestjs/graphql";
import {{ IsString }} from "class-validator";
import mongoose from "mongoose";

const Jobs = mongoose.model("Job", new mongoose.Schema({{ name: String }}));
{classes}

export class JobResolver {{
  @Post()
  run({parameter}) {{
    return Jobs.findOne({{ name: {value} }});
  }}
}}
"""


@pytest.mark.parametrize(
    ("classes", "parameter", "value", "is_clean"),
    [
        ("class Input { @Field() name: string; }", '@Args("input") job: Input', "job.name", True),
        (
            "class Input { @Field({ nullable: true }) name?: string | null; }",
            '@Args("input") job: Input',
            "job.name",
            True,
        ),
        ("class Input { @Field(() => GraphQLJSON) name: any; }", '@Args("input") job: Input', "job.name", False),
        ("class Input { @Field(() => GraphQLJSON) name: Named; }", '@Args("input") job: Input', "job.name", False),
        ("class Input { name: string; }", '@Args("input") job: Input', "job.name", False),
        ("", '@Args("name") name: string', "name", True),
        ("", '@Args("name") name: any', "name", False),
        ("", '@Param("name") name: any', "name", True),
        ("", '@Headers("x-name") name', "name", True),
        ("", '@Body("name") name: string', "name", False),
        # what checks the decorators of one library checks not those of another
        ("class Input { @IsString() name: string; }", '@Args("input") job: Input', "job.name", False),
    ],
)
def test_what_graphql_and_routes_check_is_no_object(
    classes: str, parameter: str, value: str, *, is_clean: bool, tmp_path: Path
) -> None:
    code = RESOLVER.format(classes=classes, parameter=parameter, value=value)
    (tmp_path / "jobs.resolver.ts").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/nosql-injection"})
