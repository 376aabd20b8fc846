"""What is stored in an object that a call takes out of a container, the next one that takes it out gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

JS = """\
const express = require("express");
const {{ execSync }} = require("child_process");
const app = express();
{store}
app.post("/set", (req, res) => {{ {change}; res.end(); }});
app.get("/run", (req, res) => {{ execSync({read}); res.end(); }});
"""
PY = """\
import os
from flask import Flask, request

app = Flask(__name__)
{store}

@app.post("/set")
def set_():
    {change}
    return ""

@app.get("/run")
def run():
    os.system({read})
    return ""
"""
MAP = "const users = new Map();"
FIND = "const users = new Map();\nconst find = (id) => users.get(id);"
CLASS = """\
class Users {
  constructor() { this.list = []; }
  add(user) { this.list.push(user); }
  find(id) { return this.list.find((user) => user.id === id); }
}
const users = new Users();
"""
CLASS_PY = """\
class Users:
    def __init__(self):
        self.users = {}

    def find(self, id):
        return self.users.get(id)

app.users = Users()
"""
MADE = "const make = () => { const users = new Map(); users.set('a', { bio: 'b' }); return users; };"


def found(folder: Path, name: str, code: str) -> list[str]:
    """The rules that a scan with default options reports."""
    (folder / name).write_text(code, encoding="utf-8")
    languages = ["python" if name.endswith(".py") else "javascript"]
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    return [each.rule_id for each in scanner.scan(options, load_rules(languages, cache_folder=folder / "c")).findings]


@pytest.mark.parametrize(
    ("store", "change", "read"),
    [
        (MAP, "const user = users.get(req.query.id); user.bio = req.query.bio", "users.get(req.query.id).bio"),
        (MAP, "users.get(req.query.id).tags.push(req.query.tag)", "users.get(req.query.id).tags[0]"),
        (FIND, "const user = find(req.query.id); user.bio = req.query.bio", "find(req.query.id).bio"),
        (FIND, "const user = find(req.query.id); Object.assign(user, req.query)", "find(req.query.id).bio"),
        (CLASS, "users.find(req.query.id).page.bio = req.query.bio", "users.find(req.query.id).page.bio"),
    ],
    ids=["a map", "a list in it", "a function", "assigned fields", "a class"],
)
def test_objects_of_javascript(store: str, change: str, read: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", JS.format(store=store, change=change, read=read)) == [
        "javascript/command-injection"
    ]


@pytest.mark.parametrize(
    ("store", "change", "read"),
    [
        (
            "users = {}",
            'users.get(request.form["id"])["bio"] = request.form["bio"]',
            'users[request.args["id"]]["bio"]',
        ),
        (
            "users = {}\ndef find(id):\n    return users[id]",
            'find(request.form["id"])["bio"] = request.form["bio"]',
            'find(request.args["id"])["bio"]',
        ),
        (CLASS_PY, 'app.users.find(1).bio = request.form["bio"]', "app.users.find(1).bio"),
    ],
    ids=["a dictionary", "a function", "a class"],
)
def test_objects_of_python(store: str, change: str, read: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", PY.format(store=store, change=change, read=read)) == ["python/command-injection"]


@pytest.mark.parametrize(
    ("store", "change", "read"),
    [
        (MAP, "users.get(req.query.id).name = req.query.bio", "users.get(req.query.id).bio"),
        (MAP, "const user = { ...users.get(req.query.id) }; user.bio = req.query.bio", "users.get(req.query.id).bio"),
        (MADE, "make().get('a').bio = req.query.bio", "make().get('a').bio"),
        (CLASS, "users.find(req.query.id).bio = 'b'", "users.find(req.query.id).bio"),
    ],
    ids=["another field", "a copy", "made for each request", "a constant"],
)
def test_what_does_not_stay(store: str, change: str, read: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", JS.format(store=store, change=change, read=read)) == []


def test_a_program_that_reads_no_member(tmp_path: Path) -> None:
    code = 'text = input()\ncompile(text, "input", "exec")\ncode = compile(text, "input", "eval")\neval(code, {})\n'
    (tmp_path / "app.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    assert scanner.scan(options, load_rules(["python"], ())).problems == ()
