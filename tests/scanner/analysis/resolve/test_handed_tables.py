"""Functions of the program that are given the table of a statement: the caller's record is stored there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """\
const express = require("express");
const {{ execSync }} = require("child_process");
const mysql = require("mysql2/promise");
const app = express();
const pool = mysql.createPool({{}});
async function insert(table, row) {{
  const keys = Object.keys(row);
  const marks = keys.map(() => "?").join(", ");
  await pool.execute(`INSERT INTO ${{table}} (${{keys.join(", ")}}) VALUES (${{marks}})`, keys.map((key) => row[key]));
}}
async function remove(table, row) {{
  await pool.execute(`DELETE FROM ${{table}} WHERE id = ?`, [row.id]);
}}
const all = async (table) => (await pool.execute(`SELECT * FROM ${{table}}`))[0];
const kept = (table, row) => insert(table, row);
app.get("/add", async (req, res) => {{ await {add}; res.end(); }});
app.get("/run", async (req, res) => {{ (await {read}).map((row) => execSync(row.{column})); res.end(); }});
"""
ROW = "{ owner: 1, target: req.query.target }"


def found(folder: Path, add: str, read: str, column: str) -> list[str]:
    """The rules that a scan with default options reports."""
    (folder / "app.js").write_text(CODE.format(add=add, read=read, column=column), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    rules = load_rules(["javascript"], cache_folder=folder / "c")
    return [each.rule_id for each in scanner.scan(options, rules).findings]


@pytest.mark.parametrize("function", ["insert", "kept"], ids=["the function that runs it", "one that hands it on"])
def test_a_record_lies_in_the_table_that_the_caller_names(tmp_path: Path, function: str) -> None:
    assert found(tmp_path, f'{function}("jobs", {ROW})', 'all("jobs")', "target") == ["javascript/command-injection"]


@pytest.mark.parametrize(
    ("add", "read", "column"),
    [
        (f'insert("jobs", {ROW})', 'all("people")', "target"),
        ('insert("jobs", { owner: 1, target: "constant" })', 'all("jobs")', "target"),
        ('remove("jobs", { id: req.query.target })', 'all("jobs")', "id"),
    ],
    ids=["another table", "no data of a request", "a statement that deletes"],
)
def test_nothing_arrives_from(tmp_path: Path, add: str, read: str, column: str) -> None:
    assert found(tmp_path, add, read, column) == []
