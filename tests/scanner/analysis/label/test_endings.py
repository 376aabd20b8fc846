"""How texts end: constants, separators of libraries, merges, functions, and calls that keep an end."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.endings import ends_so, separated

RULES = '[type]\nseparators = ["web.sep"]\nparents = ["web.up"]\njoining = ["web.join()"]\n'
CODE = """import web

ROOT = web.root()
SLASHED = ROOT + "/"

def slashed(folder):
    if not folder.endswith("/"):
        folder += "/"
    return folder

def f(a, b):
    use({code})
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("'/srv/'", True),
        ("'/srv'", False),
        ("a", False),
        ("a + '/'", True),
        ("a + '/x'", False),
        ("'/' + a", False),
        ("f'{a}/'", True),
        ("a + web.sep", True),
        ("web.sep + a", False),
        ("SLASHED", True),
        ("ROOT", False),
        ("slashed(a)", True),
        ("unknown(a)", False),
        ("web.join(a, '')", True),
        ("web.join(a, b)", False),
        ("web.join(a, web.sep)", True),
        ("web.join('/', a)", False),
        ("a if a.endswith('/') else a + '/'", True),
        ("a if b else b", False),
    ],
)
def test_a_text_ends_in_a_separator_if_one_of_its_definitions_does(code: str, expected: bool) -> None:
    found = labelled(CODE.replace("{code}", code), RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    assert ends_so(facts, argument, r"[/\\]$") is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("'..' + web.sep", "../"),
        ("f'..{web.sep}'", "../"),
        ("a + web.sep", None),
        ("'..' + a", None),
        ("'../'", None),
        ("web.up", ".."),
        ("web.sep", "/"),
    ],
)
def test_a_separator_of_a_library_is_a_slash_behind_constant_text(code: str, expected: str | None) -> None:
    found = labelled(CODE.replace("{code}", code), RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    assert separated(facts, argument) == expected
