"""Paths that need a condition to hold and not to hold have low confidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import requests
from flask import Flask, request

app = Flask(__name__)


def own(name):
    return "https://files.example/" + str(len(name))


def send(address):
    requests.get(address)


@app.route("/a")
def view():
    x = request.args.get("u")
    url = own("a")
    %s
    return "a"
"""
JAVASCRIPT = """
const express = require("express");
const axios = require("axios");
const own = () => "https://files.example/" + Math.random();
const app = express();
app.get("/a", async (req, res) => {
  const u = req.query.u;
  %s
});
"""
GO = """package main

import "net/http"

func view(w http.ResponseWriter, r *http.Request) {
	u, v := r.FormValue("u"), r.FormValue("v")
	url := "https://files.example/" + r.Method
	%s
	_ = v
}

func main() {
	http.HandleFunc("/a", view)
	http.ListenAndServe(":8080", nil)
}
"""


def confidence(name: str, code: str, folder: Path) -> list[str]:
    (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(None, ())).findings
    return [each.confidence for each in found if each.vulnerability == "ssrf"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("url = x if x is not None else url\n    if x is None: requests.get(url)", "low"),
        ("url = x if x is not None else url\n    if x is None: send(url)", "low"),
        ("url = x if x else url\n    if not x: requests.get(url)", "low"),
        ("url = x if x else url\n    if x is None: requests.get(url)", "low"),
        ("if x == 'a': return ''\n    if x: url = x\n    if x == 'a': requests.get(url)", "low"),
        ("for n in 'ab':\n        y = x if x else url\n        if not x: requests.get(y)", "low"),
        ("url = x if x is not None else url\n    if x is not None: requests.get(url)", "high"),
        ("url = x if x is not None else url\n    requests.get(url)", "high"),
        ("url = x if x is not None else url\n    if not x: requests.get(url)", "high"),  # an empty text
        ("url = x if x else url\n    x = request.args.get('v')\n    if not x: requests.get(url)", "high"),
        (
            "for n in 'ab':\n        x = request.args[n]\n        if not x: requests.get(url)\n        if x: url = x",
            "high",
        ),
    ],
)
def test_what_passed_a_condition_does_not_get_to_its_other_side(body: str, expected: str, tmp_path: Path) -> None:
    assert confidence("app.py", PYTHON % body, tmp_path) == [expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("const url = u !== undefined ? u : own();\n  if (u === undefined) await axios.get(url);", "low"),
        ("const url = u ? u : own();\n  if (u) { res.send('a'); return; }\n  await axios.get(url);", "low"),
        ("const url = u === null ? own() : u;\n  if (u) { res.send('a'); return; }\n  await axios.get(url);", "high"),
        ("const url = u ? u : own();\n  if (u) await axios.get(url);", "high"),
    ],
)
def test_the_same_in_javascript(body: str, expected: str, tmp_path: Path) -> None:
    assert confidence("app.js", JAVASCRIPT % body, tmp_path) == [expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('if u != "" {\n\t\turl = u\n\t}\n\tif u == "" {\n\t\thttp.Get(url)\n\t}', "low"),
        ('if u != "" {\n\t\turl = u\n\t}\n\tif v == "" {\n\t\thttp.Get(url)\n\t}', "high"),
        ('if u != "" {\n\t\turl = u\n\t}\n\tif u != "a" {\n\t\thttp.Get(url)\n\t}', "high"),
    ],
)
def test_the_same_in_go(body: str, expected: str, tmp_path: Path) -> None:
    assert confidence("main.go", GO % body, tmp_path) == [expected]
