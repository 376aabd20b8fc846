"""Paths of the site that calls make: where packs say that more than a slash is returned."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.scanner.analysis.label.site_paths import is_site_path

PATHS = '[type]\nsite_paths = ["web.reverse(1|args)", "web.link"]\n'


@pytest.mark.parametrize(
    ("call", "is_path"),
    [
        ("web.reverse('a', [x])", True),
        ("web.reverse('a', args=[x])", True),
        ("web.reverse('a', None)", False),
        ("web.reverse('a')", False),
        ("web.link('a', x=1)", True),
        ("web.link('a', _external=True)", False),
        ("web.link('a')", False),
        ("web.get('a', x=1)", False),
    ],
)
def test_a_path_is_made_of_what_stands_at_the_port(call: str, *, is_path: bool) -> None:
    found = labelled(f"import web\nx = web.get()\np = {call}\n", RULES + PATHS)
    assert is_site_path(found.facts, found.value(call)) is is_path
