"""Tests of membership, and who may have filled the collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence
from tests.scanner.analysis.label.guarded import clean_sides


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("x in NAMES", (True, False)),
        ("x not in NAMES", (False, True)),
        ("x in y", (False, False)),
        ("x in 'abc'", (False, False)),  # any part of the text is in it
    ],
)
def test_a_member_of_a_constant_collection_is_clean(test: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, "in") == clean


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("TABLE[x]", (True, False)),
        ("TABLE[x] === undefined", (False, True)),
        ("web.names[x]", (False, False)),
    ],
)
def test_a_key_under_which_a_constant_table_has_an_element_is_clean(test: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, "in", language="javascript") == clean


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if x not in NAMES: return", ""),
        ("if x in NAMES: return", "high"),
        ("if x.strip() not in NAMES: return", ""),
        ("row = {'a': 1}.get(x)\nif not row: return", ""),
        ("row = {'a': 1}.get(x)\nif row: return", "high"),
        ("row = request.args.get(x)\nif not row: return", "high"),  # whoever sends the key sends the row
    ],
)
def test_a_command_is_clean_where_the_program_holds_it(code: str, expected: str, tmp_path: Path) -> None:
    assert confidence(code, tmp_path) == expected
