from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.report.reports import DB, VIEWS, empty, hostile, many, realistic, sql_injection, with_arguments

from pyrograph.model.check import Check
from pyrograph.model.entry import Parameter
from pyrograph.model.finding import Finding, Report, Stage, Statistics, Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Confidence, Severity
from pyrograph.report.text import render
from pyrograph.report.text.terminal import Color

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def text(report: Report, stream: io.StringIO | None = None, **given: Any) -> str:
    stream = stream or io.StringIO()
    render(report, stream, **{"environ": {}, **given})
    return stream.getvalue()


def one(place: Place, code: bytes, **given: Any) -> list[str]:
    """The rows that show the sink, for a finding at ``place`` in a file with this ``code``."""
    trace = Trace("http", "x", (Step(place, "source", "read"),))
    finding = replace(sql_injection(), place=place, function="", traces=(trace,), num_sources=1)
    rows = text(Report((finding,), (), {}, Statistics(), sources={place.path: code}), **given).split("\n")
    start = rows.index(f" {place.path}:{place.line}:{place.column}") + 1
    return rows[start : start + 2]


SINK_AND_PATH = """\
 app/db.py:9:20 in app.db.find_user
 9 │ cursor.execute(query)
   │                ^^^^^

 from the request (flask.request.args), 5 steps in 2 files
   app/views.py:8:12 │ name = request.args["name"]
                     │        ^^^^^^^^^^^^ read from the request
   app/views.py:9:32 │ return render(db.find_user(name))
                     │                            ^^^^ passed to `find_user`
   app/db.py:6:15    │   def find_user(name):
                     │                 ^^^^ parameter `name`
   app/db.py:8:13    │   query = f"select * from users where name = '{name}'"
                     │           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
                     │           formatted into a string
   app/db.py:9:20    │   cursor.execute(query)
                     │                  ^^^^^ reaches `sqlite3.Cursor#execute` as argument 0
 also reached from the request (flask.request.form) at app/views.py:14:21, assumed
                   3 more
"""

SAME_LINE = """\
 from the request (flask.request.form), 3 steps, 1 assumed
   app/views.py:14:21 │ return redirect(request.form.get("next"))
                      │                 ^^^^^^^^^^^^ read from the request
   app/views.py:14:21 │                 ^^^^^^^^^^^^^^^^^^^^^^^^
                      │                 assumed: `get` may return part of it
   app/views.py:14:21 │                 ^^^^^^^^^^^^^^^^^^^^^^^^ reaches `flask.redirect`
"""

SUMMARY = """\
 2 findings in 2 files: 1 critical · 1 medium
 34 files, 12,345 lines: 30 Python, 4 Go
 12 sources and 40 sinks matched
 left out: 100 in node_modules, 2 too large
 1 finding not shown: 1 by comment
 about 4 more with --confidence low, all critical or high: 3 python/ssrf, 1 python/path-traversal
 2 more with --profile audit: 2 python/log-injection
 about 1,206 more with --profile audit and --confidence low, 4 of them critical or high: 1,200
   go/log-injection, 3 python/ssrf, 2 python/log-injection, 1 python/path-traversal
 note: configuration: pyproject.toml [tool.pyrograph]
 `pyrograph rules show python/sql-injection` explains why it matters and how to fix it

 3 problems; because of 2, something was not analysed
   app/generated.py: limit: more than 1,000,000 values; the rest of the file was left out
   app/views.py:3: suppression: `pyrograph: ignore` matches no finding; remove it
   syntax-error: 1 part in app/broken.py did not parse; --verbose lists it
"""


def test_findings_are_sorted_by_severity_then_confidence_then_place() -> None:
    def made(severity: Severity, confidence: Confidence, line: int) -> Finding:
        return replace(sql_injection(), severity=severity, confidence=confidence, place=Place("a.py", line, 1, line, 2))

    findings = (
        *(made("low", "high", 1), made("critical", "medium", 2), made("critical", "high", 9)),
        *(made("high", "low", 4), made("critical", "high", 5)),
    )
    shown = text(replace(realistic(), findings=findings), verbose=True)
    assert re.findall(r"^ a\.py:(\d+):1", shown, re.MULTILINE) == ["5", "9", "2", "4", "1"]
    headings = re.findall(r"^── (\w+) severity ─+ (\d findings?)$", shown, re.MULTILINE)
    assert headings == [("critical", "3 findings"), ("high", "1 finding"), ("low", "1 finding")]


def test_findings_of_one_root_are_one_entry_and_the_others_lines_below_it() -> None:
    first = replace(sql_injection(), traces=sql_injection().traces[:1], num_sources=1)
    last = replace(first, place=Place("a.py", 7, 1, 7, 2), confidence="medium", function="f", fingerprint="1" * 32)
    other = replace(last, rule_id="python/xss", fingerprint="2" * 32)
    report = replace(realistic(), findings=(first, last, other))
    shown, whole = text(report), text(report, verbose=True)
    assert "the same data reaches 1 further place; --verbose shows the path\n   a.py:7:1 `" in shown
    assert "` in f, medium confidence\n" in shown
    assert (
        shown.count(" from the request (flask.request.args),"),
        whole.count(" from the request (flask.request.args),"),
    ) == (2, 3)
    assert all(" 3 findings in 2 files" in each for each in (shown, whole))


def test_findings_of_other_data_checks_or_of_several_sources_are_entries_of_their_own() -> None:
    first = replace(sql_injection(), traces=sql_injection().traces[:1], num_sources=1)
    check = Check(Place("a.py", 5, 1, 5, 2), "name", "true")
    findings = (
        first,
        replace(first, traces=(replace(first.trace, parameter=Parameter("body", "b")),), fingerprint="1" * 32),
        replace(first, traces=(replace(first.trace, checks=(check,)),), fingerprint="2" * 32),
        replace(first, num_sources=2, fingerprint="3" * 32),
    )
    assert "further place" not in text(replace(realistic(), findings=findings))


def test_parts_that_did_not_parse_are_counted_and_listed_with_verbose() -> None:
    broken = [Problem("syntax-error", f"a{n % 7}.py", n, "this part did not parse") for n in range(1, 151)]
    report = replace(realistic(), problems=(*broken, Problem("limit", "b.py", 0, "cut")))
    shown, listed = text(report), text(report, verbose=True)
    assert "syntax-error: 150 parts in 7 files did not parse; --verbose lists them" in shown
    assert " 151 problems; because of 151, something was not analysed" in shown
    assert shown.count("did not parse") == 1
    limits = [Problem("limit", "", 0, "a value may refer to more than 8 functions", precision=True)]
    limited = text(replace(realistic(), problems=tuple(limits)))
    assert " 1 limit of precision reached: all code that was read was analysed;" in limited
    stale = text(replace(realistic(), problems=(*limits, Problem("baseline", "a.py", 1, "matches nothing"))))
    assert " 2 problems; 1 limit of precision reached: flows there may be missed" in stale
    assert listed.count("did not parse") == 150
    assert all("b.py: limit: cut" in each for each in (shown, listed))


def test_limits_alone_are_called_so() -> None:
    limits = (Problem("limit", "", 0, "2 times: cut"), Problem("limit", "b.py", 0, "cut"))
    assert " 2 limits reached; flows there may be missed\n" in text(replace(realistic(), problems=limits))


def test_a_source_of_another_argument_names_it() -> None:
    shown = text(with_arguments())
    assert " also reached from the request (flask.request.form) at app/views.py:14:21, in `{name}`, assumed\n" in shown


@pytest.mark.parametrize("part", [SINK_AND_PATH, SAME_LINE, SUMMARY])
def test_a_report_reads_like_this(part: str) -> None:
    assert part in text(realistic())


def test_a_scan_that_matched_no_source_says_what_to_do() -> None:
    assert "--threat-model" in text(empty())
    assert "No findings" in text(empty())
    no_sink = replace(empty(), statistics=Statistics(files=1, lines=1, sources=3))
    assert "No sink matched" in text(no_sink)
    assert "matched:" not in text(replace(empty(), statistics=Statistics(files=1, lines=1, sources=3, sinks=1)))


def test_times_show_with_stats_alone() -> None:
    assert "lines per second" not in text(realistic())
    shown = text(realistic(), stats=True)
    assert "1.000 s, 12,345 lines per second" in shown
    assert re.search(r"lower +0\.900 s +90%  █+\n", shown)
    assert "lines per second" not in text(empty(), stats=True)


def test_what_a_device_ran_shows_with_stats() -> None:
    report = realistic()
    ran = replace(report, statistics=replace(report.statistics, launches=(Stage("prune as a graph", 0.0162),)))
    assert "on the device: prune as a graph, 16.2 ms" in text(ran, stats=True)
    assert "on the device" not in text(ran)


def test_steps_without_code_still_say_what_happens() -> None:
    shown = text(replace(realistic(), sources={"app/db.py": DB}))
    assert " app/views.py:8:12 │ read from the request\n" in shown
    assert "(source not available)" in text(replace(realistic(), sources={}))
    assert "(source not available)" in text(replace(realistic(), sources={"app/db.py": b"one line\n"}))


def test_long_paths_move_from_the_gutter_to_rows_of_their_own() -> None:
    path = "a/very/long/way/down/the/source/tree/views.py"
    trace = sql_injection().traces[0]
    steps = tuple(replace(s, place=replace(s.place, path=path)) if "views" in s.place.path else s for s in trace.steps)
    finding = replace(sql_injection(), traces=(replace(trace, steps=steps),))
    shown = text(replace(realistic(), findings=(finding,), sources={"app/db.py": DB, path: VIEWS}))
    assert f"   {path}\n     8:12 │ name = request" in shown
    assert "   app/db.py\n     6:15 │   def find_user(name):" in shown


def test_the_middle_of_a_long_path_is_counted() -> None:
    steps = tuple(Step(Place("app/db.py", n % 9 + 1, 1, n % 9 + 1, 2), "flow", f"step {n}") for n in range(100))
    finding = replace(sql_injection(), traces=(Trace("http", "x", steps),))
    shown = text(replace(realistic(), findings=(finding,)), max_steps=4)
    assert "… 96 further steps; the json format has all of them" in shown
    assert [n for n in range(100) if re.search(rf"step {n}\b", shown)] == [0, 1, 98, 99]


def test_colours_follow_the_switch_then_the_environment_then_the_terminal() -> None:
    def colored(color: str, environ: dict[str, str], stream: io.StringIO) -> bool:
        return "\x1b" in text(realistic(), stream, color=color, environ=environ)

    assert not colored("auto", {}, io.StringIO())
    assert colored("auto", {}, Terminal())
    assert not colored("auto", {"TERM": "dumb"}, Terminal())
    assert not colored("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, Terminal())
    assert colored("auto", {"NO_COLOR": ""}, Terminal())
    assert colored("auto", {"FORCE_COLOR": "1"}, io.StringIO())
    assert not colored("auto", {"FORCE_COLOR": ""}, io.StringIO())
    assert colored("auto", {"GITHUB_ACTIONS": "true"}, io.StringIO())
    assert colored("always", {"NO_COLOR": "1"}, io.StringIO())
    assert not colored("never", {"FORCE_COLOR": "1"}, Terminal())


@pytest.mark.parametrize("report", [realistic(), empty(), hostile(), many(20)], ids=str)
def test_colours_change_no_character(report: Report) -> None:
    assert ESCAPE.sub("", text(report, color="always")) == text(report, color="never")


def test_the_width_follows_the_setting_then_the_environment() -> None:
    def rule(**given: Any) -> int:
        return max(len(row) for row in text(realistic(), **given).split("\n") if set(row) == {"─"})

    assert rule() == 100
    assert rule(environ={"GITHUB_ACTIONS": "true"}, color="never") == 130
    assert rule(environ={"COLUMNS": "72"}) == 72
    assert rule(environ={"COLUMNS": "72"}, width=90) == 90
    assert rule(width=1) == 40
    assert rule(width=100_000) == 160
    assert rule(environ={"COLUMNS": "many"}) == 100


def test_a_plain_report_is_the_coloured_one_without_its_colours() -> None:
    reports = [realistic(), replace(realistic(), notes=("##[error] and \ud800 and \u202e",))]
    for encoding in ("utf-8", "cp1252", "ascii"):
        for report in reports:
            plain, coloured = (written(report, encoding, color) for color in ("never", "always"))
            assert "\x1b[" in coloured
            assert ESCAPE.sub("", coloured) == plain


def written(report: Report, encoding: str, color: Color) -> str:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, newline="\n") as stream:
        render(report, stream, color=color, stats=True)
        stream.flush()
        return raw.getvalue().decode(encoding)


def test_streams_of_an_old_encoding_get_ascii() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    odd = replace(sql_injection(), message="reaches the sink 'ключ' — really")
    render(replace(realistic(), findings=(odd,)), stream, environ={})
    stream.flush()
    shown = raw.getvalue().decode("cp1252")
    assert "9 | cursor.execute(query)" in shown
    assert "\\u043a\\u043b\\u044e\\u0447" in shown
    assert "│" not in shown


def test_names_cannot_steer_the_terminal() -> None:
    shown = text(hostile(), color="never")
    assert {c for c in shown if not c.isprintable()} == {"\n"}
    assert "\\x1b[2J\\x1b]0;owned\\x07\\u202e" in shown


def test_names_cannot_command_a_job_runner() -> None:
    message = "data from " + "x" * 85 + " ::add-mask::secret and ##[error]more reaches the sink"
    shown = text(replace(realistic(), findings=(replace(sql_injection(), message=message),)))
    assert not re.search(r"^\s*::", shown, re.MULTILINE)
    assert "##[" not in shown
    assert "add-mask" in shown


@pytest.mark.parametrize(
    ("code", "columns", "expected"),
    [
        ("    f(x)", (7, 8), ["f(x)", "  ^"]),
        ("\tif a:\tf(x)\r", (10, 11), ["if a:    f(x)", "           ^"]),
        ("s = 'größe' + x", (15, 16), ["s = 'größe' + x", "              ^"]),
        ("名 = f(名前)", (7, 9), ["名 = f(名前)", "       ^^^^"]),
        ("e\u0301 = f(x)", (8, 9), ["e\u0301 = f(x)", "      ^"]),
        ("f(\x1b[31mx)", (3, 9), ["f(\\x1b[31mx)", "  ^^^^^^^^^"]),
        ("f(x)", (90, 95), ["f(x)", "    ^"]),
        ("f(x)", (3, 3), ["f(x)", "  ^"]),
        ("", (1, 2), ["", "^"]),
        ("  \t ", (3, 4), ["    ", "^^^^"]),
    ],
)
def test_carets_stand_under_the_argument(code: str, columns: tuple[int, int], expected: list[str]) -> None:
    rows = one(Place("a.py", 1, columns[0], 1, columns[1]), code.encode() + b"\n")
    assert [row.removeprefix(start) for row, start in zip(rows, (" 1 │ ", "   │ "), strict=True)] == expected


def test_a_place_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    rows = one(Place("a.py", 1, 3, 4, 2), b'f("""select\n...\n""",\nx)\n')
    assert rows == [' 1 │ f("""select', "   │   ^^^^^^^^^"]


def test_very_long_lines_are_cut_around_the_argument() -> None:
    code = b"x=1;" * 1_000_000 + b"f(query);" + b"y=2;" * 1_000_000
    rows = one(Place("a.min.js", 1, 4_000_003, 1, 4_000_008), code, width=60)
    assert re.fullmatch(r" 1 │ ….*f\(query\);.*…", rows[0])
    assert rows[0][rows[1].index("^") : rows[1].rindex("^") + 1] == "query"
    assert max(map(len, rows)) <= 60


@settings(deadline=None)
@given(
    st.text(st.sampled_from("ab(\t é名\u0301\x1b…"), max_size=300),
    st.integers(1, 320),
    st.integers(0, 320),
    st.integers(40, 120),
)
def test_code_rows_fit_the_width_and_carets_stay_below_them(code: str, column: int, length: int, width: int) -> None:
    rows = one(Place("a.py", 1, column, 1, column + length), code.encode(), width=width)
    assert max(map(cell_len, rows)) <= width + 4  # a caret may stand behind the end, an escape is never split
    assert "^" in rows[1]


def test_a_report_of_many_findings_is_quick_to_lay_out_and_whole() -> None:
    shown = text(many(2_000))
    assert shown.count("python/sql-injection") == 2_001
    assert "2,000 findings in 20 files: 500 critical · 500 high · 500 medium · 500 low" in shown


def test_as_many_paths_as_asked_for_are_shown_and_the_other_sources_named() -> None:
    (finding, *_) = (finding for finding in realistic().findings if len(finding.traces) > 1)
    one, two = (text(replace(realistic(), findings=(finding,)), max_paths=number) for number in (1, 2))
    second = finding.traces[1]
    assert one.count(" from ") - one.count("also reached from ") < two.count(" from ") - two.count("also reached from ")
    label = f"the request ({second.source})"
    assert f"also reached from {label}" in one
    assert f"also reached from {label}" not in two
    assert f" from {label}" in two
    assert all(f"{step.place.path}:{step.place.line}:{step.place.column}" in two for step in second.steps)
