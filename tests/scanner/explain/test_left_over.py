"""A handler that nothing names has no route, where the file's other handlers are registered one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

EXPRESS = """
const cp = require("child_process");
const login = (req, res) => { cp.exec(req.body.a); };
function reset(req, res) { cp.exec(req.body.b); }
module.exports = { login, reset };
"""
EXPRESS_APP = """
const app = require("express")();
const users = require("./handlers");
app.post("/login", users.login);
"""
CLASS = """
const cp = require("child_process");
class Users {
  login(req, res) { cp.exec(req.body.a); }
  reset(req, res) { cp.exec(req.body.b); }
}
module.exports = new Users();
"""
DJANGO = """
import os
from django.http import HttpResponse

def login(request):
    os.system(request.GET["a"])

def reset(request):
    os.system(request.GET["b"])
"""
DJANGO_URLS = 'from django.urls import path\nimport handlers\nurlpatterns = [path("login", handlers.login)]\n'
GO = """package main

import (
	"net/http"
	"os/exec"
)

type Users struct{ name string }

func (u *Users) Login(w http.ResponseWriter, r *http.Request) {
	exec.Command("sh", "-c", r.FormValue("a")).Run()
}

func (u *Users) Reset(w http.ResponseWriter, r *http.Request) {
	exec.Command("sh", "-c", r.FormValue("b")).Run()
}
"""
GO_MOUNT = """package main

import "net/http"

type Resetter interface {
	Reset(w http.ResponseWriter, r *http.Request)
}

func mount(r Resetter) {
	http.HandleFunc("/reset", r.Reset)
}
"""
GO_APP = 'package main\n\nimport "net/http"\n\nfunc main() {\n\tu := &Users{}\n\thttp.HandleFunc("/login", u.Login)\n'


def doubt_of_last(folder: Path, files: dict[str, str]) -> str:
    """Scan ``files``: the reason of doubt about the last finding of the handlers' file."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    found = [each for each in report.findings if each.place.path.startswith("handlers")]
    first, last = sorted(found, key=lambda each: (each.place.path, each.place.line))
    assert first.doubt is None
    return last.doubt.name if last.doubt else ""


@pytest.mark.parametrize("handlers", [EXPRESS, CLASS], ids=["object", "class"])
@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ("", doubts.UNUSED),
        ('module.exports = (others) => app.post("/a", others.reset);', ""),  # unknown: it may be the handler
        ('app.post("/a", require("./other").reset);', doubts.UNUSED),
        ('const { reset: r } = require("./handlers"); app.post("/a", r);', ""),
        ('app.post("/:action", (req, res) => users[req.params.action](req, res));', ""),
        ('for (const [path, name] of [["/a", "users.reset"]]) app.post(path, find(name));', ""),
        ('const paths = ["/reset"]; app.get("/", (req, res) => res.redirect(paths[0]));', doubts.UNUSED),
    ],
)  # fmt: skip
def test_javascript(tmp_path: Path, handlers: str, more: str, doubt: str) -> None:
    assert doubt_of_last(tmp_path, {"handlers.js": handlers, "app.js": EXPRESS_APP + more}) == doubt


@pytest.mark.parametrize(
    "more",
    [
        'for (const name of Object.keys(users)) app.post("/" + name, users[name]);',
        'Object.entries(users).forEach(([name, run]) => app.post("/" + name, run));',
        'app.post("/a", { ...users }.reset);',
    ],
)
def test_all_functions_of_an_object_are_registered(tmp_path: Path, more: str) -> None:
    assert doubt_of_last(tmp_path, {"handlers.js": EXPRESS, "app.js": EXPRESS_APP + more}) == ""


def test_code_of_tests_registers_nothing(tmp_path: Path) -> None:
    test = 'const app = require("express")(); app.post("/a", require("./handlers").reset);'
    files = {"handlers.js": EXPRESS, "app.js": EXPRESS_APP, "app.test.js": test}
    assert doubt_of_last(tmp_path, files) == doubts.UNUSED


@pytest.mark.parametrize(
    "app",
    [
        'const users = require("./handlers"); module.exports = users;',
        'const load = require("./load"); load(require("./handlers"));',
    ],
)
def test_without_a_registered_neighbour_nothing_is_known(tmp_path: Path, app: str) -> None:
    assert doubt_of_last(tmp_path, {"handlers.js": EXPRESS, "app.js": app}) == ""


@pytest.mark.parametrize(
    ("urls", "doubt"),
    [
        (DJANGO_URLS, doubts.UNUSED),
        (DJANGO_URLS + 'urlpatterns += [path(n, getattr(handlers, n)) for n in ("reset",)]\n', ""),
        (DJANGO_URLS + 'urlpatterns += [path("a", "handlers.reset")]\n', ""),
        (DJANGO_URLS + 'from handlers import *\nurlpatterns += [path("a", reset)]\n', ""),
    ],
)
def test_python(tmp_path: Path, urls: str, doubt: str) -> None:
    assert doubt_of_last(tmp_path, {"handlers.py": DJANGO, "urls.py": urls}) == doubt


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ("", doubts.UNUSED),
        ("\tmount(u)\n", ""),
        (
            '\tfor _, run := range []http.HandlerFunc{u.Reset} {\n\t\thttp.HandleFunc("/a", run)\n\t}\n',
            "",
        ),
    ],
)
def test_go(tmp_path: Path, more: str, doubt: str) -> None:
    files = {"go.mod": "module example.com/a\n\ngo 1.22\n", "handlers.go": GO, "main.go": GO_APP + more + "}\n"}
    if "mount" in more:
        files["mount.go"] = GO_MOUNT
    assert doubt_of_last(tmp_path, files) == doubt


def test_what_another_request_stores_does_not_reach_it_either(tmp_path: Path) -> None:
    """The path begins in a handler with a route, and goes on in one that has none."""
    shared = EXPRESS.replace("cp.exec(req.body.b)", "log(req.body.b); cp.exec(req.user)")
    setter = "app.use((req, res, next) => { req.user = req.query.n; next(); });"
    assert doubt_of_last(tmp_path, {"handlers.js": shared, "app.js": EXPRESS_APP + setter}) == doubts.UNUSED


FIRST = """package main

import (
	"net/http"
	"os/exec"
)

func (s *Shop) Show(w http.ResponseWriter, r *http.Request) {
	exec.Command("sh", "-c", r.FormValue("a")).Run()
}
"""
SECOND = (
    FIRST.split("func")[0]
    + """func (s *Shop) Create(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("name") != "" {
		s.Remove(w, r)
	}
}

func (s *Shop) Remove(w http.ResponseWriter, r *http.Request) {
	exec.Command("sh", "-c", r.FormValue("b")).Run()
}
"""
)
SHOP = """package main

import "net/http"

type Shop struct{ name string }

func (s *Shop) Users(w http.ResponseWriter, r *http.Request) { w.Header().Set("a", r.FormValue("a")) }
func (s *Shop) Files(w http.ResponseWriter, r *http.Request) { w.Header().Set("a", r.FormValue("a")) }
func (s *Shop) Notes(w http.ResponseWriter, r *http.Request) { w.Header().Set("a", r.FormValue("a")) }
func (s *Shop) Mails(w http.ResponseWriter, r *http.Request) { w.Header().Set("a", r.FormValue("a")) }
func (s *Shop) Words(w http.ResponseWriter, r *http.Request) { w.Header().Set("a", r.FormValue("a")) }

func main() {
	s := &Shop{}
	http.HandleFunc("/show", s.Show)
	http.HandleFunc("/users", s.Users)
	http.HandleFunc("/files", s.Files)
	http.HandleFunc("/notes", s.Notes)
	http.HandleFunc("/mails", s.Mails)
	http.HandleFunc("/words", s.Words)
"""
SERVES = SECOND.replace("Remove", "ServeHTTP")
GENERATED = """// Code generated by tool. DO NOT EDIT.

package main

import "net/http"

type Server interface{ Remove(w http.ResponseWriter, r *http.Request) }

func Mount(s Server) http.Handler { return http.HandlerFunc(s.Remove) }
"""


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ({}, doubts.UNUSED),
        ({"app.go": SHOP + '\thttp.HandleFunc("/create", s.Create)\n}\n'}, ""),
        ({"app.go": SHOP + '\thttp.HandleFunc("/remove", s.Remove)\n}\n'}, ""),
        ({"app.go": SHOP + "\tclear := s.Remove\n\t_ = clear\n}\n"}, ""),
        ({"app.go": SHOP + "\tmount(s)\n}\n", "mount.go": GO_MOUNT.replace("Reset", "Remove")}, ""),
        ({"app.go": SHOP + '\thttp.ListenAndServe(":80", Mount(s))\n}\n', "mount.go": GENERATED}, ""),
        ({"app.go": SHOP + '\thttp.ListenAndServe(":80", s)\n}\n', "handlers_b.go": SERVES}, ""),
        (
            {
                "app.go": SHOP + "\tserver := &http.Server{Handler: s}\n\tserver.ListenAndServe()\n}\n",
                "handlers_b.go": SERVES,
            },
            "",
        ),
        ({"app.go": "".join(each for each in SHOP.splitlines(True) if "/notes" not in each) + "}\n"}, ""),
    ],
)
def test_methods_in_several_files(tmp_path: Path, more: dict[str, str], doubt: str) -> None:
    files = {"go.mod": "module example.com/a\n\ngo 1.22\n", "app.go": SHOP + "}\n"}
    assert doubt_of_last(tmp_path, {**files, "handlers_a.go": FIRST, "handlers_b.go": SECOND, **more}) == doubt


def test_a_long_row_of_handlers_that_call_one_another_loses_no_finding(tmp_path: Path) -> None:
    first = "app.get('/', (req, res) => {});\nfunction show(req, res) {}\napp.get('/show', show);\n"
    row = [
        f"function h{each}(req, res) {{ cp.exec(req.query.a); {f'h{each - 1}(req, res);' if each else ''} }}\n"
        for each in range(300)
    ]
    head = 'const cp = require("child_process");\nconst app = require("express")();\n'
    (tmp_path / "app.js").write_text(head + first + "".join(row), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    report = pipeline.scan(options, load_rules(["javascript"], ()))
    assert len(report.findings) == len(row)
    assert report.problems == ()


@pytest.mark.parametrize(("more", "doubt"), [("", doubts.UNUSED), ('app.get("/b", reset);', "")])
def test_a_neighbour_need_not_read_the_request(tmp_path: Path, more: str, doubt: str) -> None:
    code = """
const cp = require("child_process");
const app = require("express")();
function reset(req, res) { cp.exec(req.body.b); }
function feed(req, res) { res.json([]); }
app.get("/feed", feed);
"""
    (tmp_path / "app.js").write_text(code + more, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1), load_rules())
    (finding,) = report.findings
    assert (finding.doubt.name if finding.doubt else "") == doubt
