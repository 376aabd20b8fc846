"""Declared types of methods decide which types implement an interface; ``fixtures/flows/go`` has the flows."""

from __future__ import annotations

from functools import cache

import pytest

from pyrograph.ir.codes import SIDES, TYPES, UNKNOWN_TYPE
from pyrograph.parsers import lower
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.signatures import Method, Signatures
from pyrograph.scanner.analysis.resolve.solver import Solver

FILES = {
    "app/app.go": "package app\ntype User struct{}\ntype Group struct{}\n",
    "store/store.go": "package store\ntype User struct{}\n",
}


@cache
def signatures() -> Signatures:
    """Those of a program that declares three types."""
    units = [lower(text.encode(), "go") for text in FILES.values()]
    program = link(list(FILES), units, {"go.mod": b"module example.com\n"})
    return Signatures(Solver(program, {"go": Apis([], low=False)}))


def differ(one: str, other: str) -> bool:
    """Whether methods of the package ``app`` with these parameters cannot have the same type, whichever is first."""
    methods: list[Method] = [("app", TYPES.join(each.split(", ")) + SIDES + "error") for each in (one, other)]
    answers = {signatures().differ(*methods), signatures().differ(*reversed(methods))}
    assert len(answers) == 1
    return answers.pop()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("string", "int"),
        ("string", "string, string"),
        ("* .User", ".User"),
        (".User", ".Group"),
        (".User", "example.com/store.User"),
        ("slice_type string", "slice_type int"),
        ("map string * .User", "map string * .Group"),
    ],
)
def test_types_that_cannot_be_the_same_differ(one: str, other: str) -> None:
    assert differ(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("string", "string"),
        ("* .User", "* example.com/app.User"),
        (".Alias", "string"),  # no type of the program: it may be an alias
        ("github.com/lib.Key", "slice_type string"),
        (UNKNOWN_TYPE, "map string int"),
        ("map string .Alias", "map string * .User"),
    ],
)
def test_types_that_may_be_the_same_do_not_differ(one: str, other: str) -> None:
    assert not differ(one, other)
