"""Beside a path that reads another column than it stores, another one of the same source may read what it stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.explain import other_columns
from pyrograph.scanner.options import ScanOptions

SQLITE = """
import os
import sqlite3

from flask import Flask, request

app = Flask(__name__)
connection = sqlite3.connect("shop.db")


def add(form):
    values = (form["title"], form["size"], form["text"])
    connection.execute("INSERT INTO notes (title, size, text) VALUES (?, ?, ?)", values)


@app.route("/put", methods=["POST"])
def put():
    add(request.form)
    return ""


@app.route("/get")
def get():
    cursor = connection.execute("SELECT * FROM notes")
    names = [each[0] for each in cursor.description]
    for values in cursor.fetchall():
        row = dict(zip(names, values))
        os.system(row["COLUMN"])
    return ""
"""


def found(folder: Path, column: str) -> list[str]:
    (folder / "app.py").write_text(SQLITE.replace("COLUMN", column), encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [
        each.doubt.name if each.doubt else "" for each in report.findings if each.vulnerability == "command-injection"
    ]


@pytest.mark.parametrize("column", ["title", "size", "text"])
def test_any_column_of_the_form_may_be_the_one_that_is_read(tmp_path: Path, column: str) -> None:
    assert found(tmp_path, column) == [""]


def test_the_search_for_other_paths_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_columns, "MAX_OTHER_EDGES", 0)
    assert doubts.OTHER_ROW in found(tmp_path, "text") + found(tmp_path, "title") + found(tmp_path, "size")
