"""Untrusted names of folders that are made: little is gained by that, and more by what is written there next."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import doubt_of, findings

from pyrograph.policy import doubts

PYTHON = """
import os
from flask import request

@app.route("/upload")
def upload():
    folder = os.path.join("/srv", request.args["to"])
    os.makedirs(folder)
    {then}
"""
JAVASCRIPT = """
const fs = require("fs"), path = require("path"), mkdirp = require("mkdirp");
require("express")().get("/upload", (req, res) => {{
  const folder = path.join("/srv", req.query.to);
  mkdirp(folder);
  {then}
}});
"""
GO = """
package main

import (
	"net/http"
	"os"
	"path/filepath"
)

func upload(w http.ResponseWriter, r *http.Request) {{
	folder := filepath.Join("/srv", r.URL.Query().Get("to"))
	os.MkdirAll(folder, 0o755)
	{then}
}}

func main() {{ http.HandleFunc("/upload", upload) }}
"""
PROGRAMS = [
    ("app.py", PYTHON, 'open(os.path.join(folder, "note"), "w")', 9),
    ("app.js", JAVASCRIPT, 'fs.writeFileSync(path.join(folder, "note"), "");', 6),
    ("main.go", GO, 'os.WriteFile(filepath.Join(folder, "note"), nil, 0o644)', 13),
]


def found(folder: Path, name: str, text: str) -> list[tuple[int, str, str]]:
    """Line, confidence and doubt of each path traversal in a program of one file."""
    language = {"py": "python", "js": "javascript", "go": "go"}[name.rpartition(".")[2]]
    of_paths = findings(folder, {name: text}, "path-traversal", language)
    return [(each.place.line, each.confidence, doubt_of(each)) for each in of_paths]


@pytest.mark.parametrize(("name", "program", "then", "line"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_a_folder_that_is_only_made_has_medium_confidence(
    tmp_path: Path, name: str, program: str, then: str, line: int
) -> None:
    assert found(tmp_path, name, program.format(then="")) == [(line - 1, "medium", doubts.RARE_SINK)]


@pytest.mark.parametrize(("name", "program", "then", "line"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_what_is_written_into_it_is_the_finding(tmp_path: Path, name: str, program: str, then: str, line: int) -> None:
    assert found(tmp_path, name, program.format(then=then)) == [(line, "high", "")]
