"""Every format for people and programs shows the checks of a path, and nothing where there are none."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.reports import realistic, sql_injection
from tests.report.test_html import data_of
from tests.report.test_text import text

from pyrograph.lsp.hover import hover_text
from pyrograph.model.check import Check
from pyrograph.model.finding import Report
from pyrograph.model.place import Place
from pyrograph.report import json as json_format
from pyrograph.report import markdown, sarif
from pyrograph.report.rereading import read_report

PLACE = Place("app/views.py", 8, 5, 8, 9)


def checked(count: int) -> Report:
    checks = tuple(Check(PLACE, f"ok{number}(name)", "true", "allows `//host`") for number in range(count))
    finding = sql_injection()
    first, *others = finding.traces
    return replace(realistic(), findings=(replace(finding, traces=(replace(first, checks=checks), *others)),))


def written(report: Report, format: object) -> str:
    stream = io.StringIO()
    format.render(report, stream)  # type: ignore[attr-defined]
    return stream.getvalue()


@pytest.mark.parametrize(
    ("count", "verbose", "shown"), [(0, True, 0), (3, False, 3), (4, False, 4), (9, False, 3), (9, True, 9)]
)
def test_the_text_report_folds_many_checks(count: int, verbose: bool, shown: int) -> None:
    page = text(checked(count), verbose=verbose)
    assert page.count("is true: allows `//host`") == shown
    assert ("6 further checks; --verbose lists them" in page) == (shown < count)
    assert (f" behind {count} check" in page) == bool(count)


def test_json_has_all_checks_and_is_read_again(tmp_path: Path) -> None:
    report = checked(9)
    page = tmp_path / "report.json"
    page.write_text(written(report, json_format), encoding="utf-8")
    row = json.loads(page.read_text(encoding="utf-8"))["findings"][0]["traces"][0]["checks"][0]
    assert (row["line"], row["text"], row["outcome"], row["remark"]) == (8, "ok0(name)", "true", "allows `//host`")
    assert read_report(page, 10**6).findings[0].trace.checks == report.findings[0].trace.checks


def test_sarif_has_checks_as_locations_among_the_properties() -> None:
    result = json.loads(written(checked(2), sarif))["runs"][0]["results"][0]
    first = result["properties"]["checks"][0]
    assert first["physicalLocation"]["region"]["startLine"] == 8
    assert first["message"]["text"] == "`ok0(name)` is true: allows `//host`"
    assert "checks" not in json.loads(written(checked(0), sarif))["runs"][0]["results"][0]["properties"]


def test_pages_and_editors_name_check_and_place() -> None:
    report = checked(7)
    data = data_of(report)
    numbers = data["findings"][0]["traces"][0][4]
    assert data["texts"][numbers[0]] == "`ok0(name)` is true: allows `//host` (app/views.py:8)"
    assert written(report, markdown).count("which is true") == 7
    hover = hover_text(report.findings[0], report)
    assert "`ok0(name)` is true: allows `//host`" in hover
    assert "… 2 more" in hover
    assert "Behind" not in hover_text(sql_injection(), report)
