"""A call of one program runs no method that only another program of the tree links."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved

FILES = {
    "cmd/a/main.go": 'package main\nimport "example.org/m/api"\nfunc main() { api.Run(nil) }\n',
    "cmd/b/main.go": 'package main\nimport "example.org/m/agent"\nfunc main() { agent.New() }\n',
    "api/api.go": "package api\ntype Store interface { Save() }\nfunc Run(s Store) { s.Save() }\n",
    "agent/agent.go": "package agent\ntype S struct{}\nfunc New() *S { return &S{} }\nfunc (s *S) Save() {}\n",
}


@pytest.mark.parametrize(
    ("changed", "saves"),
    [
        ({}, False),
        (
            {"cmd/a/main.go": FILES["cmd/a/main.go"].replace("import", 'import _ "example.org/m/agent"\nimport', 1)},
            True,
        ),
        ({"cmd/b/main.go": "package b\n"}, True),  # a library, whose users are elsewhere
        (
            {
                "cmd/b/main.go": "package b\n",
                "init/init.go": 'package init\nimport "example.org/m/agent"\nfunc New() { agent.New() }\n',
            },
            True,  # the name of a function that runs by itself is none of a program
        ),
    ],
)
def test_an_interface_is_implemented_by_what_is_linked_with_it(changed: dict[str, str], saves: bool) -> None:
    program, resolution = resolved({**FILES, **changed}, "go")
    names = program.tables["functions"]["name"]
    assert ("Save" in {program.strings[names[target.function]] for target in resolution.targets}) == saves
