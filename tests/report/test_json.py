"""The JSON report against its schema, with a validator of the few keywords that the schema uses."""

from __future__ import annotations

import io
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.reports import empty, hostile, many, realistic, with_arguments

from pyrograph import __version__
from pyrograph.model.finding import Report, Stage, Statistics
from pyrograph.model.problem import Problem
from pyrograph.report.json import SCHEMA_VERSION, render

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text("utf-8"))
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}
KEYWORDS = {
    *("$schema", "$id", "title", "description", "$defs", "$ref", "type", "properties", "required", "items", "enum"),
    *("additionalProperties", "minimum", "minItems", "pattern", "const"),
}


def document(report: Report) -> Any:
    stream = io.StringIO()
    render(report, stream)
    return json.loads(stream.getvalue())


def errors(value: Any, schema: dict[str, Any], where: str = "$") -> list[str]:
    """What of ``value`` breaks ``schema``; knows exactly ``KEYWORDS``."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    expected = TYPES[schema["type"]]
    if not isinstance(value, expected) or (isinstance(value, bool) and schema["type"] != "boolean"):
        return [f"{where}: {value!r} is no {schema['type']}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is none of {schema['enum']}")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: {value} is below {schema['minimum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            found.append(f"{where}: has fewer than {schema['minItems']} items")
        found += [e for number, item in enumerate(value) for e in errors(item, schema["items"], f"{where}[{number}]")]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{where}: lacks {key}" for key in schema.get("required", ()) if key not in value]
        for key, item in value.items():
            more = schema.get("additionalProperties", False)
            if key in known:
                found += errors(item, known[key], f"{where}.{key}")
            elif more is False:
                found.append(f"{where}: {key} is not in the schema")
            else:
                found += errors(item, more, f"{where}.{key}")
    return found


def keywords(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    used = set(schema)
    for key in ("properties", "$defs"):
        used |= {word for part in schema.get(key, {}).values() for word in keywords(part)}
    return used | keywords(schema.get("items")) | keywords(schema.get("additionalProperties"))


@pytest.mark.parametrize("report", [realistic(), empty(), hostile(), many(50), with_arguments()], ids=str)
def test_reports_keep_the_schema(report: Report) -> None:
    assert errors(document(report), SCHEMA) == []


def test_the_validator_knows_every_keyword_of_the_schema() -> None:
    assert keywords(SCHEMA) <= KEYWORDS


def test_the_schema_is_strict() -> None:
    broken = document(realistic())
    broken["findings"][0]["severity"] = "urgent"
    broken["findings"][1]["line"] = 0
    broken["more"] = 1
    del broken["tool"]
    assert len(errors(broken, SCHEMA)) == 4


def test_a_finding_says_where_and_what_at_its_own_level() -> None:
    finding = document(realistic())["findings"][0]
    assert (finding["path"], finding["line"], finding["column"]) == ("app/db.py", 9, 20)
    assert (finding["rule"], finding["cwes"], finding["severity"]) == ("python/sql-injection", [89, 943], "critical")
    assert [step["kind"] for step in finding["traces"][0]["steps"]] == ["source", "call", "flow", "flow", "sink"]
    assert finding["num_sources"] == 5


def test_further_arguments_have_their_places_and_paths_name_theirs() -> None:
    finding = document(with_arguments())["findings"][0]
    (argument,) = finding["arguments"]
    assert (argument["line"], argument["text"], argument["fingerprint"][:4]) == (8, "{name}", "77aa")
    assert [trace["argument"] for trace in finding["traces"]] == [0, 1]


def test_the_version_is_the_one_documented() -> None:
    written = document(empty())
    assert (written["schema_version"], written["tool"]["version"]) == (SCHEMA_VERSION, __version__)
    text = (Path(__file__).parents[2] / "docs" / "json-schema.md").read_text("utf-8")
    assert f"`{SCHEMA_VERSION}`" in text


def test_an_incomplete_scan_says_so() -> None:
    assert document(realistic())["complete"] is False
    assert document(empty())["complete"] is True
    precision = document(replace(empty(), problems=(Problem("limit", "", 0, "cut", precision=True),)))
    assert (precision["complete"], precision["nothing_left_out"]) == (False, True)
    assert document(realistic())["nothing_left_out"] is False


def test_times_and_order_leave_no_mark() -> None:
    report = realistic()
    other = replace(
        report,
        findings=report.findings[::-1],
        problems=report.problems[::-1],
        vulnerabilities=dict(reversed([*report.vulnerabilities.items()])),
        sources={},
        statistics=replace(
            report.statistics,
            stages=(Stage("lower", 99.0),),
            launches=(Stage("prune as a graph", 0.5),),
            files_by_language=dict(reversed([*report.statistics.files_by_language.items()])),
            skipped=dict(reversed([*report.statistics.skipped.items()])),
        ),
    )
    assert document(other) == document(report)
    first, second = io.StringIO(), io.StringIO()
    render(report, first)
    render(other, second)
    assert first.getvalue() == second.getvalue()


def test_all_statistics_but_times_are_in_it() -> None:
    assert set(document(empty())["statistics"]) == {f.name for f in fields(Statistics)} - {"stages", "launches"}


def test_the_bytes_are_ascii_and_end_with_a_line_feed() -> None:
    stream = io.StringIO()
    render(hostile(), stream)
    assert stream.getvalue().isascii()
    assert stream.getvalue().endswith("}\n")
    assert document(hostile())["findings"][0]["path"].startswith("\x1b[2J")
