"""The built-in vulnerabilities: why each matters, how to fix it in every language it is found in, references."""

from __future__ import annotations

import re

import pytest
from tools.vulnerability_pages import PAGE, page

from pyrograph.rules import load_rules
from pyrograph.rules.kinds import KIND_GROUPS

RULES = load_rules()
LANGUAGES = {"python": "### Python", "javascript": "### JavaScript", "go": "### Go"}


@pytest.mark.parametrize("name", RULES.vulnerabilities)
def test_its_help_has_every_part(name: str) -> None:
    vulnerability = RULES.vulnerabilities[name]
    heads = re.findall(r"^(#+ .+)$", vulnerability.help, re.MULTILINE)
    order = ["## Why it matters", "## How to fix it", *LANGUAGES.values(), "### Everywhere", "## References"]
    assert heads == [head for head in order if head in heads], "unknown heading, or another order"
    languages = {pack.language for pack in RULES.packs for sink in pack.sinks if sink.vulnerability == name}
    wanted = {order[0], order[1], order[-1], *(LANGUAGES[language] for language in languages)}
    assert wanted <= set(heads)
    assert f"CWE-{vulnerability.cwe[0]}" in vulnerability.help


@pytest.mark.parametrize("name", RULES.vulnerabilities)
def test_some_pack_has_a_sink_of_it(name: str) -> None:
    assert any(sink.vulnerability == name for pack in RULES.packs for sink in pack.sinks)


def test_the_page_in_the_documentation_is_the_one_that_is_made() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tools/vulnerability_pages.py"


def named(page: str, before: str, after: str) -> set[str]:
    """The vulnerabilities that a page names between two texts."""
    text = (PAGE.parent / page).read_text(encoding="utf-8")
    between = text.partition(before)[2].partition(after)[0]
    return set(re.findall(r"`([a-z0-9-]+)`", between)) & set(RULES.vulnerabilities)


def test_the_pages_name_the_vulnerabilities_that_have_a_key() -> None:
    known = RULES.vulnerabilities.values()
    lured = named("threat-model.md", "(`lured = true` in their rule file):", "\n\n")
    assert lured == {each.id for each in known if each.lured}
    posted = named("threat-model.md", "## What another site can make a browser send", "do their harm")
    assert posted == {each.id for each in known if set(KIND_GROUPS["own-pages"]) <= set(each.seldom)}
    audit = named("configuration.md", "## Profiles", "Each rule states its profile")
    assert audit == {each.id for each in known if each.profile == "audit"}
