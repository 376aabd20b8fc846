"""What a handler reads of a posted form is chosen by a link, if the form's page writes a part of its address there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import doubt_of, findings

DJANGO = """
from django.http import HttpResponseRedirect
from django.shortcuts import render
from django.views import View


class Accept(View):
    def get(self, request):
        return render(request, "accept.html", {"back": %s})

    def post(self, request):
        %s
        return HttpResponseRedirect("/")
"""
FLASK = """
from flask import Flask, redirect, render_template, request

app = Flask(__name__)


@app.get("/login")
def login():
    return render_template("login.html", next=%s)


@app.post("/session")
def session():
    return redirect(request.form["next"])
"""
EXPRESS = """
const express = require("express");
const app = express();
app.use(express.urlencoded({ extended: false }));
app.get("/login", (req, res) => res.render("login", { next: %s }));
app.post("/session", (req, res) => res.redirect(%s));
app.listen(8080);
"""
GO = """
package main

import (
	"html/template"
	"net/http"
)

var page = template.Must(template.New("page").Parse(`<form><input name=next value="{{.}}"></form>`))

func login(w http.ResponseWriter, r *http.Request) {
	page.Execute(w, %s)
}

func session(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, r.PostFormValue("next"), http.StatusFound)
}

func main() {
	http.HandleFunc("GET /login", login)
	http.HandleFunc("POST /session", session)
	http.ListenAndServe(":8080", nil)
}
"""
POSTED = 'return HttpResponseRedirect(request.POST["back"])'
ASKED = """if "back" in request.POST:
            return HttpResponseRedirect(request.POST.get("back"))"""


def rated(folder: Path, files: dict[str, str], language: str) -> tuple[str, str]:
    (finding,) = findings(folder, files, "open-redirect", language)
    return finding.confidence, doubt_of(finding)


DOUBTED = "medium", "seldom-source"
CERTAIN = "high", ""


@pytest.mark.parametrize(
    ("shown", "posted", "expected"),
    [
        ('request.GET.get("back")', POSTED, CERTAIN),
        ('request.GET["back"]', ASKED, CERTAIN),
        ("request.path", POSTED, DOUBTED),
        ('request.GET["tab"]', POSTED, DOUBTED),  # another part
        ('request.META["back"]', POSTED, DOUBTED),  # no link sets a header
        ('request.COOKIES["back"]', POSTED, DOUBTED),
        ('request.POST.get("back")', POSTED, DOUBTED),
    ],
)
def test_views_read_what_a_link_brings(shown: str, posted: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert rated(tmp_path, {"views.py": DJANGO % (shown, posted)}, "python") == expected


@pytest.mark.parametrize(
    ("shown", "expected"), [('request.args["next"]', CERTAIN), ('request.args["password"]', DOUBTED)]
)
def test_another_field_that_is_read_before(shown: str, expected: tuple[str, str], tmp_path: Path) -> None:
    """One value stands for both readings of the form; the path says which part it goes on with."""
    code = FLASK.replace("def session():\n", 'def session():\n    check(request.form["password"])\n')
    code = code.replace('request.form["next"]', 'request.form.get("next", "/")')
    assert rated(tmp_path, {"app.py": code % shown}, "python") == expected


def test_only_pages_of_the_same_file_count(tmp_path: Path) -> None:
    other = 'def find(request):\n    return render(request, "find.html", {"back": request.GET["back"]})\n'
    other = "from django.shortcuts import render\n\n\n" + other
    files = {"views.py": DJANGO % ("request.path", POSTED), "other.py": other}
    assert rated(tmp_path, files, "python") == DOUBTED


@pytest.mark.parametrize(
    ("shown", "posted", "expected"),
    [
        ("req.query.next", "req.body.next", CERTAIN),
        ("req.path", "req.body.next", DOUBTED),
        ("req.query.next", "req.body.here", DOUBTED),
        ("req.query.next", 'req.get("next")', DOUBTED),
    ],
)
def test_express(shown: str, posted: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert rated(tmp_path, {"app.js": EXPRESS % (shown, posted)}, "javascript") == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ('r.URL.Query().Get("next")', CERTAIN),
        ('r.FormValue("next")', CERTAIN),
        ('r.PostFormValue("next")', DOUBTED),
        ("r.URL.Path", DOUBTED),
    ],
)
def test_go(shown: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert rated(tmp_path, {"main.go": GO % shown}, "go") == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('<input type="hidden" name="next" value="{{ request.args.next }}">', CERTAIN),
        ("<input value=\"{{ request.args.get('next') }}\" name=next>", CERTAIN),
        ('{% if request.args.next %}<input name="next"\n  value="{{ request.args["next"] }}">{% endif %}', CERTAIN),
        ('<input type="hidden" name="next" value="{{ request.path }}">', DOUBTED),
        ('<input type="hidden" name="next" value="{{ request.args.tab }}">', DOUBTED),
        ('<input type="hidden" name="tab" value="{{ request.args.next }}">', DOUBTED),
        ('<input name="next"><input name="tab" value="{{ request.args.next }}">', DOUBTED),
        ('<a href="{{ request.args.next }}">back</a>', DOUBTED),
    ],
)
def test_templates_fill_fields(field: str, expected: tuple[str, str], tmp_path: Path) -> None:
    page = f'<form method="post" action="/session">{field}</form>'
    assert rated(tmp_path, {"app.py": FLASK % '""', "templates/login.html": page}, "python") == expected


OWN = ("low", "posted")
CONSTANT_FIELD = '<input type="hidden" name="back" value="/notes/" />'
SHOWN_FIELD = '<input type="hidden" name="back" value="{{ back }}" />'


@pytest.mark.parametrize(
    ("fields", "declared", "expected"),
    [
        ('<input name=\'back\' value="{% url "notes" page sort %}" />\n{% if a %}<b>a</b>{% endif %}', "", OWN),
        (CONSTANT_FIELD, "", OWN),
        (CONSTANT_FIELD + "<input name='back'>", "", OWN),
        (CONSTANT_FIELD + SHOWN_FIELD, "", DOUBTED),
        (SHOWN_FIELD, "", DOUBTED),
        ('<input name="back" value="{% firstof back %}">', "", DOUBTED),
        ('<input name="backs" value="/notes/">', "", DOUBTED),
        (CONSTANT_FIELD, "class Back:\n    back = 1\n", DOUBTED),
    ],
)
def test_pages_write_the_field_themselves(
    fields: str, declared: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    page = f'<form method="post">{fields}</form>'
    files = {"views.py": declared + DJANGO % ('"/"', POSTED), "templates/accept.html": page}
    assert rated(tmp_path, files, "python") == expected


@pytest.mark.parametrize(("protection", "expected"), [("CSRFProtect(app)", OWN), ("", DOUBTED)])
def test_other_sites_send_what_is_not_protected(protection: str, expected: tuple[str, str], tmp_path: Path) -> None:
    code = "from flask_wtf.csrf import CSRFProtect\n" + FLASK % '"/"' + protection + "\n"
    page = '<form method="post" action="/session"><input name="next" value="{{ url_for("notes") }}"></form>'
    confidence, doubt = rated(tmp_path, {"app.py": code, "templates/login.html": page}, "python")
    assert (confidence, doubt) == expected or (not protection and confidence != "low")
