"""Which patterns count as checks that are not understood; ``fixtures/flows/*/guards.md`` has the flow."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import re
from flask import abort, current_app, redirect, request

def view():
    to = request.args["to"]
    if not CHECK:
        abort(400)
    return redirect(to)
"""


@pytest.mark.parametrize(
    ("check", "confidence"),
    [
        ("re.match(current_app.config['TARGETS'], to)", "low"),
        ("re.compile(current_app.config['TARGETS']).match(to)", "low"),
        ("re.match('http', to)", "high"),
        ("re.match(request.args['pattern'], to)", "high"),
    ],
)
def test_whoever_wrote_the_pattern_decides(check: str, confidence: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE.replace("CHECK", check), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert [each.confidence for each in found if each.vulnerability == "open-redirect"] == [confidence]
