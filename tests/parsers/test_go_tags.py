"""Tags of Go's struct fields: the checks that they name."""

from __future__ import annotations

import pytest

from pyrograph.parsers.go.syntax.tags import checks


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('`json:"name"`', []),
        ('`json:"name" validate:"required,uuid"`', [("validate", "required"), ("validate", "uuid")]),
        ('`binding:"oneof=a b"`', [("binding", "oneof=a b")]),
        ('`validate:"required,dive,uuid"`', [("validate", "required")]),
        ('`validate:"uuid|alpha"`', [("validate", "uuid|alpha")]),
        (r'"json:\"a\" binding:\"uuid\""', [("binding", "uuid")]),
        ("`no pairs`", []),
        ("`", []),
    ],
)
def test_words_of_checks_are_read_up_to_those_of_elements(tag: str, expected: list[tuple[str, str]]) -> None:
    assert checks(tag) == expected
