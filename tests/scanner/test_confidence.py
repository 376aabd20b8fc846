"""How sure a finding is: each step that was assumed may be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
import unknown
from flask import request

def view():
    os.system({})
"""


@pytest.mark.parametrize(
    ("command", "confidence"),
    [
        ("request.args['c']", "high"),
        ("unknown.a(request.args['c']) + ''", "medium"),
        ("unknown.a(unknown.b(request.args['c'])) + ''", "medium"),
        ("unknown.a(unknown.b(unknown.c(request.args['c']))) + ''", "low"),
    ],
)
def test_more_than_two_assumed_steps_make_low_confidence(
    command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "views.py").write_text(CODE.format(command))
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="low")
    report = scanner.scan(options, load_rules(None, ()))
    found = [f.confidence for f in report.findings if f.rule_id == "python/command-injection"]
    assert found == [confidence]
    at_default = scanner.scan(ScanOptions(paths=(root,), root=root, jobs=1, device="cpu"), load_rules(None, ()))
    assert bool(at_default.findings) == (confidence != "low")
