"""Formats of lines, rows and tests: concise, CSV, JUnit."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.report.reports import empty, hostile, many, open_redirect, realistic, sql_injection

from pyrograph.model.finding import Finding, Report
from pyrograph.report import concise, junit
from pyrograph.report import csv as table

REPORTS = [realistic(), empty(), hostile(), many(50)]


def text(module: Any, report: Report) -> str:
    stream = io.StringIO()
    module.render(report, stream)
    return stream.getvalue()


def rows(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text(table, report), newline="")))


# -- concise


def test_a_finding_is_a_line_that_editors_understand() -> None:
    assert text(concise, realistic()).splitlines() == [
        "app/db.py:9:20: critical python/sql-injection "
        "Untrusted data from flask.request.args becomes SQL text in sqlite3.Cursor#execute",
        "app/views.py:14:21: medium python/open-redirect "
        "Untrusted data from flask.request.form chooses where flask.redirect redirects to (medium confidence)",
    ]
    assert text(concise, empty()) == ""


@pytest.mark.parametrize("report", REPORTS, ids=str)
def test_there_are_as_many_lines_as_findings(report: Report) -> None:
    assert text(concise, report).count("\n") == len(report.findings)


# -- CSV


def test_a_row_has_the_place_the_rating_and_the_nearest_source() -> None:
    first, second = rows(realistic())
    assert {key: first[key] for key in ("severity", "rule", "cwe", "path", "line", "source_path", "source_line")} == {
        "severity": "critical",
        "rule": "python/sql-injection",
        "cwe": "CWE-89",
        "path": "app/db.py",
        "line": "9",
        "source_path": "app/views.py",
        "source_line": "8",
    }
    assert (second["confidence"], second["sources"], second["fingerprint"]) == (
        "medium",
        "1",
        open_redirect().fingerprint,
    )


def test_lines_end_as_the_rfc_asks_and_commas_and_quotes_stay_in_their_cell() -> None:
    finding = replace(sql_injection(), message='a "b", c')
    written = text(table, replace(realistic(), findings=(finding,)))
    assert written.count("\r\n") == written.count("\n") == 2
    assert '"a ""b"", c"' in written
    assert rows(replace(realistic(), findings=(finding,)))[0]["message"] == 'a "b", c'


@pytest.mark.parametrize("start", ["=", "+", "-", "@", " =", "\uff1d", "\uff20"])
def test_no_cell_is_a_formula(start: str) -> None:
    evil = f'{start}HYPERLINK("http://x")'
    place = replace(sql_injection().place, path=evil)
    finding = replace(sql_injection(), message=evil, function=evil, sink=evil, place=place)
    (row,) = rows(replace(realistic(), findings=(finding,)))
    assert [row[name] for name in ("message", "function", "sink", "path")] == ["'" + evil] * 4
    assert row["line"] == "9"


# -- JUnit


def cases(report: Report) -> list[ElementTree.Element]:
    return ElementTree.fromstring(text(junit, report)).findall("testsuite/testcase")


@pytest.mark.parametrize("report", REPORTS, ids=str)
def test_the_document_has_the_elements_attributes_and_counts_of_the_common_schema(report: Report) -> None:
    root = ElementTree.fromstring(text(junit, report))
    allowed = {
        "testsuites": {"name", "tests", "failures", "errors"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped"},
        "testcase": {"name", "classname"},
        "failure": {"message", "type"},
        "skipped": {"message"},
    }
    inside = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "skipped"}}
    for element in root.iter():
        assert set(element.attrib) == allowed[element.tag]
        assert {child.tag for child in element} <= inside.get(element.tag, set())
        if element.tag in ("testsuites", "testsuite"):
            assert int(element.attrib["tests"]) == len(list(element.iter("testcase"))) > 0
            assert int(element.attrib["failures"]) == len(list(element.iter("failure")))
        if element.tag == "testsuite":
            assert int(element.attrib["skipped"]) == len(list(element.iter("skipped")))
    assert len(list(root.iter("failure"))) == len(report.findings)


def test_a_finding_is_a_failed_test_of_its_file_with_its_path() -> None:
    case = cases(realistic())[0]
    assert case.attrib == {"name": "python/sql-injection at app/db.py:9:20", "classname": "app/db.py"}
    (failure,) = case
    assert failure.attrib == {"message": sql_injection().message, "type": "python/sql-injection"}
    shown = (failure.text or "").splitlines()
    assert shown[0] == "critical severity, high confidence, from the request (flask.request.args)"
    assert shown[1] == "app/views.py:8:12: read from the request"
    assert shown[-1] == f"fingerprint {sql_injection().fingerprint}"


def test_a_clean_scan_is_a_passed_test_and_what_was_not_analysed_a_skipped_one() -> None:
    assert [case.attrib["name"] for case in cases(empty())] == ["no findings"]
    skipped = [case.attrib["name"] for case in cases(realistic()) if case.find("skipped") is not None]
    assert skipped == ["limit in app/generated.py", "syntax-error in app/broken.py:12"]


def test_characters_that_xml_cannot_hold_are_written_as_escapes() -> None:
    def evil(finding: Finding) -> Finding:
        return replace(finding, message="a\x00\x1b\ufffe\uffff\ud800]]>&<\"'")

    report = replace(realistic(), findings=(evil(sql_injection()),))
    failure = cases(report)[0].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "a\\x00\\x1b\\ufffe\\uffff\\ud800]]>&<\"'"
    assert not re.search("[\x00-\x09\x0b-\x1f\ufffe\uffff]", text(junit, report))
