"""Matches with constant patterns, and what replacements leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence
from tests.scanner.analysis.label.guarded import clean_sides
from tests.scanner.analysis.label.programs import RULES, labelled, vulnerability


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("re.match('^[a-z]+$', x)", (True, False)),
        ("re.match('^[a-z]+', x)", (False, False)),  # anything may follow
        ("re.search('[^a-z]', x)", (False, True)),
        ("re.match(y, x)", (False, False)),
        ("re.sub('[^a-z]', '', x) == x", (True, False)),
        ("re.sub('[b]', '', x) == x", (False, False)),
    ],
)
def test_a_pattern_proves_what_the_texts_that_it_admits_cannot_do(test: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, "match") == clean


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if re.match('^a$', x) is None: return", ""),
        ("if re.match('^a$', x) is not None: return", "high"),
    ],
)
def test_a_match_is_compared_with_nothing(code: str, expected: str, tmp_path: Path) -> None:
    assert confidence(code, tmp_path) == expected


@pytest.mark.parametrize(
    ("test", "guard", "clean"),
    [
        ("re.match('^/', x)", "! prefix _ '/'", (False, True)),
        ("re.match('[a-z]', x)", "! prefix _ '/'", (False, False)),
        ("re.search('^/', x)", "! prefix _ '/'", (False, True)),
    ],
)
def test_a_text_in_which_a_pattern_is_not_found_does_not_begin_so(
    test: str, guard: str, clean: tuple[bool, bool]
) -> None:
    assert clean_sides(test, guard, "match") == clean


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        (r"/^https:\/\/a\.example\//.test(x)", True),
        (r"x.match(/^https:\/\/a\.example\//)", True),
        (r"x.match(/^https:\/\//)", False),
        (r"x.match(/https:\/\/a\.example\//)", False),
    ],
)
def test_a_pattern_proves_what_its_beginning_does(test: str, clean: bool) -> None:
    rules = RULES + '[propagator]\nflow = ["globalThis.String#match:", "globalThis.RegExp#test:"]\n'
    rules += '[type]\nbuiltin = ["globalThis.{String,RegExp}"]\n[guard]\ndanger = ["match"]\n'
    code = f"const web = require('web');\nconst x = web.get();\nif ({test}) {{\n  web.run(x);\n}}\n"
    found = labelled(code, rules, "javascript", vulnerabilities=(vulnerability(safe_text="https://[^/]+/"),))
    (sink,) = found.labels.sinks
    assert bool(found.labels.clean.get(sink.value, 0) & 1) is clean
