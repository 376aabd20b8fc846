"""What stands before the first hole of a format with a name, and which values fill holes."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled, vulnerability

from pyrograph.scanner.analysis.label.formats import beginnings, named_formats

CODE = """import web

FIXED = "https://a.org/{{}}"
OPEN = "https://{{}}/"
OLD = "https://a.org/%s"

def f(several):
    x = web.get()
    for each in several:
        FORMAT = FIXED if each else "https://b.org/{{}}"
    LATER = None
    if several:
        LATER = "https://c.org/{{}}"
    CHOSEN = None if several else "https://c.org/{{}}"
    for ANY in ["https://a.org/{{}}", "https://d.org/x?{{}}"]:
        web.run({code})
"""


@pytest.mark.parametrize(
    ("code", "expected", "is_harmless"),
    [
        ("OLD % x", {"https://a.org/"}, True),
        ("OPEN.format(x)", {"https://"}, False),
        ("x.format(several)", {""}, False),
        ("FORMAT.format(x)", {"https://a.org/", "https://b.org/"}, True),
        ("LATER.format(x)", {"https://c.org/"}, True),
        ("CHOSEN.format(x)", {"https://c.org/"}, True),
        ("ANY.format(x)", {"https://a.org/", "https://d.org/x?"}, True),
    ],
)
def test_what_fills_a_hole_is_harmless_after_each_beginning(code: str, expected: set[str], is_harmless: bool) -> None:
    found = labelled(CODE.format(code=code), vulnerabilities=(vulnerability(safe_text="https://[^/\0]+/"),))
    formats = [each for each in named_formats(found.facts) if found.text(each[0]) == code]
    assert [set(beginnings(found.facts, written, opening)) for _, written, opening, _ in formats] == [expected]
    ((value, _, _, parts),) = formats
    assert {bool(found.labels.harmless_parts.get((part, value))) for part in parts} == {is_harmless}
