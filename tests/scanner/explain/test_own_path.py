"""A redirect to the path of the request leads nowhere else where the path begins with the text of a route."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

GO = """
package main

import (
	"net/http"
	"strings"
)

var explorer = ""

func join(before, after string) string { return before + after }

func query(r *http.Request) string { return r.URL.Query().Get("next") }

func checked(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
	}
}

func show(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, %s, http.StatusFound)
}

func main() {
	%s
}
"""
EXPRESS = """
const fastify = require("fastify")();
const hono = new (require("hono").Hono)();
%s
"""
AIOHTTP = """
from aiohttp import web

async def show(request):
    raise web.HTTPFound(%s)

app = web.Application()
app.router.add_get(%s, show)
"""
INIT = 'http.HandleFunc("/admin/init", show)'


LOAD = """
import {{ redirect }} from "@sveltejs/kit";
export const load = async ({{ url, params }}) => {{
  redirect(302, {});
}};
"""
NEXT = """
import {{ NextRequest, NextResponse }} from "next/server";
export async function GET(request: NextRequest) {{
  return NextResponse.redirect({});
}}
"""


def reported(code: str, file: str, folder: Path) -> list[str]:
    """The redirects that are reported by default."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="medium")
    report = scanner.scan(options, load_rules(None, ()))
    assert not report.problems
    return [found.rule_id for found in report.findings if found.rule_id.endswith("/open-redirect")]


@pytest.mark.parametrize(
    ("target", "route"),
    [
        ("r.URL.Path", INIT),
        ("r.URL.String()", INIT),
        ('r.URL.String() + "?done=1"', INIT),
        ('strings.TrimSuffix(r.URL.Path, "/init")', INIT),
        ('join(r.URL.Path, "?done=1")', INIT),
        ("r.URL.Path", 'http.HandleFunc("GET /admin/{name}", show)'),
        ("r.URL.Path", 'http.HandleFunc("example.com/admin/{name}", show)'),
        ("r.URL.Path", 'http.HandleFunc("/admin/init", checked(show))'),
        ("r.URL.Path", 'http.HandleFunc(explorer+"/admin/", show)'),
        ("r.URL.Path", 'http.Handle("/admin/init", http.HandlerFunc(show))'),
        ('r.URL.Path + "/"', 'http.HandleFunc("GET /{$}", show)'),
        (
            "r.URL.Path",
            'http.HandleFunc("/admin/init", func(w http.ResponseWriter, r *http.Request) { show(w, r) })',
        ),
    ],
)
def test_the_path_of_a_fixed_route_leads_to_the_same_host(target: str, route: str, tmp_path: Path) -> None:
    assert reported(GO % (target, route), "main.go", tmp_path) == []


@pytest.mark.parametrize(
    ("target", "route"),
    [
        ("r.URL.Path", 'http.HandleFunc("/", show)'),
        ("r.URL.Path", 'http.HandleFunc("/{name}", show)'),
        ("r.URL.Path", 'http.HandleFunc("/{name}/{$}", show)'),
        ("r.URL.Path", 'http.HandleFunc(explorer+"/{name}", show)'),
        ("r.URL.Path", INIT + '\n\thttp.HandleFunc("/", show)'),
        ("r.URL.Path", 'http.Handle("/admin/", http.StripPrefix("/admin", http.HandlerFunc(show)))'),
        ("r.URL.Path", 'http.ListenAndServe(":80", http.HandlerFunc(show))'),
        ('strings.TrimPrefix(r.URL.Path, "/admin/init")', INIT),
        ('r.URL.Path[len("/admin/init"):]', INIT),
        ("query(r)", INIT),
        ('r.URL.Query().Get("next")', INIT),
    ],
)
def test_other_paths_and_what_is_cut_from_a_path_stay_findings(target: str, route: str, tmp_path: Path) -> None:
    assert reported(GO % (target, route), "main.go", tmp_path) == ["go/open-redirect"]


@pytest.mark.parametrize(
    "code",
    [
        'fastify.get("/users/:id", (request, reply) => reply.redirect(request.url + "/edit"));',
        'fastify.get("/users/*", (request, reply) => reply.redirect(request.originalUrl));',
        'fastify.get("/users/:id", (request, reply) => reply.redirect(request.url.replace(/x$/, "y")));',
        'hono.get("/users/:id", (context) => context.redirect(context.req.path));',
    ],
)
def test_the_path_of_a_fixed_route_leads_to_the_same_host_in_javascript(code: str, tmp_path: Path) -> None:
    assert reported(EXPRESS % code, "app.js", tmp_path) == []


@pytest.mark.parametrize(
    "code",
    [
        'fastify.get("*", (request, reply) => reply.redirect(request.url));',
        'fastify.get("/:name", (request, reply) => reply.redirect(request.url));',
        'fastify.get("/users/:id", (request, reply) => reply.redirect(request.url.slice(6)));',
        'fastify.get("/users/:id", (request, reply) => reply.redirect(request.url.replace("/users", "")));',
        'hono.get("/a?/:id", (context) => context.redirect(context.req.path));',
    ],
)
def test_other_paths_and_what_is_cut_from_a_path_stay_findings_in_javascript(code: str, tmp_path: Path) -> None:
    assert reported(EXPRESS % code, "app.js", tmp_path) == ["javascript/open-redirect"]


@pytest.mark.parametrize(
    ("target", "route", "findings"),
    [
        ("request.path", '"/users/{id}"', 0),
        ('request.path + "/"', '"/users/{id}"', 0),
        ("request.path", '"/{tail:.*}"', 1),
        ("request.path[6:]", '"/users/{id}"', 1),
        ('request.path.replace("/users", "")', '"/users/{id}"', 1),
    ],
)
def test_the_path_of_a_fixed_route_leads_to_the_same_host_in_python(
    target: str, route: str, findings: int, tmp_path: Path
) -> None:
    assert len(reported(AIOHTTP % (target, route), "app.py", tmp_path)) == findings


@pytest.mark.parametrize(
    ("code", "file", "findings"),
    [
        (LOAD.format("url.pathname"), "src/routes/admin/[id]/+page.server.ts", 0),
        (LOAD.format("`${url.pathname}/edit`"), "src/routes/(app)/admin/+page.server.ts", 0),
        (LOAD.format("url.pathname"), "src/routes/[...rest]/+page.server.ts", 1),
        (LOAD.format("url.pathname"), "src/routes/(app)/[id]/+page.server.ts", 1),
        (LOAD.format("url.pathname"), "src/routes/+layout.server.ts", 1),
        (LOAD.format("url.pathname.slice(6)"), "src/routes/admin/+page.server.ts", 1),
        (LOAD.format("url.href"), "src/routes/+layout.server.ts", 0),
        (LOAD.format('url.searchParams.get("next")'), "src/routes/admin/+page.server.ts", 1),
        (NEXT.format("new URL(request.nextUrl.pathname, request.url)"), "app/admin/route.ts", 0),
        (NEXT.format("new URL(request.nextUrl.pathname, request.url)"), "app/[...all]/route.ts", 1),
        (NEXT.format("request.url"), "app/[...all]/route.ts", 0),
        (NEXT.format('new URL(request.url).searchParams.get("next")'), "app/admin/route.ts", 1),
    ],
)
def test_the_path_of_a_file_is_that_of_its_route(code: str, file: str, findings: int, tmp_path: Path) -> None:
    assert len(reported(code, file, tmp_path)) == findings


def test_the_host_of_a_request_is_the_choice_of_who_sends_it(tmp_path: Path) -> None:
    code = EXPRESS % 'hono.get("/copy", async (context) => context.text(await fetch(context.req.url)));'
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    assert [found.rule_id for found in scanner.scan(options, load_rules(None, ())).findings] == ["javascript/ssrf"]


FIBER = """
package main

import "github.com/gofiber/fiber/v2"

type place struct {{
	path string
	page int
}}

func at(path string, page int) place {{ return place{{path: path, page: page}} }}

func (p place) address() string {{ return p.path + "?page=1" }}

func show(c *fiber.Ctx) error {{
	return c.Redirect({target}, 302)
}}

func main() {{
	app := fiber.New()
	{route}
}}
"""


@pytest.mark.parametrize(
    ("target", "route", "findings"),
    [
        ("c.Path()", 'app.Get("/news", show)', 0),
        ("c.OriginalURL()", 'app.Get("/news/:id", show)', 0),
        ("at(c.Path(), 3).address()", 'app.Get("/news", show)', 0),
        ("at(c.Path()[5:], 3).address()", 'app.Get("/news", show)', 1),
        ("c.Path()", 'app.Group("/").Get("~:name", show)', 0),
        ("c.Path()", 'app.Group("/").Get(":name", show)', 1),
        ("c.Path()", 'app.Get("/:name", show)', 1),
        ("c.Path()", 'app.Group("/:lang").Get("/news", show)', 1),
        ("c.Path()", 'app.Group("/:lang").Group("/").Get("/news", show)', 1),
        ("c.Path()", 'app.Group("/api/:version").Get("/news", show)', 0),
    ],
)
def test_groups_of_routes_count_for_the_beginning(target: str, route: str, findings: int, tmp_path: Path) -> None:
    assert len(reported(FIBER.format(target=target, route=route), "main.go", tmp_path)) == findings


CHI = """
package main

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

func show(w http.ResponseWriter, r *http.Request) {{
	http.Redirect(w, r, r.URL.Path, http.StatusFound)
}}

func main() {{
	router := chi.NewRouter()
	router.Route("{prefix}", func(r chi.Router) {{
		r.Get("/news", show)
	}})
}}
"""


@pytest.mark.parametrize(("prefix", "findings"), [("/site", 0), ("/{lang}", 1)])
def test_a_function_that_adds_routes_below_a_prefix_has_that_prefix(prefix: str, findings: int, tmp_path: Path) -> None:
    assert len(reported(CHI.format(prefix=prefix), "main.go", tmp_path)) == findings


PROXY = """
import type {{ RequestHandler }} from "@sveltejs/kit";

export const GET: RequestHandler = async ({{ url }}) => {{
  const answer = await fetch({0});
  return new Response(await answer.text());
}};
"""


@pytest.mark.parametrize(
    ("target", "file", "findings"),
    [
        ('new URL(url.pathname, "http://back:80")', "src/routes/api/[...path]/+server.ts", 0),
        ('new URL(url.pathname + url.search, "http://back:80").toString()', "src/routes/api/[...path]/+server.ts", 0),
        ('new URL(url.pathname, "http://back:80")', "src/routes/[...path]/+server.ts", 1),
        ('new URL(url.pathname.slice(4), "http://back:80")', "src/routes/api/[...path]/+server.ts", 1),
        ('new URL(url.searchParams.get("to"), "http://back:80")', "src/routes/api/[...path]/+server.ts", 1),
        ("url.href", "src/routes/api/[...path]/+server.ts", 1),
    ],
)
def test_the_path_of_an_address_keeps_the_host_of_a_server(
    target: str, file: str, findings: int, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(PROXY.format(target), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    assert len(scanner.scan(options, load_rules(None, ())).findings) == findings
