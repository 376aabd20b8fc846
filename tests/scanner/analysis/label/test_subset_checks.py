"""What a condition says of all elements of a collection holds of the collection behind it, and of text made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SUFFIX = {"python": "py", "javascript": "js", "go": "go"}
PYTHON = """
import sqlite3
from flask import request
ALLOWED = {{"name", "size"}}
LISTED = ["name", "size"]
TABLE = {{"name": 1, "size": 2}}

def show():
    columns = request.args.getlist("columns")
    data = request.json
    {check}
    sqlite3.connect("x").execute("select " + {used})
"""
JAVASCRIPT = """
const {{ Client }} = require("pg");
const _ = require("lodash");
const ALLOWED = ["name", "size"];
const SET = new Set(["name", "size"]);
require("express")().get("/", (req, res) => {{
  const columns = req.body.columns;
  {check}
  new Client().query("select " + {used});
}});
"""
GO = """
package main

import (
	"database/sql"
	"net/http"
	"slices"
	"strings"
)

var allowed = []string{{"name", "size"}}
var table = map[string]bool{{"name": true, "size": true}}
var db *sql.DB

func handle(w http.ResponseWriter, r *http.Request) {{
	columns := r.URL.Query()["columns"]
	{check}
	db.Query("select " + strings.Join({used}, ", "))
	slices.Contains(allowed, "")
}}
"""
PROGRAMS = {"python": PYTHON, "javascript": JAVASCRIPT, "go": GO}


def is_found(language: str, check: str, used: str, folder: Path, confidence: Literal["low", "high"] = "low") -> bool:
    text = PROGRAMS[language].format(check=check, used=used)
    (folder / f"app.{SUFFIX[language]}").write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence=confidence)
    findings = scanner.scan(options, load_rules([language], ())).findings
    return f"{language}/sql-injection" in {each.rule_id for each in findings}


@pytest.mark.parametrize(
    ("test", "is_clean"),
    [
        ("set(columns) - ALLOWED", True),
        ("set(columns) - set(LISTED)", True),
        ("set(columns) - TABLE.keys()", True),
        ("set(columns).difference(LISTED)", True),
        ("len(set(columns) - ALLOWED) > 0", True),
        ("not set(columns) <= ALLOWED", True),
        ("not ALLOWED >= set(columns)", True),
        ("not set(columns).issubset(ALLOWED)", True),
        ("not ALLOWED.issuperset(columns)", True),
        ("not all([column in ALLOWED for column in columns])", True),
        ("[column for column in columns if column not in ALLOWED]", True),
        ("len([column for column in columns if column not in ALLOWED])", True),
        ("{column for column in columns if column not in ALLOWED}", True),
        ("ALLOWED - set(columns)", False),
        ("not set(columns) >= ALLOWED", False),
        ("not set(columns) - ALLOWED", False),
        ("not set(columns) & ALLOWED", False),
        ("set(columns).isdisjoint(ALLOWED)", False),
        ("set(columns) - set(request.args.getlist('allowed'))", False),
        ("set(request.args.getlist('others')) - ALLOWED", False),
        ("[column for column in columns if column in ALLOWED]", False),
        ("[column for column in columns[:1] if column not in ALLOWED]", False),
        ("[column for column in columns if column not in ALLOWED and len(column) > 3]", False),
        ("len([column for column in columns if column not in ALLOWED]) > 1", False),
        ("not [column for column in columns if column not in ALLOWED]", False),
    ],
)
@pytest.mark.parametrize("is_named", [False, True])
def test_python(test: str, is_clean: bool, is_named: bool, tmp_path: Path) -> None:
    check = f"bad = {test}\n    if bad:" if is_named else f"if {test}:"
    assert is_found("python", check + "\n        raise ValueError", '", ".join(columns)', tmp_path) != is_clean


@pytest.mark.parametrize(
    ("made", "is_clean"),
    [
        ("set(columns) & ALLOWED", True),
        ("ALLOWED & set(columns)", True),
        ("TABLE.keys() & columns", True),
        ("set(columns).intersection(LISTED)", True),
        ("[column for column in columns if column in ALLOWED]", True),
        ("set(columns) & set(request.args.getlist('allowed'))", False),
        ("set(columns) | ALLOWED", False),
        ("set(columns) ^ ALLOWED", False),
        ("set(columns) - ALLOWED", False),
        ("[column for column in columns if column not in ALLOWED]", False),
    ],
)
def test_what_is_kept_in_python(made: str, is_clean: bool, tmp_path: Path) -> None:
    assert is_found("python", f"good = {made}", '", ".join(good)', tmp_path) != is_clean


@pytest.mark.parametrize("test", ["set(columns) - known()", "not set(columns) <= known()"])
def test_a_collection_of_which_nothing_is_known_is_a_doubt(test: str, tmp_path: Path) -> None:
    check = f"from store import known\n    if {test}:\n        raise ValueError"
    assert is_found("python", check, '", ".join(columns)', tmp_path)
    assert not is_found("python", check, '", ".join(columns)', tmp_path, confidence="high")


def test_what_is_added_behind_the_check_is_not_checked(tmp_path: Path) -> None:
    check = 'if set(columns) - ALLOWED:\n        return\n    columns.append(request.args["more"])'
    assert is_found("python", check, '", ".join(columns)', tmp_path)


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("if (columns.filter((c) => !ALLOWED.includes(c)).length) return;", True),
        ("const bad = columns.filter((c) => !SET.has(c)); if (bad.length > 0) return;", True),
        ("const bad = columns.filter((c) => !SET.has(c)); if (bad.length !== 0) return;", True),
        ("if (!new Set(columns).isSubsetOf(SET)) return;", True),
        ("if (!SET.isSupersetOf(new Set(columns))) return;", True),
        ("if (new Set(columns).difference(SET).size) return;", True),
        ("if (_.difference(columns, ALLOWED).length) return;", True),
        ("if (columns.filter((c) => ALLOWED.includes(c)).length) return;", False),
        ("if (!columns.filter((c) => !ALLOWED.includes(c)).length) return;", False),
        ("if (columns.filter((c) => !ALLOWED.includes(c)).length > 1) return;", False),
        ("if (columns.filter((c) => !ALLOWED.includes(c))) return;", False),
        ("if (columns.filter((c) => !req.body.allowed.includes(c)).length) return;", False),
        ("if (columns.filter((c) => !ALLOWED.includes(c) && c.length > 3).length) return;", False),
        ("if (columns.slice(1).filter((c) => !ALLOWED.includes(c)).length) return;", False),
        ("if (SET.difference(new Set(columns)).size) return;", False),
        ("if (!new Set(columns).isSupersetOf(SET)) return;", False),
        ("if (_.difference(ALLOWED, columns).length) return;", False),
    ],
)
def test_javascript(check: str, is_clean: bool, tmp_path: Path) -> None:
    assert is_found("javascript", check, 'columns.join(", ")', tmp_path) != is_clean


@pytest.mark.parametrize(
    ("made", "is_clean"),
    [
        ("[...new Set(columns).intersection(SET)]", True),
        ("_.intersection(columns, ALLOWED)", True),
        ("columns.filter((c) => SET.has(c))", True),
        ("_.intersection(columns, req.body.allowed)", False),
        ("columns.filter((c) => !SET.has(c))", False),
    ],
)
def test_what_is_kept_in_javascript(made: str, is_clean: bool, tmp_path: Path) -> None:
    assert is_found("javascript", f"const good = {made};", 'good.join(", ")', tmp_path) != is_clean


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("for _, c := range columns { if !slices.Contains(allowed, c) { return } }", True),
        ("for _, c := range columns { if _, ok := table[c]; !ok { return } }", True),
        (
            "if slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(allowed, c) }) { return }",
            True,
        ),
        ("if !slices.ContainsFunc(columns, func(c string) bool { return table[c] }) { return }", False),
        ("for _, c := range columns { if !slices.Contains(allowed, c) { continue } }", False),
    ],
)
def test_go(check: str, is_clean: bool, tmp_path: Path) -> None:
    assert is_found("go", check, "columns", tmp_path) != is_clean
