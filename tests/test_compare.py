"""The difference of two reports."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sarif_pydantic import Sarif
from tests.report.reports import DB, open_redirect, realistic, sql_injection
from tests.report.test_json import SCHEMA, errors

from pyrograph.model.finding import Argument, Difference, Finding, Report, Statistics, Suppressed
from pyrograph.model.place import Place
from pyrograph.report import render
from pyrograph.scanner.triage.compare import compare


def found(path: str, fingerprint: str, likeness: str = "", *, function: str = "f", line: int = 1) -> Finding:
    place = Place(path, line, 1, line, 2)
    return replace(sql_injection(), place=place, function=function, fingerprint=fingerprint, likeness=likeness)


def report(*findings: Finding, suppressed: tuple[Finding, ...] = ()) -> Report:
    hidden = tuple(Suppressed(each, "comment", "") for each in suppressed)
    return Report(findings, (), {}, Statistics(), hidden)


def difference(before: Report, after: Report) -> tuple[list[str], Difference]:
    result = compare(before, after, base="main", commit="c")
    assert result.difference is not None
    return [each.fingerprint for each in result.findings], result.difference


def test_equal_fingerprints_are_one_finding_wherever_it_stands() -> None:
    new, rest = difference(report(found("a", "1"), found("a", "2")), report(found("a", "1", line=9), found("a", "3")))
    assert (new, rest.moved) == (["3"], ())
    assert [each.place.line for each in rest.unchanged] == [9]
    assert [each.fingerprint for each in rest.fixed] == ["2"]


def test_like_code_is_moved_once_and_nearest_first() -> None:
    before = report(found("a", "1", "x"), found("b", "2", "x"), found("c", "3", "x", function="g"))
    after = report(
        found("a", "4", "x", function="h"),  # renamed
        found("b", "5", "x"),  # formatted
        found("d", "6", "x", function="g"),  # in another file
        found("e", "7", "x"),  # one more
    )
    new, rest = difference(before, after)
    assert new == ["7"]
    assert [(each.finding.fingerprint, each.before.path) for each in rest.moved] == [("4", "a"), ("5", "b"), ("6", "c")]
    assert rest.fixed == ()


def test_a_copy_of_code_that_stays_is_new() -> None:
    assert difference(report(found("a", "1", "x")), report(found("a", "1", "x"), found("b", "2", "x")))[0] == ["2"]


def test_code_without_a_likeness_is_like_no_other() -> None:
    assert difference(report(found("a", "1")), report(found("b", "2")))[0] == ["2"]


def test_a_further_argument_makes_a_finding_new_and_the_loss_of_one_does_not_fix_it() -> None:
    one = found("a", "1")
    both = replace(one, arguments=(Argument(one.place, "x", "2"),))
    assert difference(report(one), report(both))[0] == ["1"]
    new, rest = difference(report(both), report(one))
    assert (new, rest.fixed, len(rest.unchanged)) == ([], (), 1)


def test_what_is_suppressed_is_neither_new_nor_fixed() -> None:
    first, second = found("a", "1"), found("a", "2")
    new, rest = difference(report(first), report(suppressed=(first, second)))
    assert (new, rest.counts, rest.new_suppressed) == ([], (0, 0, 0), (second,))
    assert difference(report(suppressed=(first,)), report(first))[0] == ["1"]


names = st.text("abc", max_size=1)
many = st.lists(st.builds(found, names, st.text("123456", min_size=1, max_size=2), names), max_size=6)


@given(many, many)
def test_new_and_moved_findings_are_those_that_a_baseline_would_not_know(
    old: list[Finding], now: list[Finding]
) -> None:
    before = report(*{each.fingerprint: each for each in old}.values())
    after = report(*{each.fingerprint: each for each in now}.values())
    new, rest = difference(before, after)
    known = {each.fingerprint for each in before.findings}
    wanted = {each.fingerprint for each in after.findings} - known
    assert {*new, *(each.finding.fingerprint for each in rest.moved)} == wanted
    assert len(before.findings) == len(rest.unchanged) + len(rest.moved) + len(rest.fixed)


# Formats


@pytest.fixture
def compared() -> Report:
    """A new finding, one of each other kind, and a suppressed one."""
    whole = realistic()
    gone = replace(open_redirect(), fingerprint="0" * 32)
    moved = replace(sql_injection(), fingerprint="1" * 32)
    before = replace(whole, findings=(replace(moved, fingerprint="2" * 32, likeness="ab"), gone), suppressed=())
    after = replace(whole, findings=(replace(moved, likeness="ab"), sql_injection()))
    return compare(before, after, base="main", commit="a" * 40)


def written(form: str, report: Report, **settings: Any) -> str:
    stream = io.StringIO()
    render(form, report, stream, **settings)
    return stream.getvalue()


def test_json_has_the_other_findings_in_its_schema(compared: Report) -> None:
    document = json.loads(written("json", compared))
    assert errors(document, SCHEMA) == []
    assert [len(document["difference"][each]) for each in ("unchanged", "moved", "fixed")] == [0, 1, 1]


def test_each_result_of_sarif_has_a_state(compared: Report) -> None:
    text = written("sarif", compared, include_suppressed=True)
    Sarif.model_validate(json.loads(text))
    results = json.loads(text)["runs"][0]["results"]
    states = {each["partialFingerprints"]["pyrograph/v1"][:2]: each["baselineState"] for each in results}
    assert states == {"5f": "new", "11": "updated", "00": "absent", "ff": "new"}
    assert "baselineState" not in written("sarif", realistic())


def test_code_of_fixed_findings_is_that_of_the_earlier_state(compared: Report) -> None:
    assert compared.difference is not None
    other = {path: text.replace(b"redirect", b"REDIRECT") for path, text in compared.difference.sources.items()}
    text = written("sarif", replace(compared, difference=replace(compared.difference, sources=other)))
    (absent,) = [each for each in json.loads(text)["runs"][0]["results"] if each["baselineState"] == "absent"]
    assert "REDIRECT" in absent["locations"][0]["physicalLocation"]["contextRegion"]["snippet"]["text"]


def test_a_comment_folds_what_is_not_new_and_fits(compared: Report) -> None:
    page = written("markdown", compared)
    assert "**1 new finding**: 1 critical\nsince `main`; 1 fixed, 1 moved, 0 unchanged." in page
    assert page.count("<details>") == page.count("</details>") == 3
    assert "<summary>1 fixed finding</summary>" in page
    large = replace(compared, findings=tuple(found("a", f"{number}") for number in range(500)), sources={"a": DB})
    assert len(written("markdown", large).encode()) <= 65_536
    assert "**No new findings**" in written("markdown", replace(compared, findings=()))


def test_the_terminal_lists_fixed_and_moved_findings(compared: Report) -> None:
    page = written("text", compared)
    assert "1 new finding in 1 file" in page
    assert "fixed: app/views.py:14:21 python/open-redirect" in page
    assert "moved: app/db.py:9:20 to app/db.py:9:20 python/sql-injection" in page
