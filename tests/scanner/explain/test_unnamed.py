"""Functions that no code names, and methods of classes of which no object is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

SERVER = """
const app = require("express")();
const { exec } = require("child_process");

function card(req, res) {
  exec(req.query.id);
}

app.get("/", (req, res) => res.json([]));
"""
PUSH = """
import os
from flask import Blueprint, request
from models import Subscription, db

push = Blueprint("push", __name__)

@push.route("/subscribe", methods=["POST"])
def subscribe():
    db.session.add(Subscription(endpoint=request.json["endpoint"]))
    return ""

def send(name):
    for each in Subscription.query.filter_by(name=name).all():
        os.system("notify " + each.endpoint)
"""
MODELS = """
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()

class Subscription(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String)
    endpoint = db.Column(db.String)
"""
APP = "from flask import Flask\nfrom push import push\napp = Flask(__name__)\napp.register_blueprint(push)\n"

DATABASES = """
import os

class Generic:
    def perform(self, text):
        raise NotImplementedError

class Local(Generic):
    def perform(self, text):
        return ""

class Remote(Generic):
    def perform(self, text):
        os.system(text)
"""
VIEWS = """
from flask import Flask, request
from databases import Local

app = Flask(__name__)

@app.route("/run")
def run():
    database = find(request.args["name"])
    database.perform(request.args["text"])
    return ""
"""
CLASSES = """
const { exec } = require("child_process");

class Local { perform(text) { return ""; } }
class Remote { perform(text) { exec(text); } }

module.exports = { Local, %s };
"""
CLASSES_APP = """
const app = require("express")();
const { Local, find } = require("./databases");

const local = new Local();
app.get("/run", (req, res) => find(req.query.name).perform(req.query.text));
"""


def doubts_in(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return sorted(each.doubt.name if each.doubt else "" for each in report.findings)


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ("", doubts.UNUSED),
        ('// app.get("/cards/:id", card);', doubts.UNUSED),
        ('app.get("/cards/:id", card);', ""),
        ('const routes = { "/cards": card }; for (const path in routes) app.get(path, routes[path]);', ""),
        ("module.exports = { card };", ""),
        ("exports.card = card;", ""),
        ("module.exports = card;", ""),
    ],
)
def test_a_handler_that_is_neither_named_nor_exported(tmp_path: Path, more: str, doubt: str) -> None:
    assert doubts_in(tmp_path, {"server.js": SERVER + more}) == [doubt]


def test_an_exported_function_may_be_called_elsewhere(tmp_path: Path) -> None:
    module = SERVER.replace("require(", "await import(").replace("function card", "export function card")
    assert doubts.UNUSED not in doubts_in(tmp_path, {"server.mjs": module})


@pytest.mark.parametrize(
    ("push", "app", "doubt"),
    [
        (PUSH, APP, doubts.UNUSED),
        (PUSH, APP + "from push import send\n", ""),
        (PUSH, APP + "import push as module\nmodule.send('all')\n", ""),
        (PUSH, APP + "JOBS = ['push.send']\n", ""),
        (PUSH + "\n@push.route('/all')\ndef everybody():\n    send('all')\n    return ''\n", APP, ""),
        (PUSH.replace("def send", "@push.cli.command()\ndef send"), APP, ""),
    ],
)
def test_a_function_that_reads_what_another_request_stored(tmp_path: Path, push: str, app: str, doubt: str) -> None:
    assert doubts_in(tmp_path, {"push.py": push, "models.py": MODELS, "app.py": app}) == [doubt]


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ("", [doubts.UNUSED]),
        ("KINDS = [Local]\n", [doubts.UNUSED]),
        ("from databases import Remote\n", [""]),
        ("KIND = 'databases.Remote'\n", [""]),
        ("import databases\ndef make():\n    return databases.Remote()\n", [""]),
    ],
)
def test_a_class_of_which_no_object_is_made(tmp_path: Path, more: str, doubt: list[str]) -> None:
    assert doubts_in(tmp_path, {"databases.py": DATABASES, "views.py": VIEWS + more}) == doubt


@pytest.mark.parametrize(
    "more",
    [
        "class Other(Remote):\n    pass\n",
        "def make():\n    return Remote()\n",
        "KINDS = [Local, Remote]\n",
        "import library\n\n@library.register\nclass Last(Remote):\n    pass\n",
    ],
)
def test_the_file_of_a_class_uses_it(tmp_path: Path, more: str) -> None:
    assert doubts.UNUSED not in doubts_in(tmp_path, {"databases.py": DATABASES + more, "views.py": VIEWS})


def test_a_class_that_a_library_may_find(tmp_path: Path) -> None:
    derived = "import library\n" + DATABASES.replace("Remote(Generic)", "Remote(library.Base)")
    assert doubts.UNUSED not in doubts_in(tmp_path, {"databases.py": derived, "views.py": VIEWS})


@pytest.mark.parametrize(("exported", "doubt"), [("find: () => null", doubts.UNUSED), ("Remote", "")])
def test_a_class_of_javascript(tmp_path: Path, exported: str, doubt: str) -> None:
    files = {"databases.js": CLASSES % exported, "app.js": CLASSES_APP}
    assert [each for each in doubts_in(tmp_path, files) if each in ("", doubts.UNUSED)] == [doubt]
