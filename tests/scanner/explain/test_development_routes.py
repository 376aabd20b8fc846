"""Handlers of a router that is mounted where the program is developed only are for development, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

ROUTER = """
const { Router } = require("express");
const { exec } = require("child_process");
const router = Router();
router.post("/run", (req, res) => { exec(req.query.a); });
module.exports = router;
"""
APP = 'const app = require("express")();\nconst tools = require("./tools");\nconst env = process.env.NODE_ENV;\n'
FLASK = """
import os
from flask import Blueprint, request
tools = Blueprint("tools", __name__)

@tools.route("/run")
def run():
    os.system(request.args["a"])
"""
FLASK_APP = "import os\nfrom flask import Flask\nfrom tools import tools\napp = Flask(__name__)\n"
GO = """package main

import (
	"net/http"
	"os"
	"os/exec"

	"github.com/go-chi/chi/v5"
)

func tools() http.Handler {
	r := chi.NewRouter()
	r.Get("/run", func(w http.ResponseWriter, q *http.Request) {
		exec.Command("sh", "-c", q.URL.Query().Get("a")).Run()
	})
	return r
}

func main() {
	app := chi.NewRouter()
	MOUNT
	http.ListenAndServe(":80", app)
}
"""


@pytest.mark.parametrize(
    ("mounts", "doubt"),
    [
        ('if (env === "test") app.use("/tools", tools);', doubts.DEVELOPMENT),
        ('if (env === "test" || env === "development") app.use("/tools", tools);', doubts.DEVELOPMENT),
        ('if (env !== "test" && env !== "development") process.exit(1);\napp.use("/t", tools);', doubts.DEVELOPMENT),
        ('if (env === "test" || env === "live") app.use("/tools", tools);', ""),
        ('if (env === "test") app.use("/tools", tools);\napp.use("/again", tools);', ""),
        ('if (env === "test") app.use("/tools", tools);\nfor (const each of [tools]) app.use("/t", each);', ""),
        (
            'if (env === "test") app.use("/tools", tools);\nconst all = { "/t": require("./tools") };\n'
            "Object.entries(all).forEach(([at, each]) => app.use(at, each));",
            "",
        ),
        ('if (env === "test") app.use("/tools", tools);\nrequire("http").createServer(tools).listen(80);', ""),
        ('app.use("/tools", tools);', ""),
    ],
)
def test_all_mounts_of_the_router_decide(mounts: str, doubt: str, tmp_path: Path) -> None:
    (tmp_path / "tools.js").write_text(ROUTER, encoding="utf-8")
    (tmp_path / "app.js").write_text(APP + mounts, encoding="utf-8")
    assert doubts_of(tmp_path) == [doubt]


@pytest.mark.parametrize(
    ("mount", "doubt"),
    [
        ('if os.environ["APP_ENV"] == "development":\n    app.register_blueprint(tools)\n', doubts.DEVELOPMENT),
        ("app.register_blueprint(tools)\n", ""),
    ],
)
def test_a_blueprint_of_flask(mount: str, doubt: str, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(FLASK, encoding="utf-8")
    (tmp_path / "main.py").write_text(FLASK_APP + mount, encoding="utf-8")
    assert doubts_of(tmp_path) == [doubt]


@pytest.mark.parametrize(
    ("mount", "doubt"),
    [
        ('if os.Getenv("APP_ENV") == "development" {\n\t\tapp.Mount("/tools", tools())\n\t}', doubts.DEVELOPMENT),
        ('app.Mount("/tools", tools())\n\t_ = os.Args', ""),
    ],
)
def test_a_router_of_go(mount: str, doubt: str, tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text(GO.replace("MOUNT", mount), encoding="utf-8")
    assert doubts_of(tmp_path) == [doubt]


def doubts_of(folder: Path) -> list[str]:
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.doubt.name if each.doubt else "" for each in report.findings]
