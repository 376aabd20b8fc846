"""Questions that compare a text with constants: what they prove, guards say, whatever the function is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import re
from urllib.parse import urlparse
import requests
from flask import Flask, request

app = Flask(__name__)
HOSTS = ("a.example", "b.example")

class Known:
    hosts = ("http", "https")

def is_valid(url):
    parts = urlparse(url)
    if {condition}:
        return False
    return True

@app.route("/fetch")
def fetch():
    url = request.args["url"]
    if not is_valid(url):
        return "no", 400
    return requests.get(url).text
"""
JAVASCRIPT = """
const app = require("express")();
const axios = require("axios");
const HOSTS = ["a.example", "b.example"];

function isValid(url) {{
  const parts = new URL(url);
  if ({condition}) return false;
  return true;
}}

app.get("/fetch", async (req, res) => {{
  const url = String(req.query.url);
  if (!isValid(url)) return res.status(400).end();
  res.json((await axios.get(url)).data);
}});
"""
GO = """
package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

var pattern = regexp.MustCompile(`a\\.example`)
var whole = regexp.MustCompile(`^https?://a\\.example/`)

func isValid(text string) bool {{
	parts, err := url.Parse(text)
	if err != nil {{
		return false
	}}
	if {condition} {{
		return false
	}}
	return parts != nil
}}

func fetch(w http.ResponseWriter, r *http.Request) {{
	text := r.FormValue("url")
	if !isValid(text) {{
		return
	}}
	http.Get(text)
}}

func main() {{
	http.HandleFunc("/fetch", fetch)
	http.ListenAndServe(":80", nil)
}}
"""
FILES = {"python": ("app.py", PYTHON), "javascript": ("app.js", JAVASCRIPT), "go": ("main.go", GO)}


def confidences(language: str, condition: str, folder: Path) -> list[str]:
    name, program = FILES[language]
    (folder / name).write_text(program.format(condition=condition), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low", select=("ssrf",))
    return [found.confidence for found in scanner.scan(options, load_rules([language], ())).findings]


@pytest.mark.parametrize(
    ("language", "condition"),
    [
        ("python", '"a.example" not in url'),
        ("python", '"a.example" not in url.lower()'),
        ("python", "not any(host in url for host in HOSTS)"),
        ("python", '"a.example" not in parts.netloc'),
        ("python", 'not parts.hostname.endswith("a.example")'),
        ("python", 'not re.match(r"https?://.*a\\.example", url)'),
        ("python", "not isinstance(url, str)"),
        ("python", "not url.startswith(Known.hosts)"),
        ("python", "not parts.netloc"),
        ("javascript", '!url.includes("a.example")'),
        ("javascript", "!HOSTS.some((host) => url.includes(host))"),
        ("javascript", '!["http:", "https:"].includes(parts.protocol)'),
        ("javascript", "!/a\\.example/.test(url)"),
        ("javascript", 'url.indexOf("a.example") === -1'),
        ("go", '!strings.Contains(text, "a.example")'),
        ("go", '!strings.Contains(parts.Host, "a.example")'),
        ("go", "!pattern.MatchString(text)"),
    ],
)
def test_a_question_that_proves_nothing_is_no_doubt(language: str, condition: str, tmp_path: Path) -> None:
    assert confidences(language, condition, tmp_path) == ["high"]


@pytest.mark.parametrize(
    ("language", "condition"),
    [
        ("python", "url not in allowed()"),
        ("python", "not known.match(url)"),
        ("python", "not url.lower().startswith('http')"),
        ("javascript", "!allowed(url)"),
        ("javascript", "!allowed().some((host) => parts.hostname.endsWith(host))"),
        ("go", "!strings.HasSuffix(parts.Host, suffix())"),
    ],
)
def test_what_is_compared_with_something_unknown_is_a_doubt(language: str, condition: str, tmp_path: Path) -> None:
    assert confidences(language, condition, tmp_path) == ["low"]


@pytest.mark.parametrize(
    ("language", "condition"),
    [
        ("python", 'not re.match(r"https://a\\.example/", url)'),
        ("javascript", "!/^https?:\\/\\/(a|b)\\.example\\//.test(url)"),
        ("go", "!whole.MatchString(text)"),
    ],
)
def test_a_pattern_that_begins_with_the_whole_host_is_a_check(language: str, condition: str, tmp_path: Path) -> None:
    assert confidences(language, condition, tmp_path) == []
