"""Functions and methods that templates call get the values that the template is filled with."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SERVER = """\
package main

import (
	"html/template"
	"net/http"
	"strings"
	texts "text/template"
)

type Note struct{{ Title, Body, Intro string }}

func (n Note) HTML() template.HTML {{ return template.HTML(n.Body) }}

func (n Note) Wrapped(text string) template.HTML {{ return template.HTML("<p>" + text) }}

func lines(text string) template.HTML {{
	return template.HTML(strings.ReplaceAll(text, "\\n", "<br>"))
}}

func escaped(text string) template.HTML {{
	return template.HTML(template.HTMLEscapeString(text))
}}

{made}

func show(w http.ResponseWriter, r *http.Request) {{
	notes := []Note{{{{Title: "x", Body: r.FormValue("body")}}}}
	{filled}
}}

func main() {{
	http.HandleFunc("/", show)
}}
"""
TEXT = """\
var funcs = template.FuncMap{{"lines": lines, "escaped": escaped}}

var page = template.Must(template.New("page").Funcs(funcs).Parse(`{}`))"""
EXECUTE = 'page.Execute(w, map[string]any{"Notes": notes, "Body": r.FormValue("body")})'
FILES = """\
type Server struct{ views *template.Template }

var funcs = map[string]any{"lines": lines, "escaped": escaped}

var server = &Server{views: template.Must(template.New("").Funcs(funcs).ParseGlob("views/*.html"))}"""


def found(folder: Path, made: str, filled: str = EXECUTE, pages: dict[str, str] | None = None) -> list[str]:
    """The texts of what is reported, with default options."""
    (folder / "main.go").write_text(SERVER.format(made=made, filled=filled), encoding="utf-8")
    (folder / "views").mkdir()
    for name, text in (pages or {}).items():
        (folder / "views" / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["go"], cache_folder=folder / "cache"))
    lines = (folder / "main.go").read_text(encoding="utf-8").splitlines()
    return [lines[each.place.line - 1].strip() for each in report.findings if each.rule_id == "go/xss"]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("{{range .Notes}}<p>{{lines .Body}}</p>{{end}}", True),
        ("{{range $i, $note := .Notes}}{{$note.Body | lines}}{{end}}", True),
        ('{{with .Notes}}{{(index . 0).Body | printf "%s" | lines}}{{end}}', True),
        ('{{template "row" .Notes}}{{define "row"}}{{range .}}{{lines .Body}}{{end}}{{end}}', True),
        ("{{if .X}}{{else}}{{lines $.Body}}{{end}}", True),
        ("{{range .Notes}}{{lines .Title}}{{lines .Intro}}{{end}}", False),
        ("{{range .Notes}}{{.Body}}{{escaped .Body}}{{end}}", False),
        ("{{/* {{lines .Body}} */}}{{.Body}}", False),
        ("{{with .Notes}}{{else}}{{lines .Title}}{{end}}{{lines .Other}}", False),
    ],
)
def test_functions(tmp_path: Path, text: str, reported: bool) -> None:
    lines = ['return template.HTML(strings.ReplaceAll(text, "\\n", "<br>"))'] if reported else []
    assert found(tmp_path, TEXT.format(text)) == lines


def test_methods(tmp_path: Path) -> None:
    text = "{{range .Notes}}{{.HTML}}{{.Wrapped .Title}}{{end}}"
    assert found(tmp_path, TEXT.format(text)) == ["func (n Note) HTML() template.HTML { return template.HTML(n.Body) }"]
    (tmp_path / "views").rmdir()
    text = "{{range .Notes}}{{.Wrapped .Body}}{{end}}"
    assert found(tmp_path, TEXT.format(text)) == [
        'func (n Note) Wrapped(text string) template.HTML { return template.HTML("<p>" + text) }'
    ]


@pytest.mark.parametrize(
    ("row", "filled", "reported"),
    [
        ("<p>{{lines .Body}}</p>", 'server.views.ExecuteTemplate(w, "list.html", notes)', True),
        ("<p>{{.Body}}{{lines .Title}}</p>", 'server.views.ExecuteTemplate(w, "list.html", notes)', False),
        ("<p>{{lines .Body}}</p>", 'server.views.ExecuteTemplate(w, "other.html", notes)', False),
        ("<p>{{lines .Body}}</p>", "server.views.Execute(w, notes)", True),
    ],
    ids=["included", "another field", "another file", "not known which"],
)
def test_files(tmp_path: Path, row: str, filled: str, reported: bool) -> None:
    pages = {"list.html": '{{range .}}{{template "row.html" .}}{{end}}', "row.html": row, "other.html": "{{len .}}"}
    assert bool(found(tmp_path, FILES, filled, pages)) == reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("<p>{{.Body}}</p>", True),
        ('{{define "row"}}{{.Body}}{{end}}{{range .Notes}}{{template "row" .}}{{end}}', True),
        ("<p>{{html .Body}}{{range .Notes}}{{.Title}}{{end}}{{len .Body}}</p>", False),
        ('{{define "row"}}{{.Body}}{{end}}{{range .Notes}}{{.Title}}{{end}}', False),
    ],
)
def test_what_a_template_without_escaping_writes(tmp_path: Path, text: str, reported: bool) -> None:
    made = f'var page = texts.Must(texts.New("page").Parse(`{text}`))'
    assert found(tmp_path, made) == ([EXECUTE] if reported else [])
