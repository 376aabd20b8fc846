"""What is left out of files with more findings, or longer paths, than a scan looks at, is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import load_rules
from pyrograph.scanner.explain import budget, findings
from pyrograph.scanner.explain.row_questions import RowQuestions
from pyrograph.scanner.options import ScanOptions

HANDLERS = """import os
from flask import request
def a():
    os.system(request.args["a"])
    os.system(request.args["b"])
def b(x):
    os.system(request.args["c"])
    os.system(request.args["d"])
"""


def scanned(folder: Path) -> Report:
    (folder / "app.py").write_text(HANDLERS, encoding="utf-8")
    (folder / "other.py").write_text(HANDLERS.replace('    os.system(request.args["d"])\n', ""), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, gitignore=False, confidence="low")
    return scanner.scan(options, load_rules(None, []))


def test_findings_after_the_limit_of_a_file_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(findings, "MAX_FINDINGS", 3)
    report = scanned(tmp_path)
    assert [(each.place.path, each.place.line) for each in report.findings] == [
        (path, line) for path in ("app.py", "other.py") for line in (4, 5, 7)
    ]
    assert [(each.kind, each.path, each.line, each.message) for each in report.problems] == [
        ("limit", "app.py", 8, "more than 3 findings; the 1 findings from this line on are not analysed")
    ]


def test_paths_after_the_limit_of_a_file_show_source_and_sink(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    everything = scanned(tmp_path)
    monkeypatch.setattr(findings, "MAX_WALKED", 1)
    report = scanned(tmp_path)
    assert [each.place for each in report.findings] == [each.place for each in everything.findings]
    assert [each.fingerprint for each in report.findings] == [each.fingerprint for each in everything.findings]
    assert {len(trace.steps) for each in report.findings for trace in each.traces} == {2}
    assert {each.kind for each in report.problems} == {"limit"}
    assert {each.path for each in report.problems} == {"app.py", "other.py"}


def test_a_file_without_steps_left_lists_no_checks_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    guarded = (
        "from flask import Flask\napp = Flask(__name__)\ndef ok(x):\n    return x in known\n"
        "@app.get('/')\ndef c():\n    x = request.args['x']\n    if ok(x):\n        os.system(x)\n"
    )
    monkeypatch.setattr(f"{__name__}.HANDLERS", HANDLERS + guarded)
    found = scanned(tmp_path)
    monkeypatch.setattr(budget, "MAX_ASKED_STEPS", 0)
    monkeypatch.delattr(RowQuestions, "demanding")  # nothing of a function is listed any more
    report = scanned(tmp_path)
    checks = [[trace.checks for trace in each.traces] for each in report.findings]
    assert [trace.checks for trace in found.findings[4].traces] != checks[4] == [()]
    assert {(each.path, each.message) for each in report.problems} == {
        (name, budget.MESSAGE) for name in ("app.py", "other.py")
    }
