"""A loop that replaces each element of a collection by a clean one leaves a clean collection, in each language."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os
from flask import request

def cleaned(name):
    return os.path.basename(name) or "none"

def view(other):
    names = request.json["names"]
    {}
    use(names)

def use(names):
    for name in names:
        open("/srv/" + name)
"""
TABLE = """
import os
from flask import request

def view(other):
    names = request.json["names"]
    {}
    open("/srv/" + names["a"])
    {}
"""
JAVASCRIPT = """
const express = require("express");
const fs = require("fs");
const path = require("path");
const app = express();
app.use(express.json());
app.post("/", (req, res) => {{
  const names = JSON.parse(req.body.names);
  {}
  use(names);
}});
function use(names) {{
  for (const name of names) fs.readFileSync("/srv/" + name);
}}
"""
GO = """
package main

import (
	"net/http"
	"os"
	"path/filepath"
)

func main() {{
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {{
		names := r.URL.Query()["name"]
		{}
		for _, name := range names {{
			os.Open("/srv/" + name)
		}}
	}})
}}
"""


RANGE = "for i in range(len(names)):\n        "
CLEANED = "names[i] = os.path.basename(names[i])"


def reported(name: str, text: str, folder: Path) -> set[str]:
    (folder / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    return {each.vulnerability for each in scanner.scan(options, load_rules(None, ())).findings}


@pytest.mark.parametrize(
    ("loop", "is_clean"),
    [
        ("for i in range(len(names)): names[i] = os.path.basename(names[i])", True),
        ("for i in range(len(names)): names[i] = cleaned(names[i])", True),
        ("for i, name in enumerate(names): names[i] = os.path.basename(name)", True),
        ("for i in range(len(names)): names[i] = os.path.basename(names[i]) if names[i] else ''", True),
        ("for i in range(len(names)): names[i] = names[i].strip()", False),
        ("for i in range(len(names)): names[0] = os.path.basename(names[i])", False),
        ("for i in range(len(names)): names[other] = os.path.basename(names[i])", False),
        ("for i in range(1, len(names)): names[i] = os.path.basename(names[i])", False),
        ("for i in range(len(other)): names[i] = os.path.basename(names[i])", False),
        ("for i, name in zip(other, names): names[i] = os.path.basename(name)", False),
        (RANGE + "if other: names[i] = os.path.basename(names[i])", False),
        (RANGE + "names[i] = os.path.basename(names[i])\n        if i: break", False),
        (RANGE + "if i: continue\n        names[i] = os.path.basename(names[i])", False),
        (RANGE + "names[i] = os.path.basename(names[i])\n        use(names)", False),
        (RANGE + "open(names[i])\n        names[i] = os.path.basename(names[i])", False),
        (
            RANGE + "names[i] = os.path.basename(names[i])\n        names.append(names[i])",
            False,
        ),
        (
            RANGE + "try: names[i] = os.path.basename(names[i])\n        except TypeError: pass",
            False,
        ),
    ],
)
def test_lists_of_python(loop: str, is_clean: bool, tmp_path: Path) -> None:
    assert reported("a.py", PYTHON.format(loop), tmp_path) == (set() if is_clean else {"path-traversal"})


@pytest.mark.parametrize(
    ("loop", "after", "is_clean"),
    [
        ("for k in names: names[k] = os.path.basename(names[k])", "", True),
        ("for k, v in names.items(): names[k] = os.path.basename(v)", "", True),
        ("for k in names: names[k] = names[k].strip()", "", False),
        ("for k in names: names[other] = os.path.basename(names[k])", "", False),
        ("for k, v in names.items(): names[v] = os.path.basename(v)", "", False),
        ("for k in names: names[k] = os.path.basename(names[k])", "for k in names: open(k)", False),
    ],
)
def test_tables_of_python(loop: str, after: str, is_clean: bool, tmp_path: Path) -> None:
    assert reported("a.py", TABLE.format(loop, after), tmp_path) == (set() if is_clean else {"path-traversal"})


@pytest.mark.parametrize(
    ("loop", "is_clean"),
    [
        ("for (let i = 0; i < names.length; i++) { names[i] = path.basename(names[i]); }", True),
        ("for (let i = 0; i < names.length; i++) { names[i] = path.basename(names[i] || ''); }", True),
        ("for (let i = 0; i < names.length; i++) { names[i] = names[i].trim(); }", False),
        ("for (let i = 1; i < names.length; i++) { names[i] = path.basename(names[i]); }", False),
        ("for (let i = 0; i < names.length; i++) { if (req.query.x) names[i] = path.basename(names[i]); }", False),
        ("for (let i = 0; i < names.length; i++) { use(names); names[i] = path.basename(names[i]); }", False),
        ("for (let i = 0; i < names.length; i++) { names[i] = path.basename(names[i]); if (i) break; }", False),
    ],
)
def test_arrays_of_javascript(loop: str, is_clean: bool, tmp_path: Path) -> None:
    assert reported("a.js", JAVASCRIPT.format(loop), tmp_path) == (set() if is_clean else {"path-traversal"})


@pytest.mark.parametrize(
    ("loop", "is_clean"),
    [
        ("for i := range names { names[i] = filepath.Base(names[i]) }", True),
        ("for i, name := range names { names[i] = filepath.Base(name) }", True),
        ("for i := 0; i < len(names); i++ { names[i] = filepath.Base(names[i]) }", True),
        ("for i, name := range names { names[i] = name }", False),
        ("for i, name := range names { if i > 2 { names[i] = filepath.Base(name) } }", False),
        ("for i, name := range names { names[i] = filepath.Base(name); if i > 2 { break } }", False),
        ("for i, name := range names { os.Open(name); names[i] = filepath.Base(name) }", False),
    ],
)
def test_slices_of_go(loop: str, is_clean: bool, tmp_path: Path) -> None:
    assert reported("a.go", GO.format(loop), tmp_path) == (set() if is_clean else {"path-traversal"})
