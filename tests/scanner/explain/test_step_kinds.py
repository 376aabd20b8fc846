"""What each kind of edge shows: the kind, line and depth of its step, and its words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Step
from pyrograph.policy.limits.flow_graph import MAX_PATHS
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

PYTHON = """\
import os, external
from flask import request
"""
JAVASCRIPT = """\
const app = require("express")(), cp = require("child_process"), external = require("external");
"""
GO = """\
package main
import ("fmt"; "net/http"; "os/exec"; "strings")
"""
STATE = """\
let name = "x";
require("express")().get("/", (req) => { name = req.query.n; });
module.exports = { name };
"""


@dataclass(frozen=True)
class Case:
    """Code after its language's beginning, and the steps after the source: (kind, line, depth, message)."""

    name: str
    code: str
    steps: tuple[tuple[str, int, int, str], ...]
    path: str = "app.py"
    more: tuple[tuple[str, str], ...] = ()  # other files

    def __str__(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        before = {"py": PYTHON, "js": JAVASCRIPT, "go": GO}[self.path.split(".")[1]]
        return before + textwrap.dedent(self.code)


CASES = [
    Case(
        "arguments-fields-and-results",
        """\
        def keep(job, name):
            job.name = name

        def run(job):
            os.system(job.name)

        class Job: pass

        def view():
            n = request.args["n"]
            job = Job()
            keep(job, n)
            run(job)
        """,
        (
            ("call", 14, 0, "passed to `keep` as `name`"),
            ("store", 4, 1, "stored in `job.name`"),
            ("return", 14, 0, "written to the argument by `keep`"),
            ("call", 15, 0, "passed to `run` as `job`"),
            ("sink", 7, 1, "reaches `os.system`"),
        ),
    ),
    Case(
        "a-sink-in-a-function-that-shows-no-step",
        """\
        def run(n):
            os.system(n)

        def view():
            run(request.args["n"])
        """,
        (("call", 7, 0, "passed to `run` as `n`"), ("sink", 4, 1, "reaches `os.system`")),
    ),
    Case(
        "a-result",
        """\
        def name(data):
            return data["n"]

        def view():
            found = name(request.args)
            os.system(found)
        """,
        (
            ("call", 7, 0, "passed to `name` as `data`"),
            ("load", 4, 1, "read from `data`"),
            ("return", 7, 0, "returned by `name`"),
            ("sink", 8, 0, "reaches `os.system`"),
        ),
    ),
    Case(
        "text-that-is-put-together",
        """\
        def view():
            n = request.args["n"]
            a = "x " + n
            b = f"{a}"
            c = "%s" % b
            d = "{}".format(c)
            e = [d]
            os.system(e)
        """,
        (
            ("flow", 5, 0, 'becomes part of `"x " + n`'),
            ("flow", 6, 0, 'becomes part of `f"{a}"`'),
            ("flow", 7, 0, 'becomes part of `"%s" % b`'),
            ("flow", 8, 0, 'becomes part of `"{}".format(c)`'),
            ("store", 9, 0, "stored in `[d]`"),
            ("sink", 10, 0, "reaches `os.system`"),
        ),
    ),
    Case(
        "a-template-literal",
        """\
        app.get("/", (req, res) => {
          const line = `run ${req.query.n}`;
          cp.exec(line);
        });
        """,
        (("flow", 3, 0, "becomes part of ``run ${req.query.n}``"), ("sink", 4, 0, "reaches `child_process.exec`")),
        path="app.js",
    ),
    Case(
        "a-model",
        """\
        app.get("/", (req, res) => {
          const parts = req.query.n.concat("x");
          cp.exec(parts);
        });
        """,
        (
            ("flow", 3, 0, "passes through `req.query.n.concat`"),
            ("sink", 4, 0, "reaches `child_process.exec`"),
        ),
        path="app.js",
    ),
    Case(
        "a-model-that-makes-some-harm-impossible",
        """\
        app.get("/", (req, res) => {
          const parts = require("path").join("/srv", req.query.n);
          cp.exec(parts);
        });
        """,
        (
            ("flow", 3, 0, 'passes through `require("path").join`'),
            ("sink", 4, 0, "reaches `child_process.exec`"),
        ),
        path="app.js",
    ),
    Case(
        "text-that-is-written-to-an-object",
        """\
        func h(w http.ResponseWriter, r *http.Request) {
            var b strings.Builder
            fmt.Fprintf(&b, "x %s", r.FormValue("n"))
            exec.Command("sh", "-c", b.String()).Run()
        }
        """,
        (("store", 5, 0, "stored in `&b`"), ("sink", 6, 0, "reaches `os/exec.Command`")),
        path="app.go",
    ),
    Case(
        "an-unknown-call",
        """\
        def view():
            n = external.name(request.args["n"])
            os.system(n)
        """,
        (("assumed", 4, 0, "passes through `external.name`"), ("sink", 5, 0, "reaches `os.system`")),
    ),
    Case(
        "a-check-with-two-variables",
        """\
        def view():
            n = request.args["n"]
            t = external.names()
            if n in t.known:
                os.system("run " + n)
        """,
        (("assumed", 6, 0, "passes the check `n in t.known`"), ("sink", 7, 0, "reaches `os.system`")),
    ),
    Case(
        "a-check-that-is-negated",
        """\
        app.get("/", (req, res) => {
          const n = req.query.n, t = external.names();
          if (n !== t.known) {
            return;
          }
          cp.exec("run " + n);
        });
        """,
        (("assumed", 4, 0, "passes the check `n !== t.known`"), ("sink", 7, 0, "reaches `child_process.exec`")),
        path="app.js",
    ),
    Case(
        "a-captured-variable",
        """\
        def view():
            n = request.args["n"]
            def inner():
                os.system("a" + n)
            inner()
        """,
        (("flow", 6, 0, "read as `n`"), ("sink", 6, 1, "reaches `os.system`")),
    ),
    Case(
        "a-variable-of-another-file",
        """\
        const { name } = require("./state");
        app.get("/", (req, res) => {
          cp.exec("run " + name);
        });
        """,
        (
            ("flow", 2, 0, "read as `name`"),
            ("flow", 4, 0, "read as `name`"),
            ("sink", 4, 0, "reaches `child_process.exec`"),
        ),
        path="app.js",
        more=(("state.js", STATE),),
    ),
    Case(
        "a-field-with-a-validator",
        """\
        from pydantic import BaseModel, field_validator
        from fastapi import FastAPI
        app = FastAPI()

        class Item(BaseModel):
            name: str

            @field_validator("name")
            @classmethod
            def known(cls, value):
                if not external.known(value):
                    raise ValueError("name")
                return value

        @app.post("/")
        def view(item: Item):
            os.system(item.name)
        """,
        (
            ("assumed", 19, 0, "passes the validator of `item.name`"),
            ("sink", 19, 0, "reaches `os.system`"),
        ),
    ),
    Case(
        "more-parts-than-are-kept-apart",
        "def view():\n    n = request.args['n']\n    d = {}\n"
        + "".join(f"    d['a{each}'] = {{'b{each}': n}}\n" for each in range(3 * MAX_PATHS))
        + "    run(d)\n\ndef run(d):\n"
        + "    open('x' + d[external.key()][external.key()])\n"
        + "    os.system(d['a40']['other'])\n",
        (
            ("store", 21, 0, "stored in `{'b15': n}`"),
            ("store", 21, 0, "stored in `d['a15']`"),
            ("assumed", 37, 0, "untrusted in an unknown part: too many parts to track separately"),
            ("assumed", 53, 0, "untrusted in an unknown part: too many parts to track separately"),
            ("call", 54, 0, "passed to `run` as `d`"),
            ("load", 58, 1, "read from `d`"),
            ("sink", 58, 1, "reaches `os.system`"),
        ),
    ),
]


def steps_of(case: Case, folder: Path) -> tuple[Step, ...]:
    root = folder / "code"
    root.mkdir()
    for path, text in ((case.path, case.text), *case.more):
        (root / path).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="low")
    findings = scanner.scan(options, load_rules(None, ())).findings
    (finding,) = [each for each in findings if each.vulnerability == "command-injection"]
    return finding.traces[0].steps


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_kind_of_edge_shows_its_step(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    source, *steps = steps_of(case, tmp_path)
    assert source.kind == "source"
    assert [(step.kind, step.place.line, step.depth, step.message) for step in steps] == list(case.steps)
