from __future__ import annotations

import io
import json
import sys
from inspect import signature
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.reports import empty, hostile, many, realistic

from pyrograph.report import FORMATS, render
from pyrograph.report.common import SourceLines, in_order, worst_first
from pyrograph.report.safe_text import joined, uri, visible, without_surrogates

REPORTS = {"realistic": realistic(), "empty": empty(), "hostile": hostile(), "many": many(300)}


def rendered(name: str, report_name: str = "realistic", **given: object) -> str:
    stream = io.StringIO()
    render(name, REPORTS[report_name], stream, **given)
    return stream.getvalue()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("report_name", REPORTS)
def test_every_format_renders_every_report_to_text_that_utf8_can_hold(name: str, report_name: str) -> None:
    rendered(name, report_name, environ={}).encode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("report_name", REPORTS)
def test_no_format_lets_control_characters_through(name: str, report_name: str) -> None:
    text = rendered(name, report_name, environ={}, color="never")
    assert {c for c in text if not c.isprintable()} <= ({"\r", "\n"} if name == "csv" else {"\n"})


@pytest.mark.parametrize("name", FORMATS)
def test_equal_reports_give_equal_text(name: str) -> None:
    assert rendered(name, environ={}) == rendered(name, environ={})


@pytest.mark.parametrize("name", FORMATS)
def test_the_table_names_the_settings_of_each_format(name: str) -> None:
    module = __import__(f"pyrograph.report.{FORMATS[name].module}", fromlist=["render"])
    parameters = signature(module.render).parameters
    assert {name for name in parameters if parameters[name].kind is parameters[name].KEYWORD_ONLY} == FORMATS[
        name
    ].settings


def test_settings_of_other_formats_are_left_aside_and_none_means_default() -> None:
    assert rendered("json", color="always", category=None, stats=True) == rendered("json")


def test_an_unknown_format_or_setting_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown report format 'xml'; choose one of text, json"):
        rendered("xml")
    with pytest.raises(TypeError, match="no report format has the setting 'colour'"):
        rendered("json", colour="always")


def test_formats_for_programs_do_not_load_rich() -> None:
    code = (
        "import io, sys; from pyrograph.model.finding import Report, Statistics\n"
        "from pyrograph.report import FORMATS, render\n"
        "for name in FORMATS:\n if name != 'text': render(name, Report((), (), {}, Statistics()), io.StringIO())\n"
        "assert 'rich' not in sys.modules"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0


@settings(deadline=None)
@given(st.text())
def test_visible_text_is_harmless_and_printable_text_unchanged(text: str) -> None:
    shown = visible(text)
    assert not any(c < " " or "\x7f" <= c <= "\x9f" or c in "\u2028\u2029\u202a\u202e\u2066\u2069" for c in shown)
    assert visible(shown) == shown
    if text.isprintable():
        assert shown == text


@settings(deadline=None)
@given(st.text(st.characters()))
def test_text_without_surrogates_is_utf8_and_json_reads_it_back(text: str) -> None:
    clean = without_surrogates(text)
    clean.encode("utf-8")
    assert json.loads(json.dumps(clean)) == clean


def test_bytes_of_file_names_show_as_bytes() -> None:
    assert visible("caf\udce9") == without_surrogates("caf\udce9") == "caf\\xe9"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("a b/c#d?.py", "a%20b/c%23d%3F.py"),
        ("a:b.py", "a%3Ab.py"),
        ("å/%41.py", "%C3%A5/%2541.py"),
        ("caf\udce9.py", "caf%E9.py"),
        ("\ud800.py", "%ED%A0%80.py"),
    ],
)
def test_paths_become_relative_uris(path: str, expected: str) -> None:
    assert uri(path) == expected


@pytest.mark.parametrize(
    ("prefix", "expected"), [("", "a.py"), (".", "a.py"), ("backend", "backend/a.py"), ("x/y/", "x/y/a.py")]
)
def test_a_prefix_goes_before_a_path(prefix: str, expected: str) -> None:
    assert joined(prefix, "a.py") == expected


def test_lines_lose_their_ends_and_the_mark_at_the_start() -> None:
    lines = SourceLines({"a.py": b"\xef\xbb\xbfone\r\ntwo\n\xff\n"})
    assert [lines.line("a.py", n) for n in range(6)] == [None, "one", "two", "\ufffd", "", None]
    assert lines.line("b.py", 1) is None


def test_order_is_by_place_and_the_worst_are_told_apart() -> None:
    findings = many(8).findings
    assert in_order(reversed(findings)) == list(findings)
    assert [f.severity for f in worst_first(findings)][:3] == ["critical", "critical", "high"]
