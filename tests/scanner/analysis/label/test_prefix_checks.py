"""Tests of how a text begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence
from tests.scanner.analysis.label.guarded import clean_sides
from tests.scanner.analysis.label.programs import RULES, labelled, vulnerability

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("x.startswith('/')", True),
        ("x[:2] == '//'", True),
        ("x[0:2] == '//'", True),
        ("x[:3] == '//'", False),  # never equal
        ("x[1:2] == '/'", False),
    ],
)
def test_a_slice_that_is_compared_is_a_prefix_if_it_is_as_long_as_the_text(test: str, clean: bool) -> None:
    assert clean_sides(test, "prefix") == (clean, False)


def test_what_begins_as_a_harmless_text_does_is_clean() -> None:
    code = 'import web\nx = web.get()\nif x.startswith("{}"):\n    web.run(x)\n'
    rules = RULES + '[propagator]\nflow = ["builtins.str#startswith:"]\n[type]\nbuiltin = ["builtins.str"]\n'
    rules += "[guard]\nother = ['eq']\n"
    harmless = (vulnerability(safe_text="https://[^/]+/"), vulnerability("other"))
    for text, clean in (("https://a/", True), ("https://", False)):
        found = labelled(code.format(text), rules, vulnerabilities=harmless)
        (sink,) = found.labels.sinks
        assert bool(found.labels.clean.get(sink.value, 0) & 1) is clean


def test_a_constant_beginning_of_a_command_proves_nothing_by_itself(tmp_path: Path) -> None:
    assert confidence("if not x.startswith('a'): return", tmp_path) == "high"


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("urlsplit(url).hostname.endswith('.example.org')", {"medium"}),
        ("urlsplit(url).hostname.endswith('example.org')", {"high"}),
        ("urlsplit(url).path.endswith('.example.org')", {"high"}),
        ("parse_url(url).host.endswith('.example.org')", set()),
    ],
)
def test_the_end_of_a_host_is_a_doubt_where_packs_know_equal_hosts_alone(
    test: str, expected: set[str], tmp_path: Path
) -> None:
    code = "import requests\nfrom flask import request\n"
    code += "from urllib.parse import urlsplit\nfrom urllib3.util import parse_url\n"
    code += f"def show():\n    url = request.args['url']\n    if {test}:\n        requests.get(url)\n"
    (tmp_path / "app.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert {each.confidence for each in found} == expected
