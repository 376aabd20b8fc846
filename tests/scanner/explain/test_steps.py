"""Steps name what a reader looks for: the variable that is read, not the check or the call that it passed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os

from flask import request

def view():
    data = request.args
    {}
    os.system("run " + data["name"])
"""
JAVASCRIPT = """
const app = require("express")(), cp = require("child_process");

app.get("/", (req, res) => {{
  const data = req.query;
  {};
  cp.exec("run " + data.name);
}});
"""


@pytest.mark.parametrize(
    ("path", "code", "between", "read"),
    [
        ("app.py", PYTHON, "if len(data) == 0: return", "request.args"),
        ("app.py", PYTHON, "audit(data)", "request.args"),
        ("app.js", JAVASCRIPT, "if (data.kind === '1') return", "req.query"),
        ("app.js", JAVASCRIPT, "audit(data)", "req.query"),
        ("app.js", JAVASCRIPT, "data.kind = '1'", "req.query"),
    ],
)
def test_a_step_is_read_from_the_variable(
    path: str, code: str, between: str, read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / path).write_text(code.format(between), encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu")
    (finding,) = scanner.scan(options, load_rules(None, ())).findings
    assert [step.message for step in finding.traces[0].steps if step.kind == "load"] == [f"read from `{read}`"]


def test_a_step_behind_a_branch_does_not_name_its_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "app.py").write_text(PYTHON.format("if is_audited():\n        audit(data)"), encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu")
    (finding,) = scanner.scan(options, load_rules(None, ())).findings
    assert [step.message for step in finding.traces[0].steps if step.kind == "load"] == ['read as `data["name"]`']


def test_the_script_of_the_documentation_prints_the_edges_of_a_path(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs" / "internals" / "flow-graph.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "app.py").write_text(PYTHON.format("audit(data)"), encoding="utf-8")
    command = [sys.executable, "-c", script, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=repository, check=True)
    assert "LOAD INTRA  read from `request.args`" in run.stdout.splitlines()
