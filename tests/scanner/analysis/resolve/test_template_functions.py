"""Which functions and methods of a program the calls of its templates mean."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

APPLICATION = """\
from flask import Flask, render_template, request
from markupsafe import Markup

app = Flask(__name__)


@app.template_filter("cased")
def in_case(text, how):
    return Markup("<p>" + text + "</p>")  # in_case


@app.context_processor
def tools():
    def linked(address):
        return Markup("<a href=" + address + ">")  # linked
    return {"linked": linked}


def title(text):
    return Markup("<h1>" + text + "</h1>")  # title: an engine has a filter of this name


class Note:
    def __init__(self, body):
        self.body = body

    def shown(self, before):
        return Markup(before + self.body)  # shown

    def brief(self, length, end):
        return Markup(self.body[:length] + end)  # brief: it takes two arguments


class One:
    def many(self):
        return Markup(self.body)


class Two(One):
    def many(self):
        return Markup(self.body + " ")


class Three(Two):
    def many(self):
        return Markup(self.body + "  ")


class Four(Three):
    def many(self):
        return Markup(self.body + "   ")  # many: too many methods have this name


TOOLS = {"title": title}


@app.get("/")
def show():
    q = request.args["q"]
    return render_template("page.html", note=Note(q), text=q, rows=[q], TOOLS=TOOLS)
"""
PAGE = """\
{% macro row(text) %}{{ linked(text) }}{% endmacro %}
{{ rows|map("cased", "upper") }} {{ text|title }} {{ note.shown("") }} {{ note.brief(3) }} {{ note.many() }}
{{ row(text) }}
"""


def test_what_a_template_calls(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "app.py").write_text(APPLICATION, encoding="utf-8")
    (tmp_path / "templates" / "page.html").write_text(PAGE, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], cache_folder=tmp_path / "cache"))
    lines = APPLICATION.splitlines()
    found = {lines[each.place.line - 1].rpartition("# ")[2] for each in report.findings}
    assert found == {"in_case", "linked", "shown"}
