"""What the route of a handler admits decides what a part of the path can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

FLASK = """
from flask import Flask

app = Flask(__name__)

@app.route("{}")
def view(name):
    return open("/srv/files/" + str(name) + "/data").read()
"""
EXPRESS = """
const fs = require("fs");
require("express")().get("{}", (req, res) => res.json(fs.readFileSync("/srv/files/" + req.params.name + "/data")));
"""
MUX = """package main

import (
	"net/http"
	"os"

	"github.com/gorilla/mux"
)

func view(w http.ResponseWriter, r *http.Request) {{
	os.Open("/srv/files/" + mux.Vars(r)["name"] + "/data")
}}

func main() {{
	mux.NewRouter().HandleFunc("{}", view)
}}
"""


@pytest.mark.parametrize(
    ("name", "code", "is_clean"),
    [
        ("a.py", FLASK.format("/<int:name>"), True),
        ("a.py", FLASK.format("/<path:name>"), False),
        ("a.js", EXPRESS.format(":name"), False),  # decoded after the match: it may hold a slash
        ("a.js", EXPRESS.format("/:name([0-9]+)"), True),
        ("a.go", MUX.format("/{name:[0-9]+}"), True),
    ],
)
def test_the_pattern_of_a_route_decides(name: str, code: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})


PREFIXED = """
import os
from flask import Blueprint
from conf import prefix

pages = Blueprint("pages", __name__, url_prefix=prefix())

@pages.route("/all")
def view(team):
    os.system("run " + team)
"""
POSITIONAL = """
import os
from django.urls import include, path, re_path

def view(request, name):
    os.system("run " + name)

inner = [path("other", view)]
urlpatterns = [re_path(r"^(\\w.+)/", include(inner))]
"""
REGISTERED = """
import os
from flask import Flask
from conf import read

app = Flask(__name__)

def home():
    return "home"

def view(name):
    os.system("run " + name)

VIEWS = {"home": home, "view": view}

def add(path, key):
    app.add_url_rule(path, view_func=VIEWS[key])

add("/home", "home")
add(read("path"), "view")
"""


@pytest.mark.parametrize(
    "code",
    [PREFIXED, POSITIONAL, REGISTERED, PREFIXED.replace("prefix()", '"/<team>"')],
    ids=["unknown prefix", "groups without a name", "helper", "known prefix"],
)
def test_what_an_unknown_route_may_name_is_untrusted(code: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert [(each.vulnerability, each.confidence) for each in found] == [("command-injection", "high")]


GATHERED = """\
import functools
import os

import flask
from django.urls import path

app = flask.Flask(__name__)


def checked(view):
    @functools.wraps(view)
    def wrapper(*args, **kwargs):
        os.system(kwargs["name"])  # found
        os.system(kwargs.get("name", ""))  # found
        os.system(kwargs["number"])
        os.system(kwargs["user"])
        return view(*args, **kwargs)

    return wrapper


def named(key):
    def decorator(view):
        def wrapper(*args, **kwargs):
            os.system(kwargs[key])  # found
            return view(*args, **kwargs)

        return wrapper

    return decorator


def scoped(view):
    def wrapper(request, *args, **kwargs):
        os.system(kwargs["slug"])  # found
        os.system(kwargs["pk"])
        os.system(kwargs["scope"])
        return view(request, *args, **kwargs)

    return wrapper


@app.route("/a/<name>/<int:number>")
@checked
def one(name, number):
    return str(number)


@app.route("/b/<name>")
@named("name")
def two(name):
    return ""


@app.route("/c/<name>/<int:number>")
def three(**parts):
    os.system(parts["name"])  # found
    os.system(parts["number"])
    os.system(parts["user"])
    run(parts)
    return ""


def run(parts):
    os.system(parts["name"])  # found
    os.system(parts["number"])


@scoped
def four(request, slug, pk):
    return None


urlpatterns = [path("<str:slug>/<int:pk>/", four)]
"""


def test_parts_that_a_function_gathers_are_untrusted_under_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATHERED, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    wanted = {number for number, line in enumerate(GATHERED.splitlines(), 1) if line.endswith("# found")}
    assert {each.place.line for each in found if each.vulnerability == "command-injection"} == wanted
