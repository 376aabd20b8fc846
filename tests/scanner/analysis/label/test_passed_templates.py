"""Helpers that fill the template which their caller names."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """from flask import Flask, render_template, request
app = Flask(__name__)
def show(name, **values):
    return render_template(name, **values)
def show_twice(name, **values):
    return show(name, **values)
@app.route("/")
def page():
    return {}
@app.route("/other")
def other():
    return show("first.html", title="") + show("second.html", title="")
"""
CALLS = [
    ("show('first.html', title=request.args['q'])", True),
    ("show('second.html', title=request.args['q'])", False),
    ("show('second.html', body=request.args['q'])", True),
    ("show('first.html', body=request.args['q'])", False),
    ("show('first.html', **{'title': request.args['q']})", True),
    ("show_twice('first.html', title=request.args['q'])", True),
    ("show_twice('second.html', title=request.args['q'])", False),
]


@pytest.mark.parametrize(("call", "is_found"), CALLS)
def test_a_caller_fills_the_template_that_it_names(call: str, is_found: bool, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/first.html").write_text("{{ title|safe }} {{ body }}")
    (tmp_path / "templates/second.html").write_text("{{ title }} {{ body|safe }}")
    (tmp_path / "app.py").write_text(PROGRAM.format(call))
    options = ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), profile="default", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    assert [each.vulnerability for each in report.findings] == ["xss"] * is_found
