"""Lists and tables that a template writes as they are show all that they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """from flask import Flask, render_template, request
app = Flask(__name__)
class Note:
    def __init__(self, text):
        self.text = text
@app.route("/")
def page():
    text = request.args["q"]
    return render_template("page.html", shown=VALUE)
"""
VALUES = [
    ('[{"text": text}]', True),
    ('{"text": text}', True),
    ('{"notes": [{"text": text}]}', True),
    ("[text]", True),
    ("[Note(text)]", False),
    ("Note(text)", False),
    ('[{"text": "fixed"}]', False),
    ('[{"size": len(text)}]', False),
]


@pytest.mark.parametrize(("value", "is_found"), VALUES)
def test_what_a_literal_holds_is_shown(value: str, is_found: bool, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/page.html").write_text("{{ shown|safe }}")
    (tmp_path / "app.py").write_text(PROGRAM.replace("VALUE", value))
    options = ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), profile="default", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    assert [each.vulnerability for each in report.findings] == ["xss"] * is_found
