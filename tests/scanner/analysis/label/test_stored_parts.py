"""Checks of parts that the program itself put into an object."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

GUARD = RULES + '[guard]\ndanger = ["eq"]\n'
CHECK = """
import web
def asked(r):
    return web.other(r.b.c)
def handed(r):
    web.other(r.b)
    asked(r)
def replaced(r):
    renew(r.b)
def renew(b):
    b.a = web.get()
def said(r, text):
    renew(text)
def said_last(text, r):
    renew(r)
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("o = {'a': web.get()}\n    if o['a'] != 'x': return\n    web.run(o['a'])", True),
        ("o = {'a': web.get()}\n    if o['a'] != 'x': web.other(o)\n    web.run(o['a'])", False),
        (
            "v = web.get()\n    o = {'a': v}\n    o['a'] = web.get()\n    if v != 'x': return\n    web.run(o['a'])",
            False,
        ),
        ("r.b.a = web.get()\n    if r.b.a != 'x': return\n    asked(r)\n    web.run(r.b.a)", True),
        ("r.b.a = web.get()\n    if r.b.a != 'x': return\n    handed(r)\n    web.run(r.b.a)", True),
        ("r.b.a = web.get()\n    if r.b.a != 'x': return\n    replaced(r)\n    web.run(r.b.a)", False),
        ("r.a = web.get()\n    if r.a != 'x': return\n    said(r, r.b)\n    web.run(r.a)", True),
        ("r.a = web.get()\n    if r.a != 'x': return\n    said_last(1, r)\n    web.run(r.a)", False),
        ("r.a = web.get()\n    if r.a != 'x': return\n    said_last(r=r, text=1)\n    web.run(r.a)", False),
        ("r.a = web.get()\n    if r.a != 'x': return\n    said_last(*web.other(), r)\n    web.run(r.a)", False),
    ],
)
def test_a_check_of_a_part_holds_until_another_value_is_stored(body: str, expected: bool) -> None:
    found = labelled(f"{CHECK}def f(r):\n    {body}\n", GUARD)
    assert found.labels.sinks
    assert all(found.labels.clean.get(role.value, 0) & 1 for role in found.labels.sinks) == expected
