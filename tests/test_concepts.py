"""One concept, written in every language, lowers to one text: ``fixtures/concepts``.

A block ``text`` holds the listing of the function ``f`` in all languages; ``text go`` what Go gives instead, which is a
known difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.specification import Section, sections

from pyrograph.ir.text import listing
from pyrograph.parsers import FRONT_ENDS, lower

CONCEPTS = Path(__file__).resolve().parent.parent / "fixtures" / "concepts"


@pytest.mark.parametrize("section", sections(CONCEPTS), ids=str)
def test_a_concept_means_the_same_in_every_language(section: Section) -> None:
    expected = {block.name: block.code for block in section.blocks if block.language == "text"}
    languages = [block.language for block in section.blocks if block.language != "text"]
    assert expected.keys() - {""} <= set(languages), "a difference is told for a language without a block"
    given = {
        block.language: listing(lower(block.code.encode(), block.language), "f")
        for block in section.blocks
        if block.language in FRONT_ENDS
    }
    assert given == {language: expected.get(language, expected[""]) for language in languages}


@pytest.mark.parametrize("section", sections(CONCEPTS), ids=str)
def test_a_known_difference_is_one(section: Section) -> None:
    texts = [block.code for block in section.blocks if block.language == "text"]
    assert len(set(texts)) == len(texts), "this language agrees with the others now: remove its block"
