"""How texts begin, whichever of their definitions holds."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

TIDY = RULES + '[type]\nseparators = ["web.sep"]\n[sanitizer]\ndanger = ["web.tidy() when 0 begins \'/\'"]\n'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = '/' + x", True),
        ("if c: x = '/' + x", False),
        ("x = 'a' + x", False),
        ("x = web.sep + x", True),
        ("x = web.other + x", False),
        ("x = x + web.sep", False),
    ],
)
def test_a_text_begins_so_if_each_definition_of_it_does(body: str, *, expected: bool) -> None:
    found = labelled(f"import web\ndef f(c):\n    x = web.get()\n    {body}\n    web.run(web.tidy(x))\n", TIDY)
    assert found.labels.sinks
    assert all(bool(found.labels.clean.get(role.value, 0) & 1) is expected for role in found.labels.sinks)


TESTED = TIDY.replace("separators", 'builtin = ["builtins.str"]\nseparators')
TESTED += '[propagator]\nflow = ["builtins.str#startswith:"]\n'


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("not x.startswith('/')", True),
        ("not x.startswith('/a')", True),
        ("x.startswith('/')", False),
        ("not x.startswith('a')", False),
        ("not x.startswith(c)", False),
        ("not c.startswith('/')", False),
        ("x[0] != '/'", True),
        ("x[1] != '/'", False),
    ],
)
def test_behind_a_test_a_text_begins_so(test: str, *, expected: bool) -> None:
    code = f"import web\ndef f(c):\n    x = web.get()\n    if {test}:\n        return\n    web.run(web.tidy(x))\n"
    found = labelled(code, TESTED)
    assert found.labels.sinks
    assert all(bool(found.labels.clean.get(role.value, 0) & 1) is expected for role in found.labels.sinks)
