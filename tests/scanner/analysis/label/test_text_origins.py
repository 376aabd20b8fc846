"""The texts that a value was made from: through calls that pass text on, and loads from the result of a call."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.scanner.analysis.label.text_origins import (
    captured_text,
    holder_of,
    made_from,
    roots_of,
    transforming_call,
)

RULES = '[propagator]\nflow = ["web.strip: 0 -> ret", "web.join: *[] -> ret; 1 -> ret", "web.store: 0 -> ret[a]"]\n'


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a", ["a"]),
        ("web.strip(a)", ["web.strip(a)", "a"]),
        ("web.strip(web.strip(a))", ["web.strip(web.strip(a))", "web.strip(a)", "a"]),
        ("web.join(a, b)", ["web.join(a, b)", "a", "b"]),
        ("web.store(a)", ["web.store(a)"]),
        ("unknown(a)", ["unknown(a)"]),
    ],
)
def test_origins_are_nearest_first_and_of_calls_that_pass_text_on(code: str, expected: list[str]) -> None:
    found = labelled(f"import web\ndef f(a, b):\n    use({code})\n", RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    made = made_from(facts, facts.rep[argument])
    assert [found.text(value) for value in made][:1] == expected[:1]
    assert sorted(found.text(value) for value in made) == sorted(expected)
    assert made_from(facts, facts.rep[argument]) is made, "remembered"


def test_only_some_calls_back_are_looked_at() -> None:
    nested = "a"
    for _ in range(MAX_GUARD_SLICE + 3):
        nested = f"web.strip({nested})"
    found = labelled(f"import web\ndef f(a):\n    use({nested})\n", RULES)
    made = made_from(found.facts, found.facts.rep[found.value(nested, Op.CALL)])
    assert len(made) == MAX_GUARD_SLICE + 1
    assert "a" not in found.texts(made)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("eq", 2), ("in", 2), ("match", 2), ("dotted", 2), ("prefix", 1), ("suffix", 1), ("contains", 1), ("call", 1)],
)
def test_a_beginning_or_a_part_says_nothing_of_what_the_text_was_made_from(kind: str, expected: int) -> None:
    found = labelled("import web\ndef f(a):\n    use(web.strip(a))\n", RULES)
    assert len(roots_of(found.facts, found.value("web.strip(a)", Op.CALL), kind)) == expected


@pytest.mark.parametrize(
    ("code", "steps", "call"),
    [
        ("web.parse(a)", (), "web.parse(a)"),
        ("web.parse(a).host", ("host",), "web.parse(a)"),
        ("web.parse(a).host", ("path",), None),
        ("web.parse(a).host", (), None),
        ("web.parse(a)['k'].host", ("[k]", "host"), "web.parse(a)"),
        ("web.parse(a).lower()", ("lower", "()"), "web.parse(a)"),
        ("web.parse(a)[a].host", ("[k]", "host"), None),
        ("a.host", ("host",), None),
    ],
)
def test_the_call_from_whose_result_a_value_was_loaded(code: str, steps: tuple[str, ...], call: str | None) -> None:
    found = labelled(f"import web\ndef f(a):\n    use({code})\n", RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    parts: list[int] = []
    value = transforming_call(facts, facts.rep[argument], steps, parts)
    assert (None if value == NONE else found.text(value)) == call
    if call is not None:
        assert len(parts) == sum(step != "()" for step in steps)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("web.strip(a)", {"web.strip(a)", "a"}),
        ("web.basename(a)", {"web.basename(a)"}),
        ("web.first(a)", {"web.first(a)"}),
        ("web.strip(web.basename(a))", {"web.strip(web.basename(a))", "web.basename(a)"}),
    ],
)
def test_a_test_of_a_part_is_none_of_the_whole(code: str, expected: set[str]) -> None:
    rules = '[propagator]\nflow = ["web.{strip,basename}: 0 -> ret", "web.first: 0[] => ret"]\n'
    found = labelled(f"import web\ndef f(a):\n    use({code})\n", rules)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    assert {found.text(value) for value in roots_of(facts, argument, "eq")} == expected


@pytest.mark.parametrize(
    ("code", "steps", "between"),
    [
        ("a.host", ("host",), ["a"]),
        ("a.url.host", ("url", "host"), ["a", "a.url"]),
        ("a.host", ("path",), []),
        ("a.host", ("zone",), []),
        ("a.path", ("host",), []),
        ("web.parse(a).host", ("host",), []),
    ],
)
def test_what_lies_between_a_part_and_the_object_that_no_call_made(
    code: str, steps: tuple[str, ...], between: list[str]
) -> None:
    found = labelled(f"import web\ndef f(a):\n    use({code})\n    a.zone, a.apex\n", RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    assert found.texts(holder_of(facts, facts.rep[argument], steps)) == between


def test_a_captured_text_is_the_only_one_outside() -> None:
    code = "def f(a, b):\n    x = web.get()\n    y = web.get()\n    {}\n    def g():\n        use(x, y)\n"
    for line, expected in (("pass", ["web.get()"]), ("if a:\n        x = b", [])):
        found = labelled(code.format(line), RULES, everywhere=True)
        facts = found.facts
        first = facts.arg_value[facts.args.of(found.call("use(x, y)"))[0]]
        assert found.texts(captured_text(facts, facts.rep[first])) == expected
