"""One concept, written in every language, lowers to one text: ``fixtures/concepts``.

A block ``text`` holds the listing of the function ``f`` in all languages; ``text go`` what Go gives instead, which is a
known difference. A block ``dataflow`` holds the loops of ``f`` in the loop-stream dialect.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scanner.specification import Section, sections

from pyrograph.ir.dataflow.lower import loop_graphs
from pyrograph.ir.dataflow.text import printed
from pyrograph.ir.dataflow.verify import verify
from pyrograph.ir.text import listing
from pyrograph.ir.unit import Unit
from pyrograph.parsers import lower, syntaxes


def _loops(unit: Unit) -> str:
    graphs = [found.graph for found in loop_graphs(unit, "f")]
    assert [problem for graph in graphs for problem in verify(graph)] == []
    return "\n".join(map(printed, graphs))


FORMS: dict[str, Callable[[Unit], str]] = {"text": lambda unit: listing(unit, "f"), "dataflow": _loops}
CONCEPTS = Path(__file__).resolve().parent.parent / "fixtures" / "concepts"


@pytest.mark.parametrize("section", sections(CONCEPTS), ids=str)
def test_a_concept_means_the_same_in_every_language(section: Section) -> None:
    emitted = FORMS["dataflow" if any(block.language == "dataflow" for block in section.blocks) else "text"]
    expected = {block.name: block.code for block in section.blocks if block.language in FORMS}
    languages = [block.language for block in section.blocks if block.language not in FORMS]
    assert expected.keys() - {""} <= set(languages), "a difference is told for a language without a block"
    given = {
        block.language: emitted(lower(block.code.encode(), block.language))
        for block in section.blocks
        if block.language in syntaxes()
    }
    assert given == {language: expected.get(language, expected[""]) for language in languages}


@pytest.mark.parametrize("section", sections(CONCEPTS), ids=str)
def test_a_known_difference_is_one(section: Section) -> None:
    texts = [block.code for block in section.blocks if block.language in FORMS]
    assert len(set(texts)) == len(texts), "this language agrees with the others now: remove its block"
