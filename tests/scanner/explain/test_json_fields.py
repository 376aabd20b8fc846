"""What lay in one field when JSON was made is not what is read of it by the name of another field."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

JAVASCRIPT = """
const app = require("express")(), cp = require("child_process"), fs = require("fs");
const cache = new Map();
app.post("/put", (req, res) => {
  const board = { owner: req.query.owner, about: { text: "none" } };
  MORE
  cache.set(req.query.id, JSON.stringify(board));
  res.end();
});
app.get("/get", (req, res) => {
  const board = JSON.parse(cache.get(req.query.id));
  cp.exec(READ);
  res.end();
});
"""

PYTHON = """
import json
import os

from flask import Flask, request

app = Flask(__name__)
cache = {}


@app.route("/put", methods=["POST"])
def put():
    board = {"owner": request.args["owner"], "about": {"text": "none"}}
    MORE
    cache[request.args["id"]] = json.dumps(board)
    return ""


@app.route("/get")
def get():
    board = json.loads(cache[request.args["id"]])
    os.system(READ)
    return ""
"""

GO = """
package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
)

type Board struct {
	Owner string `json:"owner"`
	About string `json:"about"`
}

type Shown struct {
	Name  string `json:"owner"`
	About string
}

var cache = map[string][]byte{}

func put(w http.ResponseWriter, r *http.Request) {
	board := Board{Owner: r.FormValue("owner"), About: "none"}
	MORE
	text, _ := json.Marshal(board)
	cache[r.FormValue("id")] = text
}

func get(w http.ResponseWriter, r *http.Request) {
	var board TYPE
	_ = json.Unmarshal(cache[r.FormValue("id")], &board)
	_ = exec.Command("sh", "-c", READ).Run()
}

func main() {
	http.HandleFunc("/put", put)
	http.HandleFunc("/get", get)
	_ = http.ListenAndServe(":80", nil)
}
"""


RULES = load_rules()


def found(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), RULES)
    return [
        each.doubt.name if each.doubt else "" for each in report.findings if each.vulnerability == "command-injection"
    ]


@pytest.mark.parametrize(
    ("read", "more", "doubt"),
    [
        ("board.owner", "", ""),
        ("board.about.text", "", doubts.OTHER_ROW),
        ("board.about.text", "board.about = { text: req.query.about };", ""),
        ("board.about.text", "board.about = { title: req.query.about };", doubts.OTHER_ROW),
        ("board.about.text", "board[req.query.key] = req.query.about;", ""),
        ("board[process.argv[2]]", "", ""),
        ("JSON.parse(JSON.stringify({ a: board })).a.owner", "", ""),
        ("JSON.parse(JSON.stringify({ a: board })).a.about", "", doubts.OTHER_ROW),
        ("JSON.parse(JSON.stringify([board]))[0].owner", "", ""),
    ],
)
def test_in_javascript(tmp_path: Path, read: str, more: str, doubt: str) -> None:
    assert found(tmp_path, "app.js", JAVASCRIPT.replace("READ", read).replace("MORE", more)) == [doubt]


@pytest.mark.parametrize(
    ("read", "more", "doubt"),
    [
        ('board["owner"]', "", ""),
        ('board["about"]["text"]', "", doubts.OTHER_ROW),
        ('board["about"]["text"]', 'board["about"] = {"text": request.args["about"]}', ""),
        ('board["about"]["text"]', "board.update(request.json)", ""),
    ],
)
def test_in_python(tmp_path: Path, read: str, more: str, doubt: str) -> None:
    assert found(tmp_path, "app.py", PYTHON.replace("READ", read).replace("MORE", more)) == [doubt]


@pytest.mark.parametrize(
    ("kind", "read", "more", "doubt"),
    [
        ("Board", "board.Owner", "", ""),
        ("Board", "board.About", "", doubts.OTHER_ROW),
        ("Board", "board.About", 'board.About = r.FormValue("about")', ""),
        ("Shown", "board.Name", "", ""),
        ("Shown", "board.About", "", doubts.OTHER_ROW),
        ("map[string]string", 'board["owner"]', "", ""),
    ],
)
def test_in_go(tmp_path: Path, kind: str, read: str, more: str, doubt: str) -> None:
    text = GO.replace("TYPE", kind).replace("READ", read).replace("MORE", more)
    assert found(tmp_path, "app.go", text) == [doubt]
