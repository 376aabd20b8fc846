"""Texts that end in a constant or in something random: in all of their definitions, whoever passes them."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.random_endings import ends_unlike_others

RULES = '[propagator]\nflow = ["web.join: * -> ret", "builtins.str: 0 -> ret"]\n'
FOLDERS = """import tempfile, uuid, web

class Space:
    def __init__(self, name, drawn):
        self.folder = web.join("/srv", f"{name}-{uuid.uuid4().hex}")
        self.shelf = web.join("/srv", name)
        self.copy = ""

def copied(space):
    space.copy = web.join("/srv", str(uuid.uuid4()))
    other.copy = space.copy

def either(a, b):
    return web.join("/srv", uuid.uuid4().hex if b else a)

def f(a, b):
    use({code})
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("'/srv'", True),
        ("a", False),
        ("uuid.uuid4().hex", True),
        ("str(uuid.uuid4())", True),
        ("f'{a}_{uuid.uuid4()}'", True),
        ("f'{uuid.uuid4()}_{a}'", False),
        ("tempfile.mkdtemp(prefix=a)", True),
        ("tempfile.gettempdir() + a", False),
        ("uuid.validate(a)", False),
        ("either(a, b)", False),
        ("a.folder", True),
        ("a.shelf", False),
        ("a.copy", True),
        ("a.name", False),
        ("a['name']", False),
    ],
)
def test_a_text_ends_unlike_others_if_all_of_its_definitions_do(code: str, expected: bool) -> None:
    found = labelled(FOLDERS.replace("{code}", code), RULES)
    facts = found.facts
    (argument,) = (facts.arg_value[row] for row in facts.args.of(found.call(f"use({code})")))
    assert ends_unlike_others(facts, argument) is expected
