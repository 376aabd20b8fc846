"""The literals that a value or its elements may be, however the table is kept and put together."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled

from pyrograph.scanner.analysis.label.tables import literals

PACK = """
[propagator]
flow = ["globalThis.Object.values: 0[] => ret[]"]
"""


def arguments(found: Labelled) -> list[int]:
    """The arguments of calls of ``use``, in their order."""
    calls = [row for row, result in enumerate(found.program.tables["calls"]["result"]) if is_use(found, int(result))]
    return [found.facts.arg_value[row] for call in calls for row in found.facts.args.of(call)]


def is_use(found: Labelled, result: int) -> bool:
    return found.text(result).startswith("use(")


LISTED = {
    "a list": "const list = [{ a: 1 }, { b: 2 }]; use(list)",
    "a name": "const one = { a: 1 }, two = { b: 2 }; const list = [one, two]; use(list)",
    "spread": "const some = [{ a: 1 }]; use([...some, { b: 2 }])",
    "values of a table": "const table = { x: { a: 1 }, y: { b: 2 } }; use(Object.values(table))",
    "a function's result": "function make() { return [{ a: 1 }, { b: 2 }] }; use(make())",
    "a parameter": "function run(list) { use(list) }; run([{ a: 1 }, { b: 2 }])",
    "a choice": "use(q ? [{ a: 1 }] : [{ b: 2 }])",
}


@pytest.mark.parametrize("code", LISTED.values(), ids=LISTED)
def test_elements_of_a_list_are_found(code: str) -> None:
    found = labelled(code, PACK, "javascript")
    (argument,) = arguments(found)
    texts = [found.text(literal) for literal in literals(found.facts, argument, elements=True)]
    assert sorted(texts) == ["{ a: 1 }", "{ b: 2 }"]


def test_an_element_of_a_loop_is_each_of_them_and_a_literal_itself() -> None:
    code = "for (const each of [{ a: 1 }, { b: 2 }]) use(each); use({ c: 3 }); use(unknown)"
    found = labelled(code, PACK, "javascript")
    texts = [[found.text(literal) for literal in literals(found.facts, each)] for each in arguments(found)]
    assert texts == [["{ a: 1 }", "{ b: 2 }"], ["{ c: 3 }"], []]
