"""Behind which beginnings of names a path does not climb; ``fixtures/flows/*/paths.md`` has the flow."""

from __future__ import annotations

import re

import pytest

from pyrograph.rules import load_rules


@pytest.mark.parametrize(
    ("before", "harmless"),
    [("/srv/report_", True), ("\0.", True), ("a-", True), ("/srv/data", False), ("/srv/.", False), ("\0", False)],
)
def test_the_end_of_the_text_before_decides(before: str, harmless: bool) -> None:
    found = load_rules([]).vulnerabilities["path-traversal"]
    climb = next(each for each in found.aspects if each.name == "path.climb")
    assert (re.search(climb.safe_end, before) is not None) is harmless
