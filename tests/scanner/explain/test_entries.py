"""Entry points: each handler has the route that requests reach it by, with the prefixes of its groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.model.entry import Surface
from pyrograph.model.finding import Report
from pyrograph.rules import load_rules
from pyrograph.scanner.explain.entries import readable, route_of_file
from pyrograph.scanner.explain.stated_routes import joined
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import scan

FLASK = """\
from flask import Blueprint, Flask, request
from flask_login import login_required
import functools, os

app = Flask(__name__)
api = Blueprint("api", __name__, url_prefix="/v1")


def logged(view):
    @functools.wraps(view)
    def wrapper(*args, **kwargs):
        print(request.path)
        return view(*args, **kwargs)
    return wrapper


@api.route("/run/<name>", methods=["POST", "PUT"])
@login_required
@logged
def run(name):
    os.system("run " + name)
    return helper()


def helper():
    os.system(request.args.get("command"))
    return "ok"


@app.get("/ping")
def ping():
    return request.headers["X-Host"]


app.register_blueprint(api, url_prefix="/api")
"""
DJANGO = {
    "shop/urls.py": """\
from django.urls import path
from shop import views

urlpatterns = [path("item/<int:item>/", views.item), path("basket/", views.Basket.as_view())]
""",
    "shop/views.py": """\
import os
from django.http import HttpResponse
from django.views import View


def item(request, item):
    os.system(request.GET["q"])
    return HttpResponse("")


class Basket(View):
    def post(self, request):
        os.system(request.POST["id"])
        return HttpResponse("")
""",
    "site/urls.py": """\
from django.urls import include, path

urlpatterns = [path("shop/", include("shop.urls"))]
""",
}
EXPRESS = """\
const express = require("express"), cp = require("child_process")
const app = express(), router = express.Router()
const check = (req, res, next) => req.user ? next() : res.sendStatus(401)
function run(req, res) { const { command } = req.body; cp.exec(command); res.end() }
router.post("/run/:id", check, run)
router.get("/a", (req, res) => { cp.exec(req.query.b); res.end() }).get("/b", (req, res) => { cp.exec(req.params.c) })
app.use("/api", router)
app.route("/z").put(function save(req, res) { cp.exec(req.get("X-A")); res.end() })
"text".replace(/-([a-z])/g, (match) => match)
"""
NEST = """\
import { Body, Controller, Post } from "@nestjs/common"
import { exec } from "child_process"
@Controller("jobs")
export class Jobs {
  @Post("run")
  run(@Body("command") command: string) { exec(command) }
}
"""
GO = """\
package main

import (
	"net/http"
	"os/exec"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
)

func plain(w http.ResponseWriter, r *http.Request)  { exec.Command("sh", "-c", r.URL.Query().Get("q")).Run() }
func posted(w http.ResponseWriter, r *http.Request) { exec.Command("sh", "-c", r.PostFormValue("f")).Run() }
func grouped(c *gin.Context)                        { exec.Command("sh", "-c", c.Query("g")).Run() }
func routed(w http.ResponseWriter, r *http.Request) { exec.Command("sh", "-c", chi.URLParam(r, "id")).Run() }
func below(w http.ResponseWriter, r *http.Request)  { exec.Command("sh", "-c", mux.Vars(r)["v"]).Run() }

func logged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { println(r.URL.Path); next(w, r) }
}

func register(group *gin.RouterGroup) { group.GET("/c/:x", grouped) }

func main() {
	http.HandleFunc("/plain", logged(plain))
	http.Handle("POST /posted", http.HandlerFunc(posted))
	register(gin.Default().Group("/v1"))
	r := chi.NewRouter()
	r.Route("/users", func(r chi.Router) { r.Delete("/{id}", routed) })
	m := mux.NewRouter()
	m.PathPrefix("/m").Subrouter().HandleFunc("/e/{v}", below).Methods("PUT")
}
"""
TABLE = """\
import { exec } from "child_process"
import { createRouter } from "vue-router"
export const run = { method: "POST", path: "/run", handler: async (req) => { exec(req.body.command) } }
createRouter({ routes: [{ path: "/users", component: () => import("./users") }] })
export const Home = () => <Link to="/" onClick={() => close()}>home</Link>
"""
NEXT = {
    "app/api/users/[id]/route.ts": """\
import { exec } from "child_process"
export async function POST(request: Request, { params }: { params: { id: string } }) {
  exec(params.id)
  return new Response("")
}
"""
}

PREFIXES = {
    "app.py": """\
from os import environ
from flask import Blueprint, Flask

app = Flask(__name__)
base = environ["BASE"]
wallets = Blueprint("wallets", __name__, url_prefix=f"{base}/wallets")
CHANGES = ["PUT", "PATCH"]


@wallets.route("/x")
@wallets.route("/y")
def both():
    return ""


@wallets.route("/z", methods=CHANGES)
def change():
    return ""


app.register_blueprint(wallets)
""",
    "app.js": """\
const fastify = require("fastify")()
async function deep(app) { app.post("/p", function store(req, res) { res.send(req.body.x) }) }
async function users(app) {
  app.get("/list", function list(req, res) { res.send(req.query.x) })
  app.register(deep, { prefix: `/deep` })
}
fastify.register(users, { prefix: "/users" })
""",
    "express.ts": """\
import { Application, Request, Response } from "express"
import config from "./config"
export class Routes {
  register(app: Application) {
    app.get(config.PREFIX + "blocks/:id", this.block).get(config.PREFIX + "tips/all", this.tips)
  }
  private block(req: Request, res: Response) { res.json(req.params.id) }
  private tips(req: Request, res: Response) { res.json([]) }
}
""",
    "jobs.ts": """\
import { Controller, Get, Query } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
@Controller("jobs")
export class Jobs {
  @Get("run")
  run(@Query("q") q: string) { return q }
}
async function start() {
  const app = await NestFactory.create(Jobs)
  app.setGlobalPrefix("api")
}
""",
    "main.go": """\
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"
)

func auth() gin.HandlerFunc { return func(c *gin.Context) { c.Next() } }

func show(c *gin.Context)                            { c.String(200, c.Query("a")) }
func either(w http.ResponseWriter, r *http.Request)  { w.Write([]byte(r.URL.Path)) }
func echoed(c echo.Context) error                    { return c.String(200, c.QueryParam("x")) }
func logged(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error { println(c.Path()); return next(c) }
}

func main() {
	group := gin.Default().Group("/gin", auth())
	group.GET("/a", show)
	mux.NewRouter().HandleFunc("/b", either).Methods(http.MethodGet, http.MethodPost)
	echo.New().GET("/e", echoed, logged)
}
""",
    "urls.py": """\
from django.urls import path
from django.views.decorators.http import require_POST
from rest_framework.decorators import api_view


@api_view(["GET", "PUT"])
def entry(request):
    return None


@require_POST
def added(request):
    return None


urlpatterns = [path("entry/", entry), path("added/", added)]
""",
    "kinds.py": """\
from server import Kind


class Printer:
    def __init__(self, server):
        server.register_endpoint("/pause", Kind.POST, self.pause)
        server.register_endpoint("/strip", Kind.GET | Kind.POST, self.strip)

    def pause(self, request):
        return None

    def strip(self, request):
        return None
""",
    "pages/api/version.ts": """\
import { wrapped } from "../../lib"
export async function handler(req, res) { res.json(req.query.v) }
export default wrapped(handler, { methods: ["GET", "DELETE"] })
""",
}


def report(folder: Path, files: dict[str, str]) -> Report:
    for name, code in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, surface=True, threat_models=frozenset({"account"}))
    return scan(options, load_rules())


def listed(surface: tuple[Surface, ...]) -> dict[str, str]:
    """Handler by entry point."""
    return {each.entry.name: each.entry.handler for each in surface}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"app.py": FLASK}, {"POST|PUT /api/v1/run/<name>": "run", "GET /ping": "ping"}),
        (DJANGO, {"/shop/item/<int:item>/": "item", "POST /shop/basket/": "Basket.post"}),
        (
            {"app.js": EXPRESS},
            {
                "POST /api/run/:id": "run",
                "GET /api/a": "<anonymous>",
                "GET /api/b": "<anonymous>",
                "PUT /z": "save",
            },
        ),
        ({"jobs.ts": NEST}, {"POST /jobs/run": "Jobs.run"}),
        (
            {"main.go": GO},
            {
                "/plain": "plain",
                "POST /posted": "posted",
                "GET /v1/c/:x": "grouped",
                "DELETE /users/{id}": "routed",
                "PUT /m/e/{v}": "below",
            },
        ),
        (NEXT, {"POST /api/users/[id]": "POST"}),
    ],
    ids=["flask", "django", "express", "nest", "go", "next"],
)
def test_handlers_have_their_routes(tmp_path: Path, files: dict[str, str], expected: dict[str, str]) -> None:
    found = report(tmp_path, files)
    assert listed(found.surface) == expected
    reached = {fingerprint for row in found.surface for fingerprint in row.findings}
    assert found.findings
    assert reached == {finding.fingerprint for finding in found.findings}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"app.py": FLASK},
            {
                ("POST|PUT /api/v1/run/<name>", "path parameter `name`"),
                ("POST|PUT /api/v1/run/<name>", "query parameter `command`"),
            },
        ),
        (
            {"app.js": EXPRESS},
            {
                ("POST /api/run/:id", "body field `command`"),
                ("GET /api/a", "query parameter `b`"),
                ("GET /api/b", "path parameter `c`"),
                ("PUT /z", "header `X-A`"),
            },
        ),
        (
            {"main.go": GO},
            {
                ("/plain", "query parameter `q`"),
                ("POST /posted", "body field `f`"),
                ("GET /v1/c/:x", "query parameter `g`"),
                ("DELETE /users/{id}", "path parameter `id`"),
                ("PUT /m/e/{v}", "path parameter `v`"),
            },
        ),
    ],
    ids=["flask", "express", "go"],
)
def test_findings_say_how_they_are_reached(
    tmp_path: Path, files: dict[str, str], expected: set[tuple[str, str]]
) -> None:
    found = report(tmp_path, files).findings
    traces = [finding.trace for finding in found]
    assert {(trace.entries[0].name, trace.parameter.words) for trace in traces} == expected


def test_a_table_with_a_method_is_a_route_and_a_page_of_the_browser_is_none(tmp_path: Path) -> None:
    assert listed(report(tmp_path, {"app.jsx": TABLE}).surface) == {"POST /run": "handler"}


def test_a_route_that_is_put_together_names_its_parts(tmp_path: Path) -> None:
    code = (
        "from bottle import get, post\nfrom settings import PREFIX\nimport config\n\n"
        "@get(PREFIX + '/a')\ndef first():\n    return ''\n\n"
        "@post('/b/%s/<name>' % config.KIND)\ndef second(name):\n    return name\n"
    )
    found = listed(report(tmp_path, {"app.py": code}).surface)
    assert found == {"GET {PREFIX}/a": "first", "POST /b/{KIND}/<name>": "second"}


def test_prefixes_and_methods_are_read_where_they_are_stated(tmp_path: Path) -> None:
    found = listed(report(tmp_path, PREFIXES).surface)
    assert found == {
        "GET {base}/wallets/x": "both",
        "GET {base}/wallets/y": "both",
        "PATCH|PUT {base}/wallets/z": "change",
        "POST /users/deep/p": "deep.store",
        "GET /users/list": "users.list",
        "GET {PREFIX}blocks/:id": "Routes.block",
        "GET {PREFIX}tips/all": "Routes.tips",
        "GET /api/jobs/run": "Jobs.run",
        "GET /gin/a": "show",
        "GET|POST /b": "either",
        "GET /e": "echoed",
        "GET|PUT /entry/": "entry",
        "POST /added/": "added",
        "POST /pause": "Printer.pause",
        "GET|POST /strip": "Printer.strip",
        "DELETE|GET /api/version": "handler",
    }


def test_a_check_in_front_is_named(tmp_path: Path) -> None:
    rows = {each.entry.handler: each.entry for each in report(tmp_path, {"app.py": FLASK}).surface}
    assert (rows["run"].access, rows["ping"].access) == ("account", "anybody")
    assert rows["run"].check.endswith("ask for an account")
    assert rows["ping"].check == ""


def test_what_is_no_handler_is_not_listed(tmp_path: Path) -> None:
    code = "import os\n\ndef f(x):\n    os.system(x)\n\nmap(f, ['/a'])\n"
    assert report(tmp_path, {"a.py": code}).surface == ()


REQUESTS = """
const { execFile } = require("child_process");
const restify = require("restify");
const server = restify.createServer();

function first(req, res, next) { next(); }
function list(req, res) { res.send([]); }
function shown(data) { console.log(data); }

server.get({ path: "/vms", name: "ListVms" }, [first], list);
server.post({ path: PREFIX + "/vms", name: "AddVm" }, first, function add(req, res) { res.send({}); });
xhr.get("/api/users", shown);
this.client.post("/allocate", shown);
Requests.get("/api/search?page=" + page, shown);
execFile("/usr/bin/zonename", shown);
"""


def test_a_call_that_sends_a_request_or_runs_a_program_registers_nothing(tmp_path: Path) -> None:
    found = listed(report(tmp_path, {"app.js": REQUESTS}).surface)
    assert found == {"GET /vms": "list", "POST {PREFIX}/vms": "add"}


def test_only_a_scan_that_is_asked_lists_them(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(FLASK, encoding="utf-8")
    assert scan(ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1), load_rules(["python"])).surface == ()


def test_parts_of_routes_are_joined_by_one_slash() -> None:
    assert [joined("/a/", "/b"), joined("", "/b"), joined("/a", ""), joined("/a", "b")] == ["/a/b", "/b", "/a", "/a/b"]


def test_files_have_routes_by_their_paths() -> None:
    assert route_of_file("src/app/(site)/users/page.tsx", "app/**/page.tsx") == "/users"
    assert route_of_file("pages/api/run.js", "pages/api/**") == "/api/run"


def test_a_regular_expression_stays_as_it_is() -> None:
    assert (readable("^a$"), readable("a"), readable("")) == ("^a$", "/a", "")


def test_handlers_of_examples_are_listed_where_nothing_else_is_scanned(tmp_path: Path) -> None:
    code = 'import flask\napp = flask.Flask("a")\n@app.get("/{0}")\ndef show():\n    return flask.request.args["q"]\n'
    files = {"examples/app.py": code.format("demo")}
    assert listed(report(tmp_path, files).surface) == {"GET /demo": "show"}
    files["app.py"] = code.format("real")
    assert listed(report(tmp_path, files).surface) == {"GET /real": "show"}
