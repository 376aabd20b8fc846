"""Exceptions reach the functions that are registered for their class."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.vulnerability import Confidence
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

FLASK = """\
import html
from flask import Flask, Response, jsonify, request

app = Flask(__name__)

class Unknown(LookupError):
    def __init__(self, name):
        super().__init__(name)
        self.name = name

    def hint(self):
        return f"no {{self.name}}"

class Missing(Unknown):
    pass

class Other(Exception):
    pass

def look_up(name):
    raise {raised}

@app.get("/find")
def find():
    name = request.args["name"]
    {code}
    return ""

@app.errorhandler({handled})
def failed(error):
    return {page}, 404
"""
FASTAPI = """\
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse

app = FastAPI()

class Unknown(Exception):
    def __init__(self, name):
        self.name = name

@app.get("/find")
def find(name: str):
    raise Unknown(name)

async def failed(request: Request, error: Unknown):
    return HTMLResponse("<p>" + error.name)

app.add_exception_handler(Unknown, failed)
"""
AIOHTTP = """\
from aiohttp import web

routes = web.RouteTableDef()

@routes.get("/find")
async def find(request):
    raise LookupError("no " + request.query["name"])

@web.middleware
async def errors(request, handler):
    try:
        return await handler(request)
    except LookupError as error:
        return web.Response(text=f"<p>{error}", content_type="text/html")

app = web.Application(middlewares=[errors])
app.add_routes(routes)
"""
EXPRESS = """\
const express = require("express");
const app = express();
app.get("/find", (req, res, next) => { %s });
app.use((err, req, res, next) => { res.status(404).send(%s); });
"""
KOA = """\
const Koa = require("koa");
const app = new Koa();
app.use(async (ctx, next) => {
  try { await next(); } catch (err) { ctx.type = "html"; ctx.body = "<p>" + err.message; }
});
app.use(async (ctx) => { throw new Error("no " + ctx.query.name); });
"""


def found(folder: Path, name: str, code: str, confidence: Confidence = "high") -> list[str]:
    """The rules that a scan reports."""
    (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence=confidence)
    languages = ["python" if name.endswith(".py") else "javascript"]
    report = scanner.scan(options, load_rules(languages, cache_folder=folder / "cache"))
    return [each.rule_id for each in report.findings]


def flask(
    raised: str = "Unknown(name)",
    code: str = "look_up(name)",
    handled: str = "Unknown",
    page: str = '"<p>" + error.hint()',
) -> str:
    return FLASK.format(raised=raised, code=code, handled=handled, page=page)


@pytest.mark.parametrize(
    "code",
    [
        flask(),
        flask(page="f'<p>{error}'"),
        flask(raised="Missing(name)"),
        flask(code="raise Unknown(name)"),
        flask(raised="ValueError(name)", handled="ValueError", page="f'<p>{error}'"),
        flask(raised="ValueError(name)", handled="Exception", page="f'<p>{error}'"),
    ],
    ids=["a method", "its text", "a class that extends it", "in the view", "a class of Python's", "all exceptions"],
)
def test_a_function_for_a_class_of_errors(code: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", code) == ["python/xss"]


@pytest.mark.parametrize(
    "code",
    [
        flask(page="html.escape(error.hint())"),
        flask(page="jsonify(error=error.hint())"),
        flask(handled="Other", page="f'<p>{error}'"),
        flask(raised="ValueError(name)", handled="KeyError", page="f'<p>{error}'"),
        flask(raised="Unknown('nobody')"),
        flask(code="try:\n        look_up(name)\n    except Unknown:\n        pass"),
    ],
    ids=["escaped", "JSON", "another class", "another class of Python's", "a constant", "caught before"],
)
def test_what_a_function_for_errors_does_not_get(code: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", code, "low") == []


@pytest.mark.parametrize("code", [FASTAPI, AIOHTTP], ids=["a call that registers", "a middleware"])
def test_other_frameworks_of_python(code: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", code) == ["python/xss"]


@pytest.mark.parametrize(
    "code",
    [
        EXPRESS % ('throw new Error("no " + req.query.name);', '"<p>" + err.message'),
        EXPRESS % ('next(new Error("no " + req.query.name));', "`<p>${err.message}`"),
    ],
    ids=["thrown", "handed on"],
)
def test_errors_of_express(code: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", code) == ["javascript/xss"]


@pytest.mark.parametrize(
    "code",
    [
        EXPRESS % ('throw new Error("no " + req.query.name);', "{ message: err.message }"),
        EXPRESS % ('next(new Error("no name"));', '"<p>" + err.message'),
        EXPRESS % ('if (req.query.name) next("route");', '"<p>" + err.message'),
    ],
    ids=["JSON", "a constant", "no error"],
)
def test_what_a_handler_of_express_does_not_get(code: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", code, "low") == []


def test_a_middleware_of_koa(tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", KOA, "medium") == ["javascript/xss"]


CLASSES = """\
class Unknown extends TypeError {
  constructor(name) { super(`no ${name}`); }
}
class Hidden extends Error {
  constructor(name) { super("no such page"); this.page = name; }
}
"""
HANDLING = {
    "express": """\
const express = require("express");
const app = express();
app.get("/:branch", (req, res) => { throw %s; });
app.use((err, req, res, next) => { res.status(404).send(`<p>${err.message}</p>`); });
""",
    "fastify": """\
const app = require("fastify")();
app.get("/:branch", async (req, reply) => { throw %s; });
app.setErrorHandler((error, request, reply) => reply.type("text/html").send(`<p>${error.message}</p>`));
""",
    "hono": """\
import { Hono } from "hono";
const app = new Hono();
app.get("/:branch", (c) => { const req = { params: { branch: c.req.param("branch") } }; throw %s; });
app.onError((err, c) => c.html(`<p>${err.message}</p>`, 500));
""",
}


@pytest.mark.parametrize("framework", HANDLING)
@pytest.mark.parametrize(
    ("raised", "expected"),
    [("new Unknown(req.params.branch)", True), ("new Hidden(req.params.branch)", False)],
    ids=["its message", "a field of its own"],
)
def test_the_message_that_a_class_gives_its_base(framework: str, raised: str, expected: bool, tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", HANDLING[framework] % raised + CLASSES) == ["javascript/xss"] * expected
