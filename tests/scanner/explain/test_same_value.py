"""Places of one function that one check of a value mends are one finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Finding
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.explain.findings import Explainer
from pyrograph.scanner.options import ScanOptions


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: None)


def findings(folder: Path, program: str, name: str = "a.py") -> list[Finding]:
    (folder / name).write_text(program, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    return list(scanner.scan(options, load_rules()).findings)


def lines(found: list[Finding]) -> list[list[int]]:
    return [[each.place.line, *(further.place.line for further in each.arguments)] for each in found]


SAVE = """import os
from flask import request


def save(path, text):
    os.rename(path, path + ".old")
    with open(path, "w") as stream:
        stream.write(text)
    os.remove(path + ".old")


def post():
    save("/srv/" + request.args["name"], "")
"""


def test_a_value_that_is_used_several_times_is_one_finding(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, SAVE)
    assert lines([found]) == [[6, 6, 7, 9]]
    assert found.num_sources == 1
    assert found.message.endswith(
        'Untrusted data also reaches `path + ".old"` in line 6, `path` in line 7 and `path + ".old"` in line 9.'
    )
    assert {found.end_of(trace).line for trace in found.traces} == {6, 7, 9}


def test_its_places_keep_the_fingerprints_that_they_have_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (together,) = findings(tmp_path, SAVE)
    monkeypatch.setattr(Explainer, "value_of", lambda *_: ())
    alone = findings(tmp_path, SAVE)
    assert len(alone) == 3
    assert together.fingerprints == tuple(each for found in alone for each in found.fingerprints)


def test_parts_with_different_names_are_different_values(tmp_path: Path) -> None:
    program = """from flask import request


def get():
    form = request.form
    open(form["a"])
    open(form["b"])
    open(form.get("c"))
    open(form["a"] + ".txt")
    open(request.form["a"])
"""
    assert lines(findings(tmp_path, program)) == [[6, 9, 10], [7], [8]]


def test_functions_rules_and_results_of_calls_stay_apart(tmp_path: Path) -> None:
    program = """import os
from flask import request


def part(name):
    return request.args[name]


def get():
    open(part("a"))
    open(part("b"))
    path = part("c")
    open(path)
    os.system("cat " + path)
    os.remove(path)


def other(path):
    open(path)


def put():
    path = request.args["path"]
    open(path)
    other(path)
"""
    assert lines(findings(tmp_path, program)) == [[10], [11], [13, 15], [14], [19], [24]]


def test_modules_stay_apart(tmp_path: Path) -> None:
    program = """from flask import request

path = request.args["path"]
open(path)
open(path)
"""
    assert lines(findings(tmp_path, program)) == [[4], [5]]


def test_other_vulnerabilities_are_mended_at_each_place(tmp_path: Path) -> None:
    program = """import os
from flask import request


def get():
    name = request.args["name"]
    os.system("ls " + name)
    os.system("cat " + name)
"""
    assert lines(findings(tmp_path, program)) == [[7], [8]]


def test_reads_of_one_parameter_are_one_value_in_javascript_and_go(tmp_path: Path) -> None:
    javascript = """const express = require("express");
const fs = require("fs");
const app = express();
app.get("/", (req, res) => {
  fs.unlinkSync(req.query.file);
  fs.readFileSync(req.query.file);
  fs.readFileSync(req.query.other);
});
"""
    assert lines(findings(tmp_path, javascript, "a.js")) == [[5, 6], [7]]
    (tmp_path / "a.js").unlink()
    go = """package main

import (
	"net/http"
	"os"
)

func handle(w http.ResponseWriter, r *http.Request) {
	os.Remove(r.FormValue("file"))
	os.ReadFile(r.FormValue("file"))
	os.ReadFile(r.FormValue("other"))
}

func main() {
	http.HandleFunc("/", handle)
	http.ListenAndServe(":80", nil)
}
"""
    assert lines(findings(tmp_path, go, "a.go")) == [[9, 10], [11]]
