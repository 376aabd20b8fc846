"""Texts that operators of a library's type put together."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.label.operators import put_together
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
from flask import Flask, request
from markupsafe import Markup
app = Flask(__name__)
@app.route("/")
def page():
    q = request.args["q"]
    return %s
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Markup("<b>%s</b>") % q', False),
        ('Markup("<b>") + q + Markup("</b>")', False),
        ('q + Markup("<b>")', False),
        ("f'{Markup(\"<b>\")}{q}'", True),
        ('"%s%s" % (Markup("<b>"), q)', True),
        ('str(Markup("<b>")) + q', True),
        ('"<b>" + q', True),
    ],
)
def test_an_operand_of_the_type_escapes_the_other_one(text: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(PROGRAM % text, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], ()))
    assert [each.rule_id for each in report.findings] == ["python/xss"] * found


def test_two_operands_are_found_beside_one_and_three() -> None:
    code = "def f(a, b, c):\n    use(f'{a}', a + b, f'{a}{b}{c}', b + c, c + a)\n"
    found = labelled(code, everywhere=True)
    pairs = {found.text(value): found.text(one) + found.text(two) for value, (one, two) in put_together(found.facts)}
    assert pairs == {"a + b": "ab", "b + c": "bc", "c + a": "ca"}
