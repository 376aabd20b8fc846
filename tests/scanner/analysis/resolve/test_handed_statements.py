"""Statements of SQL that functions of the program are given: their callers store and read columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

JS = """\
const express = require("express");
const {{ execSync }} = require("child_process");
{helper}
const app = express();
app.get("/add", {add});
app.get("/run", {run});
"""
RETURNED = """\
const { Pool } = require("pg");
const pool = new Pool();
const query = (text, params) => pool.query(text, params);
"""
PROMISED = """\
const mysql = require("mysql");
const pool = mysql.createPool({});
const query = (sql, args = []) => new Promise((resolve, reject) => {
  pool.query(sql, args, (err, rows) => (err ? reject(err) : resolve(rows)));
});
"""
CALLED_BACK = """\
const mysql = require("mysql2");
const pool = mysql.createConnection({});
function query(sql, args, done) {
  pool.query(sql, args, (err, rows) => { if (err) return done(err); done(null, rows); });
}
"""
CALLBACKS = 'const sqlite3 = require("sqlite3");\nconst db = new sqlite3.Database("jobs.db");\n'
PROMISIFIED = CALLBACKS + (
    'const { promisify } = require("util");\n'
    "const run = promisify(db.run.bind(db));\nconst get = promisify(db.get.bind(db));\n"
)
STORED = '("INSERT INTO jobs (owner, target) VALUES (?, ?)", [1, req.query.target]'
ADD = f"async (req, res) => {{ await query{STORED}); res.end(); }}"
RUN = 'async (req, res) => {{ const {found} = await query("SELECT {column} FROM jobs"); execSync({read}); res.end(); }}'
SELECTED = '"SELECT {column} FROM jobs WHERE id = ?", [req.query.id]'
BACK = f"(req, res) => {{{{ query({SELECTED}, (err, rows) => execSync(rows[0].{{column}})); res.end(); }}}}"
PY = """\
import os
import sqlite3
from flask import Flask, request

app = Flask(__name__)
db = sqlite3.connect("jobs.db")

def query(sql, args=()):
    cursor = db.cursor()
    cursor.execute(sql, args)
    return cursor.fetchall()

def one(sql, *args):
    rows = query(sql, args)
    return rows[0] if rows else None

@app.get("/add")
def add():
    query("INSERT INTO jobs (owner, target) VALUES (?, ?)", (1, request.args["target"]))
    return ""

@app.get("/run")
def run():
    os.system({read})
    return ""
"""
GO = """\
package main

import (
	"database/sql"
	"net/http"
	"os/exec"
)

type store struct{ db *sql.DB }

func (s *store) change(text string, args ...any) {
	s.db.Exec(text, args...)
}

func (s *store) one(text string, args ...any) *sql.Row {
	return s.db.QueryRow(text, args...)
}

func (s *store) add(w http.ResponseWriter, r *http.Request) {
	s.change("INSERT INTO jobs (owner, target) VALUES (?, ?)", 1, r.FormValue("target"))
}

func (s *store) run(w http.ResponseWriter, r *http.Request) {
	var target string
	s.one("SELECT %s FROM jobs WHERE id = ?", 1).Scan(&target)
	exec.Command("sh", "-c", target).Run()
}

func main() {
	s := &store{}
	http.HandleFunc("/add", s.add)
	http.HandleFunc("/run", s.run)
	http.ListenAndServe(":80", nil)
}
"""


def found(folder: Path, name: str, code: str, language: str) -> list[str]:
    """The rules that a scan with default options reports."""
    (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    return [each.rule_id for each in scanner.scan(options, load_rules([language], cache_folder=folder / "c")).findings]


@pytest.mark.parametrize(("column", "expected"), [("target", True), ("owner", False)])
@pytest.mark.parametrize(
    ("helper", "add", "run"),
    [
        (RETURNED, ADD, RUN.replace("{found}", "{{ rows }}").replace("{read}", "rows[0].{column}")),
        (PROMISED, ADD, RUN.replace("{found}", "rows").replace("{read}", "rows[0].{column}")),
        (CALLED_BACK, f"(req, res) => {{ query{STORED}, () => res.end()); }}", BACK),
        (
            CALLBACKS,
            f"(req, res) => {{ db.run{STORED}, () => res.end()); }}",
            f"(req, res) => {{{{ db.get({SELECTED}, (err, row) => execSync(row.{{column}})); res.end(); }}}}",
        ),
        (
            PROMISIFIED,
            f"async (req, res) => {{ await run{STORED}); res.end(); }}",
            f"async (req, res) => {{{{ execSync((await get({SELECTED})).{{column}}); res.end(); }}}}",
        ),
    ],
    ids=["returned", "promised", "called back", "no function", "promisified"],
)
def test_functions_of_javascript(helper: str, add: str, run: str, column: str, expected: bool, tmp_path: Path) -> None:
    code = JS.format(helper=helper, add=add, run=run.format(column=column))
    assert found(tmp_path, "app.js", code, "javascript") == ["javascript/command-injection"] * expected


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ('query("SELECT target FROM jobs")[0][0]', True),
        ('one("SELECT owner, target FROM jobs WHERE id = ?", 1)[1]', True),
        ('one("SELECT owner, target FROM jobs WHERE id = ?", 1)[0]', False),
        ('query("SELECT target FROM users")[0][0]', False),
    ],
)
def test_functions_of_python(read: str, expected: bool, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", PY.format(read=read), "python") == ["python/command-injection"] * expected


@pytest.mark.parametrize(("column", "expected"), [("target", True), ("owner", False)])
def test_methods_of_go(column: str, expected: bool, tmp_path: Path) -> None:
    assert found(tmp_path, "main.go", GO % column, "go") == ["go/command-injection"] * expected
