"""The files of a package share their names; a dot import is of one file."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import resolved


def test_a_dot_import_of_go_brings_nothing_into_the_package() -> None:
    files = {
        "a/a.go": 'package a\nimport . "example.org/m/b"\nvar X = F\n',
        "b/b.go": "package b\nfunc F() {}\nfunc G() {}\n",
        "main.go": 'package main\nimport "example.org/m/a"\nfunc main() { a.G() }\n',
    }
    assert not resolved(files, "go")[1].targets
