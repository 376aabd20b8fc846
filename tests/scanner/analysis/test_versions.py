"""What manifests demand of a library: below which version it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis.versions import bound, is_below, version_of
from pyrograph.scanner.options import ScanOptions

NUMBERS = st.lists(st.integers(0, 30), min_size=3, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("requirement", "limit", "below"),
    [
        ("^3.14.1", "4", True),
        ("^4.17.4", "4.17.12", False),  # a new installation gets the newest
        ("4.17.4", "4.17.12", True),
        ("v1.2.3", "1.2.4", True),  # Go
        ("~4.17.4", "4.18", True),
        ("==4.9.3", "5", True),
        ("~=4.9", "5", True),
        ("~=4.9.1", "5", True),
        (">=4,<5", "5", True),
        (">=4, <5.1", "5", False),
        ("<=5", "5", False),
        ("!=4.2", "5", False),
        ("3.x || 4.x", "4", False),
        ("2.x || 3.x", "4", True),
        ("3", "4", True),
        ("3", "3.5", False),
        ("", "4", False),
        ("*", "4", False),
        ("latest", "4", False),
        ("git+https://example.org/3.1.0.git", "4", False),
        ("file:../3.1.0", "4", False),
        ("workspace:^3.1.0", "4", False),
    ],
)
def test_requirements(requirement: str, limit: str, below: bool) -> None:
    assert is_below(requirement, limit) is below


@given(NUMBERS, NUMBERS)
def test_an_exact_version_is_below_those_that_come_after_it(version: tuple[int, ...], limit: tuple[int, ...]) -> None:
    text, other = ".".join(map(str, version)), ".".join(map(str, limit))
    assert is_below(text, other) is is_below(f"=={text}", other) is (version < limit)
    assert version_of(text) == version


@given(NUMBERS)
def test_a_caret_admits_its_own_version(version: tuple[int, ...]) -> None:
    text = ".".join(map(str, version))
    found = bound(f"^{text}")
    assert found is not None
    assert found.version > version


@given(st.text(max_size=30))
def test_any_text_is_read(text: str) -> None:
    bound(text)


PYTHON = """
import yaml
from flask import Flask, request

app = Flask(__name__)

@app.route("/")
def load():
    yaml.full_load(request.args["text"])
    return ""
"""
JAVASCRIPT = """
const app = require("express")(), yaml = require("js-yaml");
app.get("/", (req, res) => { yaml.load(req.query.text); res.end(); });
"""


@pytest.mark.parametrize(
    ("file", "code", "manifest", "text", "confidence"),
    [
        ("app.py", PYTHON, "requirements.txt", "# pinned\npyyaml == 5.1  # old\nflask>=2\n", "high"),
        ("app.py", PYTHON, "requirements.txt", "PyYAML>=5.1\n", "low"),
        ("app.py", PYTHON, "requirements.txt", "-r other.txt\n", "low"),
        ("app.py", PYTHON, "pyproject.toml", '[project]\ndependencies = ["PyYAML[fast] ~= 5.3.0"]\n', "high"),
        ("app.py", PYTHON, "pyproject.toml", '[tool.poetry.dependencies]\npyyaml = "~5.3"\n', "high"),
        ("app.py", PYTHON, "pyproject.toml", '[tool.poetry.dependencies]\npyyaml = { version = "^5.1" }\n', "low"),
        ("app.py", PYTHON, "pyproject.toml", "[broken\n", "low"),
        ("app.py", PYTHON, "Pipfile", '[packages]\npyyaml = "==5.3.1"\n', "high"),
        ("app.js", JAVASCRIPT, "package.json", '{"dependencies": {"js-yaml": "^3.14.1"}}', "high"),
        ("app.js", JAVASCRIPT, "package.json", '{"dependencies": {"js-yaml": "^4.1.0"}}', "low"),
        ("app.js", JAVASCRIPT, "package.json", '{"dependencies": {"js-yaml": 3}}', "low"),
        ("app.js", JAVASCRIPT, "package.json", "{}", "low"),
    ],
)
def test_manifests(tmp_path: Path, file: str, code: str, manifest: str, text: str, confidence: str) -> None:
    (tmp_path / file).write_text(code, encoding="utf-8")
    (tmp_path / manifest).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1), load_rules())
    assert [each.confidence for each in report.findings] == [confidence]


def test_all_manifests_must_demand_an_old_version(tmp_path: Path) -> None:
    for name, version in (("old", "3.14.0"), ("new", "4.1.0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.js").write_text(JAVASCRIPT, encoding="utf-8")
        (tmp_path / name / "package.json").write_text(f'{{"dependencies": {{"js-yaml": "{version}"}}}}')
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1), load_rules())
    assert {each.confidence for each in report.findings} == {"low"}


GO = """package main

import (
	"net/http"

	"example.org/old"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { old.Run(r.FormValue("text")) })
}
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("module app\n\nrequire example.org/old v1.2.3\n", True),
        ("module app\n\nrequire (\n\texample.org/old v1.2.3 // indirect\n)\n", True),
        ("module app\n\nrequire example.org/old v1.3.0\n", False),
        ("module app\n", False),
    ],
)
def test_modules_of_go(tmp_path: Path, text: str, found: bool) -> None:
    (tmp_path / "main.go").write_text(GO, encoding="utf-8")
    (tmp_path / "go.mod").write_text(text, encoding="utf-8")
    rule = tmp_path / "own.toml"
    condition = "when version 'example.org/old' < '1.3'"
    rule.write_text(
        f'library = "old"\nlanguage = "go"\n[sink]\ncode-injection = ["example.org/old.Run(0) {condition}"]\n',
        encoding="utf-8",
    )
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1), load_rules(None, [rule]))
    assert bool(report.findings) is found
