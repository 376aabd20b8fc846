"""The documentation site: each page has a place in the navigation, and generated pages hold what the rules hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.site.generated import Page
from tools.site.stage import stage, without_other_targets

from pyrograph.rules import load_rules


@pytest.fixture(scope="module")
def staged(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stage(repository, tmp_path_factory.mktemp("site"))


def test_each_page_stands_in_the_navigation_once(staged: Path) -> None:
    there = [path.relative_to(staged.parent / "pages").as_posix() for path in (staged.parent / "pages").rglob("*.md")]
    named = re.findall(r": ([\w./-]+\.md)$", staged.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(there)


def test_each_vulnerability_and_each_pack_has_a_page(staged: Path) -> None:
    rules = load_rules()
    docs = staged.parent / "pages" / "docs"
    for identifier, vulnerability in rules.vulnerabilities.items():
        text = (docs / "vulnerabilities" / f"{identifier}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {vulnerability.title}\n")
        assert "\n## How to fix it\n" in text
    for pack in rules.packs:
        text = (docs / "libraries" / f"{pack.name}.md").read_text(encoding="utf-8")
        assert all(re.sub(r"\s+", " ", source.origin.text).strip() in text for source in pack.sources)
        assert all(f"### {sink.vulnerability}\n" in text for sink in pack.sinks)


def test_a_link_to_what_is_no_page_loses_its_target() -> None:
    text = "[a](b.md#c) [code](../src/x.py) [web](https://example.org) [here](#there)\n```text\n[d](e.py)\n```\n"
    expected = "[a](b.md#c) code [web](https://example.org) [here](#there)\n```text\n[d](e.py)\n```\n"
    assert without_other_targets(Page("docs/a.md", "A", text), {"docs/b.md"}) == expected
