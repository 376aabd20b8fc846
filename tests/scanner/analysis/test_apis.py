"""The tries of a program's languages: which APIs a number means, whatever else is loaded."""

from __future__ import annotations

import pytest

from pyrograph.rules import load_rules
from pyrograph.rules.entries import Pack
from pyrograph.scanner.analysis import apis
from pyrograph.scanner.analysis.apis import CALL, EXTERNAL, Apis

LANGUAGES = ("go", "javascript", "python")


@pytest.fixture(scope="module")
def tries() -> dict[str, Apis]:
    return apis.tries(load_rules(None, ()).packs, LANGUAGES, low=True)


def nodes_of(trie: Apis) -> set[int]:
    return set(trie.children.values())


def test_no_two_languages_have_a_node_in_common(tries: dict[str, Apis]) -> None:
    """A set of nodes of all languages holds no node that is something else in another one."""
    found = [nodes_of(each) for each in tries.values()]
    assert all(each and EXTERNAL not in each for each in found)
    assert len(set.union(*found)) == sum(map(len, found))


def test_neither_have_those_that_are_made_later(tries: dict[str, Apis]) -> None:
    made = [tries[name].node(("library", "Type", "#", "call", CALL)) for name in (*LANGUAGES, *LANGUAGES)]
    assert made[:3] == made[3:]
    assert len(set(made)) == 3


def test_a_node_has_the_path_that_it_was_made_of(tries: dict[str, Apis]) -> None:
    for trie in tries.values():
        for (node, step), child in trie.children.items():
            assert trie.paths[child] == ((*trie.paths[node], step) if node else (step,))


def test_a_trie_alone_has_numbers_of_its_own() -> None:
    trie = Apis([Pack("python/none", "python", "none")], low=False)
    first = trie.node(("library",))
    assert trie.node(("library",)) == first == 1
    assert trie.paths == [("?",), ("library",)]
