"""Long paths are a doubt, but for data that an interpreter runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

STEPS = "\n".join("    x = x.strip()" for _ in range(16))
PROGRAM = f"""
import os
from flask import Flask, request

app = Flask(__name__)

@app.route("/a")
def a():
    x = request.args["a"]
{STEPS}
    USE
    return ""
"""


@pytest.mark.parametrize(("use", "expected"), [("os.system(x)", ("high", "")), ("open(x)", ("medium", "long"))])
def test_a_long_path_is_no_doubt_where_data_is_run(use: str, expected: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(PROGRAM.replace("USE", use), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    (found,) = scanner.scan(options, load_rules(["python"], ())).findings
    assert (found.confidence, found.doubt.name if found.doubt else "") == expected
