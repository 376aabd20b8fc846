"""What is called on another branch says nothing of a call; what is called on the same way does."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import applies


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (["if x:", "    c.use('a')", "web.run(c, x)"], True),
        (["if x:", "    c.use('a')", "else:", "    web.run(c, x)"], False),
        (["if x:", "    web.run(c, x)", "    return", "c.use('a')"], False),
        (["try:", "    c.use('a')", "except OSError:", "    web.run(c, x)"], True),
    ],
)
def test_only_calls_that_one_run_can_make_count(body: list[str], holds: bool) -> None:
    lines = ["import web", "def f():", "    x = web.get()", "    c = web.connect()", *(f"    {line}" for line in body)]
    assert applies("when 0 called use('a')", "\n".join(lines) + "\n") is holds
