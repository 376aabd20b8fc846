"""Which comparisons of a length show that a text is empty, and on which side."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled


@pytest.mark.parametrize(
    ("condition", "clean"),
    [
        ("len(x) == 0", [True, False]),
        ("0 == len(x)", [True, False]),
        ("len(x) < 1", [True, False]),
        ("not len(x)", [True, False]),
        ("len(x) > 0", [False, True]),
        ("len(x) >= 1", [False, True]),
        ("len(x) != 0", [False, True]),
        ("len(x)", [False, True]),
        ("len(x) == 1", [False, False]),
        ("len(x) > 1", [False, False]),
        ("len(x) < 2", [False, False]),
        ("size(x) == 0", [False, False]),
        ("x.count('a') == 0", [False, False]),
    ],
)
def test_one_side_of_a_comparison_with_the_least_length_is_clean(condition: str, clean: list[bool]) -> None:
    code = f"import web\nx = web.get()\nif {condition}:\n    web.run(x)\nelse:\n    web.run(x)\n"
    rules = RULES + '[propagator]\nflow = ["builtins.len:", "builtins.str#count:"]\n'
    found = labelled(code, rules)
    sinks = sorted(found.labels.sinks, key=lambda role: role.start)
    assert [bool(found.labels.clean.get(role.value, 0) & 1) for role in sinks] == clean
