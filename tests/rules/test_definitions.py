"""What texts declare of the arguments of functions, by the notation that they are written in."""

from __future__ import annotations

from typing import Any

import pytest

from pyrograph.rules.definitions import DEFINITIONS, LISTED, UNKNOWN, Definitions


def read(text: str) -> Definitions:
    found = Definitions({}, {}, {})
    DEFINITIONS["sdl"].read(text, found)
    return found


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("book(id: ID!): Book", {"book": [{"id": "ID"}]}),
        ("type Query { a(x: [[Int!]!]! = [1, 2] y: Kind = OPEN): A, b: B }", {"a": [{"x": "Int", "y": "Kind"}]}),
        ("a(x: In = {k: [1], l: {m: 2}} @d(r: 1) @e, y: JSON): A", {"a": [{"x": "In", "y": "JSON"}]}),
        ('a(\n"x (the first: one"\nx: Int # y: (\n"""of "many": (a""" z: Int): A', {"a": [{"x": "Int", "z": "Int"}]}),
        ("a(x: Int): A a(x: Date): A", {"a": [{"x": "Int"}, {"x": "Date"}]}),
        ("a(x: Int, \0): A", {"a": [None]}),  # a hole
        ("a(x: \0): A", {"a": [None]}),
        ("a(x: Int = \0): A", {"a": [None]}),
        ("\0Add(x: Int): A", {}),  # a part of the name is a hole
        ("a(x: Int, x: Date): A", {"a": [None]}),
        ("a(): A", {"a": [{}]}),
        ("a(x: Int: A", {}),
        ("a(x: Int]): A", {}),
        ("query a($x: Int) { a(x: $x) { b: c(y: 1) { d } } }", {}),  # asks, and declares nothing
        ("directive @d(r: Role = ADMIN) on FIELD_DEFINITION", {}),
    ],
)
def test_declarations_of_fields(text: str, fields: dict[str, Any]) -> None:
    assert read(text).fields == fields


def test_declarations_of_types() -> None:
    found = read('enum Kind { A B } scalar Date input In { "what (" a: Int! = 1, b: [In] } extend input In { c: Date }')
    assert found.scalars == {"Kind": {LISTED}, "Date": {UNKNOWN}}
    assert found.objects == {"In": [{"a": "Int", "b": "In"}, {"c": "Date"}]}
    assert read("input In @d { a: Int } input Of { \0 }").objects == {"In": [None], "Of": [None]}
