"""Names of templates that code puts together or chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """from flask import Flask, render_template, request
app = Flask(__name__)
@app.route("/")
def page():
    text = request.args["q"]
    short = request.args.get("short")
    CODE
"""
CODE = [
    ('return render_template("raw.html" if short else "safe.html", text=text)', True),
    ('return render_template("safe.html" if short else "other.html", text=text)', False),
    ('kind = "raw" if short else "safe"; return render_template(f"{kind}.html", text=text)', True),
    ('kind = "safe" if short else "other"; return render_template(f"{kind}.html", text=text)', False),
    ('kind = len(text); return render_template(f"{kind}.html", text=text)', False),
    ('folder = "a" if short else "b"; return render_template(f"{folder}/raw.html", text=text)', True),
]


@pytest.mark.parametrize(("code", "is_found"), CODE)
def test_the_templates_that_code_chooses_from_are_filled(code: str, is_found: bool, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/raw.html").write_text("{{ text|safe }}")
    (tmp_path / "templates/safe.html").write_text("{{ text }}")
    (tmp_path / "app.py").write_text(PROGRAM.replace("CODE", code))
    options = ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), profile="default", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    assert [each.vulnerability for each in report.findings] == ["xss"] * is_found
