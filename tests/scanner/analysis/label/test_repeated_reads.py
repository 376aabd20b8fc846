"""What is read again by the same call after a check is as clean as what was checked."""

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
)

func view(w http.ResponseWriter, r *http.Request) {
	name := "a"
	%s
	os.ReadFile("/srv/" + name)
}

func main() { http.HandleFunc("/a", view) }
"""


def is_found(body: str, folder: Path) -> bool:
    (folder / "main.go").write_text(GO % body, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["go"], ()))
    return any(each.rule_id == "go/path-traversal" for each in report.findings)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('if r.FormValue("n") == "b" { name = r.FormValue("n") }', False),
        ('switch r.FormValue("n") { case "b", "c": name = r.FormValue("n") }', False),
        ('if r.FormValue("n") != "b" { return }\n\tname = r.FormValue("n")', False),
        ('if r.URL.Query().Get("n") == "b" { name = r.URL.Query().Get("n") }', False),
        ('if r.FormValue("n") == "b" && w != nil { name = r.FormValue("n") }', False),
        ('if r.FormValue("n") == "b" { name = r.FormValue("m") }', True),
        ('if r.FormValue("n") == "b" { name = r.PostFormValue("n") }', True),
        ('if r.FormValue("n") != "b" { name = r.FormValue("n") }', True),
        ('if r.FormValue("n") == "b" || w != nil { name = r.FormValue("n") }', True),
        ('if r.FormValue("n") == "b" { w.WriteHeader(400) }\n\tname = r.FormValue("n")', True),
        ('name = r.FormValue("n")\n\tif r.FormValue("n") == "b" { w.WriteHeader(400) }', True),
    ],
)
def test_the_second_read_is_as_clean_as_the_first_where_the_check_holds(body: str, found: bool, tmp_path: Path) -> None:
    assert is_found(body, tmp_path) is found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('if xs[i] == "b" { name = xs[i] }', False),
        ('if xs[i] != "b" { continue }\n\tname = xs[i]', False),
        ('if xs[i] == "b" || w != nil { name = xs[i] }', True),
        ('if xs[i] == "b" { i++; name = xs[i] }', True),
        ('if xs[i] == "b" { xs[i] = r.FormValue("n"); name = xs[i] }', True),
        ('if xs[i] == "b" { name = xs[j] }', True),
        ('if xs[i] == "b" { name = ys[i] }', True),
        ('if xs[i] != "b" { println() }\n\tname = xs[i]', True),
    ],
)
def test_an_element_that_is_read_again_is_as_clean_as_it_was(body: str, found: bool, tmp_path: Path) -> None:
    lists = 'xs, ys, j := r.URL.Query()["x"], r.URL.Query()["y"], len(r.URL.Path)'
    assert is_found(f"{lists}\n\tfor i := 0; i < len(xs); i++ {{ {body} }}\n\t_, _ = ys, j", tmp_path) is found
