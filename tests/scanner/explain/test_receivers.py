"""Paths that enter a method which their object does not have have low confidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import os
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, name):
        self.name = name

    def start(self):
        return self.run()


class Show(Task):
    def run(self):
        return os.system("show " + self.name)


class Loud(Show):
    pass


class Count(Task):
    def run(self):
        return len(self.name)


def counted(name):
    return Count(name).start()


def shown(name):
    return Show(name).start()


@app.route("/a")
def view():
    name = request.args["name"]
    Show("all").start()
    %s
    return "a"
"""


def doubts(code: str, folder: Path) -> list[str]:
    """The reason of doubt of each finding; "" for none."""
    (folder / "app.py").write_text(PROGRAM % code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder.resolve(), confidence="low", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    return [finding.doubt.name if finding.doubt else "" for finding in report.findings]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Count(name).start()", ["dispatch"]),
        ("counted(name)", ["dispatch"]),
        ("Count(name).start(); counted(name)", ["dispatch"]),
        ("Show(name).start()", [""]),
        ("Loud(name).start()", [""]),
        ("Count(name).start(); Loud(name).start()", [""]),
        ("counted(name); shown(name)", [""]),
        ("task = Count(name)\n    task = Show(name) if len(name) > 3 else task\n    task.start()", [""]),
        ("{'a': Count, 'b': Show}[request.args['kind']](name).start()", [""]),
    ],
)
def test_a_path_enters_methods_that_its_object_has(code: str, expected: list[str], tmp_path: Path) -> None:
    assert doubts(code, tmp_path) == expected
