"""Every example of the built-in packs holds: its lines are reported as its comments say, and no others."""

from __future__ import annotations

import pytest

from pyrograph.cli.rules import _found
from pyrograph.model.languages import rule_languages
from pyrograph.rules import examples, load_rules


@pytest.mark.parametrize("language", rule_languages())
def test_the_examples_of_the_packs_are_reported_as_they_say(language: str) -> None:
    rules = load_rules(None, unverified=True)
    troubles = [
        f"{example.origin.file}:{example.origin.line}: {trouble}"
        for pack in rules.packs
        if pack.language == language
        for example in pack.examples
        for trouble in examples.run(example, lambda each: _found(each, rules), language)
    ]
    assert troubles == []
