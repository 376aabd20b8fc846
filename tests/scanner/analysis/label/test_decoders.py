"""Which cleaners a decoder undoes; ``fixtures/flows/*/decoders.md`` has the flow."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

CLEANED = [
    "x",
    "os.path.basename(x)",
    "html.escape(x)",
    "re.sub('[^a-z]', '', x)",
    "re.sub('[^a-z%]', '', x)",
    "x if x.isalnum() else ''",
    "x if re.fullmatch('[A-Za-z0-9+/=]+', x) else ''",
    "str(int(x))",
]
DECODED = ["unquote({})", "html.unescape({})", "base64.b64decode({}).decode()"]
USED = ["open('/srv/' + {})", "os.system('ls ' + {})", "requests.get('https://' + {})"]
HEAD = "import base64, html, os, re, requests\nfrom flask import request\nfrom urllib.parse import unquote\n"


def test_what_is_reported_of_a_rule_does_not_depend_on_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One program with all ways to clean, decode and use a text."""
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    ways = itertools.product(CLEANED, DECODED, USED)
    bodies = [
        f"def f{number}():\n    x = request.args['x']\n    y = {cleaned}\n    {used.format(decoded.format('y'))}\n"
        for number, (cleaned, decoded, used) in enumerate(ways)
    ]
    root = tmp_path.resolve() / "program"
    root.mkdir()
    (root / "app.py").write_text(HEAD + "".join(bodies), encoding="utf-8")

    def reported(*select: str) -> set[tuple[str, int]]:
        options = ScanOptions(paths=(root,), root=root, select=select, confidence="medium", jobs=1, device="cpu")
        return {(each.vulnerability, each.place.line) for each in scanner.scan(options, load_rules(None, ())).findings}

    rules = ("path-traversal", "command-injection", "ssrf")
    everything = reported(*rules)
    assert {name for name, _ in everything} == set(rules)
    for rule in rules:
        assert reported(rule) == {each for each in everything if each[0] == rule}
