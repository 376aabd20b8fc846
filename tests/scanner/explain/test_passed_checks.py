"""The checks below a path: which conditions it passes, with which answer, and what they let through."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

PYTHON = """
from flask import abort, redirect, request

def go():
    url = request.args["u"]
    other = request.args["o"]
    if not url:
        return "no"
    if len(url) > 200 or other != "x":
        abort(400)
    validate(url)
    if not url.startswith("/"):
        return "bad"
    return redirect(url)

def validate(text):
    if text[-1] == "!=":
        raise ValueError
"""
JAVASCRIPT = """
const app = require("express")();
app.get("/go", (req, res) => {
  const url = req.query.u;
  if (!url || url.length >= 20 || typeof url !== "string") return res.end();
  if (url[0] !== "/") return res.end();
  if (allowed(url) === undefined) throw new Error("x");
  switch (req.query.kind) { case "a": switch (url[1]) { case "b": res.redirect(url); } }
});
function allowed(text) { return TABLE[text]; }
"""
GO = """
package main

import ("net/http"; "os"; "strings")

func check(n string) error {
	if len(n) > 10 { return os.ErrInvalid }
	return nil
}

func h(w http.ResponseWriter, r *http.Request) {
	n := r.URL.Query().Get("n")
	if n == "" { return }
	if err := check(n); err != nil { return }
	if !strings.HasPrefix(n, "/data") { return }
	b, _ := os.ReadFile(n)
	w.Write(b)
}

func main() { http.HandleFunc("/x", h); http.ListenAndServe(":1", nil) }
"""
# Checks that a path need not pass, one that stands between two calls, and such of which little is known.
OPTIONAL = """
import subprocess
from flask import abort, request

def either():
    name = request.args["u"]
    if len(name) > 5:
        print("long")
    subprocess.call(name, shell=True)

def both():
    name = request.args["u"]
    if len(name) > 3 and name.endswith("y"):
        abort(400)
    subprocess.call(name, shell=True)

def between():
    name = request.args["u"]
    subprocess.run(name, shell=True)
    validate(name)
    subprocess.call(name, shell=True)

def remarks():
    name = request.args["u"]
    if name in ("rm", "sh") or name in BLOCKED:
        abort(400)
    if name.find("y") < 0 or not 3 <= len(name) <= 9:
        abort(400)
    if name == "image/png":
        abort(400)
    match name:
        case "image/png":
            abort(400)
    subprocess.call(name, shell=True)

BLOCKED = ["a", "b"]

def validate(name):
    if len(name) > 30:
        raise ValueError(name)
"""
PREFIXES = """
from flask import abort, redirect, request

def go():
    url = request.args["u"]
    if url.startswith("https://"):
        abort(400)
    return redirect(url)
"""
TURNED = """
const { exec } = require("child_process");
const app = require("express")();
app.get("/1", (req, res) => {
  const s = String(req.query.s);
  if (!/==$/.test(s)) return res.end();
  if (!/^[a-z]/.test(s)) return res.end();
  if (s.endsWith("x") ? s.length > 5 : s.startsWith("t")) return res.end();
  if (s.endsWith("x") ?? false) return res.end();
  if (s?.startsWith("y")) return res.end();
  if (s.startsWith("z") /* == */ === true) return res.end();
  exec(s);
});
"""
CASES = """
package main

import ("net/http"; "os/exec"; "slices")

func h(w http.ResponseWriter, r *http.Request) {
	s := r.FormValue("s")
	if slices.Contains([]string{"a", "b"}, s) { return }
	switch s {
	case "a/b", "c":
		if s != "d" { return }
		return
	}
	exec.Command("sh", "-c", s).Run()
}
func main() { http.HandleFunc("/", h) }
"""
# The second command runs where the call failed, the first where it did not.
FAILED = """
package main

import ("log"; "net/http"; "os"; "os/exec")

func find(n string) (int, error) {
	if len(n) > 10 { return 0, os.ErrInvalid }
	return 1, nil
}

func h(w http.ResponseWriter, r *http.Request) {
	n := r.FormValue("n")
	_, err := find(n)
	if err == nil {
		exec.Command("sh", "-c", n).Run()
		return
	}
	log.Println(err.Error(), n)
	exec.Command("sh", "-c", "echo " + n).Run()
}
func main() { http.HandleFunc("/", h) }
"""
FAILED_PROMISE = """
const { exec } = require("child_process");
const { find } = require("./store");
require("express")().get("/1", async (req, res) => {
  const s = String(req.query.s);
  const { error } = await find(s);
  if (error) {
    exec("echo " + s);
  } else {
    exec("cat " + s);
  }
});
"""
# Code of a module, which no value stands for; other files follow it.
MODULE = """
import os
from flask import request
name = request.args["u"]
if len(name) > 5:
    exit(1)
os.system(name)
"""
UNKNOWN = "what this function accepts is not known"


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        (
            "app.py",
            PYTHON,
            [
                ("len(url) > 200", "false", "limits a size only"),
                ("validate(url)", "returns", ""),
                ('url.startswith("/")', "true", "allows `//host`"),
                ('text[-1] == "!="', "false", ""),
            ],
        ),
        (
            "app.js",
            JAVASCRIPT,
            [
                ("url.length >= 20", "false", "limits a size only"),
                ('typeof url !== "string"', "false", "allows `https://host`"),
                ('url[0] !== "/"', "false", ""),
                ("allowed(url) === undefined", "false", UNKNOWN),
                ('case "b"', "true", ""),
            ],
        ),
        (
            "main.go",
            GO,
            [
                ("err != nil", "false", UNKNOWN),
                ('strings.HasPrefix(n, "/data")', "true", "allows `../`"),
            ],
        ),
    ],
)
def test_a_path_has_the_checks_that_it_passes(
    tmp_path: Path, path: str, code: str, expected: list[tuple[str, str, str]]
) -> None:
    (tmp_path / path).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1)
    report = pipeline.scan(options, load_rules())
    checks = next(each.trace.checks for each in report.findings if each.rule_id.endswith(("redirect", "traversal")))
    assert [(each.text, each.outcome, each.remark) for each in checks] == expected


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        (
            "app.py",
            OPTIONAL,
            [
                [],
                [],
                [],
                [("validate(name)", "returns", ""), ("len(name) > 30", "false", "limits a size only")],
                [
                    ('name in ("rm", "sh")', "false", ""),
                    ("name in BLOCKED", "false", ""),
                    ('name.find("y") < 0', "false", ""),
                    ('name == "image/png"', "false", "excludes one text only"),
                    ('case "image/png"', "false", "excludes one text only"),
                ],
            ],
        ),
        ("app.py", PREFIXES, [[('url.startswith("https://")', "false", "looks at the beginning only")]]),
        ("main.go", FAILED, [[("err == nil", "true", UNKNOWN)], []]),
        ("app.js", FAILED_PROMISE, [[], [("error", "false", "")]]),
        ("app.js", TURNED, [[("/^[a-z]/.test(s)", "true", "")]]),
        (
            "main.go",
            CASES,
            [[('slices.Contains([]string{"a", "b"}, s)', "false", ""), ('case "a/b", "c"', "false", "")]],
        ),
    ],
)
def test_what_is_not_certain_is_not_shown(
    tmp_path: Path, path: str, code: str, expected: list[list[tuple[str, str, str]]]
) -> None:
    (tmp_path / path).write_text(code, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1), load_rules())
    findings = sorted(report.findings, key=lambda each: each.place.line)
    checks = [[(each.text, each.outcome, each.remark) for each in finding.trace.checks] for finding in findings]
    assert checks == expected


def test_checks_of_a_module_stand_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "last.py").write_text("def unrelated(a):\n    return a\n" * 20, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1), load_rules())
    checks = [(each.text, each.place.path) for finding in report.findings for each in finding.trace.checks]
    assert checks == [("len(name) > 5", "app.py")]
