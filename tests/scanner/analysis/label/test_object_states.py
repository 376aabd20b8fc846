"""Which object, and which version of a variable, a value is a later state of."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, labelled

from pyrograph.scanner.analysis.label.object_states import object_of, unconditional

CODE = """
const web = require("web");
function f(o, other, key) {
  %s
  return o.last;
}
f({}, {}, "a");
"""


def states(body: str) -> tuple[bool, bool]:
    """Whether the object of ``o.last`` is the parameter ``o``: its object, its version."""
    found = labelled(CODE % body, SOURCE, "javascript")
    facts = found.facts
    (parameter,) = [each for each in facts.tables["parameters"]["value"].tolist() if found.text(each) == "o"]
    (row,) = [
        row for row, key in enumerate(facts.tables["loads"]["key"].tolist()) if facts.program.strings[key] == "last"
    ]
    value = int(facts.tables["loads"]["object"][row])
    return object_of(facts, value) == int(facts.rep[parameter]), unconditional(facts, value) == parameter


@pytest.mark.parametrize(
    ("body", "same_object", "same_version"),
    [
        ("", True, True),
        ("if (o) { web.log(key); }", True, True),
        ("if (!o) return;", True, True),
        ("for (const each of other) { web.log(each); }", True, True),
        ("o.a = 1;", True, False),
        ("web.fill(o);", True, False),
        ("for (const each of other) { o[each] = 1; }", True, False),
        ("o = other;", False, False),
        ("if (key) { o = other; }", False, False),
    ],
)
def test_states_of_an_object_and_versions_that_conditions_make(
    body: str, same_object: bool, same_version: bool
) -> None:
    assert states(body) == (same_object, same_version)
