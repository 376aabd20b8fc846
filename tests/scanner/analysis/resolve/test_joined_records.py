"""The names of relations say which table their records are of."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.resolve.joined_records import ends_of_names, is_plural, words

TABLES: dict[tuple[str, ...], None] = {
    ("rows", name): None for name in ("calendarFeed", "homePlace", "workPlace", "User", "appUser")
}


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("feed", ["calendarFeed"]),
        ("calendarFeeds", ["calendarFeed"]),
        ("place", ["homePlace", "workPlace"]),
        ("users", ["User", "appUser"]),
        ("calendar", []),
        ("feedCalendar", []),
    ],
)
def test_a_relation_is_named_after_the_end_of_a_table(name: str, tables: list[str]) -> None:
    ends = ends_of_names({**TABLES, ("other", "feed"): None, ("rows", "a", "feed"): None}, "rows")
    assert [table[-1] for table in ends.get(words(name), [])] == tables


@pytest.mark.parametrize(("name", "several"), [("feeds", True), ("address", False), ("stories", True), ("feed", False)])
def test_a_plural_names_several_records(name: str, several: bool) -> None:
    assert is_plural(name) == several
