"""What one file puts into an object that it imports, others read from the module that made it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

ADD_JS = """\
const express = require("express");
const app = express();
{imported}
app.get("/add", (req, res) => {{ {written}; res.end(); }});
"""
RUN_JS = """\
{imported}
const {{ execSync }} = require("child_process");
setInterval(() => {{ execSync({read}); }}, 1000);
"""
ADD_PY = """\
from flask import Flask, request
{imported}
app = Flask(__name__)

@app.get("/add")
def add():
    {written}
    return ""
"""
RUN_PY = """\
import os
{imported}

def run():
    os.system({read})
"""
GO = """\
package main

import (
	"net/http"
	"os/exec"

	"example.org/jobs/store"
)

func add(w http.ResponseWriter, r *http.Request) {
	store.Jobs["next"] = r.FormValue("job")
}

func run(w http.ResponseWriter, r *http.Request) {
	exec.Command("sh", "-c", store.Jobs["next"]).Run()
}

func main() {
	http.HandleFunc("/add", add)
	http.HandleFunc("/run", run)
	http.ListenAndServe(":80", nil)
}
"""
EXPORTED = "module.exports = { jobs: [] };"
NAMED = "const { jobs } = require('./store');"
WHOLE = "const store = require('./store');"
ES = "import { jobs } from './store.js';"


def found(folder: Path, files: dict[str, str], language: str) -> list[str]:
    """The rules that a scan with default options reports."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    return [each.rule_id for each in scanner.scan(options, load_rules([language], cache_folder=folder / "c")).findings]


def javascript(folder: Path, store: str, imported: str, written: str, read: str, read_by: str = "") -> list[str]:
    add = ADD_JS.format(imported=imported, written=written)
    run = RUN_JS.format(imported=read_by or imported, read=read)
    return found(folder, {"store.js": store, "add.js": add, "run.js": run}, "javascript")


def python(folder: Path, store: str, imported: str, written: str, read: str) -> list[str]:
    add, run = ADD_PY.format(imported=imported, written=written), RUN_PY.format(imported=imported, read=read)
    return found(folder, {"store.py": store, "add.py": add, "run.py": run}, "python")


@pytest.mark.parametrize(
    ("store", "imported", "written", "read", "read_by"),
    [
        ("export const jobs = [];", ES, "jobs.push(req.query.job)", "jobs[0]", ""),
        ("export const jobs = [];", ES, "jobs.unshift({ job: req.query.job })", "jobs[0].job", ""),
        ("export const jobs = new Map();", ES, "jobs.set(req.query.id, req.query.job)", "jobs.get('a')", ""),
        ("const jobs = [];\nmodule.exports = { jobs };", NAMED, "jobs.push(req.query.job)", "jobs[0]", ""),
        (EXPORTED, WHOLE, "store.jobs.push(req.query.job)", "store.jobs[0]", ""),
        (EXPORTED, WHOLE, "store.jobs.push(req.query.job)", "jobs[0]", NAMED),
        ("module.exports = [];", "const jobs = require('./store');", "jobs.push(req.query.job)", "jobs[0]", ""),
        ("exports.jobs = [];", NAMED, "jobs[req.query.id] = req.query.job", "jobs.first", ""),
        (
            "class Jobs { static all = []; }\nmodule.exports = { Jobs };",
            "const { Jobs } = require('./store');",
            "Jobs.all.push(req.query.job)",
            "Jobs.all[0]",
            "",
        ),
    ],
)
def test_modules_of_javascript(
    store: str, imported: str, written: str, read: str, read_by: str, tmp_path: Path
) -> None:
    assert javascript(tmp_path, store, imported, written, read, read_by) == ["javascript/command-injection"]


def test_a_module_that_exports_what_another_one_made(tmp_path: Path) -> None:
    files = {
        "made.js": "export const jobs = [];",
        "store.js": "export { jobs } from './made.js';",
        "add.js": ADD_JS.format(imported=ES, written="jobs.push(req.query.job)"),
        "run.js": RUN_JS.format(imported="import { jobs } from './made.js';", read="jobs[0]"),
    }
    assert found(tmp_path, files, "javascript") == ["javascript/command-injection"]


@pytest.mark.parametrize(
    ("imported", "written", "read"),
    [
        ("from store import jobs", 'jobs.append(request.args["job"])', "jobs[0]"),
        ("import store", 'store.jobs.append(request.args["job"])', "store.jobs[0]"),
        ("from store import jobs", 'jobs[0:0] = [request.args["job"]]', "jobs[0]"),
    ],
)
def test_modules_of_python(imported: str, written: str, read: str, tmp_path: Path) -> None:
    assert python(tmp_path, "jobs = []", imported, written, read) == ["python/command-injection"]


def test_packages_of_go(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.org/jobs\n",
        "store/store.go": "package store\n\nvar Jobs = map[string]string{}\n",
        "main.go": GO,
    }
    assert found(tmp_path, files, "go") == ["go/command-injection"]


@pytest.mark.parametrize(
    ("store", "written", "read"),
    [
        ("export const jobs = []; export const done = [];", "done.push(req.query.job)", "jobs[0]"),
        ("export const jobs = [];", "jobs.push(Number(req.query.job) | 0)", "jobs[0]"),
        ("export const jobs = [];", "jobs.push({ job: 'a', name: req.query.name })", "jobs[0].job"),
        ("export const jobs = () => [];", "jobs().push(req.query.job)", "jobs()[0]"),
    ],
    ids=["another list", "a number", "another field", "made for each caller"],
)
def test_what_does_not_get_there(store: str, written: str, read: str, tmp_path: Path) -> None:
    imported = "import { jobs, done } from './store.js';"
    assert javascript(tmp_path, store, imported, written, read) == []


SESSION = """\
import os
import threading
from flask import Flask, request, session
SETTINGS = dict()
current = threading.local()
app = Flask(__name__)

@app.get("/begin")
def begin():
    {holder} = request.args["after"]
    return ""

@app.get("/end")
def end():
    os.system({read})
    return ""
"""


@pytest.mark.parametrize(
    ("holder", "read", "confidence"),
    [
        ('session["after"]', 'session["after"]', "high"),
        ('session["after"]', 'session.get("after")', "high"),
        ('session["after"]', 'session.pop("after", None)', "high"),
        ("current.after", "current.after", "high"),
        ('SETTINGS["after"]', 'SETTINGS["after"]', "medium"),  # which has an API as well: that of its type
    ],
)
def test_the_object_of_a_library_is_one_for_all_functions(
    holder: str, read: str, confidence: str, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(SESSION.format(holder=holder, read=read), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    findings = scanner.scan(options, load_rules(["python"], ())).findings
    assert [(each.rule_id, each.confidence) for each in findings] == [("python/command-injection", confidence)]
