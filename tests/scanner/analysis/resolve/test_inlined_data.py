"""Values that a template writes into its own script flow from the call that fills the template."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SERVER = """\
from flask import Flask, render_template, request

app = Flask(__name__)


@app.route("/")
def show():
    return render_template("{name}", note={{"title": request.args["title"], "kind": "note"}}, size=3)
"""
PAGE = '<p id="a"></p><script>const note = {};\ndocument.getElementById("a").innerHTML = note{};</script>'


def found(folder: Path, *, name: str = "a.html", **pages: str) -> list[str]:
    (folder / "templates").mkdir()
    (folder / "app.py").write_text(SERVER.format(name=name), encoding="utf-8")
    for page, text in pages.items():
        (folder / "templates" / f"{page}.html").write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python", "javascript"], cache_folder=folder / "cache"))
    assert not report.problems
    return [each.place.path for each in report.findings if each.rule_id == "javascript/dom-xss"]


@pytest.mark.parametrize(
    ("tag", "member"),
    [
        ("{{ note|tojson }}", ".title"),
        ("{{ note.title|tojson|safe }}", ""),
        ("{{note|tojson(indent=2)}}", "['title']"),
        ("JSON.parse('{{ note|tojson }}')", ".title"),
    ],
)
def test_the_part_that_a_tag_writes_is_followed_into_the_script(tmp_path: Path, tag: str, member: str) -> None:
    assert len(found(tmp_path, a=PAGE.format(tag, member))) == 1


@pytest.mark.parametrize(
    ("tag", "member"),
    [
        ("{{ note|tojson }}", ".kind"),
        ("{{ note.kind|tojson }}", ""),
        ("{{ note.title|length }}", ""),
        ("{{ note.title|int }}", ""),
        ("'{{ note.title }}'", ""),
        ("{{ other|tojson }}", ".title"),
        ("{{ size|tojson }}", ""),
    ],
)
def test_other_parts_and_what_is_no_text_stay_silent(tmp_path: Path, tag: str, member: str) -> None:
    assert not found(tmp_path, a=PAGE.format(tag, member))


def test_a_template_that_is_extended_or_included_has_the_same_names(tmp_path: Path) -> None:
    base = PAGE.format("{{ note|tojson }}", ".title")
    assert len(found(tmp_path, a='{% extends "base.html" %}', base=base)) == 1


def test_another_template_gets_nothing(tmp_path: Path) -> None:
    assert not found(tmp_path, a="<p></p>", b=PAGE.format("{{ note|tojson }}", ".title"))


def test_tags_of_one_length_are_told_apart(tmp_path: Path) -> None:
    text = "{{ note.kind|tojson }}; const title = {{ note.title|tojson }}; const kind = {{ note.kind|tojson }}"
    assert not found(tmp_path, a=PAGE.format(text, " + kind"))
