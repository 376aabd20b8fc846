"""The part of a function to which control comes before a check has passed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.passing_checks import checked_roots
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.label.text_versions import Versions
from pyrograph.scanner.analysis.label.unchecked_regions import Region
from pyrograph.scanner.analysis.label.value_uses import flows_of_packs

GUARDS = '\n[guard]\ndanger = ["in"]\n\n[type]\nnever = ["web.stop"]\n'
PROGRAM = """
import web
def demand(x):
    if x not in ("a", "b"):
        raise ValueError(x)
def f(y):
    x = web.get()
    {}
    web.run(x)
"""


def region_of(body: str) -> tuple[Region, int]:
    """The region before the checks of ``x``, and what ``web.run(x)`` returns."""
    found = labelled(PROGRAM.format(body), RULES + GUARDS)
    facts, blocks = found.facts, shared_blocks(found.facts)
    fill_conjunctions(facts)
    versions = Versions(facts, blocks)
    roots = checked_roots(facts, versions, np.ones(len(facts.op), np.bool_), flows_of_packs(facts))
    call = found.call("web.run(x)")
    row = next(row for row in facts.args.of(call) if facts.arg_position[row] == 0)
    root = versions.root(facts.arg_value[row])
    return Region(facts, blocks, root, roots.get(root, [])), facts.call_result[call]


@pytest.mark.parametrize(
    ("body", "is_outside"),
    [
        ('if x not in ("a", "b"):\n        return', False),
        ('if x not in ("a", "b"):\n        web.stop()', False),
        ('if x in ("a", "c") or x in ("b", "d"):\n        web.log(y)\n    else:\n        return', False),
        ('if x not in ("a", "b") or y:\n        return', False),
        ("demand(x)", False),
        ('if x in ("a", "b"):\n        web.log(y)', True),
        ('if y and x not in ("a", "b"):\n        return', True),
        ("try:\n        demand(x)\n    except ValueError:\n        pass", True),
        ("web.log(y)", True),
    ],
)
def test_what_stands_outside_has_passed_no_check(body: str, is_outside: bool) -> None:
    region, used = region_of(body)
    assert region.start != NONE
    assert region.is_outside(used) is is_outside
    assert region.is_outside(NONE)
