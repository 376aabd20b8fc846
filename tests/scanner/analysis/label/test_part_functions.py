"""Which routes name a part that a function is called for; ``fixtures/flows/javascript/routes.md`` has the flow."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.label.part_functions import names


@pytest.mark.parametrize(
    ("route", "part", "expected"),
    [
        ("/users/:id", "id", True),
        ("/users/:id/posts", "id", True),
        ("/users/:idea/:id", "id", True),
        ("/users/:identity", "id", False),
        ("/user/:identity", "id", False),
        ("/users/:id_of", "id", False),
        ("/void/:user", "id", False),
        ("", "id", False),
    ],
)
def test_a_route_names_whole_parts(route: str, part: str, expected: bool) -> None:
    assert names(route, part) is expected
