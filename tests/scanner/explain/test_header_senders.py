"""A page that only a request with a header can get is shown to nobody whom a link leads there."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner.explain.header_senders import HeaderRegions
from pyrograph.scanner.options import ScanOptions

EXPRESS = """
const express = require("express");
const jwt = require("jsonwebtoken");
const app = express();
const secret = process.env.SECRET;

function cut(req, res, next) {
  const token = req.headers.authorization?.split(" ")[1];
  if (!token) return res.sendStatus(401);
  next();
}
function verified(req, res, next) {
  const token = req.header("Authorization").replace("Bearer ", "");
  jwt.verify(token, secret, (err, decoded) => {
    if (err) return res.sendStatus(403);
    req.caller = decoded;
    next();
  });
}
function noted(req, res, next) {
  if (req.headers.authorization) req.seen = true;
  next();
}
function either(req, res, next) {
  const token = req.headers.authorization || req.cookies.token;
  if (!token) return res.sendStatus(401);
  next();
}
function basic(req, res, next) {
  const header = req.headers.authorization;
  if (!header || !header.startsWith("Basic ")) return res.sendStatus(401);
  next();
}
async function identify({ header }) {
  if (header) {
    const token = header.replace("Bearer ", "");
    try {
      if (!isValid(token)) return { known: false };
      return { known: true };
    } catch (e) {
      return check(token).then((data) => ({ known: true, data })).catch(() => ({ known: false }));
    }
  }
  return { known: false };
}
async function kept(req, res, next) {
  const { authorization } = req.headers;
  req.identity = await identify({ header: authorization });
  next();
}
const keyed = limit({ keyGenerator: (req) => req.headers.authorization });

app.get("/page", %s (req, res) => {
  %s
  res.send("<p>" + req.query.name);
});
"""
KNOWN = "if (!req.identity.known) return res.sendStatus(401);"
UNDEFINED = "if (typeof req.headers.authorization === 'undefined') return res.sendStatus(401);"
FLASK = """
from functools import wraps
import jwt
from flask import Flask, abort, redirect, request

app = Flask(__name__)


def token(f):
    @wraps(f)
    def inner(*args, **kwargs):
        given = None
        if "Authorization" in request.headers:
            given = request.headers["Authorization"].split(" ")[1]
        if not given:
            return {"message": "missing"}, 401
        return f(*args, **kwargs)

    return inner


def key(f):
    @wraps(f)
    def inner(*args, **kwargs):
        if request.headers.get("X-API-Key") != "a":
            abort(401)
        return f(*args, **kwargs)

    return inner


def either(f):
    @wraps(f)
    def inner(*args, **kwargs):
        given = request.headers.get("Authorization") or request.cookies.get("token")
        if not given:
            abort(401)
        return f(*args, **kwargs)

    return inner


@app.get("/page")
%s
def page():
    %s
    return redirect(request.args["to"])
"""
FASTAPI = """
from fastapi import Depends, FastAPI, Header, HTTPException
from fastapi.responses import RedirectResponse
from fastapi.security import HTTPBearer, OAuth2PasswordBearer

app = FastAPI()
bearer = OAuth2PasswordBearer(tokenUrl="token")
lenient = OAuth2PasswordBearer(tokenUrl="token", auto_error=False)


class Tokens(HTTPBearer):
    pass


def current(token: str = Depends(bearer)):
    return token


@app.get("/page")
def page(to: str%s):
    %s
    return RedirectResponse(to)
"""
MISSING = "if not authorization: raise HTTPException(401)"
GO = """
package main

import (
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

func auth(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Authorization")
		if !strings.HasPrefix(header, "Bearer ") {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func page(w http.ResponseWriter, r *http.Request) {
	%s
	http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
}

func main() {
	http.HandleFunc("/page", %s)
	http.ListenAndServe(":80", nil)
}
"""
PARSED = """if _, err := jwt.Parse(r.Header.Get("Authorization"), nil); err != nil {
		w.WriteHeader(401)
		return
	}"""
BASIC = """if _, _, ok := r.BasicAuth(); !ok {
		w.WriteHeader(401)
		return
	}"""


@cache
def rules(language: str) -> Rules:
    return load_rules({language})


def doubt(code: str, name: str, language: str, folder: Path) -> str:
    (folder / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1, device="cpu")
    (finding,) = scanner.scan(options, rules(language)).findings
    return finding.doubt.name if finding.doubt else finding.confidence


@pytest.mark.parametrize(
    ("middleware", "check", "expected"),
    [
        ("cut,", "", "header"),
        ("verified,", "", "header"),
        ("kept,", KNOWN, "header"),
        ("", UNDEFINED, "header"),
        ("", "", "high"),
        ("kept,", "", "high"),
        ("noted,", "", "high"),
        ("either,", "", "high"),
        ("basic,", "", "high"),
        ("keyed,", "", "high"),
        ("", UNDEFINED.replace("===", "!=="), "high"),
    ],
)
def test_express(middleware: str, check: str, expected: str, tmp_path: Path) -> None:
    assert doubt(EXPRESS % (middleware, check), "app.js", "javascript", tmp_path) == expected


def test_a_session_may_fill_the_same_field(tmp_path: Path) -> None:
    code = EXPRESS.replace('require("express");', 'require("express"); require("express-session");', 1)
    assert doubt(code % ("kept,", KNOWN), "app.js", "javascript", tmp_path) == "high"


@pytest.mark.parametrize(
    ("decorator", "check", "expected"),
    [
        ("@token", "", "header"),
        ("@key", "", "header"),
        ("", "if not request.headers.get('Authorization'): abort(401)", "header"),
        ("", "jwt.decode(request.headers.get('Authorization'), 'a')", "header"),
        ("@either", "", "high"),
        ("", "if request.headers.get('Authorization'): print('known')", "high"),
    ],
)
def test_flask(decorator: str, check: str, expected: str, tmp_path: Path) -> None:
    assert doubt(FLASK % (decorator, check), "app.py", "python", tmp_path) == expected


@pytest.mark.parametrize(
    ("parameter", "check", "expected"),
    [
        (", token=Depends(bearer)", "", "header"),
        (", token=Depends(current)", "", "header"),
        (", token=Depends(Tokens())", "", "header"),
        (", authorization: str = Header(None)", MISSING, "header"),
        (", authorization: str = Header(None)", "", "high"),
        (", token=Depends(lenient)", "", "high"),
        ("", "", "high"),
    ],
)
def test_fastapi(parameter: str, check: str, expected: str, tmp_path: Path) -> None:
    assert doubt(FASTAPI % (parameter, check), "app.py", "python", tmp_path) == expected


@pytest.mark.parametrize(
    ("check", "handler", "expected"),
    [("", "auth(page)", "header"), (PARSED, "page", "header"), ("", "page", "high"), (BASIC, "page", "high")],
)
def test_go(check: str, handler: str, expected: str, tmp_path: Path) -> None:
    assert doubt(GO % (check, handler), "main.go", "go", tmp_path) == expected


def test_functions_that_pass_a_value_around_are_asked_about_a_bounded_number_of_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = range(9)
    lines = ['const app = require("express")();']
    for each in names:
        lines += [
            f"function f{each}(v) {{",
            *(f"  if (v.k{other}) return f{other}(v);" for other in names if other != each),
        ]
        lines += [f"  return f{(each + 1) % len(names)}(v);", "}"]
    lines += ['app.get("/", (req, res) => {', "  if (!f0(req.query)) return res.sendStatus(401);"]
    lines += ['  res.send("<p>" + req.query.name);', "});"]
    asked = 0
    degree = HeaderRegions._degree

    def counted(self: HeaderRegions, value: int, depth: int) -> int:
        nonlocal asked
        asked += 1
        return degree(self, value, depth)

    monkeypatch.setattr(HeaderRegions, "_degree", counted)
    doubt("\n".join(lines), "app.js", "javascript", tmp_path)
    assert 0 < asked < 20_000  # without a bound: 9 ** 12
