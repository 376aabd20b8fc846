"""A link to what a handler does behind a completed login does no harm by itself: it has no code for the victim."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner.options import ScanOptions

FLASK = """
from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, request, session

app = Flask(__name__)
oauth = OAuth(app)
oauth.register("google")


def complete():
    session["token"] = oauth.google.authorize_access_token()


@app.route("/callback")
def callback():
    target = request.args["next"]
    %s
"""
NEXT = """
import { createServerClient } from "@supabase/ssr";
import { NextResponse } from "next/server";

const connected = () => createServerClient(process.env.URL, process.env.KEY, {});

export async function GET(request) {
  const { searchParams, origin } = new URL(request.url);
  const code = searchParams.get("code");
  const target = searchParams.get("next");
  %s
}
"""
EXCHANGE = "const { error } = await connected().auth.exchangeCodeForSession(code);"
GO = """
package main

import (
	"net/http"

	"github.com/markbates/goth/gothic"
)

func callback(w http.ResponseWriter, r *http.Request) {
	target := r.FormValue("next")
	%s
}

func main() {
	http.HandleFunc("/callback", callback)
	http.ListenAndServe(":80", nil)
}
"""
COMPLETE = "_, err := gothic.CompleteUserAuth(w, r)"
ON = "http.Redirect(w, r, target, http.StatusFound)"


@cache
def rules() -> Rules:
    return load_rules(None, ())


def graded(root: Path, name: str, code: str) -> list[tuple[str, str]]:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, rules()).findings
    return [
        (each.confidence, each.doubt.name if each.doubt else "")
        for each in found
        if each.vulnerability == "open-redirect"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "token = oauth.google.authorize_access_token()\n    return redirect(target)",
        "c = oauth.create_client(request.args['name'])\n    c.authorize_access_token()\n    return redirect(target)",
        "complete()\n    return redirect(target)",
    ],
)
def test_a_call_that_raises_completes_a_login(body: str, tmp_path: Path) -> None:
    assert graded(tmp_path, "app.py", FLASK % body) == [("medium", "login")]


@pytest.mark.parametrize(
    "body",
    [
        "if 'code' in request.args:\n        complete()\n    return redirect(target)",
        "try:\n        complete()\n    except Exception:\n        pass\n    return redirect(target)",
        "if request.args['a']:\n        return redirect(target)\n    complete()\n    return ''",
        "return redirect(target)",
    ],
)
def test_code_that_runs_without_a_login_is_behind_none(body: str, tmp_path: Path) -> None:
    assert graded(tmp_path, "app.py", FLASK % body) == [("high", "")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{EXCHANGE} if (!error) return NextResponse.redirect(target);", ("medium", "login")),
        (
            f"if (code) {{ {EXCHANGE} if (!error) {{ return NextResponse.redirect(`${{origin}}${{target}}`); }} }}",
            ("medium", "login"),
        ),
        (f"{EXCHANGE} if (error) throw error; return NextResponse.redirect(target);", ("medium", "login")),
        (f"{EXCHANGE} if (error === null) return NextResponse.redirect(target);", ("medium", "login")),
        (f"{EXCHANGE} if (error) return NextResponse.redirect(target);", ("high", "")),
        (f"{EXCHANGE} if (error) console.log(error); return NextResponse.redirect(target);", ("high", "")),
        (f"{EXCHANGE} return NextResponse.redirect(target);", ("high", "")),
    ],
)
def test_the_side_without_an_error_is_behind_a_login(body: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert graded(tmp_path, "app/auth/callback/route.js", NEXT % body) == [expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{COMPLETE}\n\tif err != nil {{\n\t\treturn\n\t}}\n\t{ON}", ("medium", "login")),
        (f"if _, err := gothic.CompleteUserAuth(w, r); err == nil {{\n\t\t{ON}\n\t}}", ("medium", "login")),
        (f"{COMPLETE}\n\t_ = err\n\t{ON}", ("high", "")),
    ],
)
def test_the_last_result_may_be_the_error(body: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert graded(tmp_path, "main.go", GO % body) == [expected]


BEGUN = """
@app.route("/login")
def login():
    session["next"] = request.args["next"]
    return oauth.google.authorize_redirect("https://example.org/callback")
"""


def test_what_the_session_keeps_from_the_beginning_of_a_login_may_be_an_attackers(tmp_path: Path) -> None:
    ended = FLASK % "complete()\n    return redirect(session['next'])"
    assert graded(tmp_path, "app.py", ended + BEGUN) == [("high", "")]
