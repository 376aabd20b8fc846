"""Parts of objects, by checks of other functions and of all callers."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

GUARD = RULES + '[guard]\ndanger = ["eq"]\n'
CHECK = """
import web
def ok(r):
    if r.a != 'x':
        return False
    return True
def refuse(r):
    if r.a != 'x':
        raise r
def all_ok(rs):
    for r in rs:
        if not ok(r):
            return False
    return True
"""


def is_clean(code: str) -> bool:
    found = labelled(CHECK + code, GUARD)
    return all(found.labels.clean.get(role.value, 0) & 1 for role in found.labels.sinks)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if not ok(r): return\n    web.run(r.a)", True),
        ("if not ok(r): return\n    web.run(r.b)", False),
        ("if ok(r): return\n    web.run(r.a)", False),
        ("ok(r)\n    web.run(r.a)", False),
        ("refuse(r)\n    web.run(r.a)", True),
        ("refuse(r)\n    r.a = web.get()\n    web.run(r.a)", False),
        ("if not all_ok(r.list): return\n    web.run(r.list[c].a)", True),
        ("if not all_ok(r.list): return\n    web.run(r.other[c].a)", False),
        ("if c:\n        refuse(r)\n    web.run(r.a)", False),
    ],
)
def test_a_function_that_was_asked_answers_for_parts_of_its_argument(body: str, *, expected: bool) -> None:
    assert is_clean(f"def f(c):\n    r = web.get()\n    {body}\n") is expected


def test_what_calls_pass_that_no_source_reaches_is_left_out_of_account() -> None:
    use = "def use(r):\n    web.run(r.a)\n"
    checked = "def f():\n    r = web.get()\n    refuse(r)\n    use(r)\n"
    assert is_clean(use + checked)
    assert is_clean(use + checked + "def test():\n    use(made())\n")
    assert not is_clean(use + checked + "def g():\n    use(web.get())\n")
