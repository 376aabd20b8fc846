"""An address flows into the answer of the server that it chooses, and into nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import requests
from flask import request

def view():
    {code}
"""


@pytest.mark.parametrize(
    ("code", "columns"),
    [
        ("answer = requests.get(request.args['u']); requests.get(answer.json()['next'])", 2),
        ("answer = requests.get(request.args['u']); requests.get(answer.text)", 2),
        ("answer = requests.get(request.args['u']); requests.get('https://a.example/' + answer.text)", 1),
        ("answer = requests.get('https://a.example/' + request.args['u']); requests.get(answer.text)", 0),
        ("answer = requests.get('https://a.example/', params=request.args['u']); requests.get(answer.text)", 0),
        ("made = requests.Request('GET', request.args['u']); requests.Session().send(made.prepare())", 1),
    ],
)
def test_requests_to_addresses_of_an_attackers_answer(code: str, columns: int, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(PROGRAM.replace("{code}", code), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    found = [finding for finding in report.findings if finding.vulnerability == "ssrf"]
    assert len({finding.place.column for finding in found}) == columns


def test_other_vulnerabilities_do_not_pass(tmp_path: Path) -> None:
    code = "answer = requests.get(request.args['u']); eval(answer.text)"
    (tmp_path / "app.py").write_text(PROGRAM.replace("{code}", code), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    assert [finding.vulnerability for finding in report.findings] == ["ssrf"]
