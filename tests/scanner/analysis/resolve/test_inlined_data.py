"""Values that a template writes into its own script as literals reach what the script makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.parsers.templates.inlined import path_of_literal
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

APP = """\
from flask import Flask, render_template, request

app = Flask(__name__)

@app.get("/")
def index():
    return render_template("{file}", page={{"title": request.args["title"], "kind": "list"}})
"""
PAGE = '<p id="p"></p>\n<script>\n  const page = {tag};\n  document.getElementById("p").{written};\n</script>\n'


@pytest.mark.parametrize(
    ("file", "tag", "written", "expected"),
    [
        ("page.html", "{{ page|tojson }}", "innerHTML = page.title", ["javascript/dom-xss"]),
        ("page.html", "{{ page.title|tojson }}", "innerHTML = page", ["javascript/dom-xss"]),
        ("page.html", "{{ page|tojson }}", "innerHTML = page.kind", []),
        ("page.html", "{{ page|tojson }}", "textContent = page.title", []),
        ("page.html", "{{ page.title|length }}", "innerHTML = page", []),
        ("other.html", "{{ page|tojson }}", "innerHTML = page.title", []),
    ],
)
def test_what_fills_the_template_reaches_its_script(
    tmp_path: Path, file: str, tag: str, written: str, expected: list[str]
) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "app.py").write_text(APP.format(file=file), encoding="utf-8")
    page = PAGE.replace("{tag}", tag).replace("{written}", written)
    (tmp_path / "templates" / "page.html").write_text(page, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["python", "javascript"], cache_folder=tmp_path / "c")).findings
    assert [each.rule_id for each in found] == expected


@pytest.mark.parametrize(
    ("tag", "path"),
    [
        (b"<%- JSON.stringify(locals.page.notes) %>", ("page", "notes")),
        (b"{{{ json notes }}}", ("notes",)),
        (b"{{ json .Notes }}", ("Notes",)),
        (b"<%= notes %>", None),
        (b"{{ notes|int }}", None),
    ],
)
def test_a_literal_is_what_writes_a_value_as_it_is(tag: bytes, path: tuple[str, ...] | None) -> None:
    assert path_of_literal(tag) == path
