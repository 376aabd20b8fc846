"""Which versions are the same text, and what the checks before one prove."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, Labelled, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.text_versions import Versions

GUARDS = '\n[guard]\ndanger = ["in"]\n'
PROGRAM = """
import web
def keep(x):
    return len(x)
def known(x):
    return x in ("a", "b")
def f(y):
    x = web.get()
    {}
    web.run(x)
"""


def used_in_run(body: str) -> tuple[Labelled, Versions, int]:
    """The program, its versions, and the version that ``web.run`` is given."""
    found = labelled(PROGRAM.format(body), RULES + GUARDS)
    facts = found.facts
    row = next(row for row in facts.args.of(found.call("web.run(x)")) if facts.arg_position[row] == 0)
    return found, Versions(facts, shared_blocks(facts)), facts.arg_value[row]


@pytest.mark.parametrize(
    "body",
    [
        "keep(x)",
        "web.log(x)",
        "if x == y:\n        return",
        "if y:\n        keep(x)",  # both ways lead to versions of it
    ],
)
def test_calls_and_conditions_leave_a_version_of_the_same_text(body: str) -> None:
    found, versions, value = used_in_run(body)
    assert versions.root(value) == found.value("web.get()", Op.CALL)


@pytest.mark.parametrize("body", ["x = x + y", "if y:\n        x = y", "x = web.log(x)"])
def test_another_text_is_no_version(body: str) -> None:
    found, versions, value = used_in_run(body)
    assert versions.root(value) != found.value("web.get()", Op.CALL)


@pytest.mark.parametrize(
    ("body", "is_checked"),
    [
        ('if x not in ("a", "b"):\n        return', True),
        ('if x not in ("a", "b"):\n        return\n    keep(x)', True),
        ("if not known(x):\n        return", True),
        ('if y and x not in ("a", "b"):\n        return', False),
        ("if x == y:\n        return", False),
    ],
)
def test_what_the_checks_before_a_version_prove(body: str, is_checked: bool) -> None:
    _, versions, value = used_in_run(body)
    assert bool(versions.mask(value) & 1) is is_checked
