"""Texts whose end the program fixes: in all of their definitions, whoever passes them."""

from __future__ import annotations

import re

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.fixed_endings import always_ends_so

RULES = '[propagator]\nflow = ["web.join: * -> ret"]\n'
STYLES = """import web

def path_of(a):
    return web.join("/srv", a + ".css")

def either(a, b):
    if b:
        return a + ".css"
    return a + ".json"

def passed(p):
    use(p)

def f(a, b):
    use({code})
    passed(a + ".css")
    passed(b + ".scss")
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("'a.css'", True),
        ("a", False),
        ("a + '.css'", True),
        ("a + '.css' + b", False),
        ("'.css' + a", False),
        ("f'/srv/{a}.css'", True),
        ("'/srv/{}.css'.format(a)", True),
        ("a + ('.css' if b else '.scss')", True),
        ("a + ('.css' if b else '.json')", False),
        ("path_of(a)", True),
        ("either(a, b)", False),
        ("web.join('/srv', a + '.css')", True),
        ("web.join(a + '.css', b)", False),
        ("(a + '.css').replace('.css', '.json')", False),
        ("unknown(a + '.css')", False),
        ("a.name", False),
        ("a['name']", False),
    ],
)
def test_a_text_always_ends_so_if_all_of_its_definitions_do(code: str, expected: bool) -> None:
    found = labelled(STYLES.replace("{code}", code), RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    assert always_ends_so(facts, argument, re.compile(r"\.s?css\Z")) is expected


def test_a_parameter_ends_so_if_all_arguments_of_its_calls_do() -> None:
    found = labelled(STYLES.replace("{code}", "a"), RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call("use(p)")))
    assert always_ends_so(facts, argument, re.compile(r"\.s?css\Z"))
    assert not always_ends_so(facts, argument, re.compile(r"\.css\Z"))
