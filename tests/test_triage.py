"""Marks on findings: the file, what it hides, the commands, and the rules that model a wrong step."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.reports import realistic, sql_injection

import pyrograph
from pyrograph.cli import run
from pyrograph.cli.supervise import Attempt
from pyrograph.lsp.analysis import Warm, scan_for_editor
from pyrograph.lsp.jobs import Refused, ScanJob, Scanned
from pyrograph.lsp.settings import Settings
from pyrograph.model.finding import Argument, Finding, Report, Statistics
from pyrograph.model.refusal import Refusal
from pyrograph.report.common import in_order
from pyrograph.report.rereading import read_report
from pyrograph.rules import load_rules
from pyrograph.scanner.triage.marks import (
    FILE,
    Mark,
    MarksError,
    apply_marks,
    marked,
    read_marks,
    verdict_on,
    write_marks,
)
from pyrograph.scanner.triage.modelling import rule_lines

FINDING = sql_injection()


def report(*findings: Finding) -> Report:
    return Report(findings, (), {}, Statistics())


def test_a_file_of_marks_has_one_sorted_mark_a_line_and_keeps_what_people_added(tmp_path: Path) -> None:
    path = tmp_path / FILE
    marks = marked({}, FINDING, "false", "only\n  administrators")
    marks["zz"] = Mark("a.py", "go/xss", "zz", "later", others={"author": "K"})
    write_marks(path, marks.values())
    rows = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(rows[3].rstrip(",")) == {
        **{"path": "a.py", "rule": "go/xss", "fingerprint": "zz", "verdict": "later", "author": "K"}
    }
    assert json.loads(rows[4])["reason"] == "only administrators"
    assert read_marks(path) == marks
    assert read_marks(tmp_path / "none.json") == {}
    (tmp_path / "link.json").symlink_to(path)
    assert read_marks(tmp_path / "link.json") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<<<<<< HEAD", "conflict markers"),
        ("[]", "no file of marks"),
        ('{"version": 2, "marks": []}', "version 2"),
        ('{"version": 1, "marks": [{"path": "a"}]}', "mark 1 lacks"),
        ('{"version": 1, "marks": [{"path": "a", "rule": "b", "fingerprint": "c", "verdict": "maybe"}]}', "'maybe'"),
        ('{"version": 1, "marks": [{"path": "a", "rule": "b", "fingerprint": "c", "verdict": "false"}]}', "reason"),
    ],
)
def test_what_is_no_file_of_marks_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(MarksError, match=message):
        read_marks(tmp_path / FILE)


def test_a_finding_is_hidden_where_all_its_arguments_are_marked_false() -> None:
    marks = marked({}, FINDING, "false", "tested")
    after = apply_marks(report(FINDING), marks, FILE)
    assert after.findings == ()
    assert [(each.by, each.reason) for each in after.suppressed] == [("triage", "tested")]
    assert after.notes == (f"{FILE} marks 1 finding false",)
    more = replace(FINDING, arguments=(Argument(FINDING.place, "x", "new"),))
    assert apply_marks(report(more), marks, FILE).findings == (more,)
    assert verdict_on(marks, more) is None
    for verdict in ("true", "later"):
        assert apply_marks(report(FINDING), marked({}, FINDING, verdict), FILE).findings == (FINDING,)
    with pytest.raises(MarksError, match="reason"):
        marked({}, FINDING, "false", " ")


def test_rule_lines_model_a_step_in_words_that_the_loader_reads(tmp_path: Path) -> None:
    trace = FINDING.trace
    last = len(trace.steps) - 1
    for number in range(last):
        (tmp_path / "own.toml").write_text(rule_lines(FINDING, trace, number, "x = clean(y)"), encoding="utf-8")
        load_rules(["python"], [tmp_path / "own.toml"])
    assert trace.source in rule_lines(FINDING, trace, 0)
    assert "pyrograph: ignore[sql-injection]" in rule_lines(FINDING, trace, last)
    step = replace(trace.steps[1], message="the result of an unknown call", kind="assumed")
    changed = replace(trace, steps=(trace.steps[0], step, trace.steps[-1]))
    assert '"MODULE.clean()"' in rule_lines(FINDING, changed, 1, "x = clean(y)")


APP = """\
import os
from flask import request


def show():
    os.system("ls " + request.args["name"])
"""


def command(*arguments: str) -> int:
    return run([*arguments, "--no-cache", "--jobs", "1"], Attempt())


def test_a_finding_that_is_marked_false_counts_no_more_until_its_path_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert command("triage", "list") == 0
    id, verdict, *_ = capsys.readouterr().out.split()
    assert verdict == "none"
    assert command("triage", "mark", id, "false") == 2
    assert "reason" in capsys.readouterr().err
    assert command("triage", "mark", id, "false", "--reason", "a test", "--step", "1") == 0
    assert "is marked false\n" in (said := capsys.readouterr().out)
    assert '\ncommand-injection = ["flask.Request#args"]\n' in said
    assert command("scan", "-q") == 0
    assert shown_elsewhere(tmp_path) == ([], [])
    assert command("scan", "-q", "--isolated") == 1
    assert len(pyrograph.scan(isolated=True, no_cache=True).findings) == 1
    assert pyrograph.scan(isolated=True, no_cache=True, triage=FILE).findings == ()
    (tmp_path / "app.py").write_text(APP.replace('"name"', '"other"'), encoding="utf-8")
    assert command("scan", "-q") == 1
    assert shown_elsewhere(tmp_path) == (["command-injection"], ["command-injection"])


def shown_elsewhere(folder: Path) -> tuple[list[str], list[str]]:
    """What a Python program and an editor are shown of a folder."""
    answers: list[Scanned | Refused] = []
    scan_for_editor(ScanJob(str(folder), Settings(jobs=1)), Warm(), lambda *_: None, answers.append)
    (answer,) = answers
    assert isinstance(answer, Scanned)
    reports = (pyrograph.scan(folder, no_cache=True).report, answer.report)
    for report in reports:
        assert len(report.suppressed) + len(report.findings) == 1
    first, second = ([each.vulnerability for each in report.findings] for report in reports)
    return first, second


def test_findings_of_a_report_are_judged_without_a_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = realistic()
    (tmp_path / "report.json").write_text(pyrograph.Result(whole).to("json"), encoding="utf-8")
    again = read_report(tmp_path / "report.json", 1_000_000)
    for one, other in zip(again.findings, in_order(whole.findings), strict=True):
        assert (one.fingerprints, one.place, one.message, one.doubt) == (
            *(other.fingerprints, other.place, other.message, other.doubt),
        )
        assert [each.steps for each in one.traces] == [each.steps for each in other.traces]
    assert [each.by for each in again.suppressed] == [each.by for each in whole.suppressed]
    monkeypatch.chdir(tmp_path)
    assert command("triage", "list", "report.json") == 2
    assert "has none of its" in capsys.readouterr().err
    for path, text in whole.sources.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text)
    assert command("triage", "list", "report.json") == 0
    ids = [row.split()[0] for row in capsys.readouterr().out.splitlines()]
    assert ids == [each.fingerprint[:10] for each in again.findings]
    assert command("triage", "mark", ids[0], "later", "report.json") == 0
    assert [mark.verdict for mark in read_marks(tmp_path / FILE).values()] == ["later"] * len(
        again.findings[0].fingerprints
    )
    assert command("triage", "list", "report.json", "--confidence", "low") == 2
    assert "--confidence decides what a scan finds" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "no report of pyrograph"),
        ('{"runs": []}', "a SARIF log, not"),
        ('{"version": 1, "findings": []}', "a baseline, not"),
        ('{"schema_version": "7.1"}', "version 7.1 of the report"),
        ('{"schema_version": "1.9", "findings": [{"rule": "a/b"}]}', "number 1 of `findings` lacks"),
        ('{"schema_version": "1.9", "findings": [7]}', "number 1 of `findings` is not"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "report.json").write_text(text, encoding="utf-8")
    with pytest.raises(Refusal, match=message):
        read_report(tmp_path / "report.json", 1000)
    with pytest.raises(Refusal, match="more than 0 bytes"):
        read_report(tmp_path / "report.json", 0)


def test_the_walk_keeps_each_verdict_at_once_and_shows_it() -> None:
    pytest.importorskip("textual")
    from textual.widgets import Static

    from pyrograph.cli.walk import Walk

    whole = realistic()
    kept: list[Any] = []
    first, second = whole.findings[:2]
    app = Walk(
        whole,
        (first, second),
        lambda *given: kept.append(given),
        lambda finding, step: f"step {step}\n",
        {second.fingerprint: "later"},
    )

    def shown() -> str:
        return str(app.query_one("#path", Static).render())

    async def go() -> None:
        async with app.run_test() as pilot:
            assert "verdict: not judged" in shown()
            await pilot.press("t")
            await pilot.pause()
            assert "verdict: later" in shown()
            await pilot.press("f", *"safe", "enter")
            await pilot.pause()
            assert "verdict: later" in shown()  # of the one on the screen, until its step is chosen
            await pilot.press("t", "q")  # no verdict and no end while the step is asked for
            await pilot.pause()
            await pilot.press("enter")
            await pilot.pause()

    asyncio.run(go())
    assert kept == [(first, "true", ""), (second, "false", "safe")]
    assert app.rule_lines == ["step 0\n"]
    assert app.verdicts == {first.fingerprint: "true", second.fingerprint: "false: safe"}
