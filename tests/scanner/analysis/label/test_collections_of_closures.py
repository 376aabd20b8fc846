"""A collection that another function fills from the request checks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
from flask import Flask, request

app = Flask(__name__)
{}

def make():
    {}
    @app.route("/add")
    def add():
        {}
        return ""

    @app.route("/run")
    def run():
        name = request.args["name"]
        if name not in known:
            return "no"
        os.system("run " + name)
    return app
"""


@pytest.mark.parametrize("is_captured", [True, False])
@pytest.mark.parametrize(
    ("made", "fills", "is_safe"),
    [
        ('["a", "b"]', "pass", True),
        ('["a", "b"]', 'known.append("c")', True),
        ('["a", "b"]', 'known.index("a")', True),
        ('["a", "b"]', 'known.append(request.args["x"])', False),
        ('{"a": 1}', 'known[request.args["x"]] = 1', False),
        ("{}", 'known[request.args["x"]] = 1', False),
        ("[]", 'known.append(request.args["x"])', False),
    ],
)
def test_what_another_function_fills_checks_nothing(
    made: str, fills: str, is_safe: bool, is_captured: bool, tmp_path: Path
) -> None:
    made = f"known = {made}"
    code = CODE.format("" if is_captured else made, made if is_captured else "", fills)
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert {each.vulnerability for each in found} == (set() if is_safe else {"command-injection"})
