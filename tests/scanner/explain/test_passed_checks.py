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
  switch (req.query.kind) { case "a": res.redirect(url); }
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
