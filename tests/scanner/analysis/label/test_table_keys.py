"""A loop over a table reads the keys that it was filled under, where a collection may be a list, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import sqlite3
from flask import request

ALLOWED = {{"name", "mail"}}

def save(updates, other):
    {}
    text = ", ".join(f"{{k}} = ?" for k in fields)
    sqlite3.connect("a.db").execute("UPDATE users SET " + text, list(fields.values()))

def view(other):
    save(request.json, other)
"""
LOOP = "fields = {}\n    for k, v in updates.items():\n        "


@pytest.mark.parametrize(
    ("filled", "is_clean"),
    [
        ("fields = {k: v for k, v in updates.items() if k in ALLOWED}", True),
        ("fields = {k: updates[k] for k in updates if k in ALLOWED}", True),
        ("fields = {k: v for k, v in updates.items() if k in ALLOWED}\n    if not fields: return", True),
        (LOOP + "if k in ALLOWED: fields[k] = v", True),
        (LOOP + "if k not in ALLOWED: continue\n        fields[k] = v", True),
        ("fields = {k: v for k, v in updates.items()}", False),
        ("fields = [v for k, v in updates.items() if k in ALLOWED]", False),
        (LOOP + "if k in ALLOWED: fields[k] = v\n        else: fields[v] = k", False),
        (LOOP + "if k in ALLOWED: fields[k] = v\n    fields[other] = 1\n    fields.update(updates)", False),
    ],
)
def test_keys_of_a_table(filled: str, is_clean: bool, tmp_path: Path) -> None:
    program = PROGRAM.format(filled)
    if filled.startswith("fields = ["):  # a list has no values() of its own: with it, the loop would be over a mapping
        program = program.replace("list(fields.values())", "fields")
    (tmp_path / "a.py").write_text(program, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"sql-injection"})
