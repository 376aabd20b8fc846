"""Which handlers count as registered where a program is developed only."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy.names.settings import UNDER_DEVELOPMENT
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.explain.uses import Uses
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
const {{ exec }} = require("child_process");
const {{ createServer }} = require("http");
const app = require("express")();
const api = {{}};
const isLaptop = process.env.NODE_ENV === "development";
function run(req, res) {{ exec(req.query.a); }}
{rest}
"""
REGISTERED = 'if (isLaptop) app.get("/run", run);'


@pytest.mark.parametrize(
    ("rest", "confidence"),
    [
        (REGISTERED, "low"),
        (f'{REGISTERED} if (process.env.NODE_ENV === "test") app.get("/again", run);', "low"),
        ('if (isLaptop) { app.get("/run", run); app.get("/more", run); }', "low"),
        ('if (isLaptop) app.use(function () { app.get("/run", run); });', "low"),
        (f'{REGISTERED} app.get("/more", run);', "high"),
        (f"{REGISTERED} module.exports = run;", "high"),
        (f"{REGISTERED} module.exports = {{ run }};", "high"),
        (f"{REGISTERED} exports.run = run;", "high"),
        (f"{REGISTERED} api.go = run;", "high"),
        (f"{REGISTERED} api.go = api.old || run;", "high"),
        (f"{REGISTERED} module.exports.make = () => run;", "high"),
        (f"{REGISTERED} api.go = run.bind(null);", "high"),
        (f"{REGISTERED} api.all = [run];", "high"),
        (f"{REGISTERED} api.all = {{ ...{{ run }} }};", "high"),
    ],
)
def test_a_handler_is_for_development_if_nothing_else_gets_it(tmp_path: Path, rest: str, confidence: str) -> None:
    assert confidences(tmp_path, PROGRAM.format(rest=rest)) == [confidence]


@pytest.mark.parametrize(
    ("code", "is_development"),
    [
        ('app.config["TESTING"]', True),
        ('current_app.config.get("TESTING", False)', True),
        ("settings.TESTING", True),
        ("testing.Testing()", True),
        ('os.environ.get("PYTEST_CURRENT_TEST")', True),
        ("process.env.VITEST", True),
        ('form.get("TESTING")', False),
        ("order.testing", False),
        ('config["TESTING_URL"]', False),
    ],
)
def test_a_setting_is_true_in_tests_only(code: str, is_development: bool) -> None:
    assert bool(UNDER_DEVELOPMENT.search(code)) == is_development


def test_functions_that_register_one_another_take_no_deep_stack(tmp_path: Path) -> None:
    chain = [f'function f{at}(req, res) {{ app.get("/{at}", f{at + 1}); }}\n' for at in range(1000)]
    last = "function f1000(req, res) { exec(req.query.b); }"
    assert confidences(tmp_path, PROGRAM.format(rest=f"{''.join(chain)}{last}{REGISTERED}")) == ["low", "high"]


@pytest.mark.plain  # a method of a compiled class cannot be replaced
def test_each_of_many_checks_of_a_value_is_asked_about_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    original = Uses.before

    def counted(uses: Uses, value: int) -> int:
        asked.append(value)
        return original(uses, value)

    monkeypatch.setattr(Uses, "before", counted)
    checks = "".join(f'if (req.query.a === "a{each}") return; ' for each in range(100))
    code = PROGRAM.format(rest=f'app.get("/many", (req, res) => {{ const a = req.query.a; {checks} exec(a); }});')
    confidences(tmp_path, code.replace("req.query.a ===", "a ==="))
    assert 0 < len(asked) <= 100


def confidences(folder: Path, code: str) -> list[str]:
    (folder / "app.js").write_text(code, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.confidence for each in sorted(report.findings, key=lambda each: each.place.line)]


GO_CONFIG = """package config

import "os"

const (
	EnvDev  = "dev"
	EnvProd = "prod"
)

var Environment = os.Getenv("APP_ENV")
"""
GO_STORAGE = """package main

import (
	"net/http"
	"os"

	"example.com/app/config"
)

type Storage interface {
	Remove(place string)
}

type Files struct{ folder string }

func (f Files) Remove(place string) {
	os.Remove(f.folder + place)
}

type Memory struct{}

func (m *Memory) Remove(place string) {}

func storage() Storage {
	if config.Environment == config.EnvDev {
		return Files{folder: "/tmp/"}
	}
	return &Memory{}
}

%s

func main() {
	kept := storage()
	http.HandleFunc("/remove", func(w http.ResponseWriter, r *http.Request) {
		kept.Remove(r.FormValue("place"))
	})
	http.ListenAndServe(":80", nil)
}
"""
JS_CONFIG = "export const DEV = 'dev';\nexport const environment = process.env.APP_ENV;\n"
JS_STORAGE = """
import fs from "fs";
import express from "express";
import * as config from "./config.js";

const app = express();
class Files { erase(place) { fs.unlinkSync("/tmp/" + place); } }
class Memory { erase(place) {} }

function storage() {
  if (config.environment === config.DEV) return new Files();
  return new Memory();
}
const kept = storage();
app.get("/remove", (req, res) => kept.erase(req.query.place));
"""
PYTHON_CONFIG = "import os\nDEV = 'dev'\nENVIRONMENT = os.getenv('APP_ENV')\n"
PYTHON_STORAGE = """
import os
import config
from flask import Flask, request

class Files:
    def erase(self, place):
        os.remove("/tmp/" + place)

class Memory:
    def erase(self, place):
        pass

def storage():
    if config.ENVIRONMENT == config.DEV:
        return Files()
    return Memory()

kept = storage()
app = Flask(__name__)

@app.route("/remove")
def remove():
    kept.erase(request.args["place"])
    return ""
"""


def confidences_of(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.confidence for each in report.findings]


@pytest.mark.parametrize(
    ("more", "confidence"),
    [
        ("", "low"),
        ("func other() Storage { return Files{} }", "high"),
        ("func other() Storage { return new(Files) }", "high"),
        ("type Cache struct { files Files }", "high"),
        ("type Cache struct { Files }", "high"),
        ("var files Files", "high"),
        ('func other() bool { return config.Environment == "prod" }', "low"),
    ],
)
def test_objects_that_are_made_for_development(tmp_path: Path, more: str, confidence: str) -> None:
    files = {"go.mod": "module example.com/app\n\ngo 1.22\n", "config/config.go": GO_CONFIG}
    assert confidences_of(tmp_path, {**files, "main.go": GO_STORAGE % more}) == [confidence]


@pytest.mark.parametrize(
    ("more", "confidence"),
    [("", "low"), ("const other = new Files();", "high"), ("class Others extends Files {}", "high")],
)
def test_objects_of_javascript(tmp_path: Path, more: str, confidence: str) -> None:
    assert confidences_of(tmp_path, {"config.js": JS_CONFIG, "app.js": JS_STORAGE + more}) == [confidence]


@pytest.mark.parametrize(
    ("more", "confidence"), [("", "low"), ("other = Files()\n", "high"), ("class Others(Files):\n    pass\n", "high")]
)
def test_objects_of_python(tmp_path: Path, more: str, confidence: str) -> None:
    assert confidences_of(tmp_path, {"config.py": PYTHON_CONFIG, "app.py": PYTHON_STORAGE + more}) == [confidence]
