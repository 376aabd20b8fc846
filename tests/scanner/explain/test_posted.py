"""What reads the body of a request that no link makes is doubted where only a link does harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

GO = """
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"
)

func show(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, r.FormValue("next"), http.StatusFound)
}

func page(w http.ResponseWriter, r *http.Request) {}

func ginShow(c *gin.Context) { c.Redirect(302, c.Request.FormValue("next")) }

func echoShow(c echo.Context) error { return c.Redirect(302, c.FormValue("next")) }

func middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("next") != "" {
			http.Redirect(w, r, r.FormValue("next"), http.StatusFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func main() {
	router := mux.NewRouter()
	group := chi.NewRouter()
	engine := gin.Default()
	server := echo.New()
	%s
	http.ListenAndServe(":8080", router)
	http.ListenAndServe(":8081", group)
	engine.Run()
	server.Start(":8082")
}
"""


def confidence(registered: str, folder: Path) -> str:
    (folder / "main.go").write_text(GO % registered, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1, device="cpu")
    findings = scanner.scan(options, load_rules({"go"})).findings
    reached = {each.confidence for each in findings if each.vulnerability == "open-redirect"}
    return next(each for each in ("high", "medium", "low") if each in reached)


@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        ('router.HandleFunc("/like", show)', "high"),
        ('router.HandleFunc("/like", show).Methods("POST")', "medium"),
        ('router.HandleFunc("/like", show).Methods(http.MethodPost)', "medium"),
        ('router.HandleFunc("/like", show).Methods("GET", "POST")', "high"),
        ('router.HandleFunc("/like", show).Methods("POST"); router.HandleFunc("/like", page).Methods("GET")', "high"),
        ('group.Post("/like", show)', "medium"),
        ('group.Get("/like", show)', "high"),
        ('group.With(middleware).Post("/like", page)', "medium"),
        ('group.With(middleware).Get("/like", page)', "high"),
        ("group.Use(middleware)", "high"),
        ('group.Method("POST", "/like", http.HandlerFunc(show))', "medium"),
        ('group.With(middleware).Post("/like", page); group.Use(middleware)', "high"),
        ('engine.Handle("POST", "/like", ginShow)', "medium"),
        ('engine.Handle(http.MethodPost, "/like", ginShow)', "medium"),
        ('engine.Handle("GET", "/like", ginShow)', "high"),
        ('engine.Group("/api").POST("/like", ginShow)', "medium"),
        ('server.Match([]string{"POST"}, "/like", echoShow)', "medium"),
        ('server.Match([]string{"GET", "POST"}, "/like", echoShow)', "high"),
    ],
)
def test_a_link_reaches_no_handler_for_posted_requests(registered: str, expected: str, tmp_path: Path) -> None:
    assert confidence(registered, tmp_path) == expected


FLASK = """
from flask import Flask, redirect, request

app = Flask(__name__)


def wanted():
    return request.args.get("next") or "/"


@app.route("/notes/drop", methods=["POST"])
def drop():
    return redirect(wanted())  # posted


@app.route("/notes/list")
def show():
    return redirect(wanted())
"""

EXPRESS = """
const express = require("express");

const app = express();

function wanted(req) {
  return req.query.next || "/";
}

app.post("/notes/drop", (req, res) => {
  res.redirect(wanted(req)); // posted
});

app.get("/notes/list", (req, res) => {
  res.redirect(wanted(req));
});
"""

GORILLA = """
package main

import (
	"net/http"

	"github.com/gorilla/mux"
)

type shop struct {
	router *mux.Router
}

func wanted(r *http.Request) string {
	return r.URL.Query().Get("next")
}

func (s *shop) checked(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Known") == "" {
			http.Error(w, "who", http.StatusUnauthorized)
			return
		}
		handler(w, r)
	}
}

func (s *shop) drop(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, wanted(r), http.StatusFound) // posted
}

func (s *shop) show(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, wanted(r), http.StatusFound)
}

func New() http.Handler {
	s := &shop{}
	router := mux.NewRouter()
	router.HandleFunc("/notes/drop", s.checked(s.drop)).Methods("POST").Name("drop")
	router.HandleFunc("/notes/list", s.checked(s.show)).Name("list")
	s.router = router
	return router
}
"""


@pytest.mark.parametrize(
    ("name", "language", "code"),
    [("app.py", "python", FLASK), ("app.js", "javascript", EXPRESS), ("main.go", "go", GORILLA)],
)
def test_a_helper_of_several_handlers_is_posted_where_the_handler_is(
    name: str, language: str, code: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    findings = scanner.scan(options, load_rules({language})).findings
    lines = code.splitlines()
    found = {
        ("posted" in lines[each.place.line - 1], each.confidence)
        for each in findings
        if each.vulnerability == "open-redirect"
    }
    assert found == {(True, "medium"), (False, "high")}
