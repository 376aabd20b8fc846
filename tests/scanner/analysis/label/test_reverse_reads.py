"""What holds an object that a call has read changes with it; ``fixtures/flows/*/reverse-reads.md`` has the flows."""

from __future__ import annotations

import sys

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.policy.limits.labels import MAX_PLACES

MODELS = """
[propagator]
flow = [
    "builtins.list#append: 0 => this[]",
    "builtins.list: 0 => ret",
    "builtins.dict#get: this[$0] => ret",
    "builtins.dict#values: this[] => ret[]",
    "builtins.dict#copy: this => ret",
]

[type]
builtin = ["builtins.list", "builtins.dict"]
"""
HANDLER = """
import web
class Shelf:
    def __init__(self):
        self.items = []
        self.byname = {{}}
    def whole(self):
        return self.items
    def copied(self):
        return list(self.items)
    def inner(self):
        return self.whole()[0]
    def add(self):
        made = Shelf()
        self.items.append(made)
        return made
def f(rows, name, value):
{}
"""


def put_back(body: str) -> list[tuple[str, str, int]]:
    """The changed object, what holds it, and the number of keys, of each reverse read in ``f``."""
    lines = "\n".join("    " + line for line in body.split("\n"))
    found = labelled(HANDLER.format(lines), RULES + MODELS)
    flows = found.labels.kept.reads
    function = found.facts.function_of
    last = max(int(function[flow.origin]) for flow in flows) if flows else 0
    chosen = [flow for flow in flows if int(function[flow.origin]) == last]
    pairs = [next(iter(found.pairs([(flow.origin, flow.target)]))) for flow in chosen]
    return sorted({(*pair, len(flow.put)) for pair, flow in zip(pairs, chosen, strict=True)})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("rows.get(name).append(value)", [("rows.get(name)", "rows", 1)]),
        ("found = rows.get(name) or []\nfound.append(value)", [("found", "rows", 1)]),
        ("for row in rows.values():\n    row.name = value", [("row.name", "rows", 1)]),
        ("shelf = Shelf()\nshelf.whole().append(value)", [("shelf.whole()", "shelf", 1)]),
        ("shelf = Shelf()\nfirst = shelf.inner()\nfirst.name = value", [("first.name", "shelf", 2)]),
        ("shelf = Shelf()\nmade = shelf.add()\nmade.name = value", [("made.name", "shelf", 2)]),
    ],
)
def test_changes_are_put_back_under_the_keys_on_the_way(body: str, expected: list[tuple[str, str, int]]) -> None:
    assert put_back(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "rows.get(name).read(value)",
        "shelf = Shelf()\nshelf.copied().append(value)",
        "found = list(rows.values())\nfound.append(value)",
        "found = rows.copy()\nfound.append(value)",
        "found = web.get()\nfound.append(value)",
    ],
)
def test_nothing_is_put_back(body: str) -> None:
    assert not put_back(body)


def test_calls_may_be_nested_deeper_than_python_allows() -> None:
    deep = sys.getrecursionlimit()
    helpers = "def inner0(row):\n    return row.part\n"
    helpers += "".join(f"def inner{i}(row):\n    return inner{i - 1}(row)\n" for i in range(1, deep))
    found = labelled(f"{helpers}def f(row, value):\n    part = inner{deep - 1}(row)\n    part.name = value\n", RULES)
    pairs = found.pairs([(flow.origin, flow.target) for flow in found.labels.kept.reads])
    assert ("part.name", "row") in pairs


def test_a_collection_is_extended_often_and_read_often() -> None:
    """Each load of the collection may be what each call has put elsewhere; only so many places of it are kept."""
    body = "rows = []\n" + "".join(f"other{i}.append(rows.get(name))\n" for i in range(3 * MAX_PLACES))
    assert len(put_back(body + "rows.get(name).append(value)")) <= 1 + MAX_PLACES
