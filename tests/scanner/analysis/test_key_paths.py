"""A text names keys, one in the other."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.key_paths import keys_of_path


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("body.items[0].name", ["body", "items", "0", "name"]),
        ("headers['x-user']", ["headers", "x-user"]),
        ("a", ["a"]),
        ("", []),
        ("a..b", ["a", "b"]),
    ],
)
def test_keys_of_a_path(text: str, keys: list[str]) -> None:
    assert keys_of_path(text) == keys
