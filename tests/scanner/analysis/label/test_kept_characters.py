"""Characters that conditions let through: what is put together from them holds no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

GO = """package main

import (
	"net/http"
	"os"
	"strings"
	"unicode"
)

func view(w http.ResponseWriter, r *http.Request) {
	out := ""
	for _, c := range %s {
		%s
	}
	os.ReadFile("/srv/a" + out)
	unicode.IsLetter('a')
	strings.ToLower(out)
}

func main() { http.HandleFunc("/a", view) }
"""
TEXT = 'r.FormValue("name")'


def is_found(body: str, over: str, folder: Path) -> bool:
    (folder / "main.go").write_text(GO % (over, body), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["go"], ()))
    return any(each.rule_id == "go/path-traversal" for each in report.findings)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if c >= 'a' && c <= 'z' { out += string(c) }", False),
        ("if c >= 'a' && c <= 'z' || c == '_' { out += string(c) }", False),
        ("if c == '/' || c == '\\\\' { continue }\n\t\tout += string(c)", False),
        ("switch c { case '/', '\\\\': continue }\n\t\tout += string(c)", False),
        ("if unicode.IsLetter(c) { out += string(c) }", False),
        ('if !strings.ContainsRune("/\\\\", c) { out += string(c) }', False),
        ("if c >= 'a' && c <= 'z' || c == '/' || c == '.' { out += string(c) }", True),
        ("if c >= 'a' && c <= 'z' || c == '.' || c == '/' { out += string(c) }", True),
        ("out += string(c)", True),
        ("if c != ' ' { out += string(c) }", True),
        ("if c >= 'a' && c <= 'z' || len(out) > 3 { out += string(c) }", True),
        ('if strings.ContainsRune("/.", c) { out += string(c) }', True),
    ],
)
def test_a_text_of_characters_that_were_let_through(body: str, found: bool, tmp_path: Path) -> None:
    assert is_found(body, TEXT, tmp_path) is found


def test_an_element_of_a_list_may_hold_what_it_is_not(tmp_path: Path) -> None:
    assert is_found('if c != "/" { out += c }', f'strings.Split({TEXT}, ",")', tmp_path)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'", False),
        ("c >= 'a' && c <= 'z' || c == '.' || c == '/'", True),
        ("c != ' '", True),
    ],
)
def test_characters_that_are_read_by_a_number(condition: str, found: bool, tmp_path: Path) -> None:
    body = f"for i := 0; i < len(text); i++ {{\n\t\t\tc := text[i]\n\t\t\tif {condition} {{ out += string(c) }}\n\t\t}}"
    code = GO.replace("for _, c := range %s {\n\t\t%s\n\t}", f"text := {TEXT}\n\t{body}").replace("%s", "")
    (tmp_path / "main.go").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["go"], ()))
    assert any(each.rule_id == "go/path-traversal" for each in report.findings) is found
