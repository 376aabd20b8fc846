"""Checks whose maker says for whom they ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import findings

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """\
package main

import (
	"net/http"
	"os/exec"

	"github.com/gin-gonic/gin"
)

type Role int

const (
	RoleUser Role = iota
	RoleAdmin
)

func fail(c *gin.Context) { c.AbortWithStatusJSON(http.StatusForbidden, gin.H{}) }

func require(role Role) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.GetString("user") == "" {
			fail(c)
			return
		}
		isAdmin := c.GetString("group") == "admins"
		if role == RoleUser {
			return
		}
		if !isAdmin {
			c.AbortWithStatus(http.StatusForbidden)
		}
	}
}

func strict(name string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Query("v") == name {
			fail(c)
			return
		}
		if !c.GetBool("is_admin") {
			c.AbortWithStatus(http.StatusForbidden)
		}
	}
}

func user(c *gin.Context)   { exec.Command("sh", "-c", c.Query("a")).Run() }
func admin(c *gin.Context)  { exec.Command("sh", "-c", c.Query("b")).Run() }
func always(c *gin.Context) { exec.Command("sh", "-c", c.Query("c")).Run() }

func main() {
	r := gin.Default()
	r.POST("/user", require(RoleUser), user)
	r.POST("/admin", require(RoleAdmin), admin)
	r.POST("/always", strict("1"), always)
}
"""


def test_a_check_that_is_made_for_a_role_asks_for_that_role(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text(CODE)
    rules = load_rules(["go"], cache_folder=tmp_path / "cache")
    found = {}
    for parties in (frozenset(), frozenset({"operator"})):
        options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", threat_models=parties)
        found[len(parties)] = {finding.function for finding in scanner.scan(options, rules).findings}
    assert found == {0: {"user"}, 1: {"user", "admin", "always"}}


OWNED = """\
import os
from django.contrib.auth.mixins import UserPassesTestMixin
from django.shortcuts import get_object_or_404
from django.views import View
from .models import Project

class Owners(UserPassesTestMixin, View):
    def test_func(self):
        if self.request.user.is_superuser:
            return True
        project = get_object_or_404(Project, pk=self.kwargs["pk"])
        if project.owner == self.request.user:
            return {answer}

    def get(self, request):
        os.system(request.GET["q"])
"""


@pytest.mark.parametrize(("answer", "reported"), [("True", 1), ("False", 0)])
def test_a_test_that_says_yes_to_owners_is_none_for_administrators(answer: str, reported: int, tmp_path: Path) -> None:
    (tmp_path / "views.py").write_text(OWNED.format(answer=answer))
    rules = load_rules(["python"], cache_folder=tmp_path / "cache")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    assert len(scanner.scan(options, rules).findings) == reported


EXPRESS = """\
import { exec } from "child_process";
import express from "express";
import { requireAdmin } from "./auth.js";

const app = express();
app.post("/run", requireAdmin, (req, res) => exec(req.query.c));
app.listen(8080);
"""
AUTH = """\
function known(req) {
  return req.session.user && req.session.user.roles ? req.session.user : null;
}
export function %s(req, res, next) {
  if (!known(req)) return res.sendStatus(401);
  next();
}
export const requireAdmin = %s;
"""
FLASK = """\
import os
from functools import wraps

from flask import Flask, abort, request, session

app = Flask(__name__)


def known():
    return session["user"] if session["user"].roles else None


def %s(view):
    @wraps(view)
    def wrapper(*args, **kwargs):
        if not known():
            abort(401)
        return view(*args, **kwargs)

    return wrapper


admin_required = %s


@app.post("/run")
@admin_required
def run():
    os.system(request.args["c"])
    return ""
"""
GIN = """\
package main

import (
	"net/http"
	"os/exec"

	"github.com/gin-gonic/gin"
)

func known(c *gin.Context) bool { return c.GetString("user") != "" && c.GetString("roles") != "" }

func %s(c *gin.Context) {
	if !known(c) {
		c.AbortWithStatus(http.StatusUnauthorized)
	}
}

var requireAdmin = %s

func run(c *gin.Context) { exec.Command("sh", "-c", c.Query("c")).Run() }

func main() {
	r := gin.Default()
	r.POST("/run", requireAdmin, run)
	r.Run()
}
"""


@pytest.mark.parametrize(
    ("language", "path", "code", "login"),
    [
        ("javascript", "auth.js", AUTH, "requireLogin"),
        ("python", "app.py", FLASK, "login_required"),
        ("go", "main.go", GIN, "requireLogin"),
    ],
)
def test_another_name_of_a_login_is_no_evidence(
    language: str, path: str, code: str, login: str, tmp_path: Path
) -> None:
    """The check says itself that it asks for a login; a name that says less of it leaves the evidence."""
    further = {"app.js": EXPRESS} if language == "javascript" else {}
    found = [
        findings(tmp_path / name, {path: code % (name, name), **further}, "command-injection", language)
        for name in (login, "check")
    ]
    assert [each.confidence for each in found[0]] == ["high"]
    assert [each.confidence for each in found[1]] != ["high"]


@pytest.mark.parametrize(
    ("language", "path", "code"),
    [
        (
            "python",
            "app.py",
            "import os\nfrom flask import Flask, request\n\napp = Flask(__name__)\n\n\n"
            "def listed(rows):\n    admins = [x for x in rows]\n    admin_names = [x.user for x in rows]\n"
            "    return admins, admin_names\n\n\n"
            '@app.route("/run")\ndef run():\n    x = find(request.args["id"])\n    if not holds(x.user):\n'
            '        return "", 403\n    os.system(request.args["c"])\n    return ""\n',
        ),
        (
            "javascript",
            "app.js",
            'const { exec } = require("child_process");\nconst app = require("express")();\n'
            "function listed(rows) {\n  for (const x of rows) {\n    const admins = [x];\n    show(admins);\n  }\n}\n"
            'app.get("/run", (req, res) => {\n  const x = find(req.query.id);\n'
            "  if (!holds(x)) return res.sendStatus(403);\n  exec(req.query.c);\n});\napp.listen(8080);\n",
        ),
        (
            "go",
            "main.go",
            'package main\n\nimport (\n\t"net/http"\n\t"os/exec"\n)\n\n'
            "func listed(rows []string) {\n\tfor _, x := range rows {\n"
            "\t\tadmins := []string{x}\n\t\tshow(admins)\n\t}\n}\n\n"
            'func run(w http.ResponseWriter, r *http.Request) {\n\tx := find(r.FormValue("id"))\n'
            "\tif !holds(x) {\n\t\tw.WriteHeader(403)\n\t\treturn\n\t}\n"
            '\texec.Command("sh", "-c", r.FormValue("c")).Run()\n}\n\n'
            'func main() {\n\thttp.HandleFunc("/run", run)\n\thttp.ListenAndServe(":80", nil)\n}\n',
        ),
    ],
)
def test_the_variable_of_a_loop_is_no_permission(language: str, path: str, code: str, tmp_path: Path) -> None:
    (tmp_path / path).write_text(code)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules([language], cache_folder=tmp_path / "cache")).findings
    assert [each.vulnerability for each in found] == ["command-injection"]
