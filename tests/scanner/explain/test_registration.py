"""What shows that visitors make accounts: code that answers requests, under a key, a route or a file named so."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy.names.accounts import REGISTRATION_FILES
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

FETCHES = """
import express from "express";
const app = express();
app.use(express.json());
const requireUser = (req, res, next) => (req.session.user ? next() : res.sendStatus(401));
app.get("/copy", requireUser, async (req, res) => res.send(await (await fetch(req.query.from)).text()));
"""
PROCEDURES = """
import { initTRPC } from "@trpc/server";
import { z } from "zod";
const t = initTRPC.create();
const named = t.procedure.input(z.object({ n: z.string() }));
export const people = t.router({ %s: named.mutation(({ input }) => add(input.n)) });
"""
CONTROLLER = """
import { Body, Controller, Post } from "@nestjs/common";
@Controller("people")
export class People {
  @Post("%s")
  add(@Body() body: Person) { return this.store.add(body.name); }
}
"""
NEXT = """
import type { NextApiRequest, NextApiResponse } from "next";
export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  res.json(await add(req.body.name));
}
"""
NO_REQUEST = "export const plugins = { register: wrap(() => load()) };"
BEHIND_A_LOGIN = (
    'app.post("/nodes", requireUser, async function register(req, res) { await add(req.body.name); res.end(); });'
)
GO = """
package main
import ("net/http"; "github.com/gin-gonic/gin"; "github.com/gin-contrib/sessions")
func required(c *gin.Context) {
	if sessions.Default(c).Get("user") == nil { c.AbortWithStatus(http.StatusUnauthorized); return }
	c.Next()
}
func copied(c *gin.Context) { http.Get(c.Query("from")) }
func join(c *gin.Context) { add(c.PostForm("name")) }
func main() {
	r := gin.Default()
	r.Group("/people").POST("%s", join)
	r.GET("/copy", required, copied)
	r.Run()
}
"""
PATTERNS = """
package main
import "net/http"
func required(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !sessions.IsAuthenticated(r) { http.Error(w, "log in", http.StatusUnauthorized); return }
		next(w, r)
	}
}
func copied(w http.ResponseWriter, r *http.Request) { http.Get(r.FormValue("from")) }
func enter(w http.ResponseWriter, r *http.Request) { add(r.FormValue("name")) }
func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("%s", enter)
	mux.HandleFunc("GET /copy", required(copied))
	http.ListenAndServe(":8080", mux)
}
"""
PYTHON = """
import requests
from flask import Flask, abort, request
from flask_login import login_required
app = Flask(__name__)
@app.get("/copy")
@login_required
def copied():
    return requests.get(request.args["from"]).text
@app.post("/people")
def %s():
    add(request.form["name"])
"""


@pytest.mark.parametrize(
    ("files", "is_reported"),
    [
        ({"app.js": FETCHES}, False),
        ({"app.js": FETCHES, "people.ts": PROCEDURES % "register"}, True),
        ({"app.js": FETCHES, "people.ts": PROCEDURES % "search"}, False),
        ({"app.js": FETCHES, "people.ts": CONTROLLER % "register"}, True),
        ({"app.js": FETCHES, "people.ts": CONTROLLER % "rename"}, False),
        ({"app.js": FETCHES, "pages/api/register.ts": NEXT}, True),
        ({"app.js": FETCHES, "pages/api/rename.ts": NEXT}, False),
        ({"app.js": FETCHES, "plugins.js": NO_REQUEST}, False),
        ({"app.js": FETCHES + BEHIND_A_LOGIN}, False),
        ({"main.go": GO % "register"}, True),
        ({"main.go": GO % "rename"}, False),
        ({"main.go": PATTERNS % "POST /register"}, True),
        ({"main.go": PATTERNS % "POST shop.example/users/signup"}, True),
        ({"main.go": PATTERNS % "DELETE /register"}, False),
        ({"main.go": PATTERNS % "POST /rename"}, False),
        ({"app.js": FETCHES + 'serve({ on: "POST /signup" });'}, True),
        ({"app.py": PYTHON % "register"}, True),
        ({"app.py": PYTHON % "rename"}, False),
    ],
)
def test_registration_is_seen(files: dict[str, str], is_reported: bool, tmp_path: Path) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python", "javascript", "go"], cache_folder=tmp_path / "cache"))
    assert [each.vulnerability for each in report.findings] == ["ssrf"] * is_reported
    if not is_reported:
        assert [each.options for each in report.withheld] == [("--threat-model account",)]


@pytest.mark.parametrize(
    ("path", "is_route"),
    [
        ("pages/api/register.ts", True),
        ("src/app/(auth)/sign-up/route.ts", True),
        ("src/routes/register/+page.server.ts", True),
        ("server/api/auth/register.post.ts", True),
        ("app/routes/_auth.signup.tsx", True),
        ("lib/register.ts", False),
        ("pages/api/registered.ts", False),
        ("server/api/node-register.ts", False),
    ],
)
def test_a_file_is_a_route_to_register(path: str, is_route: bool) -> None:
    assert (REGISTRATION_FILES.search(path) is not None) == is_route
