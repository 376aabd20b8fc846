"""Bodies of requests have the kind ``json`` where the program reads no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
const bodyParser = require("body-parser");
const express = require("express");
const app = express();
const TYPES = ["application/json", "text/json"];
READERS
app.post("/", (req, res) => res.send(req.body.name));
"""


@pytest.mark.parametrize(
    ("readers", "kind"),
    [
        ("app.use(express.json());", "json"),
        ("app.use(bodyParser.json({ type: TYPES }));", "json"),
        ('app.use(bodyParser.json({ type: "*/*" }));', "http"),
        ("app.use(bodyParser.json({ type: chosen }));", "http"),
        ("app.use(express.json()); app.use(express.urlencoded());", "http"),
        ("app.use(bodyParser());", "http"),
        ("", "http"),
    ],
)
def test_how_the_program_reads_bodies_decides(readers: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(PROGRAM.replace("READERS", readers), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = [each for each in scanner.scan(options, load_rules(["javascript"])).findings if each.vulnerability == "xss"]
    assert [(each.trace.source_kind, each.confidence) for each in found] == [(kind, "medium")]
