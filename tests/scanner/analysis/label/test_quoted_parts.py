"""Text before a part of an SQL statement that leaves a quote open; ``fixtures/flows/*/statements.md`` has the flow."""

from __future__ import annotations

import re

import pytest

from pyrograph.rules import load_rules


@pytest.mark.parametrize(
    ("before", "is_inside"),
    [
        ("select * from t where name = '", True),
        ("select * from t where name like '%x-", True),
        ("select \"it's\", 'a' from t where name in ('x','", True),
        ("select concat('a', N'", True),
        ("'", True),
        ("'%", True),
        ("select * from t where id = ", False),
        ("select * from t where name = 'a", True),
        ("select * from t where name = 'a' and id = ", False),
        ("' order by ", False),  # the end of a literal that begins in another text
        ("' and name = '", False),
        ("x'", False),
        ("select 1 -- it's\n from t where id = '", False),
        ('select * from t where name = "', False),
        ("select * from t where name = 'a ' and id = ", False),
    ],
)
def test_a_part_behind_an_open_quote_is_inside(before: str, *, is_inside: bool) -> None:
    found = load_rules([]).vulnerabilities["sql-injection"]
    code = next(each for each in found.aspects if each.name == "sql.code")
    assert (re.fullmatch(code.safe_inside, before) is not None) is is_inside


def test_the_time_of_a_search_grows_with_the_text_alone() -> None:
    found = load_rules([]).vulnerabilities["sql-injection"]
    code = next(each for each in found.aspects if each.name == "sql.code")
    for text in ("(" * 20_000, "'a'" * 20_000, "(''" * 20_000 + '"', " '" * 20_001 + "x y"):
        assert re.fullmatch(code.safe_inside, text) is None
