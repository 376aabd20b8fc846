"""What stands for another export's data is what that export of the same file returns."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled

CODE = """\
const lib = require("lib");
export async function load(x) { return { data: x, other: 1 }; }
export function Page() { return lib.useData(); }
Page.find = (y) => ({ data: y });
export class Old { static find(z) { return z; } }
"""


def supplied(fact: str, code: str = CODE) -> tuple[set[tuple[str, str, str]], set[tuple[str, str]]]:
    """The added loads, and the edges that forget their calling context: ends as texts, and the key."""
    program, resolution = modelled(code, "javascript", ["lib.useData:"], [("supplied", fact)])
    values, functions = program.tables["values"], program.tables["functions"]
    names = dict(zip(functions["result"].tolist(), functions["name"].tolist(), strict=True))

    def text(value: int) -> str:
        if value in names:
            return program.strings[names[value]] if names[value] >= 0 else "<function>"
        return code.encode()[values["start"][value] : values["end"][value]].decode()

    loads = {(text(result), text(obj), program.strings[key]) for result, obj, key in resolution.flows.loads}
    return loads, {(text(origin), text(target)) for origin, target in resolution.flows.context_free_edges}


def test_a_result_stands_for_a_key_of_what_an_export_returns() -> None:
    loads, _ = supplied("lib.useData() : 'load().data'")
    assert ("lib.useData()", "load", "data") in loads


def test_a_result_stands_for_all_that_an_export_returns() -> None:
    _, edges = supplied("lib.useData() : 'load()'")
    assert ("load", "lib.useData()") in edges


@pytest.mark.parametrize("fact", ["lib.useData() : 'Page.find().data'", "lib.useData() : 'Old.find().data'"])
def test_the_function_may_be_kept_in_what_is_exported(fact: str) -> None:
    loads, _ = supplied(fact)
    assert {(result, key) for result, _, key in loads} == {("lib.useData()", "data")}


@pytest.mark.parametrize("fact", ["lib.useData() : 'save().data'", "lib.other() : 'load().data'"])
def test_other_exports_and_other_calls_are_not_joined(fact: str) -> None:
    loads, _ = supplied(fact)
    assert not [each for each in loads if each[0] == "lib.useData()"]
