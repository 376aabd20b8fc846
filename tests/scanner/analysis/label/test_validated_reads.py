"""Parts of a request that handlers read by a call, after a check before them."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.validated_reads import validated_reads

RULES = """
[type]
checks = ["web.check(1) : web.Context#req.valid()"]
parameters = ["cb web.App#post(0+):0 : web.Context"]
returns = ["web.app() : web.App"]
"""
HEAD = "import { app, check } from 'web'; const a = app(); "


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("a.post('/', check('json', A), (c) => c.req.valid('json'))", [("c.req.valid('json')", "A")]),
        ("a.post('/', check('query', A), (c) => c.req.valid('json'))", []),
        (
            "a.post('/', check('json', A), check('query', B), (c) => c.req.valid('query'))",
            [("c.req.valid('query')", "B")],
        ),
        ("a.post('/', check('json', A), check('json', B), (c) => c.req.valid('json'))", []),
        ("a.post('/', check(x, A), (c) => c.req.valid(x))", []),
        ("a.post('/', (c) => c.req.valid('json'), check('json', A))", []),
        ("a.post('/', check('json', A), (c) => c.req.other('json'))", []),
        (
            "const f = (c) => c.req.valid('json'); a.post('/', check('json', A), f); a.post('/x', f)",
            [],
        ),
    ],
)
def test_the_same_text_names_the_part_that_is_checked_and_read(code: str, found: list[tuple[str, str]]) -> None:
    program = labelled(HEAD + code, RULES, "javascript")
    facts = program.facts
    reads = [(program.text(facts.call_result[call]), program.text(schema)) for call, schema in validated_reads(facts)]
    assert reads == found
