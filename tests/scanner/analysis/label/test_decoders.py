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


ADDRESSES = """const http = require("http");
const url = require("url");
const qs = require("querystring");

http.createServer(async (req, res) => {
  const address = new URL("http://localhost" + req.url);
  const parsed = url.parse("http://localhost" + req.url, true);
  await fetch(address.searchParams.get("feed"));
  await fetch(parsed.query.feed);
  await fetch(qs.parse(req.url.split("?")[1]).feed);
  await fetch("http://localhost" + req.url);
  await fetch(address.href);
  res.writeHead(302, { Location: address.searchParams.get("to") });
  res.writeHead(302, { Location: "/app" + address.pathname });
  res.writeHead(302, { Location: req.url + "/" });
}).listen(80);
"""


def test_what_stands_before_an_address_says_nothing_of_its_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path.resolve() / "program"
    root.mkdir()
    (root / "app.js").write_text(ADDRESSES, encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root, select=("ssrf", "open-redirect"), confidence="medium", jobs=1)
    found = {
        (each.vulnerability, each.place.line, each.confidence)
        for each in scanner.scan(options, load_rules(None, ())).findings
    }
    assert {each for each in found if each[2] == "high"} == {
        ("ssrf", 8, "high"),
        ("ssrf", 9, "high"),
        ("ssrf", 10, "high"),
        ("open-redirect", 13, "high"),
    }
    assert {line for _, line, confidence in found if confidence != "high"} <= {15}  # the address as a whole
