"""Several untrusted arguments of one call are one finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Finding, Report
from pyrograph.model.vulnerability import Confidence, Profile
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.triage.baseline import apply_baseline, write_baseline
from pyrograph.scanner.triage.suppress import apply_suppressions

PROGRAM = """import shutil
from flask import request

shutil.copy(
    request.args["a"],
    request.args["b"])
open(request.args["c"])
"""


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: None)


def scan(folder: Path, program: str = PROGRAM, confidence: Confidence = "high", profile: Profile = "default") -> Report:
    (folder / "a.py").write_text(program, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, confidence=confidence, profile=profile, jobs=1, device="cpu")
    return scanner.scan(options, load_rules(["python"]))


def places(finding: Finding) -> list[tuple[int, str]]:
    return [(finding.place.line, ""), *((each.place.line, each.text) for each in finding.arguments)]


def test_the_arguments_of_a_call_are_listed_in_one_finding(tmp_path: Path) -> None:
    copied, opened = scan(tmp_path).findings
    assert places(copied) == [(5, ""), (6, 'request.args["b"]')]
    assert places(opened) == [(7, "")]
    assert copied.num_sources == 2
    assert copied.message.endswith('Untrusted data also reaches `request.args["b"]` in this call.')
    ends = [
        (copied.end_of(trace).line, trace.steps[0].place.line, trace.steps[-1].place.line) for trace in copied.traces
    ]
    assert ends == [(5, 5, 5), (6, 6, 6)]


def test_fingerprints_are_those_of_the_arguments_by_themselves(tmp_path: Path) -> None:
    both = scan(tmp_path).findings[0]
    (first,) = (f for f in scan(tmp_path, PROGRAM.replace('request.args["b"]', '"b"')).findings if f.place.line == 5)
    (second,) = (f for f in scan(tmp_path, PROGRAM.replace('request.args["a"]', '"a"')).findings if f.place.line == 6)
    assert both.fingerprints == (first.fingerprint, second.fingerprint)


def test_different_rules_and_calls_stay_apart(tmp_path: Path) -> None:
    program = """import subprocess
from flask import request

subprocess.run("ls " + request.args["a"], cwd=request.args["b"], shell=True)
open(request.args["c"]); open(request.args["d"])
"""
    findings = scan(tmp_path, program, "low").findings
    assert [finding.arguments for finding in findings] == [()] * 4
    assert [finding.vulnerability for finding in findings] == ["command-injection", *["path-traversal"] * 3]


def test_many_arguments_are_counted_in_the_message(tmp_path: Path) -> None:
    arguments = ", ".join(f'request.args["{name}"]' for name in "abcdef")
    program = f"import logging\nfrom flask import request\n\nlogging.info('%s', {arguments})\n"
    (finding,) = scan(tmp_path, program, "low", "audit").findings
    assert len(finding.arguments) == 5
    assert finding.message.endswith(
        'reaches `request.args["b"]`, `request.args["c"]`, `request.args["d"]` and 2 more in this call.'
    )


def test_an_argument_that_is_withheld_is_no_further_finding_of_its_call(tmp_path: Path) -> None:
    program = """import shutil
from flask import request
from unknown import made

shutil.copy(request.args["a"], made(made(request.args["b"])))
"""
    report = scan(tmp_path, program)
    (finding,) = report.findings
    assert finding.arguments == ()
    assert report.withheld == ()
    (both,) = scan(tmp_path, program, "low").findings
    assert both.fingerprint == finding.fingerprint
    assert [argument.text for argument in both.arguments] == ['made(made(request.args["b"]))']


def test_a_baseline_has_a_line_for_each_argument_and_a_further_one_is_new(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    report = scan(tmp_path)
    assert write_baseline(known, report) == 3
    applied = apply_baseline(report, known)
    assert applied.findings == ()
    assert [problem for problem in applied.problems if problem.kind == "baseline"] == []
    first = replace(report.findings[0], arguments=())
    assert write_baseline(tmp_path / "older.json", replace(report, findings=(first,))) == 1
    assert apply_baseline(report, tmp_path / "older.json").findings == report.findings


@pytest.mark.parametrize(
    ("before", "hidden"),
    [
        ("shutil.copy(", "# pyrograph: ignore why\nshutil.copy("),
        ('    request.args["b"])', '    request.args["b"])  # pyrograph: ignore why'),
    ],
)
def test_a_comment_on_the_call_hides_the_finding(tmp_path: Path, before: str, hidden: str) -> None:
    report = apply_suppressions(scan(tmp_path, PROGRAM.replace(before, hidden)))
    assert [entry.reason for entry in report.suppressed] == ["why"]
    assert [finding.place.line for finding in report.findings] == [7 + hidden.count("\n")]


def test_a_comment_on_one_argument_alone_does_not_hide_the_others(tmp_path: Path) -> None:
    program = PROGRAM.replace('    request.args["b"]', '    # pyrograph: ignore why\n    request.args["b"]')
    report = apply_suppressions(scan(tmp_path, program))
    assert report.suppressed == ()
    assert [problem for problem in report.problems if problem.kind == "suppression"] == []
