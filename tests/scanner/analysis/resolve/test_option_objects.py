"""Receivers of functions that a framework takes from an object of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
const { exec } = require("child_process");
module.exports = { actions: { run(ctx) { this.%s(ctx.params.tool); } }, %s };
"""
START = "start(tool) { exec(tool); }"


@pytest.mark.parametrize(
    ("called", "part", "found"),
    [
        ("start", f"methods: {{ {START} }}", True),
        ("start", f"anything: {{ {START} }}", True),
        ("start", f"methods: {{ deeper: {{ {START} }} }}", False),
        ("begin", f"methods: {{ {START} }}", False),
    ],
)
def test_the_parts_of_the_nearest_literal_are_called(called: str, part: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "tools.service.js").write_text(PROGRAM % (called, part), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["javascript"], ()))
    assert [each.rule_id for each in report.findings] == ["javascript/command-injection"] * found
