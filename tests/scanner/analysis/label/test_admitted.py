"""What a pattern or a replacement lets through decides what is clean."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if not re.fullmatch('[a-z]+', x): return", ""),
        ("if not re.fullmatch('[a-z;]+', x): return", "high"),
        ("if not re.match('(?x) ^ [a-z]+ $', x): return", ""),
        ("if not re.match('^[A-Z]+$', x, re.I): return", ""),
        ("if not re.match('^[A-Z]+$|^;', x): return", "high"),
        ("if re.search('[^a-z]', x): return", ""),
        ("if re.match('[^a-z]', x): return", "high"),  # of the first character only
        ("x = re.sub('[^a-z]', '', x)", ""),
        ("x = re.sub('[^a-z]', ';', x)", "high"),
        ("x = re.sub('[^a-z]+', lambda m: '_', x)", ""),
        ("x = re.sub('([^a-z])', r'\\1', x)", "high"),
        ("x = re.sub('[^a-z;]', '', x)", "high"),
        ("x = re.sub('[;&|<>$`]', '', x)", "high"),
        ("x = re.sub('[;&|<>$`]', '', re.sub(r'[\\n\"\\'\\\\]', '', x))", ""),
        ("x = re.sub('[^a-z;]', '', x).replace(';', '')", ""),
        ("x = re.sub('[^a-z;]', '', x).replace(';', '', 1)", "high"),
        ("x = re.sub('[;&|<>$`]', '', re.sub(r'[\\n\"\\\\]', '', x)).replace(\"'\", '')", ""),
        ("x = re.sub('[;&|<>$`]', '', re.sub(r'[\\n\"\\\\]', '', x)).replace('a', '')", "high"),
    ],
)
def test_the_characters_that_are_left_decide(code: str, expected: str, tmp_path: Path) -> None:
    assert confidence(code, tmp_path) == expected
