"""Objects that outlive a request keep what one request stores in them for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.vulnerability import Confidence
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

STORE = """\
class Store:
    def __init__(self):
        self.items = {}
        self.title = ""
        self.size = 0

    def add(self, key, value):
        self.items[key] = value

    def run(self, key):
        os.system(self.items[key])

    def rename(self, title):
        self.title = title

    def show(self):
        os.system(self.title)

    def other(self):
        os.system(self.size)
"""
FLASK = """\
import os
import shlex
from flask import Flask, current_app, request

app = Flask(__name__)
{store}
{made}

@app.post("/add")
def add():
    {written}
    return ""

@app.get("/run")
def run():
    {read}
    return ""
"""
FASTAPI = """\
import os
from fastapi import Depends, FastAPI

app = FastAPI()
{store}
store = Store()

def get_store() -> Store:
    return store

@app.post("/add")
def add(key: str, value: str, kept: Store = Depends(get_store)):
    kept.add(key, value)

@app.get("/run")
def run(key: str, kept: Store = Depends(get_store)):
    kept.run(key)
"""
EXPRESS = """\
const express = require("express");
const { exec } = require("child_process");
class Store {
  constructor() { this.items = new Map(); }
  add(key, value) { this.items.set(key, value); }
  get(key) { return this.items.get(key); }
}
const app = express();
app.locals.store = new Store();
app.post("/add", (req, res) => { req.app.locals.store.add(req.body.key, req.body.value); res.end(); });
app.get("/run", (req, res) => { exec(req.app.locals.store.get(req.query.key)); res.end(); });
"""
GO = """\
package main

import (
	"net/http"
	"os/exec"
)

type Store struct {{
	items map[string]string
	lines []string
	size  int
}}

type Site struct {{ store *Store }}

func (s *Site) run(w http.ResponseWriter, r *http.Request) {{
	{made}
	for _, each := range s.store.{read} {{
		exec.Command("sh", "-c", each).Run()
	}}
}}

func (s *Site) add(w http.ResponseWriter, r *http.Request) {{
	{made}
	s.store.lines = append(s.store.lines, r.FormValue("line"))
}}

func main() {{
	s := &Site{{store: &Store{{}}}}
	http.HandleFunc("/run", s.run)
	http.HandleFunc("/add", s.add)
}}
"""
KEPT = "app.store = Store()"
TABLE = """\
stores = {}

@app.post("/new")
def new():
    stores[request.form["name"]] = Store()
    return ""
"""
ADD = 'current_app.store.add(request.form["key"], request.form["value"])'
RUN = 'current_app.store.run(request.args["key"])'
TAKEN = 'stores.get(request.form["name"]).{}'


def found(folder: Path, name: str, code: str, confidence: Confidence = "high") -> list[str]:
    """The rules that a scan with default options reports."""
    (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence=confidence)
    languages = [{".py": "python", ".js": "javascript", ".go": "go"}[Path(name).suffix]]
    report = scanner.scan(options, load_rules(languages, cache_folder=folder / "cache"))
    return [each.rule_id for each in report.findings]


def flask(made: str, written: str, read: str) -> str:
    return FLASK.format(store=STORE, made=made, written=written, read=read)


def test_an_object_that_a_library_keeps(tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", flask(KEPT, ADD, RUN)) == ["python/command-injection"]


def test_an_object_that_a_dependency_returns(tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", FASTAPI.format(store=STORE)) == ["python/command-injection"]


def test_an_object_that_a_call_takes_out_of_a_table(tmp_path: Path) -> None:
    written = TAKEN.format('add(request.form["key"], request.form["value"])')
    code = flask(TABLE, written, TAKEN.format('run(request.form["key"])'))
    assert found(tmp_path, "app.py", code) == ["python/command-injection"]


def test_an_object_of_express(tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", EXPRESS) == ["javascript/command-injection"]


def test_an_object_that_a_literal_makes(tmp_path: Path) -> None:
    assert found(tmp_path, "main.go", GO.format(made="", read="lines")) == ["go/command-injection"]


@pytest.mark.parametrize(
    ("made", "read"),
    [("", "items"), ("s = &Site{store: &Store{}}", "lines")],
    ids=["another field", "made for each request"],
)
def test_a_literal_whose_object_does_not_keep_it(tmp_path: Path, made: str, read: str) -> None:
    assert found(tmp_path, "main.go", GO.format(made=made, read=read)) == []


@pytest.mark.parametrize(
    ("made", "written", "read"),
    [
        (KEPT, ADD.replace('request.form["value"]', 'shlex.quote(request.form["value"])'), RUN),
        (KEPT, ADD, "current_app.store.other()"),
        (KEPT, ADD, "current_app.store.show()"),
        ("", 'Store().add(request.form["key"], request.form["value"])', 'Store().run(request.args["key"])'),
    ],
    ids=["cleaned", "another field", "a field that nobody sets", "made for each request"],
)
def test_what_is_not_kept(made: str, written: str, read: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", flask(made, written, read), "low") == []


def test_a_field_with_a_name_is_a_setting(tmp_path: Path) -> None:
    code = flask(KEPT, 'current_app.store.rename(request.form["title"])', "current_app.store.show()")
    assert found(tmp_path, "app.py", code) == []
    assert found(tmp_path, "app.py", code, "medium") == ["python/command-injection"]


NEST = """\
import {{ Body, Controller, Get, Injectable, Param, Post }} from "@nestjs/common";
import {{ execSync }} from "child_process";

@Injectable()
export class Store {{
  {field}
  {method}
}}

@Controller("jobs")
export class Jobs {{
  constructor(private readonly store: Store) {{}}
  @Post(":id") save(@Param("id") id: string, @Body() body: {{ text: string }}) {{ {written} }}
  @Get(":id") run(@Param("id") id: string) {{ return {read}; }}
}}
"""
MAP = "private readonly jobs = new Map<string, string>();"
METHODS = """\
save(id: string, text: string) { this.jobs.set(id, text); }
get(id: string) { return this.jobs.get(id); }"""


@pytest.mark.parametrize(
    ("field", "method", "written", "read", "expected"),
    [
        (MAP, METHODS, "this.store.save(id, body.text);", "execSync(`echo ${this.store.get(id)}`)", True),
        (MAP, METHODS, "this.store.save(id, 'ls');", "execSync(`echo ${this.store.get(id)}`)", False),
        (MAP, METHODS, "this.store.save(id, body.text);", "execSync(`echo ${this.store.jobs.size}`)", False),
    ],
    ids=["kept", "a constant", "how many there are"],
)
def test_an_object_that_a_container_of_dependencies_makes(
    field: str, method: str, written: str, read: str, expected: bool, tmp_path: Path
) -> None:
    code = NEST.format(field=field, method=method, written=written, read=read)
    (tmp_path / "jobs.ts").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["javascript"], cache_folder=tmp_path / "cache"))
    assert [each.rule_id for each in report.findings] == ["javascript/command-injection"] * expected
