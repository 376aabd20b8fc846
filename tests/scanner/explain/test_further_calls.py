"""A finding lists the calls of the function with the sink that its data reaches, each with a path of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import findings

PYTHON = """
import os
from flask import Flask, request

app = Flask(__name__)

def run(command):
    os.system(command)

def both(name):
    run("first " + name)
    run("second " + name)
    run("third 'x'")

@app.route("/a")
def a():
    both(request.args["a"])

@app.route("/b")
def b():
    run("fourth '%s'" % request.args["a"])
    run("fifth " + app.name)
"""
JAVASCRIPT = """
const { exec } = require("child_process")
const app = require("express")()

function run(command) {
  exec(command)
}
function both(name) {
  run("first " + name)
  run("second " + name)
  run("third 'x'")
}
app.get("/a", (req, res) => { both(req.query.a) })
app.get("/b", (req, res) => {
  run(`fourth '${req.query.a}'`)
  run("fifth " + app.name)
})
"""
GO = """
package main

import ("net/http"; "os/exec")

func run(command string) {
	exec.Command("sh", "-c", command).Run()
}

func both(name string) {
	run("first " + name)
	run("second " + name)
	run("third 'x'")
}

func a(w http.ResponseWriter, r *http.Request) { both(r.FormValue("a")) }

func b(w http.ResponseWriter, r *http.Request) {
	run("fourth '" + r.FormValue("a") + "'")
	run("fifth " + r.Proto[:0])
}

func main() {
	http.HandleFunc("/a", a)
	http.HandleFunc("/b", b)
}
"""


@pytest.mark.parametrize(
    ("file", "text", "language"), [("a.py", PYTHON, "python"), ("a.js", JAVASCRIPT, "javascript"), ("a.go", GO, "go")]
)
def test_each_call_of_a_helper_that_data_reaches_has_a_path(
    tmp_path: Path, file: str, text: str, language: str
) -> None:
    (finding,) = findings(tmp_path, {file: text}, "command-injection", language)
    lines = text.split("\n")

    def ordinals(line: int) -> list[str]:
        return [word for word in ("first", "second", "third", "fourth", "fifth") if word in lines[line - 1]]

    shown = [word for trace in finding.of_sources for step in trace.steps for word in ordinals(step.place.line)]
    further = [word for trace in finding.of_calls if trace.call for word in ordinals(trace.call.line)]
    assert {*shown, *further} == {"first", "second", "fourth"}
    assert further
    assert not {*shown} & {*further}
    assert finding.num_sources == len(finding.of_sources)
    for trace in finding.of_calls:
        assert trace.call
        assert trace.steps[-1].place == finding.place
        assert trace.call.line in [step.place.line for step in trace.steps]
        assert trace in finding.traces[len(finding.of_sources) :]


def test_a_sink_in_the_handler_has_no_further_calls(tmp_path: Path) -> None:
    text = PYTHON.replace('    run("first "', '    os.system("first "').replace(
        '    run("second "', '    pass; id("second "'
    )
    (first, last) = findings(tmp_path, {"a.py": text}, "command-injection", "python")
    assert [len(each.of_calls) for each in (first, last)] == [0, 0]
