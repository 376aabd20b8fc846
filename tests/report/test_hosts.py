"""Formats that the hosts of repositories read: GitHub annotations, GitLab's two reports, Markdown."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from tests.report.reports import SQL_INJECTION, empty, hostile, many, open_redirect, realistic, sql_injection

from pyrograph.model.finding import Report
from pyrograph.model.problem import Problem
from pyrograph.report import github, gitlab_codequality, gitlab_sast, markdown


def text(module: Any, report: Report, **given: Any) -> str:
    stream = io.StringIO()
    module.render(report, stream, **given)
    return stream.getvalue()


# -- GitHub


def test_a_finding_is_one_command_with_its_place_and_source() -> None:
    assert text(github, realistic(), prefix="backend").splitlines()[0] == (
        "::error file=backend/app/db.py,line=9,endLine=9,col=20,"
        "title=python/sql-injection (critical sql injection),endColumn=25::"
        "Untrusted data from flask.request.args becomes SQL text in sqlite3.Cursor#execute%0A"
        "From the request (flask.request.args) at backend/app/views.py:8 and 4 other sources"
    )


def test_severities_and_problems_choose_the_command() -> None:
    commands = [line.split(" ")[0] for line in text(github, realistic()).splitlines()]
    assert commands == ["::error", "::warning", "::warning", "::notice", "::warning"]


def test_annotations_keep_the_limits_worst_first_and_count_the_rest() -> None:
    lines = text(github, many(100)).splitlines()
    kinds = [line.split(" ")[0] for line in lines]
    assert [kinds.count(f"::{kind}") for kind in ("error", "warning", "notice")] == [10, 10, 10]
    assert all("(critical" in line for line in lines[:10])
    assert lines[-1] == "pyrograph: 70 further annotations omitted; GitHub shows 10 per level"


def test_names_cannot_leave_their_annotation() -> None:
    lines = text(github, hostile()).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    for line in lines:
        properties, _, message = line.removeprefix("::").partition("::")
        assert re.fullmatch(r"(error|warning) (\w+=[^,:]*,?)+", properties)
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", line)
        assert "%0A\\n" not in message
    assert "%25" in lines[0]


def test_an_empty_report_annotates_nothing() -> None:
    assert text(github, empty()) == ""


def test_the_summary_is_the_markdown_page() -> None:
    stream = io.StringIO()
    github.summary(realistic(), stream)
    assert stream.getvalue() == text(markdown, realistic())


# -- GitLab


@pytest.mark.parametrize("report", [realistic(), empty(), hostile()], ids=str)
def test_a_sast_report_has_what_the_schema_requires(report: Report) -> None:
    document = json.loads(text(gitlab_sast, report, prefix="svc", start_time="2026-01-02T03:04:05"))
    assert set(document) == {"version", "scan", "vulnerabilities"}
    scan = document["scan"]
    assert (scan["type"], scan["status"], scan["start_time"]) == ("sast", "success", "2026-01-02T03:04:05")
    for tool in (scan["analyzer"], scan["scanner"]):
        assert all((tool["id"], tool["name"], tool["version"], tool["vendor"]["name"]))
    assert all(m["level"] in ("info", "warn", "fatal") and m["value"] for m in scan["messages"])
    ids = [v["id"] for v in document["vulnerabilities"]]
    assert len(set(ids)) == len(ids) == len(report.findings)
    for v in document["vulnerabilities"]:
        assert v["identifiers"]
        assert all(i["type"] and i["name"] and i["value"] for i in v["identifiers"])
        assert v["severity"] in ("Critical", "High", "Medium", "Low")
        assert v["location"]["file"].startswith("svc/")
        assert 1 <= v["location"]["start_line"] <= v["location"]["end_line"]
        assert all(step["line_end"] >= step["line_start"] for step in v["details"]["path"]["items"])


def test_a_sast_report_says_what_is_found_and_where_in_the_fields_for_it() -> None:
    finding = sql_injection()
    written = json.loads(text(gitlab_sast, realistic(), prefix="svc"))["vulnerabilities"][0]
    assert written["name"] == "SQL injection"
    assert written["description"].startswith(finding.message)
    assert written["tracking"] == {
        "type": "source",
        "items": [
            {
                "file": "svc/app/db.py",
                "start_line": 9,
                "end_line": 9,
                "signatures": [{"algorithm": "hash", "value": finding.fingerprint}],
            }
        ],
    }
    details = {name: detail["value"] for name, detail in written["details"].items() if name != "path"}
    assert details == {
        "confidence": "high",
        "source": "the request (flask.request.args)",
        "sink": "sqlite3.Cursor#execute",
    }


def test_long_texts_are_cut_to_what_the_schema_allows() -> None:
    finding = replace(sql_injection(), message="m" * 500)
    vulnerability = replace(SQL_INJECTION, title="t" * 500, help="h" * 9_000)
    report = replace(realistic(), findings=(finding,), vulnerabilities={"sql-injection": vulnerability})
    written = json.loads(text(gitlab_sast, report))["vulnerabilities"][0]
    assert len(written["name"]) == 255
    assert len(written["solution"]) == 7_000
    assert written["description"].startswith("m" * 500)


def test_a_code_quality_report_is_a_list_with_unique_fingerprints() -> None:
    entries = json.loads(text(gitlab_codequality, many(100)))
    assert len({entry["fingerprint"] for entry in entries}) == 100
    assert json.loads(text(gitlab_codequality, empty())) == []
    assert json.loads(text(gitlab_codequality, realistic(), prefix="svc"))[0] == {
        "description": sql_injection().message,
        "check_name": "python/sql-injection",
        "fingerprint": sql_injection().fingerprint,
        "severity": "blocker",
        "location": {"path": "svc/app/db.py", "lines": {"begin": 9, "end": 9}},
    }


# -- Markdown


def test_a_page_shows_the_worst_finding_first_with_its_path() -> None:
    page = text(markdown, replace(realistic(), findings=(open_redirect(), sql_injection())))
    assert page.index("### Critical") < page.index("### Medium")
    assert '| 1 | `app/views.py:8:12` | read from the request | `name = request.args["name"]` |' in page
    assert "assumed: \\`get\\` may return part of it" in page
    assert "4 further sources, among them `app/views.py:14:21`." in page


def test_names_cannot_format_the_page() -> None:
    page = text(markdown, hostile())
    title = next(line for line in page.splitlines() if line.startswith("<details>"))
    assert title.count("<") == 3  # a block of HTML, where Markdown does not act
    outside = re.sub(r"^```\n.*?\n```$", "", page.replace(title, ""), flags=re.MULTILINE | re.DOTALL)
    outside = re.sub(r"\\[\\`*_{}\[\]()#+!|~$]|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", outside)
    assert not set(outside.replace("</details>", "").replace("**1 finding**", "")) & set("<>[]`*@")
    rows = [line for line in page.splitlines() if re.match(r"\| \d", line)]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)


@pytest.mark.parametrize("span", ["a", "`", "``a", "a`b``c", "", " a "])
def test_code_spans_hold_backticks(span: str) -> None:
    written = markdown.code(span)
    fence = re.match("`+", written)
    assert fence is not None
    assert written.endswith(fence[0])
    assert fence[0] not in written[len(fence[0]) : -len(fence[0])]


def test_a_page_stays_under_its_size_and_counts_what_is_missing() -> None:
    page = text(markdown, many(500), max_bytes=20_000)
    assert len(page.encode()) <= 20_000
    shown = page.count("### ")
    assert f"{500 - shown} further findings not shown" in page


def test_a_page_tells_of_missing_sources_and_of_what_is_incomplete() -> None:
    assert "--threat-model" in text(markdown, empty())
    problems = (Problem("limit", "a.py", 0, "cut"),)
    assert "Because of 1 problem, something was not analysed." in text(markdown, replace(empty(), problems=problems))
    problems = (Problem("limit", "", 0, "cut", precision=True),)
    assert "All code that was read was analysed; 1 limit of precision" in text(
        markdown, replace(empty(), problems=problems)
    )
