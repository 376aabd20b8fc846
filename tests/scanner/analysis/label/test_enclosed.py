"""Quotes that are open behind a text, and the values that stand in them."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.enclosed import enclosed_values, quote_after


@pytest.mark.parametrize(
    ("text", "before", "open_"),
    [
        ("f('", "", "'"),
        ("f('a')", "", ""),
        ("f(\"it's ", "", '"'),
        ("f(\\', ", "", ""),
        ("a', ", "'", ""),
        ("a`, ", "'", "'"),
        ("", '"', '"'),
    ],
)
def test_which_quote_is_open(text: str, before: str, open_: str) -> None:
    assert quote_after(text, before) == open_


def test_values_in_quotes_also_as_parts_of_parts() -> None:
    code = """import web
x = web.get()
y = web.get()
inner = "g(" + x + ")"
web.run("f('" + inner + "', " + y + ")")
"""
    found = labelled(code)
    enclosed = enclosed_values(found.facts)
    values = [source.value for source in found.labels.sources]
    assert [found.facts.rep[value] in enclosed for value in values] == [True, False]
