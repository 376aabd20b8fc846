"""What a text shows of an instance is what the method of its class returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """\
import os
import shlex
from flask import Flask, request

app = Flask(__name__)

class Named:
    def __str__(self):
        return "-n " + self.word()

class Term(Named):
    def __init__(self, value):
        self.value = value

    def word(self):
        return {word}

class All:
    def __init__(self, *parts):
        self.parts = list(parts)

    def add(self, part):
        self.parts.append(part)

    def __str__(self):
        return " ".join(str(part) for part in self.parts)

@app.get("/")
def run():
    term = Term(request.args["name"])
    terms = All(term)
    terms.add(term)
    os.system({text})
    return ""
"""
JAVASCRIPT = """\
const express = require("express");
const { exec } = require("child_process");
class Term {
  constructor(value) { this.value = value; }
  toString() { return "-n " + %s; }
}
const app = express();
app.get("/", (req, res) => { const term = new Term(req.query.name); exec(`list ${term}`); res.end(); });
"""
TEXTS = ["str(term)", "f'list {term}'", "'list %s' % term", "'list {}'.format(term)", "'list ' + str(term)"]


def found(folder: Path, name: str, code: str) -> list[str]:
    """The rules that a scan reports, with any confidence."""
    (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    languages = ["python" if name.endswith(".py") else "javascript"]
    report = scanner.scan(options, load_rules(languages, cache_folder=folder / "cache"))
    return [each.rule_id for each in report.findings]


@pytest.mark.parametrize("text", [*TEXTS, "str(terms)"])
def test_a_text_calls_the_method_of_the_class(text: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", PYTHON.format(word="self.value", text=text)) == ["python/command-injection"]


@pytest.mark.parametrize("text", [*TEXTS, "str(terms)", "f'list {terms}'"])
@pytest.mark.parametrize("word", ["shlex.quote(self.value)", "'nothing'"])
def test_what_the_method_leaves_out_is_no_part_of_the_text(word: str, text: str, tmp_path: Path) -> None:
    assert found(tmp_path, "app.py", PYTHON.format(word=word, text=text)) == []


def test_a_template_of_javascript(tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", JAVASCRIPT % "this.value") == ["javascript/command-injection"]


def test_a_template_of_javascript_with_a_constant(tmp_path: Path) -> None:
    assert found(tmp_path, "app.js", JAVASCRIPT % '"nothing"') == []
