"""The first version of a value, before conditions, calls and stores."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.versions import first_version

CODE = """
import web
def f(y):
    x = web.get()
    {}
    web.run(x)
"""


@pytest.mark.parametrize(
    ("body", "before_stores", "is_first"),
    [
        ("pass", False, True),
        ("web.log(x)", False, True),
        ("if not x:\n        return", False, True),
        ("if x != y:\n        return\n    web.log(x)", False, True),
        ("x.name = y", True, True),
        ("x.name = y\n    web.log(x)\n    x.place = y", True, True),
        ("x = x + y", True, False),
    ],
)
def test_versions_lead_back_to_what_was_made(body: str, before_stores: bool, is_first: bool) -> None:
    found = labelled(CODE.format(body))
    facts = found.facts
    row = next(row for row in facts.args.of(found.call("web.run(x)")) if facts.arg_position[row] == 0)
    value = first_version(facts, facts.arg_value[row], before_stores=before_stores)
    assert (found.text(value) == "web.get()") == is_first
