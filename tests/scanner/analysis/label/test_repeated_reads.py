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


DJANGO = """from django.shortcuts import redirect


def fill(data, address):
    data["r"] = address


def view(request):
    data = request.GET.copy()
    seen = {"r": request.GET["q"], "s": 1}
    %s
    return redirect("/")
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('return redirect(request.GET["r"] if request.GET.get("r", "").startswith("/a/") else "/")', False),
        ('return redirect(request.GET.get("r") if request.GET.get("r", "").startswith("/a/") else "/")', False),
        ('return redirect(request.GET.get("r") if request.GET["r"].startswith("/a/") else "/")', False),
        ('if data.get("r", "").startswith("/a/"): return redirect(data["r"])', False),
        ('if seen.get("r", "").startswith("/a/"): return redirect(seen["r"])', False),
        ('if not request.GET.get("r", "").startswith("/a/"): return redirect(request.GET["r"])', True),
        ('if request.GET.get("r", "").startswith("/a/"): return redirect(request.GET["q"])', True),
        (
            'if request.GET.get("r", "").startswith("/a/"): return redirect(request.GET.get("r", request.GET["q"]))',
            True,
        ),
        ('if request.GET.get(request.GET["q"], "").startswith("/a/"): return redirect(request.GET["r"])', True),
        ('if data.get("r", "").startswith("/a/"): fill(data, request.GET["q"]); return redirect(data["r"])', True),
        ('if data.get("r", "").startswith("/a/"): data["r"] = request.GET["q"]; return redirect(data["r"])', True),
        ('if data.get("r", "").startswith("/a/"): data = request.GET.copy(); return redirect(data["r"])', True),
    ],
)
def test_a_method_that_reads_a_key_reads_what_a_subscript_does(body: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "views.py").write_text(DJANGO % body, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], ()))
    assert bool([each for each in report.findings if each.rule_id == "python/open-redirect"]) is found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('if ok(r.FormValue("n")) { name = r.FormValue("n") }', False),
        ('if !ok(r.FormValue("n")) { return }\n\tname = r.FormValue("n")', False),
        ('if err := refuse(r.FormValue("n")); err != nil { return }\n\tname = r.FormValue("n")', False),
        ('if ok(r.FormValue("n")) { name = r.FormValue("m") }', True),
        ('if !ok(r.FormValue("n")) { name = r.FormValue("n") }', True),
        ('if ok(r.FormValue("n")) { w.WriteHeader(200) }\n\tname = r.FormValue("n")', True),
        ('if any(r.FormValue("n")) { name = r.FormValue("n") }', True),
    ],
)
def test_what_a_function_checked_holds_for_the_second_read(body: str, found: bool, tmp_path: Path) -> None:
    functions = """
func ok(n string) bool { if n == "b" { return true }; return false }
func any(n string) bool { if n == "b" { return true }; return n != "c" }
func refuse(n string) error { if n != "b" { return http.ErrBodyNotAllowed }; return nil }
"""
    (tmp_path / "more.go").write_text('package main\n\nimport "net/http"\n' + functions, encoding="utf-8")
    assert is_found(body, tmp_path) is found
