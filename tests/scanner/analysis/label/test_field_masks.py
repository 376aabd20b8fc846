"""Parts of objects, by checks of other functions and of all callers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.rules import load_rules
from pyrograph.scanner import scan
from pyrograph.scanner.options import ScanOptions

GUARD = RULES + '[guard]\ndanger = ["eq"]\n'
CHECK = """
import web
def ok(r):
    if r.a != 'x':
        return False
    return True
def refuse(r):
    if r.a != 'x':
        raise r
def all_ok(rs):
    for r in rs:
        if not ok(r):
            return False
    return True
"""


def is_clean(code: str) -> bool:
    found = labelled(CHECK + code, GUARD)
    return all(found.labels.clean.get(role.value, 0) & 1 for role in found.labels.sinks)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if not ok(r): return\n    web.run(r.a)", True),
        ("if not ok(r): return\n    web.run(r.b)", False),
        ("if ok(r): return\n    web.run(r.a)", False),
        ("ok(r)\n    web.run(r.a)", False),
        ("refuse(r)\n    web.run(r.a)", True),
        ("refuse(r)\n    r.a = web.get()\n    web.run(r.a)", False),
        ("if not all_ok(r.list): return\n    web.run(r.list[c].a)", True),
        ("if not all_ok(r.list): return\n    web.run(r.other[c].a)", False),
        ("if c:\n        refuse(r)\n    web.run(r.a)", False),
    ],
)
def test_a_function_that_was_asked_answers_for_parts_of_its_argument(body: str, *, expected: bool) -> None:
    assert is_clean(f"def f(c):\n    r = web.get()\n    {body}\n") is expected


def test_what_calls_pass_that_no_source_reaches_is_left_out_of_account() -> None:
    use = "def use(r):\n    web.run(r.a)\n"
    checked = "def f():\n    r = web.get()\n    refuse(r)\n    use(r)\n"
    assert is_clean(use + checked)
    assert is_clean(use + checked + "def test():\n    use(made())\n")
    assert not is_clean(use + checked + "def g():\n    use(web.get())\n")


CAPTURED = {
    "a.py": """
import os
from flask import Flask, request

def start():
    app = Flask(__name__)
    items = {}

    @app.get("/show")
    def show():
        item = items[request.args["key"]]
        if item == "":
            return ""
        os.system(item)
        return ""

    @app.post("/fill")
    def fill():
        items[request.form["key"]] = VALUE
        return ""

    return app
""",
    "a.js": """
const express = require("express");
const { exec } = require("child_process");
function start() {
  const items = {};
  const app = express();
  app.get("/show", (request, res) => {
    const item = items[request.query.key];
    if (item === "") return res.end();
    exec(item);
  });
  app.post("/fill", (request, res) => { items[request.body.key] = VALUE; res.end(); });
}
start();
""",
    "a.go": """
package main

import (
	"net/http"
	"os/exec"
	"sync"
)

func main() {
	var items sync.Map
	http.HandleFunc("/show", func(w http.ResponseWriter, r *http.Request) {
		item, ok := items.Load(r.FormValue("key"))
		if !ok || item == "" {
			return
		}
		exec.Command("sh", "-c", item.(string)).Run()
	})
	http.HandleFunc("/fill", func(w http.ResponseWriter, r *http.Request) {
		items.Store(r.FormValue("key"), VALUE)
	})
}
""",
}
VALUES = {"a.py": 'request.form["item"]', "a.js": "request.body.item", "a.go": 'r.FormValue("item")'}


@pytest.mark.parametrize("name", CAPTURED)
def test_another_function_may_fill_a_container_that_is_empty_when_it_is_captured(tmp_path: Path, name: str) -> None:
    def reported(value: str) -> list[str]:
        (tmp_path / name).write_text(CAPTURED[name].replace("VALUE", value), encoding="utf-8")
        options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
        languages = ["python", "javascript", "go"]
        return [each.vulnerability for each in scan(options, load_rules(languages, cache_folder=tmp_path)).findings]

    assert reported(VALUES[name]) == ["command-injection"]
    assert reported('"date"') == []
