"""Doubts about what is read of a request and about its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.policy.names.requests import IDENTIFIERS
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

CODE = """
import random
import requests
from flask import Flask, request

app = Flask(__name__)

class Box:
    pass

def packed(given):
    return {"b": given["a"]}

class Near:
    def ask(self, text):
        requests.get(text)

class Far:
    def ask(self, text):
        requests.get(text)

def some():
    return Near() if random.random() < 0.5 else Far()

@app.route("/page")
def page():
    return request.query_string.decode()

@app.route("/read")
def read():
    title = request.args["title"]
    open(packed({"a": title})["b"])
    file = request.args["file"]
    open(packed({"a": file})["b"])
    single = Box()
    single.text = request.args["text"]
    open(single.text)
    open(request.args["project_id"])
    some().ask(request.args["topic"])
    some().ask(request.args["callback_url"])
    return ""
"""


FETCHING = """package main

import "net/http"

type pages struct{ fetch func(address string) error }

func fetch(address string) error {
	_, err := http.Get(address)
	return err
}

func (p *pages) show(w http.ResponseWriter, r *http.Request) { p.fetch(r.FormValue("topic")) }

func main() {
	p := &pages{fetch: fetch}
	http.HandleFunc("/show", p.show)
}
"""
REPLACING = """package main

func check() {
	p := &pages{}
	p.fetch = func(address string) error { return nil }
	p.show(nil, nil)
}
"""


def test_a_finding_says_what_is_doubtful_about_the_way_of_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "views.py").write_text(CODE)
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="medium")
    report = scanner.scan(options, load_rules(None, ()))
    lines = CODE.splitlines()
    found = {
        lines[finding.place.line - 1].strip(): (finding.confidence, finding.doubt.name if finding.doubt else "")
        for finding in report.findings
        if finding.vulnerability in ("xss", "path-traversal")
    }
    assert found == {
        "return request.query_string.decode()": ("medium", doubts.WHOLE_REQUEST),
        'open(packed({"a": title})["b"])': ("medium", doubts.REPACKED),
        'open(packed({"a": file})["b"])': ("high", ""),
        "open(single.text)": ("high", ""),
        'open(request.args["project_id"])': ("medium", doubts.IDENTIFIER),
    }
    asked = {
        trace.parameter.name: (finding.confidence, finding.doubt.name if finding.doubt else "")
        for finding in report.findings
        if finding.vulnerability == "ssrf"
        for trace in finding.traces
    }
    assert asked == {"topic": ("high", ""), "callback_url": ("high", "")}


def test_a_call_that_may_run_several_functions_is_a_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "views.py").write_text(CODE.replace('some().ask(request.args["callback_url"])', "pass"))
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="medium", select=("ssrf",))
    report = scanner.scan(options, load_rules(None, ()))
    assert [finding.doubt and finding.doubt.name for finding in report.findings] == [doubts.SEVERAL] * 2


def test_what_a_test_puts_in_place_of_a_function_is_none_of_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "go.mod").write_text("module example.org/code\n")
    (root / "main.go").write_text(FETCHING)
    (root / "main_test.go").write_text(REPLACING)
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", select=("ssrf",))
    report = scanner.scan(options, load_rules(None, ()))
    assert [(finding.place.line, finding.confidence) for finding in report.findings] == [(8, "high")]


@pytest.mark.parametrize(
    ("name", "is_identifier"),
    [
        *(
            (name, True)
            for name in ("id", "ID", "project_id", "projectId", "userIDs", "Content-ID", "uuid", "pk", "ids")
        ),
        *((name, False) for name in ("valid", "identity", "idea", "paid", "uuid_file", "Grid", "video", "")),
    ],
)
def test_names_of_identifiers(name: str, is_identifier: bool) -> None:
    assert (IDENTIFIERS.search(name) is not None) == is_identifier


GATHERED = {
    "views.py": """
import os
from flask import Flask, request
def locate(*parts):
    return os.path.join(*[part.lstrip("/") for part in parts])
@Flask(__name__).route("/")
def view():
    return open(locate("/srv", request.args["title"])).read()
""",
    "app.js": """
const fs = require("fs"), path = require("path")
function locate(...parts) { return path.join(...parts.map((part) => part.trim())) }
require("express")().get("/", (req, res) => fs.readFile(locate("/srv", req.query.title), show))
""",
    "lists.js": """
const fs = require("fs"), path = require("path")
require("express")().get("/", (req, res) => {
  const found = [req.query.title].map((each) => path.join("/srv", each))
  fs.readFile(found[0], show)
})
""",
    "lists.py": """
import os
from flask import Flask, request
@Flask(__name__).route("/")
def view():
    found = list(map(lambda each: os.path.join("/srv", each), [request.args["title"]]))
    return open(found[0]).read()
""",
    "main.go": """
package main
import ("net/http"; "os"; "path/filepath"; "strings")
func locate(parts ...string) string {
	var kept []string
	for _, part := range parts { kept = append(kept, strings.TrimSpace(part)) }
	return filepath.Join(kept...)
}
func view(w http.ResponseWriter, r *http.Request) { os.ReadFile(locate("/srv", r.FormValue("title"))) }
func main() { http.HandleFunc("/", view) }
""",
}


@pytest.mark.parametrize("name", GATHERED)
def test_a_call_that_gathers_its_arguments_stores_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / name).write_text(GATHERED[name])
    options = ScanOptions(
        paths=(root,), root=root, jobs=1, device="cpu", confidence="medium", select=("path-traversal",)
    )
    (found,) = scanner.scan(options, load_rules(None, ())).findings
    assert (found.confidence, found.doubt) == ("high", None)
