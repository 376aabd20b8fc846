"""A name in the quotes of SQL does no harm where it cannot end them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.label.quoted_names import open_quote
from pyrograph.scanner.options import ScanOptions

VIEW = """
import sqlite3
from flask import request

def escape(name):
    return name.replace('"', '""')

def view(other):
    name = request.args["name"]
    {}
    sqlite3.connect("a").execute("SELECT * FROM " + {})
"""


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("SELECT `", "`"),
        ('SELECT "', '"'),
        ("SELECT [", "["),
        ('SELECT "a" FROM "', '"'),
        ("SELECT ' \" ' FROM `", "`"),
        ("SELECT 'it ", ""),
        ('SELECT "a" ', ""),
        ("SELECT a[0] ", ""),
        ("", ""),
    ],
)
def test_the_quote_that_is_open(text: str, quote: str) -> None:
    assert open_quote(text) == quote


@pytest.mark.parametrize(
    ("check", "text", "is_clean"),
    [
        ("", "'\"' + name.replace('\"', '\"\"') + '\"'", True),
        ("", "'`' + name.replace('`', '') + '`'", True),
        ("", "'[' + name.replace(']', ']]') + ']'", True),
        ("", "'\"' + escape(name) + '\"'", True),
        ("", "'\"' + escape(name).replace('x', 'y') + '\"'", True),
        ("", "'\"' + escape(name).replace('x', '\"') + '\"'", False),
        ("", "'\"' + name.replace('\"', '\"\"\"') + '\"'", False),
        ("", "'`' + escape(name) + '`'", False),
        ("", "'\"' + name.replace('\"', other) + '\"'", True),  # what it puts there is not untrusted
        ("", "'\"x\"' + escape(name)", False),
        ("if '\"' in name: return", "'\"' + name + '\"'", True),
        ("if '\"' not in name: return", "'\"' + name + '\"'", False),
        ("if '`' in name: return", "'\"' + name + '\"'", False),
    ],
)
def test_what_cannot_end_the_quotes(check: str, text: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(VIEW.format(check or "pass", text), encoding="utf-8")
    root = tmp_path.resolve()
    report = scanner.scan(ScanOptions(paths=(root,), root=root, jobs=1, device="cpu"), load_rules(None, ()))
    assert [each.vulnerability for each in report.findings] == ([] if is_clean else ["sql-injection"])
