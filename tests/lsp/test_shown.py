"""What an editor shows of a finding: a diagnostic, a text at the sink, its paths, actions and lenses."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("lsprotocol", reason="the extra lsp is not installed")

from lsprotocol import types as lsp
from tests.lsp.findings import finding_at, place_of, report_of

from pyrograph.lsp.actions import ADD_TO_BASELINE, ASK_REASON, FIX, SHOW_PATH, SUPPRESS, code_actions
from pyrograph.lsp.diagnostics import without_middle
from pyrograph.lsp.hover import hover_text
from pyrograph.lsp.jobs import Scanned
from pyrograph.lsp.lenses import lenses
from pyrograph.lsp.paths import paths_of
from pyrograph.lsp.positions import Positions
from pyrograph.lsp.result import Result
from pyrograph.model.entry import EntryPoint, Surface
from pyrograph.model.finding import Report, Step
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.policy.limits.editor import MAX_RELATED

TEXT = "name = args['n']\nexecute(name)\n"
SOURCE, SINK = place_of(TEXT, "args['n']"), Place("app.py", 2, 9, 2, 13)
FINDING = finding_at(SINK, source=SOURCE)
FILE = os.path.join("/p", "app.py")


def result_of(report: Report) -> Result:
    return Result(
        Scanned("/p", report, {}, "/p/known.json", {}), "utf-16", lambda path: f"file://{Path(path).as_posix()}"
    )


def test_a_diagnostic_has_range_level_rule_link_and_path() -> None:
    (found,) = result_of(report_of(FINDING, sources={"app.py": TEXT.encode()})).diagnostics[FILE]
    assert found.range == lsp.Range(lsp.Position(1, 8), lsp.Position(1, 12))
    assert (found.severity, found.code, found.source) == (1, "python/sql-injection", "pyrograph")
    assert found.code_description is not None
    assert found.code_description.href.endswith("/89.html")
    related = found.related_information or []
    assert [each.location.range.start.line for each in related] == [0, 1]
    assert related[0].message.startswith("read from the request")


@pytest.mark.parametrize(("severity", "level"), [("critical", 1), ("high", 1), ("medium", 2), ("low", 3)])
def test_the_level_follows_the_severity(severity: str, level: int) -> None:
    finding = finding_at(SINK, severity=severity)  # type: ignore[arg-type]
    (found,) = result_of(report_of(finding, sources={"app.py": TEXT.encode()})).diagnostics[FILE]
    assert found.severity == level


def test_a_long_path_is_cut_in_the_middle() -> None:
    steps = (*FINDING.trace.steps[:1], *[Step(SINK, "flow", str(n)) for n in range(99)], *FINDING.trace.steps[1:])
    finding = replace(FINDING, traces=(replace(FINDING.trace, steps=steps),), num_sources=4)
    (found,) = result_of(report_of(finding, sources={"app.py": TEXT.encode()})).diagnostics[FILE]
    related = found.related_information or []
    assert len(related) == MAX_RELATED
    assert related[0].message.startswith("read from")
    assert related[-1].message == "reaches `execute`, and 3 sources more"
    assert without_middle(range(5), 2) == [0, 4]


def test_further_arguments_are_related() -> None:
    text = "execute(one, two)\n"
    finding = finding_at(place_of(text, "one"), place_of(text, "two"))
    (found,) = result_of(report_of(finding, sources={"app.py": text.encode()})).diagnostics[FILE]
    last = (found.related_information or [])[-1]
    assert last.message == "untrusted data reaches `x`, too"
    assert last.location.range.start == lsp.Position(0, 13)


def test_an_unused_suppression_is_shown_as_unnecessary() -> None:
    problem = Problem("suppression", "app.py", 2, "`pyrograph: ignore` matches no finding; remove it")
    report = replace(report_of(sources={"app.py": TEXT.encode()}), problems=(problem,))
    (found,) = result_of(report).diagnostics[FILE]
    assert found.tags == [lsp.DiagnosticTag.Unnecessary]
    assert found.range == lsp.Range(lsp.Position(1, 0), lsp.Position(1, 13))


def test_scanned_text_makes_no_markdown() -> None:
    hostile = replace(FINDING, message="see [this](http://x) <b> `a*b` and ![i](j)")
    shown = hover_text(hostile, report_of(hostile, sources={}))
    assert "see \\[this\\]\\(http://x\\) \\<b\\> `a*b` and \\!\\[i\\]\\(j\\)" in shown
    assert "Why it matters" in shown
    assert "1. read from the request: `flask.Request#args` (app.py:1)" in shown.replace("\\", "")


def test_the_paths_are_locations() -> None:
    result = result_of(report_of(FINDING, sources={"app.py": TEXT.encode()}))
    found = paths_of(FINDING, result.scanned.report, result.locate)
    first, last = found["paths"][0]["steps"]
    assert first["location"]["range"]["start"] == {"line": 0, "character": 7}
    assert last["code"] == "execute(name)"
    assert last["location"]["uri"] == "file:///p/app.py"


def test_actions_depend_on_what_the_client_can_do() -> None:
    def commands(**given: object) -> list[str]:
        options = {"fix": None, "reasons": ["safe"], "asks": False, "resolves": False, "only": None, **given}
        found = code_actions(FINDING, "file:///p/app.py", [], **options)  # type: ignore[arg-type]
        return [each.command.command if each.command else "resolve" for each in found]

    assert commands() == [SHOW_PATH, SUPPRESS, ADD_TO_BASELINE]
    assert commands(resolves=True) == [SHOW_PATH, "resolve", ADD_TO_BASELINE]
    assert commands(fix="call `safe`") == [FIX, SHOW_PATH, SUPPRESS, ADD_TO_BASELINE]
    assert commands(fix="call `safe`", resolves=True)[0] == "resolve"
    assert commands(asks=True) == [SHOW_PATH, ASK_REASON, ADD_TO_BASELINE]
    assert commands(only=["refactor"]) == []
    assert len(commands(only=["quickfix"])) == len(commands(only=[""])) == 3


def test_a_lens_names_route_check_and_findings() -> None:
    entry = EntryPoint("/a", ("GET",), "view", SOURCE, "account")
    hidden = EntryPoint("/b", (), "other", SINK)
    elsewhere = replace(entry, place=Place("b.py", 1, 1, 1, 2))
    rows = (Surface(hidden, (), ("gone",)), Surface(entry, (), ("print0",)), Surface(elsewhere, (), ()))
    report = replace(report_of(FINDING, sources={}), surface=rows)
    found = lenses(report, "app.py", "file:///p/app.py", Positions(TEXT), lambda one: one == "print0")
    titles = [(each.command.title, each.command.command) for each in found if each.command]
    assert titles == [("GET /a · asks for an account · 1 finding", SHOW_PATH), ("/b", "")]
