"""Which column a value of a list fills, by the texts beside it; ``fixtures/flows/*/statements.md`` has programs."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.resolve.listed_columns import paired
from pyrograph.scanner.analysis.resolve.statements import ANY, assignments


@pytest.mark.parametrize(
    ("columns", "puts", "expected"),
    [
        ([(1, "a", 0)], [(2, 70, "")], [("a", 70)]),
        ([(2, "a", 0)], [(1, 70, "")], [("a", 70)]),
        ([(1, "a", 0), (3, "b", 0)], [(2, 70, ""), (4, 80, "")], [("a", 70), ("b", 80)]),
        ([(3, "a", 0), (4, "b", 0)], [(1, 70, ""), (2, 80, "")], [("a", 70), ("b", 80)]),
        ([(2, "a", 0)], [(1, 60, ""), (3, 70, "")], [("a", 70)]),  # the first one is that of a condition
        ([(1, "a", 0)], [(2, 70, ""), (3, 80, "")], [("a", 70)]),
        ([(3, "a", 0)], [(1, 60, ""), (2, 70, "")], [("a", 70)]),
        ([(1, "a", "new")], [(2, 70, "new"), (3, 80, "id")], [("a", 70)]),
        ([(1, "a", 0), (2, "b", 1)], [(3, 70, "")], [("a", 70), ("b", 70)]),
        ([(1, "a", 0)], [], []),
    ],
)
def test_a_value_fills_the_column_beside_it(
    columns: list[tuple[int, str, int | str]], puts: list[tuple[int, int, str]], expected: list[tuple[str, int]]
) -> None:
    assert paired(columns, puts) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'url = ?", [("url", 0)]),
        ("url = $\0", [("url", 0)]),
        ("url = $", [("url", 0)]),
        ("\0, url = $3", [("url", "3")]),
        ("`url` = :new", [("url", "new")]),
        ("meta = ?::jsonb, size = coalesce(?, size)", [("meta", 0), ("size", 1)]),
        ("\0 = ?", [(ANY, 0)]),
        ("updated = now()", []),
        ("url == ?", []),
        ("url", []),
    ],
)
def test_columns_of_a_part_of_a_statement(text: str, expected: list[tuple[str, int | str]]) -> None:
    assert [(column, parameter) for column, parameter in assignments(text)] == [
        (column, 0 if parameter == "3" else parameter) for column, parameter in expected
    ]
