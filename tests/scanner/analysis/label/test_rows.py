"""Which values are rows of tables, and nothing else; ``fixtures/flows/javascript/responses.md`` has the flows."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.scanner.analysis.label.rows import is_row

MODELS = '\n[propagator]\nflow = ["web.find: recall rows[0] -> ret", "web.text: 0 -> ret"]\n'


def rows(body: str) -> bool:
    """Whether what ``web.run`` gets at the end of a function is a row."""
    code = f'const web = require("web")\nfunction f(x) {{\n{body}\n}}\n'
    found = labelled(code, RULES + MODELS, "javascript")
    (sink,) = {sink.value for sink in found.labels.sinks}
    return is_row(found.facts, sink)


@pytest.mark.parametrize(
    "body",
    [
        'web.run(web.find("a"))',
        'let row = null; if (x) row = web.find("a"); web.run(row)',
        'const row = x ? web.find("a") : web.find("b"); web.run(row)',
    ],
)
def test_what_a_table_returns_is_a_row(body: str) -> None:
    assert rows(body)


@pytest.mark.parametrize(
    "body",
    [
        "web.run(x)",
        'web.run(web.text("a"))',
        'web.run(web.find("a").name)',
        'let row = "none"; if (x) row = web.find("a"); web.run(row)',
        'web.run(x ? web.find("a") : x)',
    ],
)
def test_columns_and_what_may_be_a_text_are_no_rows(body: str) -> None:
    assert not rows(body)
