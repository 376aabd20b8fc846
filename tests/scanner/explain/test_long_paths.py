"""Long paths are a doubt, but for data that an interpreter runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

STEPS = "\n".join("    x = x.strip()" for _ in range(16))
PROGRAM = f"""
import os
from flask import Flask, request

app = Flask(__name__)

@app.route("/a")
def a():
    x = request.args["a"]
{STEPS}
    USE
    return ""
"""


@pytest.mark.parametrize(("use", "expected"), [("os.system(x)", ("high", "")), ("open(x)", ("medium", "long"))])
def test_a_long_path_is_no_doubt_where_data_is_run(use: str, expected: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(PROGRAM.replace("USE", use), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    (found,) = scanner.scan(options, load_rules(["python"], ())).findings
    assert (found.confidence, found.doubt.name if found.doubt else "") == expected


RECURSIVE = {
    "main.go": """package main

import (
	"net/http"
	"os"
	"path/filepath"
)

func find(parts ...string) (string, os.FileInfo, error) {
	path := filepath.Join(parts...)
	info, err := os.Stat(path)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() {
		return path, info, nil
	}
	return find(path, "index.html")
}

func show(w http.ResponseWriter, r *http.Request) {
	if path, _, err := find("static", r.URL.Query().Get("file")); err == nil {
		os.Open(path)
	}
}

func main() {
	http.HandleFunc("/", show)
}
""",
    "app.py": """import os
from flask import Flask, request

app = Flask(__name__)

def find(parent, name):
    path = os.path.join(parent, name)
    if os.path.isdir(path):
        return find(path, "index.html")
    return path, os.stat(path)

@app.route("/")
def show():
    path, _ = find("static", request.args["file"])
    return open(path).read()
""",
    "app.js": """const express = require("express");
const fs = require("fs");
const path = require("path");

function find(parent, name) {
  const whole = path.join(parent, name);
  if (fs.statSync(whole).isDirectory()) {
    return search(whole);
  }
  return { whole };
}

function search(folder) {
  return find(folder, "index.html");
}

express().get("/", (req, res) => {
  const { whole } = find("static", req.query.file);
  res.send(fs.readFileSync(whole));
});
""",
}


@pytest.mark.parametrize("name", RECURSIVE)
def test_a_path_goes_through_a_recursive_function_once(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(RECURSIVE[name], encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    language = {"go": "go", "py": "python", "js": "javascript"}[name.rpartition(".")[2]]
    found = scanner.scan(options, load_rules([language], ())).findings
    (opened,) = [each for each in found if each.confidence == "high" and each.vulnerability == "path-traversal"]
    steps = opened.traces[0].steps
    assert max(step.depth for step in steps) == 1
    assert sum("`find`" in step.message for step in steps) == 2  # entered and left


NAMED = """
from fastapi import FastAPI
from fastapi.responses import FileResponse

app = FastAPI()

def resolve(key):
    return "/srv/" + key.lstrip("/")

def local_path(key):
    found = resolve(key)
    return {"path": found}

def download(key):
    found = local_path(key)
    return {"local": found["path"]}

@app.get("/files/{NAME:path}")
async def send(NAME: str):
    return FileResponse(path=download(NAME)["local"])
"""


@pytest.mark.parametrize(("name", "expected"), [("file_path", ("high", "")), ("account", ("medium", "long"))])
def test_a_long_path_is_no_doubt_where_the_part_is_named_as_a_path(
    name: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(NAMED.replace("NAME", name), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    (found,) = scanner.scan(options, load_rules(["python"], ())).findings
    assert (found.confidence, found.doubt.name if found.doubt else "") == expected
