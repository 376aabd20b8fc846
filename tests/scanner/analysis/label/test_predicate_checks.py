"""Calls whose truth is tested."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.guarded import clean_sides

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SEEN = """package main

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

func show(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("name")
	rel, err := filepath.Rel("/srv", name)
	if err != nil || strings.Contains(name, "..") {
		return
	}
	if CHECK && !fs.ValidPath("") {
		os.ReadFile(name)
	}
}

func main() { http.HandleFunc("/", show) }
"""


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("web.ok(x)", "call web.ok(0)", (True, False)),
        ("not web.ok(x)", "call web.ok(0)", (False, True)),
        ("web.ok(x)", "! call web.ok(0)", (False, True)),
        ("web.no(x)", "call web.ok(0)", (False, False)),
        ("web.ok(y, x)", "call web.ok(0)", (False, False)),
        ("web.ok(x)", "call web.ok(0) when 1 == 'a'", (False, False)),
        ("web.ok(x, 'a')", "call web.ok(0) when 1 == 'a'", (True, False)),
    ],
)
def test_a_predicate_proves_something_of_the_argument_that_its_guard_names(
    test: str, guard: str, clean: tuple[bool, bool]
) -> None:
    assert clean_sides(test, guard) == clean


@pytest.mark.parametrize(("test", "clean"), [("web.Ok(x)", True), ("web.No(x)", False)])
def test_the_first_of_several_results_is_the_answer(test: str, clean: bool) -> None:
    assert clean_sides(test, "call web.Ok(0)", language="go") == (clean, False)


@pytest.mark.parametrize(("guard", "clean"), [("call web.ok(0)", (True, False)), ("! call web.ok(0)", (False, True))])
def test_a_predicate_proves_of_a_path_seen_from_a_folder_that_it_does_not_climb(
    guard: str, clean: tuple[bool, bool]
) -> None:
    assert clean_sides("web.ok(web.seen(x))", guard, "! prefix web.seen(0) '..'") == clean


@pytest.mark.parametrize(
    ("check", "found"), [("filepath.IsLocal(rel)", False), ("!filepath.IsAbs(rel)", True), ("fs.ValidPath(rel)", False)]
)
def test_a_predicate_of_one_aspect_says_nothing_of_what_was_seen_from_a_folder(
    check: str, found: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.go").write_text(SEEN.replace("CHECK", check), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    assert bool(scanner.scan(options, load_rules(["go"], ())).findings) is found
