"""What a handler that answers keeps on its own request is not what the handler of another route reads of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

EXPRESS = """
const app = require("express")(), cp = require("child_process");
const show = (req, res) => { cp.exec("id " + req.user); };
"""
KOA = """
const Router = require("@koa/router"), cp = require("child_process"), router = new Router();
router.get("/b", async (ctx) => { cp.exec("id " + ctx.state.user); });
"""
HAPI = """
const cp = require("child_process"), server = require("@hapi/hapi").server();
const show = (request, h) => { cp.exec("id " + request.user); return h.response(""); };
const fill = (request, h) => { request.user = request.query.name; return h.response(""); };
"""
GIN = """package main

import (
	"os/exec"

	"github.com/gin-gonic/gin"
)

func main() {
	r := gin.Default()
	SET
	r.GET("/b", func(c *gin.Context) { exec.Command("sh", "-c", c.GetString("user")).Run() })
	r.Run()
}
"""
FASTAPI = """
import os
from fastapi import FastAPI, Request, Depends
app = FastAPI()

def fill(request: Request):
    request.state.user = request.query_params["name"]

SET

@app.get("/b")
async def b(request: Request):
    os.system(request.state.user)
"""


def doubts_of(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.doubt.name if each.doubt else "" for each in report.findings]


@pytest.mark.parametrize(
    ("routes", "doubt"),
    [
        (
            'app.post("/a", (req, res) => { req.user = req.query.n; res.end(); });\napp.get("/b", show);',
            doubts.OTHER_REQUEST,
        ),
        ('app.use((req, res, next) => { req.user = req.query.n; next(); });\napp.get("/b", show);', ""),
        ('app.get("/*", (req, res, next) => { req.user = req.query.n; next(); });\napp.get("/b", show);', ""),
        ('app.get("/b", (req, res, next) => { req.user = req.query.n; next(); }, show);', ""),
        (  # the handler calls the other one
            'app.get("/b", show);\napp.get("/a", (req, res) => { req.user = req.query.n; show(req, res); });',
            "",
        ),
        (  # a helper that a middleware calls, too
            "const set = (req, n) => { req.user = n; };\n"
            "app.use((req, res, next) => { set(req, req.query.n); next(); });\n"
            'app.post("/a", (req, res) => { set(req, req.query.n); res.end(); });\napp.get("/b", show);',
            "",
        ),
        (  # a session lasts
            'app.post("/a", (req, res) => { req.session.user = req.query.n; res.end(); });\n'
            'app.get("/b", (req, res) => { cp.exec("id " + req.session.user); });',
            "",
        ),
        (  # an object of the program lasts
            'app.post("/a", (req, res) => { req.app.locals.user = req.query.n; res.end(); });\n'
            'app.get("/b", (req, res) => { cp.exec("id " + req.app.locals.user); });',
            "",
        ),
    ],
)  # fmt: skip
def test_express(tmp_path: Path, routes: str, doubt: str) -> None:
    assert doubts_of(tmp_path, "app.js", EXPRESS + routes) == [doubt]


@pytest.mark.parametrize(
    ("routes", "doubt"),
    [
        ('router.get("/a", async (ctx) => { ctx.state.user = ctx.query.name; });', doubts.OTHER_REQUEST),
        ('router.use(async (ctx, next) => { ctx.state.user = ctx.query.name; await next(); });', ""),
        ('router.all("/(.*)", (ctx, go) => { ctx.state.user = ctx.query.name; return go(); });', ""),
    ],
)  # fmt: skip
def test_koa(tmp_path: Path, routes: str, doubt: str) -> None:
    assert doubts_of(tmp_path, "app.js", KOA + routes) == [doubt]


@pytest.mark.parametrize(
    ("routes", "doubt"),
    [
        (
            'server.route({ method: "GET", path: "/a", handler: fill });\n'
            'server.route({ method: "GET", path: "/b", handler: show });',
            doubts.OTHER_REQUEST,
        ),
        ('server.route({ method: "GET", path: "/b", options: { pre: [{ method: fill }], handler: show } });', ""),
    ],
)
def test_hapi(tmp_path: Path, routes: str, doubt: str) -> None:
    assert doubts_of(tmp_path, "app.js", HAPI + routes) == [doubt]


@pytest.mark.parametrize(
    ("routes", "doubt"),
    [
        ('r.GET("/a", func(c *gin.Context) { c.Set("user", c.Query("n")) })', doubts.OTHER_REQUEST),
        ('r.Use(func(c *gin.Context) { c.Set("user", c.Query("n")) })', ""),
        ('r.GET("/a", func(c *gin.Context) { c.Set("user", c.Query("n")); c.Next() })', ""),
    ],
)
def test_gin(tmp_path: Path, routes: str, doubt: str) -> None:
    assert doubts_of(tmp_path, "main.go", GIN.replace("SET", routes)) == [doubt]


@pytest.mark.parametrize(
    ("routes", "doubt"),
    [
        ('@app.get("/a")\nasync def a(request: Request):\n    fill(request)\n', doubts.OTHER_REQUEST),
        ('@app.middleware("http")\nasync def a(request, go):\n    fill(request)\n    return await go(request)\n', ""),
        ('@app.get("/b", dependencies=[Depends(fill)])', ""),
    ],
)  # fmt: skip
def test_fastapi(tmp_path: Path, routes: str, doubt: str) -> None:
    text = (
        FASTAPI.replace("SET", routes)
        if "def" in routes
        else FASTAPI.replace('@app.get("/b")', routes).replace("SET", "")
    )
    assert doubts_of(tmp_path, "app.py", text) == [doubt]
