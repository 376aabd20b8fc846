"""Declared types of methods decide which types implement an interface; ``fixtures/flows/go`` has the flows."""

from __future__ import annotations

import pytest

from pyrograph.ir.codes import SIDES, TYPES, UNKNOWN_TYPE
from pyrograph.scanner.analysis.resolve.signatures import Method, Signatures

DECLARED = {"User": {"app", "store"}, "Group": {"app"}}


def differ(one: str, other: str) -> bool:
    """Whether methods of the package ``app`` with these parameters cannot have the same type, whichever is first."""
    signatures = Signatures.__new__(Signatures)  # the comparison alone: no program
    signatures.of, signatures.declared = {}, DECLARED
    methods: list[Method] = [("app", TYPES.join(each.split(", ")) + SIDES + "error") for each in (one, other)]
    answers = {signatures.differ(*methods), signatures.differ(*reversed(methods))}
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
