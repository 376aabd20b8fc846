"""Where a function of the program found nothing that equals a value, nothing is known of the value."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import doubt_of, findings, rated

SERVER = """\
const { exec } = require("child_process");
const { entries, settings } = require("./shop");
%s
require("express")().get("/", async (req, res) => {
  const name = req.query.name;
  %s
  exec("mail " + name);
});
"""
FOUND = "for (const each of entries) { if (each.name === name) return each; } return null;"
TRIMMED = "for (const each of entries) if (each.name.trim() === name.trim()) return true; return false;"
ALIKE = "for (const each of entries) if (settings.isEqual(each, name)) return true; return false;"
TAKEN = "if (name === settings.first || name === settings.second) { return true; } return false;"


@pytest.mark.parametrize(
    ("body", "condition", "confidence"),
    [
        (FOUND, "of(name)", "high"),
        (FOUND, "!of(name)", "low"),
        (FOUND, "of(name) !== null", "high"),
        (FOUND, "of(name) === null", "low"),
        (TAKEN, "of(name)", "high"),
        (TAKEN, "!of(name)", "low"),
        ("return other(name);", "of(name)", "high"),
        ("return other(name);", "!of(name)", "low"),
        ("return entries.includes(name);", "of(name)", "high"),
        (TRIMMED, "of(name)", "high"),
        (TRIMMED, "!of(name)", "low"),
        (ALIKE, "of(name)", "high"),
        (ALIKE, "!of(name)", "low"),
        # it asks something else: nothing is known of what either side proves
        ("for (const each of entries) if (settings.isFor(each, name)) return true; return false;", "of(name)", "low"),
        (f"if (!settings.isValid(name)) return null; {FOUND}", "of(name)", "low"),
    ],
)
def test_only_the_side_on_which_something_was_found_is_a_check(
    tmp_path: Path, body: str, condition: str, confidence: str
) -> None:
    functions = f"function of(name) {{ {body} }}\nfunction other(name) {{ {FOUND} }}"
    program = SERVER % (functions, f"if ({condition}) return res.sendStatus(400);")
    assert rated(tmp_path, {"app.js": program}, "command-injection")[0] == confidence


GO = """\
package main

import (
	"database/sql"
	"net/http"
	"os/exec"
)

type user struct{ ID int }

var db *sql.DB

func named(name string) (*user, error) {
	u := user{}
	err := db.QueryRow("select id from users where name = ?", name).Scan(&u.ID)
	if err == sql.ErrNoRows {
		return nil, %s
	}
	if err != nil {
		return nil, err
	}
	return &u, nil
}

func handle(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("name")
	existing, err := named(name)
	_, _ = existing, err
	if %s {
		return
	}
	exec.Command("sh", "-c", "mail "+name).Run()
}

func main() { http.HandleFunc("/", handle) }
"""


@pytest.mark.parametrize(
    ("missing", "condition", "doubt"),
    [
        ("nil", "existing != nil", ""),
        ("nil", "existing == nil", "refused"),
        ("nil", "err != nil", ""),  # there may be no row
        ("sql.ErrNoRows", "err != nil", "refused"),
        ("sql.ErrNoRows", "err == nil", ""),
    ],
)
def test_each_result_of_a_function_says_on_its_own_whether_something_was_found(
    tmp_path: Path, missing: str, condition: str, doubt: str
) -> None:
    files = {"go.mod": "module shop\n", "main.go": GO % (missing, condition)}
    (finding,) = findings(tmp_path, files, "command-injection", "go")
    assert doubt_of(finding) == doubt
