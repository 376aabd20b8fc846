"""A check before the handler that is not understood is a doubt; one that lets every value through is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
const express = require("express");
const { exec } = require("child_process");
const app = express();

async function exists(req, res, next) {
  const errors = [];
  if (!(await rows.findOne({ name: req.query.name }))) errors.push("unknown");
  if (errors.length > 0) return res.status(404).json(errors);
  next();
}

function noted(req, res, next) {
  const errors = [];
  if (!rows.findOne({ name: req.query.name })) errors.push("unknown");
  res.locals.errors = errors;
  next();
}

function present(req, res, next) {
  if (req.query.name === "") return res.status(400).end();
  next();
}

app.get("/a", exists, (req, res) => { exec("a" + req.query.name); });
app.get("/b", noted, (req, res) => { exec("b" + req.query.name); });
app.get("/c", exists, (req, res) => { exec("c" + req.query.other); });
app.get("/d", exists, (req, res) => { exec("d" + decodeURIComponent(req.query.name)); });
app.get("/e", present, (req, res) => { exec("e" + req.query.name); });
"""


def test_only_a_check_that_may_refuse_is_a_doubt(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(PROGRAM, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    lines = PROGRAM.splitlines()
    found = {
        lines[each.place.line - 1][10]: (each.confidence, each.doubt.name if each.doubt else "")
        for each in report.findings
        if each.vulnerability == "command-injection"
    }
    high = ("high", "")
    assert found == {"a": ("medium", doubts.CHECKED_BEFORE), "b": high, "c": high, "d": high, "e": high}


HOOKED = """
const { exec } = require("child_process");
const Hapi = require("@hapi/hapi");
const { allowed } = require("./rows");
const server = Hapi.server();

const check = async (request, h) => {
  BEFORE
  if (!request.query.name) return h.continue;
  const name = request.query.name;
  const names = await allowed();
  if (names.includes(name)) return h.continue;
  return h.redirect("/unknown").takeover();
};
const note = (request, h) => {
  console.log(request.query.other);
  return h.continue;
};

REGISTERED
server.ext("onPostAuth", note);
server.route({ method: "GET", path: "/a", handler: (request) => { exec("a" + request.query.name); return ""; } });
server.route({ method: "GET", path: "/b", handler: (request) => { exec("b" + request.query.other); return ""; } });
"""


@pytest.mark.parametrize(
    ("registered", "before", "degree"),
    [
        ('server.ext("onPostAuth", check);', "", "low"),
        ('server.ext("onPreHandler", (request, h) => check(request, h));', "", "low"),
        ('server.ext({ type: "onPreHandler", method: check });', "", "low"),
        ('server.ext("onPostAuth", check);', "if (!request.auth.isAuthenticated) return h.continue;", "medium"),
        ('server.ext("onPostAuth", check);', "if (request.query.fast) return h.continue;", "high"),
        ('server.ext("onPostAuth", (request, h) => { check(request, h); return h.continue; });', "", "high"),
        ('server.ext("onPostAuth", check);', "if (request.query.fast) return note(request, h);", "high"),
        ('server.ext("onPostAuth", check);', "if (request.query.fast) return fast ? h.continue : h.close;", "high"),
        ('if (process.env.CHECKS) server.ext("onPostAuth", check);', "", "medium"),
        (
            'server.ext("onPostAuth", (request, h) => { if (request.query.fast) return h.continue; '
            "return check(request, h); });",
            "",
            "high",
        ),
        ('server.ext("onPreResponse", check);', "", "high"),
        ("", "", "high"),
    ],
)
def test_a_hook_of_all_requests_runs_before_each_handler(
    registered: str, before: str, degree: str, tmp_path: Path
) -> None:
    program = HOOKED.replace("REGISTERED", registered).replace("BEFORE", before)
    (tmp_path / "app.js").write_text(program, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    lines = program.splitlines()
    found = {
        "ab"["/b" in lines[each.place.line - 1]]: each.confidence
        for each in scanner.scan(options, load_rules(["javascript"], ())).findings
        if each.vulnerability == "command-injection"
    }
    assert found == {"a": degree, "b": "high"}


WRAPPED = """
import functools
import os
from flask import Flask, abort

app = Flask(__name__)

def known(view):
    @functools.wraps(view)
    def wrapper(name):
        if name not in ("web", "mail"):
            abort(404)
        return view(name)
    return wrapper

def known_by_key(view):
    def wrapper(*args, **kwargs):
        if kwargs["name"] not in ("web", "mail"):
            abort(404)
        return view(*args, **kwargs)
    return wrapper

def counted(view):
    def wrapper(name):
        if name not in ("web", "mail"):
            app.logger.info("unknown")
        return view(name)
    return wrapper

@app.route("/a/<path:name>")
@known
def a(name): os.system("a " + name)

@app.route("/b/<path:name>")
@known_by_key
def b(name): os.system("b " + name)

@app.route("/c/<path:name>")
@counted
def c(name): os.system("c " + name)

@app.route("/d/<path:name>")
def d(name): os.system("d " + name)

@app.route("/e/<path:other>")
@known_by_key
def e(other): os.system("e " + other)
"""


def test_a_wrapper_checks_what_it_passes_on(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(WRAPPED, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    lines = WRAPPED.splitlines()
    found = {
        lines[each.place.line - 1][4]: (each.confidence, each.doubt.name if each.doubt else "")
        for each in report.findings
        if each.vulnerability == "command-injection"
    }
    checked = ("low", doubts.CHECKED_BEFORE)
    assert found == {"a": checked, "b": checked, "c": ("high", ""), "d": ("high", ""), "e": ("high", "")}


REGISTERED = {
    "main.go": """
package main

import (
	"net/http"
	"os/exec"

	"example.org/desk/pages"
	"github.com/labstack/echo/v4"
)

type desk struct{ api *echo.Group }

var server = &desk{echo.New().Group("/api")}

func Get(path string, handler echo.HandlerFunc, before ...echo.MiddlewareFunc) *echo.Route {
	return server.api.GET(path, handler, before...)
}

func listed(c echo.Context) error {
	name := c.QueryParam("name")
	if name != "web" && name != "mail" {
		return pages.Abort(http.StatusNotFound)
	}
	return pages.Answer(rows[name])
}

func run(c echo.Context) error {
	return exec.Command("sh", "-c", "a "+c.QueryParam("name")).Run()
}

func main() {
	Get("/listed", listed)
	Get("/run", run)
}
""",
    "app.js": """
const express = require("express");
const { exec } = require("child_process");
const server = { api: express() };

function get(path, handler, ...before) {
  return server.api.get(path, handler, ...before);
}

function listed(req, res) {
  if (!known.has(req.query.name)) return res.status(404).end();
  answer(rows[req.query.name]);
}

function run(req, res) {
  exec("a " + req.query.name);
}

get("/listed", listed);
get("/run", run);
""",
    "app.py": """
import os
from flask import Flask, abort, request

class Server:
    def __init__(self):
        self.api = Flask(__name__)

server = Server()

def get(path, handler):
    return server.api.add_url_rule(path, view_func=handler)

def listed():
    name = request.args["name"]
    if name not in known:
        abort(404)
    return answer(name)

def run():
    os.system("a " + request.args["name"])

get("/listed", listed)
get("/run", run)
""",
}


@pytest.mark.parametrize("name", sorted(REGISTERED))
def test_a_handler_is_no_check_of_others_that_the_same_function_registers(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(REGISTERED[name], encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    found = [(each.confidence, each.doubt) for each in report.findings if each.vulnerability == "command-injection"]
    assert found == [("high", None)]
