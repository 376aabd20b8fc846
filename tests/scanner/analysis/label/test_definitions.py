"""What values may be: definitions of variables, attributes and parameters, elements of tables and lists."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.scanner.analysis.label.definitions import definitions, listed, made_where, objects_before


def argument(found: Labelled, name: str = "use") -> int:
    """The first argument of the call of ``name``."""
    facts = found.facts
    (call,) = (row for row in range(len(facts.call_result)) if found.text(facts.call_callee[row]) == name)
    return facts.arg_value[facts.args.of(call)[0]]


def constants(found: Labelled, values: list[int]) -> list[str]:
    return sorted(text for text in map(found.facts.constant, values) if text is not None)


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("use('a')", ["'a"]),
        ("p = 'a' if c else 'b'\nuse(p)", ["'a", "'b"]),
        ("def f(p):\n    use(p)\nf('a')", ["'a"]),
        ("def f(p):\n    use(p)\nf('a')\nf('b')", []),
        ("T = {'k': 'a', 'l': 'b'}\ndef f():\n    use(T['k'])", ["'a"]),
        ("T = {'k': 'a', 'l': 'b'}\ndef f(x):\n    use(T[x])", ["'a", "'b"]),
        ("class C:\n    P = 'a'\n    def f(self):\n        use(self.P)", ["'a"]),
        ("class C:\n    def __init__(self):\n        self.p = 'a'\n    def f(self):\n        use(self.p)", ["'a"]),
    ],
)
def test_definitions_through_merges_tables_attributes_and_single_calls(code: str, texts: list[str]) -> None:
    found = labelled(f"{code}\n")
    assert constants(found, made_where(found.facts, argument(found))) == texts


@pytest.mark.parametrize(
    ("code", "one", "all_calls"),
    [
        ("p = a if c else 'b'\nuse(p)", 2, 2),
        ("def f(p):\n    use(p)\nf([1])", 1, 1),
        ("def f(p):\n    use(p)\nf([1])\nf([2])", 0, 2),
        ("P = [1]\ndef f():\n    use(P)\ndef g():\n    return P", 1, 1),
        ("use([1])", 0, 0),
    ],
)
def test_a_parameter_has_a_definition_if_there_is_one_call(code: str, one: int, all_calls: int) -> None:
    found = labelled(f"{code}\n")
    rep = found.facts.rep[argument(found)]
    assert (len(definitions(found.facts, rep)), len(objects_before(found.facts, rep))) == (one, all_calls)


@pytest.mark.parametrize(
    ("code", "texts", "count"),
    [("('/', '..')", ["'..", "'/"], 2), ("('/', root)", ["'/"], 2), ("'/'", [], 0), ("('/',) * 2", [], 0)],
)
def test_what_a_literal_lists(code: str, texts: list[str], count: int) -> None:
    found = labelled(f"use({code})\n")
    values = listed(found.facts, argument(found))
    assert (constants(found, values), len(values)) == (texts, count)


def test_the_stores_under_a_key_are_those_under_it_and_under_one_that_is_not_known() -> None:
    fields = "".join(f"t['f{each}'] = {each}\n" for each in range(20))
    found = labelled(f"t = {{}}\n{fields}t[x] = 'any'\nt['f3'] = 'again'\nuse(t)\n")
    flows, keys = found.facts.flows, found.facts.tables["stores"]["key"]
    holder = found.facts.rep[argument(found)]
    rows = flows.stores_into(holder)
    assert len(rows) == 22
    for key in {int(keys[row]) for row in rows} | {NONE}:
        assert flows.stores_at(holder, key) == [row for row in rows if int(keys[row]) in (key, UNKNOWN_KEY)]
