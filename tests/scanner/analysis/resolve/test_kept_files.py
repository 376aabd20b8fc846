"""Files of the program: what one handler writes arrives where another one reads the file of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.resolve.kept_files import file_name
from pyrograph.scanner.options import ScanOptions

CODE = """\
import json
import os
from flask import Flask, request

app = Flask(__name__)
FOLDER = "/srv/data"

def load(path):
    with open(path) as handle:
        return json.load(handle)

def save(path, value):
    with open(path, "w") as handle:
        json.dump(value, handle)

@app.get("/add")
def add():
    save(os.path.join(FOLDER, "{written}"), {{"owner": 1, "target": request.args["target"]}})
    return ""

@app.get("/run")
def run():
    os.system(load(os.path.join(FOLDER, "{read}"))["{field}"])
    return ""
"""


@pytest.mark.parametrize(
    ("written", "read", "field", "expected"),
    [
        ("jobs.json", "jobs.json", "target", ["python/command-injection"]),
        ("jobs.json", "jobs.json", "owner", []),
        ("jobs.json", "people.json", "target", []),
        ("jobs", "jobs", "target", []),  # a name without a suffix may be that of a folder
    ],
)
def test_a_field_arrives_from_the_file_of_this_name_alone(
    tmp_path: Path, written: str, read: str, field: str, expected: list[str]
) -> None:
    (tmp_path / "app.py").write_text(CODE.format(written=written, read=read, field=field), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["python"], cache_folder=tmp_path / "c")).findings
    assert [each.rule_id for each in found] == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("data/Notes.JSON", "notes.json"),
        ("C:\\data\\notes.json", "notes.json"),
        ("\0/notes.json", "notes.json"),
        ("/srv/\0.json", "srv/*.json"),
        ("\0.txt", "*.txt"),
        ("\0/\0.md", "*.md"),
        ("/srv/notes-\0.json", None),
        ("/srv/notes/", None),
        ("utf8", None),
    ],
)
def test_the_name_of_a_file_is_the_constant_end_of_its_path(path: str, expected: str | None) -> None:
    assert file_name(path) == expected
