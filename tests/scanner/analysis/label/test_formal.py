"""A library's check of the form of a value is no doubt; a part of it that no pack lists is one, of its field."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.label.formal import doubted_fields, formal_checks

RULES = """
[type]
formal = ["lib.check(1+)", "lib.field(1+)", "lib.table(0)", "lib.url", "lib.some", "lib.some#at(this)"]
returns = ["lib.some() : lib.some", "lib.some#at() : lib.some"]
"""


def doubted(call: str) -> set[str] | None:
    """The fields of which ``lib.check`` may prove more than the form; None: of any."""
    code = f"import lib, other\ndef own(x): return x in other.known\nshared = lib.some().at(1)\n{call}\n"
    found = labelled(code, RULES)
    facts, names = found.facts, found.program.strings
    checks = [call for call, node in facts.resolution.api_calls if facts.apis["python"].paths[node][-1] == "check"]
    assert len(checks) == 1
    fields = doubted_fields(facts, checks[0])
    assert (checks[0] in formal_checks(facts)) == (NONE not in fields)
    return None if NONE in fields else {names[each] for each in fields}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("lib.check(data)", set()),
        ("lib.check(data, lib.url)", set()),
        ("lib.check(data, lib.url, lib.some(1, 20))", set()),
        ("lib.check(data, shared)", set()),
        ("lib.check(data, own)", None),
        ("lib.check(data, lib.url, other.rule)", None),
        ("lib.check(data, lib.field(data.a, lib.url), lib.field(data.b, lib.some()))", set()),
        ("lib.check(data, lib.field(data.a, lib.url), lib.field(data.b, own))", {"b"}),
        ("lib.check(data, lib.field('a', own))", {"a"}),
        ("lib.check(data, lib.table({'a': lib.url, 'b': lib.some().at(2)}))", set()),
        ("lib.check(data, lib.table({'a': lib.url, 'b': own}))", {"b"}),
        ("lib.check(data, lib.table({'a': lib.url, 'b': [lib.url, other.rule]}))", {"b"}),
        ("lib.check(data, other.some().at(1))", None),
    ],
)
def test_only_listed_parts_are_known(call: str, expected: set[str] | None) -> None:
    assert doubted(call) == expected
