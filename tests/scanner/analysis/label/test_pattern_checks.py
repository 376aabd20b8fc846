"""Matches with constant patterns, and what replacements leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence
from tests.scanner.analysis.label.guarded import clean_sides


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
