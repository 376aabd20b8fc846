"""How sure a finding is: each step that was assumed may be wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
import unknown
from flask import request

def view():
    os.system({})
"""


LONG = (
    CODE
    + """
def first(a):
    return second(a + "")

def second(a):
    return third(a + "")

def third(a):
    return fourth(a + "")

def fourth(a):
    return a + ""
"""
)

LOG = """
import logging
from flask import request

def view():
    logging.info({})
"""


def confidences(
    code: str,
    rule: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str = "views.py",
    threat_models: frozenset[str] = frozenset(),
) -> Sequence[str]:
    """How sure the findings of ``rule`` in ``code`` are; what is of low confidence is reported on request only."""
    monkeypatch.setattr(pipeline, "cache_folder", lambda: folder / "cache")
    root = folder / "code"
    root.mkdir()
    (root / name).write_text(code)
    options = ScanOptions(paths=(root,), root=root, profile="audit", jobs=1, device="cpu", confidence="low")
    options = replace(options, threat_models=threat_models or options.threat_models)
    report = scanner.scan(options, load_rules(None, ()))
    found = [f.confidence for f in report.findings if f.rule_id == rule]
    at_default = scanner.scan(replace(options, confidence="medium"), load_rules(None, ()))
    assert len(at_default.findings) == sum(confidence != "low" for confidence in found)
    return found


@pytest.mark.parametrize(
    ("command", "confidence"),
    [
        ("request.args['c']", "high"),
        ("unknown.a(request.args['c']) + ''", "medium"),
        ("unknown.a(unknown.b(request.args['c'])) + ''", "medium"),
        ("unknown.a(unknown.b(unknown.c(request.args['c']))) + ''", "low"),
    ],
)
def test_more_than_two_assumed_steps_make_low_confidence(
    command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(CODE.format(command), "python/command-injection", tmp_path, monkeypatch) == [confidence]


@pytest.mark.parametrize(
    ("command", "confidence"),
    [("first(request.args['c'])", "high"), ("first(unknown.a(request.args['c']))", "low")],
)
def test_an_assumed_step_on_a_long_way_makes_low_confidence(
    command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(LONG.format(command), "python/command-injection", tmp_path, monkeypatch) == [confidence]


WAITING = """
const {{ exec }} = require("child_process");
const unknown = require("unknown");
require("express")().get("/", async (req, res) => {{
  {}
}});
"""


@pytest.mark.parametrize(
    ("code", "confidence"),
    [
        ("exec(unknown.join(req.query.c));", "medium"),
        ("exec(await unknown.join(req.query.c));", "low"),
        ("unknown.join(req.query.c).then((c) => exec(c));", "low"),
        ("exec(unknown.findOne(req.query.c));", "low"),
        ("exec(unknown.escapeText(req.query.c));", "low"),
        ("exec(unknown.findings(req.query.c));", "medium"),
        ("exec(unknown.openFile(req.query.c));", "low"),
        ("exec(unknown.openings(req.query.c));", "medium"),
    ],
)
def test_an_unknown_callee_that_fetches_or_cleans_makes_low_confidence(
    code: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confidences(WAITING.format(code), "javascript/command-injection", tmp_path, monkeypatch, "views.js")
    assert found == [confidence]


@pytest.mark.parametrize(
    ("values", "confidence"),
    [
        ("request.args['a']", "high"),
        ("request.headers['a']", "low"),
        ("request.headers['a'] + request.args['a']", "high"),
    ],
)
def test_a_kind_of_source_that_seldom_does_the_harm_makes_low_confidence(
    values: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(LOG.format(values), "python/log-injection", tmp_path, monkeypatch) == [confidence]


CHECK = """
import os
import unknown
from flask import request

allowed = unknown.names()

def is_safe(text, level):
    return unknown.judge(text, level)

def is_unsafe(text):
    return unknown.judge(text)

def shortened(text):
    return text[1:]

def view():
    text = request.args["text"]
    if {}:
        os.system(text)
"""


@pytest.mark.parametrize(
    ("condition", "confidence"),
    [
        ("is_safe(text, 1)", "low"),
        ("unknown.is_valid(text)", "low"),
        ("not is_safe(text, 1)", "high"),
        ("is_unsafe(text)", "high"),
        ("not is_unsafe(text)", "low"),
        ("is_safe('text', 1)", "high"),
        ("text == unknown.token()", "low"),
        ("text != unknown.token()", "high"),
        ("text == request.args['again']", "high"),
        ("text in allowed", "low"),
        ("text not in allowed", "high"),
        ("unknown.seen(text)", "high"),
        ("unknown.get_one(text)", "low"),
        ("unknown.get_one(text) is not None", "low"),
        ("unknown.get_one(text) is None", "high"),
        ("unknown.get_one('text')", "high"),
        ("len(unknown.allowed_methods(text))", "low"),
        ("len(unknown.allowed_methods(shortened(text)))", "low"),
        ("not len(unknown.allowed_methods(text))", "high"),
        ("len(unknown.counted(text))", "high"),
    ],
)
def test_a_check_that_nothing_understands_makes_low_confidence(
    condition: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(CHECK.format(condition), "python/command-injection", tmp_path, monkeypatch) == [confidence]


def test_a_check_that_does_not_stand_in_every_way_lowers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = CHECK.format("is_safe(text, 1)") + "    os.system('echo ' + text)\n"
    assert confidences(code, "python/command-injection", tmp_path, monkeypatch) == ["low", "high"]


FILE = """package main

import "net/http"
{}
func run{}(text string) {{
	run{}(text + "")
}}
"""


@pytest.mark.parametrize(
    ("last", "statement", "kept", "confidence"),
    [
        (2, "os.Remove(text)", False, "high"),
        (3, "os.Remove(text)", False, "high"),  # files of one folder, in Go
        (6, "os.Remove(text)", False, "medium"),
        (9, "os.Remove(text)", False, "low"),
        (2, "os.Remove(text)", True, "medium"),
        (6, "os.Remove(text)", True, "low"),
        (2, "log.Print(text)", False, "high"),
        (6, "log.Print(text)", False, "low"),
    ],
)
def test_a_way_through_many_files_makes_lower_confidence(
    last: int, statement: str, *, kept: bool, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    view = '\nfunc view(w http.ResponseWriter, r *http.Request) {\n\trun0(r.FormValue("a"))\n}\n'
    if kept:  # what lies in a variable of the package is anybody's
        view = '\nvar kept string\n\nfunc fill(r *http.Request) {\n\tkept = r.FormValue("a")\n}\n'
        view += "\nfunc view(w http.ResponseWriter, r *http.Request) {\n\tfill(r)\n\trun0(kept)\n}\n"
    for number in range(last):
        (root / f"file{number}.go").write_text(FILE.format("" if number else view, number, number + 1))
    (root / "last.go").write_text(
        f'package main\n\nimport (\n\t"log"\n\t"os"\n)\n\nfunc run{last}(text string) {{\n\t{statement}\n}}\n'
    )
    report = scanner.scan(
        ScanOptions(paths=(root,), root=root, profile="audit", jobs=1, device="cpu", confidence="low"),
        load_rules(None, ()),
    )
    assert [finding.confidence for finding in report.findings] == [confidence]


@pytest.mark.parametrize(("name", "confidence"), [("view.go", "high"), ("view_test.go", "low")])
def test_a_way_through_tests_makes_low_confidence(
    name: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / name).write_text(
        'package main\n\nimport (\n\t"net/http"\n\t"os"\n)\n\n'
        'func view(w http.ResponseWriter, r *http.Request) {\n\tos.Remove(r.FormValue("a"))\n}\n'
    )
    report = scanner.scan(
        ScanOptions(paths=(root,), root=root, profile="audit", jobs=1, device="cpu", confidence="low"),
        load_rules(None, ()),
    )
    assert [finding.confidence for finding in report.findings] == [confidence]


@pytest.mark.parametrize(
    ("statements", "confidence"),
    [
        ("c := colly.NewCollector()", "high"),
        ('c := colly.NewCollector(colly.UserAgent("pages"))', "high"),
        ('c := colly.NewCollector(colly.AllowedDomains("a.b"))', "low"),
        ('c := colly.NewCollector(colly.AllowedDomains(r.FormValue("host")))', "low"),
        (
            "c := colly.NewCollector()\n\tif r.Method == http.MethodPost {\n"
            '\t\tc = colly.NewCollector(colly.AllowedDomains("a.b"))\n\t}',
            "low",
        ),
    ],
)
def test_a_collector_that_may_have_allowed_domains_makes_low_confidence(
    statements: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        'package main\n\nimport (\n\t"net/http"\n\n\t"github.com/gocolly/colly/v2"\n)\n\n'
        "func view(w http.ResponseWriter, r *http.Request) {\n"
        f'\t{statements}\n\tc.Visit(r.FormValue("url"))\n}}\n'
    )
    assert confidences(code, "go/ssrf", tmp_path, monkeypatch, "view.go") == [confidence]


@pytest.mark.parametrize(
    ("head", "tail", "confidence"),
    [
        ("", "", "high"),
        ("//go:build ignore\n\n", "", "low"),
        ("// A tool.\n\n// +build ignore\n\n", "", "low"),
        ("//go:build linux\n\n", "", "high"),
        ("", "\nconst tool = `\n//go:build ignore\n`\n", "high"),  # a file that is written
    ],
)
def test_a_file_that_belongs_to_no_build_makes_low_confidence(
    head: str, tail: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "release.go").write_text(
        head + 'package main\n\nimport (\n\t"net/http"\n\t"os"\n)\n\n'
        'func view(w http.ResponseWriter, r *http.Request) {\n\tos.Remove(r.FormValue("a"))\n}\n' + tail
    )
    report = scanner.scan(
        ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="low"), load_rules(None, ())
    )
    assert [finding.confidence for finding in report.findings] == [confidence]


@pytest.mark.parametrize(
    ("name", "others", "confidence"),
    [
        ("test/mock/main.py", 3, "low"),
        ("examples/main.py", 3, "low"),
        ("server/main.py", 3, "high"),
        ("test/mock/main.py", 0, "high"),  # the tests are what is scanned
    ],
)
def test_code_that_only_developers_run_makes_low_confidence(
    name: str, others: int, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(CODE.format('request.args["a"]'))
    for number in range(others):
        (root / f"part{number}.py").write_text("")
    report = scanner.scan(
        ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="low"), load_rules(None, ())
    )
    assert [finding.confidence for finding in report.findings] == [confidence]


@pytest.mark.parametrize(("server", "confidence"), [("part.py", "low"), ("test/part.py", "high")])
def test_tests_are_what_is_scanned_only_if_nothing_else_reads_untrusted_data(
    server: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    (root / "test").mkdir(parents=True)
    (root / "test" / "main.py").write_text(CODE.format('request.args["a"]'))
    (root / "test" / "more.py").write_text("")
    (root / server).write_text("from flask import request\n\ndef page():\n    return str(len(request.args['a']))\n")
    report = scanner.scan(
        ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="low"), load_rules(None, ())
    )
    assert [finding.confidence for finding in report.findings] == [confidence]


@pytest.mark.parametrize(
    ("name", "code", "confidence"),
    [
        ("a.py", 'from flask import *\ndef view():\n    return redirect(request.args["n"])\n', "high"),
        ("a.py", 'from flask import *\ndef view():\n    return redirect(request.json["n"])\n', "medium"),
        ("a.py", 'from flask import *\ndef view():\n    return redirect(request.headers["N"])\n', "medium"),
        ("a.js", 'const a = new (require("hono").Hono)()\na.get("/", (c) => c.redirect(c.req.query("n")))\n', "high"),
        (
            "a.js",
            'const a = new (require("hono").Hono)()\na.get("/", (c) => c.redirect(c.req.header("n")))\n',
            "medium",
        ),
        (
            "a.go",
            'package a\n\nimport "net/http"\n\nfunc view(w http.ResponseWriter, r *http.Request) {\n'
            '\tw.Write([]byte("<p>" + r.FormValue("n")))\n}\n',
            "high",
        ),
        (
            "a.go",
            'package a\n\nimport "net/http"\n\nfunc view(w http.ResponseWriter, r *http.Request) {\n'
            '\tw.Write([]byte("<p>" + r.Header.Get("N")))\n}\n',
            "medium",
        ),
    ],
)
def test_what_no_other_site_makes_a_browser_send_seldom_harms_that_browser(
    name: str, code: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = "xss" if name == "a.go" else "open-redirect"
    languages = {"a.py": "python", "a.js": "javascript", "a.go": "go"}
    assert confidences(code, f"{languages[name]}/{rule}", tmp_path, monkeypatch, name) == [confidence]


STORED = """
from django.contrib.auth.decorators import user_passes_test
from django.db import models
from django.http import HttpResponse

class Note(models.Model):
    body = models.TextField()

def write(request):
    Note.objects.create(body=request.POST["n"])
    return HttpResponse("thanks")

def show(request):
    return HttpResponse("<p>" + Note.objects.get(pk=1).body)

def both(request):
    return HttpResponse("<p>" + request.POST["n"])
"""
BY_STAFF = STORED.replace("def write", "@user_passes_test(lambda user: user.is_superuser)\ndef write")


@pytest.mark.parametrize(("code", "found"), [(STORED, ["high", "medium"]), (BY_STAFF, ["medium"])])
def test_what_an_attacker_stores_he_sends_himself(
    code: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(code, "python/xss", tmp_path, monkeypatch) == found


ANSWER = """package main

import (
	"fmt"
	"net/http"
)

func view(w http.ResponseWriter, r *http.Request) {{
	{}
}}

func first(w http.ResponseWriter, text string) {{
	second(w, text+"")
}}

func second(w http.ResponseWriter, text string) {{
	fmt.Fprintf(w, "%s", text)
}}
"""


@pytest.mark.parametrize(
    ("statement", "confidence"),
    [
        ('fmt.Fprintf(w, "%s", r.FormValue("a"))', "high"),
        ('second(w, r.FormValue("a"))', "high"),
        ('first(w, r.FormValue("a"))', "low"),
        ('http.ServeFile(w, r, "files"+r.URL.Path)', "low"),
        ('http.ServeFile(w, r, "files"+r.FormValue("a"))', "high"),
    ],
)
def test_what_a_vulnerability_calls_unlikely_has_low_confidence(
    statement: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / "main.go").write_text(ANSWER.format(statement))
    report = scanner.scan(
        ScanOptions(paths=(root,), root=root, profile="audit", jobs=1, device="cpu", confidence="low"),
        load_rules(None, ()),
    )
    assert [finding.confidence for finding in report.findings] == [confidence]


ASKED = """
package main

import (
	"context"
	"net/http"

	"example.org/hosting"
)

func forward(w http.ResponseWriter, r *http.Request) {{
	ctx := r.Context()
	to := {}
	http.Redirect(w, r, to, 302)
}}

func label(s string) string {{
	for i := 0; i < len(s); i++ {{
		switch s[i] {{
		case '/', ':':
			return ""
		}}
	}}
	return s
}}

func first(s string) string {{
	for i := 0; i < len(s); i++ {{
		if s[i] == '/' {{
			return "at " + s
		}}
	}}
	return ""
}}
"""


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        ('hosting.Link(r.FormValue("a"))', "medium"),
        ('hosting.Link(ctx, r.FormValue("a"))', "low"),
        ('hosting.Link(context.Background(), r.FormValue("a"))', "low"),
        ('label(r.FormValue("a"))', "low"),
        ('first(r.FormValue("a"))', "high"),
        ('r.FormValue("a")\n\tif !hosting.Used(ctx, to) {\n\t\treturn\n\t}', "low"),
        ('r.FormValue("a")\n\tif hosting.Used(ctx, to) {\n\t\treturn\n\t}', "high"),
        ('r.FormValue("a")\n\tif !hosting.Ready(ctx) {\n\t\treturn\n\t}', "high"),
    ],
)
def test_what_a_call_asks_for_and_what_looks_at_each_character_make_low_confidence(
    value: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confidences(ASKED.format(value), "go/open-redirect", tmp_path, monkeypatch, "main.go")
    assert found == [confidence]


ROUTE = """
from flask import Flask

app = Flask(__name__)

@app.route("/files/<name>")
def view(name):
    open({})

def below(name):
    return inside("files", name)

def inside(folder, name):
    return folder + "/" + name
"""


REDIRECTED = """
from flask import redirect, request
def view():
    return redirect({})
"""


@pytest.mark.parametrize(
    ("address", "confidence"),
    [
        ("request.args['next']", "high"),
        ("request.values['next']", "high"),
        ("request.form['next']", "medium"),
    ],
)
def test_a_field_of_a_form_seldom_leads_to_another_site(
    address: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = REDIRECTED.format(address)
    assert confidences(code, "python/open-redirect", tmp_path, monkeypatch) == [confidence]


POSTED = """
from fastapi import FastAPI, Form
from fastapi.responses import RedirectResponse
app = FastAPI()
@app.{}("/next")
def view(address: str):
    return RedirectResponse(address)
"""


@pytest.mark.parametrize(("method", "confidence"), [("get", "high"), ("post", "medium")])
def test_a_parameter_of_a_route_for_forms_seldom_leads_to_another_site(
    method: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = POSTED.format(method)
    assert confidences(code, "python/open-redirect", tmp_path, monkeypatch) == [confidence]


@pytest.mark.parametrize(
    ("path", "confidence"), [("'files/' + name", "low"), ("below(name)", "low"), ("below('name')", None)]
)
def test_a_part_of_the_path_seldom_leaves_a_folder(
    path: str, confidence: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [] if confidence is None else [confidence]
    assert confidences(ROUTE.format(path), "python/path-traversal", tmp_path, monkeypatch) == expected


@pytest.mark.parametrize(("fields", "confidence"), [(4, []), (40, ["low"])])
def test_a_part_of_more_than_are_told_apart_is_assumed_to_be_any(
    fields: int, confidence: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is constant; with few fields that is known."""
    given = ", ".join(f"f{n}: req.query.f{n}" for n in range(fields))
    code = f"""
const app = require("express")();
const {{ exec }} = require("child_process");

const run = (job) => exec(job.command);
app.get("/", (req, res) => run({{ command: "uptime", {given} }}));
"""
    assert confidences(code, "javascript/command-injection", tmp_path, monkeypatch, "app.js") == confidence


@pytest.mark.parametrize(("command", "confidence"), [("list", ["low"]), ("rows", ["high"])])
def test_a_function_that_another_call_handed_over_is_not_called(
    command: str, confidence: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The helper is too long for copies; ``command``: the call that hands over what runs commands."""
    filler = "\n".join(f"  log(`${{started}} {n} ${{step}}`);" for n in range(420))
    runs = "async (row) => exec(row)"
    code = f"""
const app = require("express")();
const {{ exec }} = require("child_process");
const {{ log }} = require("logbook");

async function each(list, work) {{
  const started = Date.now();
  const step = started + 1;
{filler}
  for (const one of list) {{
    await work(one);
  }}
}}

const names = ["a", "b"];
each(names, {runs if command == "list" else "async (row) => log(row)"});
app.get("/", (req, res) => each([req.query.c], {runs if command == "rows" else "async (row) => log(row)"}));
"""
    assert confidences(code, "javascript/command-injection", tmp_path, monkeypatch, "app.js") == confidence


VALIDATED = """
import os
from fastapi import FastAPI
from pydantic import BaseModel, field_validator

app = FastAPI()

class Job(BaseModel):
    tool: str
    note: str

    @field_validator("tool")
    @classmethod
    def known(cls, value):
        {}
        return value

@app.post("/jobs")
def start(job: Job):
    os.system({})
"""


@pytest.mark.parametrize(
    ("body", "command", "confidence"),
    [
        ("if value not in tools(): raise ValueError(value)", "job.tool", "low"),
        ("if value not in tools(): raise ValueError(value)", "job.note", "high"),
        ("value = value.strip()", "job.tool", "high"),
    ],
)
def test_a_field_that_a_validator_checks_makes_low_confidence(
    body: str, command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = VALIDATED.format(body, command)
    assert confidences(code, "python/command-injection", tmp_path, monkeypatch) == [confidence]


VALIDATED_BY_TYPE = """
import os
from typing import Annotated, Optional
from fastapi import FastAPI
from pydantic import AfterValidator, BaseModel, Field

app = FastAPI()

def known(value):
    {}
    return value

Tool = Annotated[str, Field(min_length=1), AfterValidator(known)]

class Job(BaseModel):
    tool: {} = Field(None)
    note: str

@app.post("/jobs")
def start(job: Job):
    os.system({})
"""


@pytest.mark.parametrize(
    ("body", "declared", "command", "confidence"),
    [
        (
            "if value not in tools(): raise ValueError(value)",
            "Annotated[str, AfterValidator(known)]",
            "job.tool",
            "low",
        ),
        (
            "if value not in tools(): raise ValueError(value)",
            "Annotated[str, AfterValidator(known)]",
            "job.note",
            "high",
        ),
        ("if value not in tools(): raise ValueError(value)", "Optional[Tool]", "job.tool", "low"),
        ("value = value.strip()", "Annotated[str, AfterValidator(known)]", "job.tool", "high"),
    ],
)
def test_a_field_whose_type_has_a_validator_makes_low_confidence(
    body: str, declared: str, command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = VALIDATED_BY_TYPE.format(body, declared, command)
    assert confidences(code, "python/command-injection", tmp_path, monkeypatch) == [confidence]


RESPONSES = """
import unknown
from flask import Flask, request

app = Flask(__name__)

@app.route("/<name>")
def page(name):
    return {}

def helper(name):
    return unknown.build(name)
"""


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ('"<b>" + name', ["high"]),
        ('"<b>" + unknown.build(name)', ["medium"]),
        ("unknown.build(name)", ["low"]),
        ("unknown.build(name), 200", ["low"]),
        ("helper(name)", ["low"]),
    ],
)
def test_a_view_that_returns_the_result_of_an_unknown_callee_has_low_confidence(
    returned: str, expected: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result may be a response object, for example a redirect."""
    assert confidences(RESPONSES.format(returned), "python/xss", tmp_path, monkeypatch) == expected


HELPED = """
import os
from pathlib import Path
from flask import request

class Panel:
    def has(self, name):
        return {}

    def view(self):
        name = request.args["name"]
        if self.has(name):
            os.system("restart " + name)
"""


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("name and name in self.workers", ["low"]),
        ('name and name in ("web", "mail")', []),
        ("name and len(self.workers)", ["high"]),
    ],
)
def test_a_membership_that_a_method_asks_for_makes_low_confidence(
    test: str, expected: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(HELPED.format(test), "python/command-injection", tmp_path, monkeypatch) == expected


WRITTEN = """
from pathlib import Path
from flask import request

def view():
    path = Path("/srv/data") / request.args["name"]{}
    if not path.is_relative_to("/srv/data"):
        return
    open(path)
"""


@pytest.mark.parametrize(
    ("suffix", "expected"),
    [
        ("", ["high"]),  # "/srv/data/../../etc" is relative to "/srv/data" as it is written
        ('\n    path = path / ".."', ["high"]),
        ("\n    path = located(path)", ["low"]),
    ],
)
def test_a_path_that_is_compared_as_it_is_written_makes_low_confidence(
    suffix: str, expected: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(WRITTEN.format(suffix), "python/path-traversal", tmp_path, monkeypatch) == expected


PASSED_THROUGH = """
from flask import request
import os
def check(job):
    if not job.name:
        raise ValueError(job)
    job.size = 1
def fill(job):
    job.count = len(job.name)
def named(job):
    return job.name
def stripped(job):
    return named(job).strip()
def lowered(name):
    return name.lower()
class Job:
    def __init__(self, name):
        self.name = name
def view():
    job = Job(request.args["n"])
    {}
"""


@pytest.mark.parametrize(
    ("statements", "rule", "confidence"),
    [
        ("check(job); fill(job); os.system(job.name)", "command-injection", "high"),
        ("os.system(named(job))", "command-injection", "high"),
        ("os.system(lowered(stripped(job)))", "command-injection", "high"),  # results say little of what is executed
        ("os.remove(lowered(stripped(job)))", "path-traversal", "medium"),
    ],
)
def test_a_call_that_does_nothing_with_the_value_is_no_result(
    statements: str, rule: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confidences(PASSED_THROUGH.format(statements), f"python/{rule}", tmp_path, monkeypatch)
    assert found == [confidence]


LOOKED_UP = """
from flask import request
from models import File
def view():
    path = request.args["path"]
    row = File.query.{}.first()
    if {}:
        return None
    return open(path)
"""


@pytest.mark.parametrize(
    ("query", "refused", "confidence"),
    [
        ("filter_by(path=path)", "row is None", "low"),
        ("filter(File.path == path)", "not row", "low"),
        ("filter_by(path=path)", "row", "high"),
        ("filter(File.id == request.args['id'])", "not row", "high"),
    ],
)
def test_a_row_that_has_to_be_there_makes_low_confidence(
    query: str, refused: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = LOOKED_UP.format(query, refused)
    assert confidences(code, "python/path-traversal", tmp_path, monkeypatch) == [confidence]


UNPACKED = """package main

import (
	"archive/tar"
	"net/http"
	"os"
)

func {main}() {{
	http.HandleFunc("/", view)
}}

func view(w http.ResponseWriter, r *http.Request) {{
	name := r.FormValue("name")
	println(name)
	{view}
}}

func Unpack(r *http.Request) {{
	Write(tar.NewReader(r.Body))
}}

func Write(archive *tar.Reader) {{
	header, _ := archive.Next()
	os.Create("/srv/files/" + header.Name)
}}
"""


@pytest.mark.parametrize(
    ("main", "view", "confidence"),
    [
        ("main", "Unpack(r)", "high"),
        ("main", "go Unpack(r)", "high"),
        ("main", "commands.Run(Unpack)", "high"),
        ("main", 'commands.Run("Unpack")', "high"),
        ("main", "commands.Run(r)", "low"),
        ("Start", "commands.Run(r)", "high"),  # without ``main`` it is a library, whose functions others call
    ],
)
def test_a_function_that_nothing_names_has_low_confidence_where_programs_run_what_they_name(
    main: str, view: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = UNPACKED.format(main=main, view=view)
    assert confidences(code, "go/path-traversal", tmp_path, monkeypatch, "main.go") == [confidence]


QUERY = """
const app = require("express")();
app.use(require("express").json());
const users = new (require("mongodb").MongoClient)("").db("a").collection("users");
const picked = (key, value) => ({{ [key]: value }});
app.post("/", async (req, res) => res.json(await users.{}));
"""


@pytest.mark.parametrize(
    ("query", "confidence"),
    [
        ("findOne({ token: req.body.token })", "high"),
        ("findOne({ _id: req.body.id })", "medium"),
        ("findOne({ _id: req.body.id, token: req.body.token })", "high"),
        ("deleteOne({ _id: req.body.id, owner: 'a' })", "medium"),
        ("find({ name: req.body.name }).toArray()", "medium"),
        ("countDocuments({ name: req.body.name })", "medium"),
        ("findOne({ name: req.body.name })", "medium"),
        ("deleteMany({ name: req.body.name })", "medium"),
        ("findOne({ $or: [{ name: req.body.name }] })", "medium"),
        ("findOne({ $or: [{ workEmail: req.body.name }] })", "high"),
        ("findOne({ 'reset.code': req.body.code })", "high"),
        ("findOne({ zipCode: req.body.code })", "medium"),
        ("findOne({ name: 'a', pwd: req.body.text })", "high"),
        ("findOne({ name: 'a', userPass: req.body.text })", "high"),
        ("findOne({ 'local.pass': req.body.text })", "high"),
        ("findOne({ jwt: req.body.text })", "high"),
        ("findOne({ compass: req.body.text })", "medium"),
        ("findOne({ microphone: req.body.text })", "medium"),
        ("findOne({ mobileApp: req.body.text })", "medium"),
        ("findOne({ isEmailVerified: req.body.text })", "medium"),
        (f"findOne({{ {'verif' * 8_000}: req.body.text }})", "medium"),
        ("findOne({ [req.body.field]: 1 })", "high"),
        ("remove(picked(req.body.field, req.body.text))", "high"),
        ("find({ $or: req.body.either }).toArray()", "high"),
    ],
)
def test_operators_for_a_key_or_a_field_of_a_search_have_medium_confidence(
    query: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = QUERY.format(query)
    assert confidences(code, "javascript/nosql-injection", tmp_path, monkeypatch, "app.js") == [confidence]


UNDER_KEY = """
const app = require("express")();
app.use(require("express").json());
const { graphql } = require("graphql");
const field = require("./fields").chosen();
app.post("/", async (req, res) => res.json(await graphql({ schema, [KEY]: req.body.text })));
"""


@pytest.mark.parametrize(("key", "confidence"), [("field", "medium"), ("req.body.field", "high"), ("'source'", "high")])
def test_data_under_a_key_that_is_not_known_is_doubtful_where_one_key_does_harm(
    key: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = UNDER_KEY.replace("KEY", key)
    assert confidences(code, "javascript/graphql-injection", tmp_path, monkeypatch, "app.js") == [confidence]


POSTED_JS = """
const app = require("express")();
function back(req, res) { res.redirect(req.query.next); }
app.get("/page", (req, res) => res.end());
app.post("/other", (req, res) => res.end());
"""
POSTED_PY = """
from django.shortcuts import redirect as leave
from django.views import View
from flask import Flask, redirect, request

app = Flask(__name__)
"""
POSTED_GO = """
package main

import "net/http"

func back(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Query().Get("next"), 302) }
func page(w http.ResponseWriter, r *http.Request) {}
"""


@pytest.mark.parametrize(
    ("code", "file", "confidence"),
    [
        (POSTED_JS + 'app.post("/like", back);', "app.js", "medium"),
        (POSTED_JS + 'app.post("/like", (req, res) => back(req, res));', "app.js", "medium"),
        (POSTED_JS + 'app.get("/like", back);', "app.js", "high"),
        (POSTED_JS + 'app.post("/page", back);', "app.js", "high"),  # its form sends what its address holds
        (POSTED_JS + 'app.post("/like", back); app.get("/go", back);', "app.js", "high"),
        (
            POSTED_PY + '@app.route("/a", methods=["POST"])\ndef a():\n    return redirect(request.args["next"])\n',
            "app.py",
            "medium",
        ),
        (
            POSTED_PY + '@app.route("/a", methods=["GET", "POST"])\ndef a():\n    return redirect(request.args["a"])\n',
            "app.py",
            "high",
        ),
        (
            POSTED_PY + 'class A(View):\n    def post(self, request):\n        return leave(request.GET["next"])\n',
            "app.py",
            "medium",
        ),
        (
            POSTED_PY + "class A(View):\n    def get(self, request):\n        return None\n"
            '    def post(self, request):\n        return leave(request.GET["next"])\n',
            "app.py",
            "high",
        ),
        (POSTED_GO + 'func main() {\n\thttp.HandleFunc("POST /like", back)\n}\n', "main.go", "medium"),
        (POSTED_GO + 'func main() {\n\thttp.HandleFunc("/like", back)\n}\n', "main.go", "high"),
        (
            POSTED_GO + 'func main() {\n\thttp.HandleFunc("POST /a", back)\n\thttp.HandleFunc("GET /a", page)\n}\n',
            "main.go",
            "high",
        ),
    ],
)
def test_a_redirect_in_a_handler_that_no_link_reaches_has_medium_confidence(
    code: str, file: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"js": "javascript", "py": "python", "go": "go"}[file.rpartition(".")[2]] + "/open-redirect"
    assert confidences(code, rule, tmp_path, monkeypatch, file) == [confidence]


SHOWN_JS = """
const app = require("express")();
function show(req, res) { res.send("<p>" + req.query.name); }
"""
SHOWN_GO = """
package main

import (
	"fmt"
	"net/http"
)

func show(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "<p>%s", r.FormValue("name")) }
"""
SHOWN_PY = """
from flask import Flask, request
from flask.views import MethodView
app = Flask(__name__)
def named():
    return "<p>" + request.args["name"]
"""


@pytest.mark.parametrize(
    ("code", "file", "found"),
    [
        (SHOWN_JS + 'app.put("/a", show);', "app.js", ["low"]),
        (SHOWN_JS + 'app.get("/a", show);', "app.js", ["high"]),
        (SHOWN_JS + 'app.put("/a", show); app.get("/b", show);', "app.js", ["high"]),
        (SHOWN_JS + 'app.put("/a", show); app.get("/a", (req, res) => res.json({}));', "app.js", ["low"]),
        (SHOWN_PY + '@app.route("/a", methods=["PUT", "DELETE"])\ndef a():\n    return named()\n', "app.py", ["low"]),
        (SHOWN_PY + '@app.route("/a", methods=["PUT", "GET"])\ndef a():\n    return named()\n', "app.py", ["high"]),
        (
            SHOWN_PY + "def checked(f):\n    def g():\n        return f()\n    return g\n"
            '@app.put("/a")\n@checked\n@checked\ndef a():\n    return named()\n',
            "app.py",
            ["low"],
        ),
        (
            SHOWN_PY + "class A(MethodView):\n    def get(self):\n        return ''\n"
            "    def put(self):\n        return named()\n",
            "app.py",
            ["low"],
        ),
        (
            SHOWN_PY + "class A(MethodView):\n    def get(self):\n        return self.put()\n"
            "    def put(self):\n        return named()\n",
            "app.py",
            ["high"],
        ),
        (SHOWN_GO + 'func main() { http.HandleFunc("DELETE /a", show) }\n', "main.go", ["low"]),
        (SHOWN_GO + 'func main() { http.HandleFunc("POST /a", show) }\n', "main.go", ["high"]),
    ],
)
def test_an_answer_that_no_browser_shows_as_a_page_has_low_confidence(
    code: str, file: str, found: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = {"js": "javascript", "py": "python", "go": "go"}[file.rpartition(".")[2]] + "/xss"
    assert confidences(code, rule, tmp_path, monkeypatch, file) == found


KOA = """
const { MongoClient } = require("mongodb");
const Router = require("@koa/router");
const users = new MongoClient("mongodb://db").db("shop").collection("users");
const router = new Router();
router.get("/users", async (ctx) => { ctx.body = await users.findOne(QUERY); });
"""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("{ email: ctx.query.name }", ["low"]),
        ("{ email: ctx.request.query['name'] }", ["low"]),
        ("{ email: ctx.request.body.name }", ["high"]),
        ("ctx.query", ["high"]),
        ("{ [ctx.query.key]: ctx.query[ctx.query.key] }", ["low"]),
        ("JSON.parse(ctx.query.filter)", ["high"]),
        ("{ email: JSON.parse(ctx.query.filter).name }", ["high"]),
    ],
)
def test_the_texts_of_a_query_bring_no_operators(
    query: str, found: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app.js").write_text(KOA.replace("QUERY", query))
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    options = ScanOptions(paths=(tmp_path / "app.js",), root=tmp_path, jobs=1, device="cpu", confidence="low")
    findings = scanner.scan(options, load_rules(None, ())).findings
    assert [each.confidence for each in findings if each.vulnerability == "nosql-injection"] == found


@pytest.mark.parametrize(
    "variable",
    [
        "var command = &commands.Command{Run: Unpack}",
        "var all = []func(*http.Request){Unpack}",
        "var registered = commands.Add(Unpack)",
        "var another = Unpack",
        "var started = Unpack(nil)",
    ],
)
def test_a_function_in_the_initial_value_of_a_variable_is_used(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = UNPACKED.format(main="main", view="commands.Run(r)") + f"\n{variable}\n"
    assert confidences(code, "go/path-traversal", tmp_path, monkeypatch, "main.go") == ["high"]


DOUBTED = {
    "deep.py": """\
import json
import os
import requests
import tools
from flask import Flask, request

app = Flask(__name__)

@app.route("/a")
def view():
    first(request.args["c"])
    getattr(tools, request.args["d"])()  # medium rare

def first(a):
    second(a + "")

def second(a):
    third(a + "")

def third(a):
    os.mkdir("/srv/" + a)  # medium deep
    os.system(a)  # high

@app.route("/b")
def opened():
    opened_first(request.args["feed_url"], request.args["name"])

def opened_first(a, b):
    opened_second(a, b)

def opened_second(a, b):
    opened_third(a, b)

def opened_third(a, b):
    requests.get(a)  # high
    requests.post(b)  # medium deep

@app.route("/c")
def posted():
    posted_first(request.get_data())

def posted_first(body):
    posted_second(body)

def posted_second(body):
    given = json.loads(body)
    posted_third(given["feed_url"], given["name"])

def posted_third(a, b):
    requests.get(a)  # high
    requests.post(b)  # medium deep
""",
    "handlers.js": """\
const app = require("express")()
const { save } = require("./manager.js")
app.get("/1", (req, res) => save(req.query.feed_url, req.query.name))
""",
    "manager.js": """\
const { start } = require("./tasks.js")
exports.save = (a, b) => start(a, b)
""",
    "tasks.js": """\
const { load } = require("./methods.js")
exports.start = (a, b) => load(a, b)
""",
    "methods.js": """\
exports.load = async (a, b) => {
  await fetch(a) // high
  await fetch(b) // medium long
}
""",
    "pages.js": """\
const app = require("express")()
const answer = (res, text) => res.send("<i>" + text) // medium crowded
app.get("/1", (req, res) => answer(res, req.query.a))
app.get("/2", (req, res) => answer(res, req.query.b))
app.get("/3", (req, res) => answer(res, req.query.c))
app.get("/4", (req, res) => answer(res, req.query.d))
app.get("/5", (req, res) => res.send("<p>" + req.query.name)) // high
app.post("/6", (req, res) => res.send("<p>" + req.body.name)) // medium rare-source
""",
    "page.js": """\
document.getElementById("a").innerHTML = decodeURIComponent(location.hash) // high
""",
    "login.js": """\
function back() {
  const parameters = new URLSearchParams(location.search)
  location.href = parameters.get("redirect") || "/" // high
}
function jump() {
  if (location.hash) {
    location.href = location.hash // medium seldom-source
  }
}
addEventListener("message", (event) => {
  location.href = event.data.url // medium seldom-source
})
""",
    "widget.js": """\
const given = new URLSearchParams(location.search)
const kept = { title: "" }
export function show() {
  document.getElementById("b").innerHTML = given.get("title") // high
}
export function keep() {
  kept.title = decodeURIComponent(location.hash)
}
export function showKept() {
  document.getElementById("c").innerHTML = kept.title // medium settings
}
""",
    "address.js": """\
require("http").createServer(async (req, res) => {
  await fetch(new URL(req.url, "http://localhost").searchParams.get("to")) // high
  const { searchParams } = new URL(req.url, "http://localhost")
  await fetch(searchParams.get("to")) // high
})
require("http").createServer(async (req, res) => {
  await fetch(new URL(req.url).href) // medium whole-request
})
require("http").createServer(async (req, res) => {
  const address = req.url.substring(7)
  await fetch(address) // high
  await fetch(SITE + address) // medium weak-harm
})
require("http").createServer(async (req, res) => {
  const parsed = require("url").parse(req.url, true)
  await fetch(parsed.query.to) // high
  const { query } = parsed
  await fetch(query.then) // high
  await fetch("https://" + parsed.path) // medium whole-request
})
""",
    "own.go": """\
package main

import (
	"net/http"
	"strings"
)

func own(w http.ResponseWriter, r *http.Request) {
	http.Get(r.URL.String()) // medium whole-request
	http.Get(r.URL.Path[7:]) // high
	http.Get(strings.TrimPrefix(r.RequestURI, "/proxy/")) // high
	http.Get(r.URL.Query().Get("to")) // high
}

func main() {
	http.HandleFunc("/", own)
}
""",
    "own.py": """\
import requests
from flask import Flask, request
@Flask(__name__).route("/<path:address>")
def own():
    requests.get(request.path[7:])  # high
    requests.get(request.full_path)  # medium whole-request
    requests.get(request.path)  # medium whole-request
""",
    "files.go": """\
package main

import (
	"net/http"
	"strings"
)

func files(w http.ResponseWriter, r *http.Request) {
	http.ServeFile(w, r, "public"+r.RequestURI) // high
	http.ServeFile(w, r, "public"+strings.Split(r.RequestURI, "?")[0]) // medium rare-source
}

func init() {
	http.HandleFunc("/files", files)
}
""",
    "beside.py": """\
import os
import tempfile
import uuid
from flask import Flask, request
app = Flask(__name__)
@app.route("/a")
def own():
    root = os.path.join("/srv", app.config["NAME"])
    file = os.path.realpath(os.path.join(root, request.args["name"]))
    if not file.startswith(root):
        return ""
    return open(file).read() # high
@app.route("/b")
def fixed():
    file = os.path.realpath(os.path.join("/srv/files", request.args["name"]))
    if not file.startswith("/srv/files"):
        return ""
    return open(file).read() # medium weak-harm
@app.route("/c")
def closed():
    root = os.path.join("/srv", app.config["NAME"])
    file = os.path.realpath(os.path.join(root, request.args["name"]))
    return open(file).read() if file.startswith(root + os.sep) else ""
@app.route("/d")
def drawn():
    root = tempfile.mkdtemp(prefix=app.config["NAME"])
    file = os.path.realpath(os.path.join(root, request.args["name"]))
    if not file.startswith(root):
        return ""
    return open(file).read() # medium weak-harm
class Space:
    def __init__(self, name):
        self.folder = os.path.join("/srv/spaces", f"{name}-{uuid.uuid4().hex}")
        self.shelf = os.path.join("/srv/shelves", name)
@app.route("/e")
def kept():
    space = found(request.args["id"])
    file = os.path.realpath(os.path.join(space.folder, request.args["name"]))
    if not file.startswith(space.folder):
        return ""
    return open(file).read() # medium weak-harm
@app.route("/f")
def named():
    space = found(request.args["id"])
    file = os.path.realpath(os.path.join(space.shelf, request.args["name"]))
    if not file.startswith(space.shelf):
        return ""
    return open(file).read() # high
""",
    "beside.js": """\
const crypto = require("crypto")
const fs = require("fs")
const path = require("path")
const app = require("express")()
const root = path.join("/srv", process.env.NAME)
const fixed = path.join(process.env.NAME, "files")
app.get("/a", (req, res) => {
  const file = path.normalize(path.join(root, req.query.name))
  if (!file.startsWith(root)) throw new Error("no")
  fs.unlinkSync(file) // high
})
app.get("/b", (req, res) => {
  const file = path.normalize(path.join(fixed, req.query.name))
  if (!file.startsWith(fixed)) throw new Error("no")
  fs.unlinkSync(file) // medium weak-harm
})
app.get("/c", (req, res) => {
  const file = path.normalize(path.join(root, req.query.name))
  if (!file.startsWith(root + path.sep)) throw new Error("no")
  fs.unlinkSync(file)
})
class Space {
  constructor(name) {
    this.folder = path.join("/srv/spaces", `${name}-${crypto.randomUUID()}`)
    this.shelf = path.join("/srv/shelves", name)
  }
}
app.get("/d", (req, res) => {
  const space = spaces.find(req.query.id)
  const file = path.normalize(path.join(space.folder, req.query.name))
  if (!file.startsWith(space.folder)) throw new Error("no")
  fs.unlinkSync(file) // medium weak-harm
})
app.get("/e", (req, res) => {
  const space = spaces.find(req.query.id)
  const file = path.normalize(path.join(space.shelf, req.query.name))
  if (!file.startsWith(space.shelf)) throw new Error("no")
  fs.unlinkSync(file) // high
})
""",
    "beside.go": """\
package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

func below(root, name string) string {
	file := filepath.Join(root, name)
	if strings.HasPrefix(file, filepath.Clean(root)) {
		return file
	}
	return ""
}

func underFixed(name string) string {
	file := filepath.Join("/srv/files", name)
	if strings.HasPrefix(file, "/srv/files") {
		return file
	}
	return ""
}

func init() {
	http.HandleFunc("/own", func(w http.ResponseWriter, r *http.Request) {
		os.Remove(below(os.Getenv("ROOT"), r.FormValue("name"))) // high
	})
	http.HandleFunc("/fixed", func(w http.ResponseWriter, r *http.Request) {
		os.Remove(underFixed(r.FormValue("name"))) // medium weak-harm
	})
	http.HandleFunc("/drawn", func(w http.ResponseWriter, r *http.Request) {
		space := find(r.FormValue("id"))
		file := filepath.Join(space.Folder, r.FormValue("name"))
		if strings.HasPrefix(file, space.Folder) {
			os.Remove(file) // medium weak-harm
		}
	})
	http.HandleFunc("/named", func(w http.ResponseWriter, r *http.Request) {
		space := find(r.FormValue("id"))
		file := filepath.Join(space.Shelf, r.FormValue("name"))
		if strings.HasPrefix(file, space.Shelf) {
			os.Remove(file) // high
		}
	})
}

type Space struct{ Folder, Shelf string }

func create(name string) *Space {
	folder := fmt.Sprintf("%s_%s", name, uuid.New().String())
	return &Space{Folder: filepath.Join("/srv", folder), Shelf: filepath.Join("/srv", name)}
}
""",
    "around.py": """\
import os
from flask import Flask, request
app = Flask(__name__)
def safe_name(name):
    name = name.replace("-", "_")
    if is_number(name[0]):
        name = "t_" + name
    return "x_" + name
def is_number(text):
    return text in os.environ["DIGITS"]
def clean_name(name):
    if is_number(name[0]):
        name = "t"
    return "x_" + name
@app.route("/d")
def around():
    os.system("ls " + safe_name(request.args["name"])) # high
@app.route("/e")
def dropped():
    os.system("ls " + clean_name(request.args["name"]))
""",
    "around.js": """\
const app = require("express")()
const { exec } = require("child_process")
function safeName(name) {
  name = name.replaceAll("-", "_")
  if (isNumber(name[0])) name = "t_" + name
  return "x_" + name
}
function isNumber(text) {
  return process.env.DIGITS.includes(text)
}
function cleanName(name) {
  return isNumber(name[0]) ? "t" : "x_" + name
}
app.get("/d", (req, res) => exec("ls " + safeName(req.query.name))) // high
app.get("/e", (req, res) => exec("ls " + cleanName(req.query.name)))
""",
    "around.go": """\
package main

import (
	"database/sql"
	"net/http"
	"strings"
)

func sanitizeTable(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if len(name) > 0 && (name[0] < 'a' || name[0] > 'z') {
		name = "col_" + name
	}
	return "documents_" + name
}

func sanitizeKnown(name string) string {
	if len(name) > 0 && (name[0] < 'a' || name[0] > 'z') {
		name = "unknown"
	}
	return "documents_" + name
}

func tables(db *sql.DB) {
	http.HandleFunc("/tables", func(w http.ResponseWriter, r *http.Request) {
		db.Exec("drop table " + sanitizeTable(r.FormValue("name"))) // high
	})
	http.HandleFunc("/known", func(w http.ResponseWriter, r *http.Request) {
		db.Exec("drop table " + sanitizeKnown(r.FormValue("name")))
	})
}

func init() { tables(nil) }
""",
    "asked.py": """\
from flask import Flask, request
app = Flask(__name__)
class Wrapped:
    def __init__(self, request):
        self.request = request
    def form(self, name):
        return self.request.form[name]
def query(name, default=""):
    return request.args.get(name, default)
def all_of():
    return "".join(request.form[name] for name in request.form)
@app.post("/a")
def a():
    return "<p>" + Wrapped(request).form("text") # high
@app.get("/b")
def b():
    return "<p>" + query("text") # high
@app.post("/c")
def c():
    return "<p>" + all_of() # medium whole-request
""",
    "asked.js": """\
const app = require("express")()
const param = (req, name) => req.query[name]
const given = (req, name) => req.param(name)
const inner = (req, name) => param(req, name)
app.get("/7", (req, res) => res.send("<p>" + param(req, "text"))) // high
app.get("/8", (req, res) => res.send("<p>" + given(req, "text"))) // high
app.get("/9", (req, res) => res.send("<p>" + inner(req, "text"))) // high
app.get("/10", (req, res) => res.send("<p>" + param(req, res.locals.name))) // medium whole-request
""",
    "asked.go": """\
package main

import (
	"fmt"
	"net/http"
)

func query(r *http.Request, name string) string { return r.URL.Query().Get(name) }

func form(r *http.Request, name string) string { return r.FormValue(name) }

func init() {
	http.HandleFunc("/a", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>%s", query(r, "text")) // high
	})
	http.HandleFunc("/b", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>%s", form(r, "text")) // high
	})
}
""",
}


def test_what_was_seldom_true_has_medium_confidence_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    expected = {}
    for name, code in DOUBTED.items():
        (tmp_path / name).write_text(code)
        for number, line in enumerate(code.splitlines(), start=1):
            marked = re.search(r"(?:#|//) (high|medium)(?: (\S+))?$", line)
            if marked is not None:
                expected[name, number] = marked.groups("")
    report = scanner.scan(
        ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium"), load_rules(None, ())
    )
    found = {
        (finding.place.path, finding.place.line): (finding.confidence, finding.doubt.name if finding.doubt else "")
        for finding in report.findings
    }
    assert found == expected
    assert all(each.doubt.words == doubts.WORDS[each.doubt.name] for each in report.findings if each.doubt)


NAMED_METHOD = """
import os
from flask import request

class Shell:
    def {name}(self, line):
        os.system(line)

def view():
    made_elsewhere().{name}(request.args["line"])
"""


@pytest.mark.parametrize(("name", "confidence"), [("run_the_line", "high"), ("write", "medium"), ("read", "medium")])
def test_a_method_that_only_a_common_name_shows_is_doubtful(
    name: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = NAMED_METHOD.replace("{name}", name)
    assert confidences(code, "python/command-injection", tmp_path, monkeypatch) == [confidence]


FASTIFY = """
const { MongoClient } = require("mongodb");
const server = require("fastify")();
const users = new MongoClient("mongodb://db").db("shop").collection("users");
server.post("/", OPTIONS, async (request) => users.findOne({ email: request.body.name }));
"""


@pytest.mark.parametrize(
    ("options", "confidence"),
    [
        ("{}", "high"),
        ("{ schema: schemas.post['/'] }", "low"),
        ("{ schema: require('shared').of('/') }", "low"),
        ("{ schema: { querystring: other } }", "high"),
    ],
)
def test_a_schema_that_nobody_understands_may_let_no_objects_through(
    options: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = FASTIFY.replace("OPTIONS", options)
    assert confidences(code, "javascript/nosql-injection", tmp_path, monkeypatch, "app.js") == [confidence]


BEHIND = """
import os
import requests
from flask import request
from settings import SITE, config

SCHEMES = {"a": "http://", "b": "https://"}
SITES = {"a": "https://a.example/", "b": "https://b.example/"}
GROWING = ["https://example.org/"]

def fetch(scheme, host):
    return requests.get(scheme + host)  # high

def by_default(host, base="http://"):
    return requests.get(base + host)  # high

def from_table(host, scheme):
    return requests.get(scheme + host)  # high

def below(address, base):
    if address.startswith(base):
        requests.get(address)  # high

class Client:
    base = ""

    def __init__(self, scheme="http://", site=SITE):
        self.scheme = scheme
        self.site = site

    def fetch(self, name):
        requests.get(self.scheme + name)  # high
        requests.get(self.base + name)  # high
        requests.get(self.site + name)  # medium

def view():
    name, key = request.args["name"], request.args["key"]
    requests.get(SITE + name)  # medium
    requests.get("https://" + SITE + name)  # high
    if name.startswith(SITE):
        requests.get(name)  # medium
    fetch("http://", name)
    fetch("https://", name)
    by_default(name)
    by_default(name, "https://example.org/")
    from_table(name, **{"scheme": "http://"})
    below(name, key)
    Client().fetch(name)
    for scheme in ("http://", "https://"):
        requests.get(scheme + name)  # high
        if name.startswith(scheme):
            requests.get(name)  # high
    if name.startswith(request.args["site"]):
        requests.get(name)  # high
    if name.startswith(("https://example.org/", key)):
        requests.get(name)  # high
    GROWING.append(key)
    for site in GROWING:
        if name.startswith(site):
            requests.get(name)  # high
    requests.get(os.environ.get("PREFIX", "") + name)  # high
    requests.get(config["SCHEME"] + name)  # high
    requests.get(SCHEMES[SITE] + name)  # high
    requests.get(SITES.get(key, "https://") + name)  # high
    requests.get(name.split("x")[0] + name)  # high
    requests.get(unknown(name) + name)  # high
"""
BEHIND_IN_JAVASCRIPT = """
const axios = require("axios"), app = require("express")();
const byDefault = (path, base = "") => axios.get(base + path);  // high
const orNothing = (path, base) => axios.get((base || "") + path);  // high
app.get("/", (req, res) => {
    byDefault(req.query.a);
    byDefault(req.query.a, "https://example.org/");
    orNothing(req.query.a);
    axios.get((process.env.PREFIX || "") + req.query.a);  // high
    axios.get((process.env.PROTO || "http://") + req.query.a);  // high
    axios.get(process.env.SITE + req.query.a);  // medium
});
"""


@pytest.mark.parametrize(
    ("code", "rule", "name"),
    [(BEHIND, "python/ssrf", "views.py"), (BEHIND_IN_JAVASCRIPT, "javascript/ssrf", "app.js")],
)
def test_behind_a_text_that_the_program_chose_the_host_only_goes_on(
    code: str, rule: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not behind what may be empty or a scheme, by a constant, a default or its name, or of a request."""
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "code"
    root.mkdir()
    (root / name).write_text(code)
    options = ScanOptions(paths=(root,), root=root, profile="audit", jobs=1, device="cpu", confidence="low")
    report = scanner.scan(options, load_rules(None, ()))
    found = {f.place.line: f.confidence for f in report.findings if f.rule_id == rule}
    marks = (re.search(r"(?:#|//) (high|medium)$", line) for line in code.splitlines())
    assert found == {number: mark[1] for number, mark in enumerate(marks, 1) if mark is not None}


KEPT_IN_OBJECT = """
const Koa = require("koa");
const Router = require("@koa/router");

class Pages {
  constructor() {
    this.pages = new Map();
  }
  add(id, page) {
    this.pages.set(id, page);
  }
  get(id) {
    return this.pages.get(id);
  }
}

const router = new Router();
router.get("/:id", (ctx) => {
  const pages = new Pages();
  pages.add(ctx.params.id, { text: ctx.query.text, kind: ctx.query.kind });
  const page = pages.get(ctx.params.id);
  if (!page) ctx.throw(404);
  ctx.body = "<p>" + page.text;
});
new Koa().use(router.routes());
"""


def test_the_call_that_hands_the_data_over_is_no_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An object that the program keeps data in returns it: that it has some under a key says nothing of the data."""
    found = confidences(KEPT_IN_OBJECT, "javascript/xss", tmp_path, monkeypatch, "page.js")
    assert found == ["medium"]


LANGUAGES = {"shop.py": "python", "shop.js": "javascript", "shop.go": "go"}
HANDED_OVER = {
    "shop.py": "import os\n\ndef load(name):\n    return open({}).read()\n",
    "shop.js": "const fs = require('fs'), path = require('path');\nexports.load = (name) => fs.readFileSync({});\n",
    "shop.go": (
        'package shop\n\nimport (\n\t"os"\n\t"path/filepath"\n)\n\n'
        "func Load(name string) ([]byte, error) {{\n\treturn os.ReadFile({})\n}}\n"
    ),
}


@pytest.mark.parametrize(
    ("file", "path", "confidence"),
    [
        ("shop.py", "name", "medium"),
        ("shop.py", "'/srv/files/' + name", "high"),
        ("shop.py", "os.path.join('/srv/files', name)", "high"),
        ("shop.js", "name", "medium"),
        ("shop.js", "'/srv/files/' + name", "high"),
        ("shop.js", "path.join('/srv/files', name)", "high"),
        ("shop.go", "name", "medium"),
        ("shop.go", '"/srv/files/" + name', "high"),
        ("shop.go", 'filepath.Join("/srv/files", name)', "high"),
    ],
)
def test_a_path_that_a_library_completes_is_not_opened_as_it_is(
    file: str, path: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller chose a name, not the file: a call that joins paths makes a new value, as ``+`` does."""
    code, rule, kinds = HANDED_OVER[file].format(path), f"{LANGUAGES[file]}/path-traversal", frozenset({"library"})
    assert confidences(code, rule, tmp_path, monkeypatch, file, kinds) == [confidence]


PART_OF_ADDRESS = {
    "views.py": """
import os
from flask import Flask
@Flask(__name__).route("/<name>")
def view(name):
    os.listdir("/srv/" + name)
""",
    "app.js": """
require("express")().get("/", (req, res) => fetch("https://" + encodeURIComponent(req.query.name)))
""",
    "main.go": """
package main
import ("net/http"; "os"; "github.com/gorilla/mux")
func view(w http.ResponseWriter, r *http.Request) { os.ReadDir("/srv/" + mux.Vars(r)["name"]) }
func main() {
	router := mux.NewRouter()
	router.HandleFunc("/{name}", view)
}
""",
}


@pytest.mark.parametrize("name", PART_OF_ADDRESS)
def test_harm_in_few_places_is_no_doubt_about_the_name_of_the_sink(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    (tmp_path / name).write_text(PART_OF_ADDRESS[name])
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    (found,) = scanner.scan(options, load_rules(None, ())).findings
    assert found.confidence == "low"
    assert found.doubt is not None
    assert found.doubt.name == doubts.WEAK_HARM


UNNAMED_ELSEWHERE = """
import os
from django.urls import include, path, re_path

def thread(request, thread, form=None):
    os.system("a " + {})

urlpatterns = [
    path("threads/<str:thread>", thread),
    re_path("^(.*)/unnamed$", include("others")),
]
"""


@pytest.mark.parametrize(("parameter", "confidence"), [("thread", "high"), ("form", "medium")])
def test_a_parameter_that_no_route_of_its_view_names_is_seldom_a_part_of_the_path(
    parameter: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = UNNAMED_ELSEWHERE.format(parameter)
    assert confidences(code, "python/command-injection", tmp_path, monkeypatch) == [confidence]


@pytest.mark.parametrize(("method", "confidence"), [("get", "high"), ("put", "low"), ("delete", "low")])
def test_a_browser_shows_no_answer_to_a_request_of_a_script(
    method: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"""
const express = require("express");
const app = express();
app.route("/x/:name").{method}(login, (req, res) => res.send("no " + req.query.name));
"""
    assert confidences(code, "javascript/xss", tmp_path, monkeypatch, "app.js") == [confidence]


@pytest.mark.parametrize(
    ("call", "confidence"), [("meadow.Client(server_url={})", "high"), ("meadow.poll(server_url={})", "medium")]
)
def test_only_the_name_of_an_option_is_a_doubt(
    call: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = CODE.replace("unknown", "meadow").replace("os.system({})", call).format('request.args["u"]')
    assert confidences(code, "python/ssrf", tmp_path, monkeypatch) == [confidence]
