"""What stands in a form is no other site's where the program protects all its forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
from flask import Blueprint, Flask, request
from flask_wtf.csrf import CSRFProtect

app = Flask(__name__)
part = Blueprint("part", __name__)
csrf = {protection}
{more}

@app.route("/a", methods=["POST"])
{decorator}
def show():
    return "<b>" + request.{read}["name"]
"""


@pytest.mark.parametrize(
    ("protection", "more", "decorator", "read", "kinds"),
    [
        ("CSRFProtect(app)", "", "", "form", ["form"]),
        ("CSRFProtect()", "csrf.init_app(app)", "", "form", ["form"]),
        ("CSRFProtect(app)", "", "", "args", ["http"]),
        ("CSRFProtect(app)", "", "", "values", ["http"]),
        ("CSRFProtect(app)", "", "", "json", ["json"]),
        ("CSRFProtect(app)", "", "@csrf.exempt", "form", ["http"]),
        ("CSRFProtect(app)", "app.csrf = csrf", "@app.csrf.exempt", "form", ["http"]),
        ("CSRFProtect(app)", "def other():\n    pass\ncsrf.exempt(other)", "", "form", ["form"]),
        ("CSRFProtect(app)", 'csrf.exempt(app.view_functions["other"])', "", "form", ["form"]),
        ("CSRFProtect(app)", "register(decorators=[csrf.exempt])", "", "form", ["http"]),
        ("CSRFProtect(app)", "csrf.exempt(part)", "", "form", ["http"]),
        ("None", "", "", "form", ["http"]),
    ],
)
def test_protection_and_exemptions_decide(
    protection: str, more: str, decorator: str, read: str, kinds: list[str], tmp_path: Path
) -> None:
    code = PROGRAM.format(protection=protection, more=more, decorator=decorator, read=read)
    (tmp_path / "app.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = [each for each in scanner.scan(options, load_rules(["python"])).findings if each.vulnerability == "xss"]
    assert [each.trace.source_kind for each in found] == kinds
    assert [each.confidence for each in found] == ["high" if kinds == ["http"] else "medium"]
