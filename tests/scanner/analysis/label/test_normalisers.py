"""Behind which beginnings of names a path does not climb; ``fixtures/flows/*/paths.md`` has the flow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions


@pytest.mark.parametrize(
    ("before", "harmless"),
    [("/srv/report_", True), ("\0.", True), ("a-", True), ("/srv/data", False), ("/srv/.", False), ("\0", False)],
)
def test_the_end_of_the_text_before_decides(before: str, harmless: bool) -> None:
    found = load_rules([]).vulnerabilities["path-traversal"]
    climb = next(each for each in found.aspects if each.name == "path.climb")
    assert (re.search(climb.safe_end, before) is not None) is harmless


@pytest.mark.parametrize(
    ("making", "found"),
    [
        ("os.makedirs(os.path.dirname(path))", True),
        ("Path(path).parent.mkdir(parents=True)", True),
        ("os.makedirs(longer)", True),
        ("Path(path).parent.mkdir()", False),
        ("os.makedirs('/srv')", False),
        ("os.makedirs(os.path.normpath('/srv/' + os.environ['HOME']))", False),
    ],
)
def test_a_path_climbs_behind_the_beginning_of_a_name_where_its_folders_are_made(
    making: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path.resolve() / "program"
    root.mkdir()
    lines = [
        "import os",
        "from pathlib import Path",
        "from flask import request",
        "def keep():",
        "    path = '/srv/report_' + request.args['name']",
        "    longer = path + '/of'",
        f"    {making}",
        "    open(path)",
        "    open(longer)",
    ]
    (root / "app.py").write_text("\n".join(lines), encoding="utf-8")
    options = ScanOptions(
        paths=(root,), root=root, select=("path-traversal",), confidence="medium", jobs=1, device="cpu"
    )
    assert bool(scanner.scan(options, load_rules(None, ())).findings) is found
