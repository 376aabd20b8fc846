"""Beside a path that constants exclude, another one of the same data may be possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.explain import possible_paths
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import subprocess
from flask import Flask, request

app = Flask(__name__)


def listed(command, counted=True):
    if counted:
        command, total = numbered(command)
    else:
        command = command + " | head"
        total = 0
    subprocess.run(command, shell=True)
    return total


def numbered(command):
    return COUNTED, 10


@app.route("/")
def view():
    return listed("ls " + request.args["name"], counted=True)
"""


def found(folder: Path, counted: str = '"nl " + command') -> list[str]:
    (folder / "app.py").write_text(PROGRAM.replace("COUNTED", counted), encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.doubt.name if each.doubt else "" for each in report.findings]


def test_the_path_through_the_other_branch_counts(tmp_path: Path) -> None:
    assert found(tmp_path) == [""]


def test_without_another_path_the_doubt_stays(tmp_path: Path) -> None:
    assert found(tmp_path, '"nl"') == [doubts.BRANCH]


def test_the_search_for_other_paths_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possible_paths, "MAX_OTHER_EDGES", 0)
    assert found(tmp_path) == [doubts.BRANCH]
