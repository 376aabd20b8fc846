"""Arguments that do no harm for where they stand among others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled, vulnerability

from pyrograph.model.vulnerability import Dashed

OPTIONS = replace(vulnerability(), dashed=Dashed("--", "-[ob]"))


@pytest.mark.parametrize(
    ("arguments", "harmless"),
    [
        ('["a", "--", name]', True),
        ('["a", "--", "b", name]', True),
        ('["-o", name]', True),
        ('["a", name]', False),
        ('["-o", "a", name]', False),
        ('[name, "--"]', False),
        ('["-ox", name]', False),
    ],
)
def test_elements_of_a_list(arguments: str, harmless: bool) -> None:
    code = f"import web\nname = web.get()\nweb.run({arguments})\n"
    found = labelled(code, RULES, vulnerabilities=[OPTIONS])
    assert ("web.get()" in {found.text(value) for value, _ in found.labels.harmless_parts}) == harmless
    assert not labelled(code, RULES, vulnerabilities=[vulnerability()]).labels.harmless_parts


@pytest.mark.parametrize(
    ("call", "sinks"),
    [
        ('web.run("a", name)', ["name"]),
        ('web.run("a", "--", name)', []),
        ('web.run("-o", name)', []),
        ('web.run("-o", "a", name)', ["name"]),
    ],
)
def test_arguments_of_a_call(call: str, sinks: list[str]) -> None:
    rules = RULES.replace("run(0)", "run(1+)")
    assert labelled(f"import web\nname = web.get()\n{call}\n", rules, vulnerabilities=[OPTIONS]).sinks() == sinks
