"""Which file a template's name means, what it writes with all that it includes, and how a report shows it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.policy.limits.templates import MAX_TEMPLATE_SIZE
from pyrograph.report import render
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis.templates import Templates
from pyrograph.scanner.options import ScanOptions

APP = """\
const app = require('express')();
app.get('/', (req, res) => {
  res.render('page', { title: req.query.q });
});
"""
Scan = Callable[..., Report]


@pytest.fixture
def templates(tmp_path: Path) -> Callable[[Mapping[str, str]], Templates]:
    def make(texts: Mapping[str, str]) -> Templates:
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Templates({name: str(tmp_path / name) for name in sorted(texts)})

    return make


@pytest.mark.parametrize(
    ("files", "name", "engine", "near", "found"),
    [
        (["views/a.ejs"], "a", "any", "app.js", "views/a.ejs"),
        (["views/a.ejs"], "a.ejs", "any", "app.js", "views/a.ejs"),
        (["views/a.ejs"], "./a", "any", "app.js", "views/a.ejs"),
        (["views/a.ejs"], "b", "any", "app.js", None),
        (["views/b/a.ejs"], "a", "any", "app.js", "views/b/a.ejs"),
        (["views/ba.ejs"], "a", "any", "app.js", None),
        (["views/b/a.ejs", "views/a.ejs"], "a", "any", "app.js", "views/a.ejs"),
        (["views/b/a.ejs", "views/a.ejs"], "b/a", "any", "app.js", "views/b/a.ejs"),
        (["one/views/a.ejs", "two/views/a.ejs"], "a", "any", "two/app.js", "two/views/a.ejs"),
        (["public/a.html", "templates/a.html"], "a.html", "jinja", "public/app.py", "templates/a.html"),
        (["views/a.ejs", "views/a.hbs", "views/b.hbs"], "a", "any", "app.js", "views/a.hbs"),
        (["views/a.ejs", "views/a.hbs"], "a", "ejs", "app.js", "views/a.ejs"),
        (["templates/a.html", "web/templates/a.html"], "../a.html", "django", "web/views.py", "web/templates/a.html"),
        (["views/a.b.ejs"], "a.b", "any", "app.js", "views/a.b.ejs"),
        (["views/a.ejs"], "", "any", "app.js", None),
    ],
)
def test_a_name_means_a_file(files: list[str], name: str, engine: str, near: str, found: str | None) -> None:
    assert Templates({path: "/nowhere/" + path for path in files}).find(name, engine, near) == found


def written(found: Templates, name: str, engine: str = "any") -> list[tuple[str, str]]:
    return [
        ("/".join("*" if key is None else key for key in each.path), each.file)
        for each in found.writes(name, engine, "app.js")
    ]


def test_what_is_included_speaks_of_the_values_of_the_first(
    templates: Callable[[Mapping[str, str]], Templates],
) -> None:
    found = templates(
        {
            "views/page.html": "{% for x in xs %}{% include 'row.html' %}{% endfor %}{% extends 'base.html' %}",
            "views/row.html": "{{ x.a|safe }}{{ y|safe }}{% include 'cell.html' with z=x.b only %}",
            "views/cell.html": "{{ z.c|safe }}{{ x|safe }}",
            "views/base.html": "{{ head|safe }}{{ x|safe }}",
        }
    )
    assert sorted(written(found, "page.html", "django")) == [
        ("head", "views/base.html"),
        ("x", "views/base.html"),
        ("xs/*/a", "views/row.html"),
        ("xs/*/b/c", "views/cell.html"),
        ("y", "views/row.html"),
    ]
    assert found.problems == []


def test_macros_are_shown_where_they_are_called(templates: Callable[[Mapping[str, str]], Templates]) -> None:
    found = templates(
        {
            "templates/page.html": """
                {% from "macros.html" import card, plain as p with context %}{% import "macros.html" as m %}
                {% macro own(a, b="") %}{{ a|safe }}{{ b }}{{ c|safe }}{% endmacro %}
                {% for x in xs %}{{ card(x.title, x.body) }}{{ p(x.other) }}{% endfor %}
                {{ m.card("t", body=last) }}{{ own(first, second) }}{{ m.missing(x) }}{{ unknown(x) }}
            """,
            "templates/macros.html": """
                {% macro card(title, body, foot="") %}{{ title }}{{ body|safe }}{{ foot|safe }}{{ inner(body) }}
                {{ nobody|safe }}{% endmacro %}
                {% macro plain(text) %}{{ text }}{{ card(text, text) if false }}{% endmacro %}
                {% macro inner(text) %}{{ text|safe }}{{ inner(text) }}{% endmacro %}
            """,
        }
    )
    assert sorted(set(written(found, "page.html", "jinja"))) == [
        ("c", "templates/page.html"),
        ("first", "templates/page.html"),
        ("last", "templates/macros.html"),
        ("xs/*/body", "templates/macros.html"),
        ("xs/*/other", "templates/macros.html"),
    ]


def test_templates_that_include_each_other_end(templates: Callable[[Mapping[str, str]], Templates]) -> None:
    found = templates(
        {
            "views/a.ejs": "<%- include('b', {x: y}) %><%- x %>",
            "views/b.ejs": "<%- include('a') %><%- include('b') %><%- x %>",
        }
    )
    assert written(found, "a") == [("x", "views/a.ejs"), ("y", "views/b.ejs")]


def test_many_levels_of_includes_are_cut_and_told(templates: Callable[[Mapping[str, str]], Templates]) -> None:
    found = templates({f"views/t{n}.ejs": f"<%- include('t{n + 1}') %><%- x{n} %>" for n in range(20)})
    assert len(written(found, "t0")) == 8
    assert [(each.kind, each.path) for each in found.problems] == [("limit", "views/t0.ejs")]


def test_a_template_of_millions_of_characters_is_told_and_not_read(
    templates: Callable[[Mapping[str, str]], Templates],
) -> None:
    found = templates(
        {"views/a.ejs": "<%- x %>" + " " * MAX_TEMPLATE_SIZE, "views/b.ejs": "<%- include('a') %><%- y %>"}
    )
    assert written(found, "b") == [("y", "views/b.ejs")]
    (problem,) = found.problems
    assert (problem.kind, problem.path) == ("limit", "views/a.ejs")


def test_a_template_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    found = Templates({"views/a.ejs": str(tmp_path / "gone.ejs")})
    assert found.writes("a", "any", "app.js") == ()
    assert [each.path for each in found.problems] == ["views/a.ejs"]


# The whole scan


@pytest.fixture
def scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scan:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    root = tmp_path / "root"

    def run(texts: Mapping[str, str], **options: object) -> Report:
        for name, text in texts.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        given = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", **options)  # type: ignore[arg-type]
        return scanner.scan(given, load_rules(["javascript"], ()))

    return run


def test_the_last_step_of_the_path_is_the_line_of_the_template(scan: Scan) -> None:
    report = scan({"app.js": APP, "views/page.ejs": "<html>\n<h1>ä <%- title %></h1>\n"})
    (finding,) = report.findings
    assert (finding.place.path, finding.place.line) == ("app.js", 3)
    steps = finding.trace.steps
    assert [(step.place.path, step.place.line, step.place.column) for step in steps] == [
        ("app.js", 3, 31),
        ("app.js", 3, 22),
        ("views/page.ejs", 2, 7),
    ]
    assert "`views/page.ejs`" in steps[-2].message
    assert steps[-1].message == "written without escaping: `<%- title %>`"


def test_the_template_that_was_analysed_is_shown_if_it_changes_meanwhile(
    scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "pyrograph.scanner.analysis.templates"
    read_text = import_module(module).read_text

    def read_and_change(absolute: str, path: str) -> object:
        text = read_text(absolute, path)
        Path(absolute).write_text("edited\n" * 3, encoding="utf-8")
        return text

    monkeypatch.setattr(f"{module}.read_text", read_and_change)
    report = scan({"app.js": APP, "views/page.ejs": "<html>\n<%- title %>\n"})
    assert report.sources["views/page.ejs"] == b"<html>\n<%- title %>\n"
    assert report.findings[0].trace.steps[-1].message == "written without escaping: `<%- title %>`"


def test_every_report_shows_the_template(scan: Scan) -> None:
    report = scan({"app.js": APP, "views/page.ejs": "<html>\n<h1>ä <%- title %></h1>\n"})
    texts = {}
    for name in ("text", "json", "sarif", "markdown", "github", "gitlab-sast"):
        stream = StringIO()
        render(name, report, stream)
        texts[name] = stream.getvalue()
        assert "views/page.ejs" in texts[name] or name == "github"
    assert "<h1>ä <%- title %></h1>" in texts["text"]
    run = json.loads(texts["sarif"])["runs"][0]
    location = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"][-1]["location"]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "views/page.ejs"
    assert (location["region"]["startLine"], location["region"]["startColumn"]) == (2, 7)


def test_an_escaped_value_an_ignored_template_and_none_at_all_are_silent(scan: Scan) -> None:
    assert scan({"app.js": APP, "views/page.ejs": "<%= title %>"}).findings == ()
    assert len(scan({"views/page.ejs": "<%- title %>"}).findings) == 1
    assert scan({}, exclude=("views/",)).findings == ()
    assert scan({".pyrographignore": "*.ejs\n"}).findings == ()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_no_template_outside_of_the_root_is_read(scan: Scan, tmp_path: Path) -> None:
    (tmp_path / "outside.ejs").write_text("<%- title %>", encoding="utf-8")
    (tmp_path / "root" / "views").mkdir(parents=True)
    (tmp_path / "root" / "views" / "page.ejs").symlink_to(tmp_path / "outside.ejs")
    assert scan({"app.js": APP.replace("'page'", "'../../outside'")}).findings == ()
    assert scan({"app.js": APP}).findings == ()


def test_texts_of_templates_are_kept_only_where_a_finding_names_them(scan: Scan) -> None:
    report = scan({"app.js": APP, "views/page.ejs": "<%= title %><%- other %>", "views/unused.ejs": "<%- title %>"})
    assert not any(path.startswith("views/") for path in report.sources)


def test_no_template_is_opened_in_a_program_that_fills_none(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr("pyrograph.scanner.analysis.templates.read_text", refuse)
    scan({"app.js": "console.log(process.argv)\n", "views/page.ejs": "<%- title %>"})
