"""The files of a package share their names; a dot import is of one file."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved


def test_a_dot_import_of_go_brings_nothing_into_the_package() -> None:
    files = {
        "a/a.go": 'package a\nimport . "example.org/m/b"\nvar X = F\n',
        "b/b.go": "package b\nfunc F() {}\nfunc G() {}\n",
        "main.go": 'package main\nimport "example.org/m/a"\nfunc main() { a.G() }\n',
    }
    assert not resolved(files, "go")[1].targets


@pytest.mark.parametrize("declared", ["func F() {}", "var F = func() {}"])
def test_files_of_a_package_share_their_names_and_those_of_others_do_not(declared: str) -> None:
    user = "package a\nfunc g() { F() }\n"
    assert len(resolved({"a/a.go": user, "a/b.go": f"package a\n{declared}\n"}, "go")[1].targets) == 1
    assert not resolved({"a/a.go": user, "b/b.go": f"package b\n{declared}\n"}, "go")[1].targets


def test_a_variable_of_a_package_holds_what_another_package_assigns() -> None:
    files = {
        "a/a.go": "package a\nvar Hook func()\nfunc Run() { Hook() }\n",
        "main.go": 'package main\nimport "example.org/m/a"\nfunc own() {}\nfunc main() { a.Hook = own }\n',
    }
    program, resolution = resolved(files, "go")
    names = program.tables["functions"]["name"]
    assert {program.strings[names[t.function]] for t in resolution.targets} == {"own"}
