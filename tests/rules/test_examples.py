"""Every example of the built-in packs holds: its lines are reported as its comments say, and no others."""

from __future__ import annotations

from functools import cache

import pytest

from pyrograph.cli.rules import _found
from pyrograph.model.languages import rule_languages
from pyrograph.rules import Rules, examples, load_rules
from pyrograph.rules.load import BUILT_IN

PACKS = sorted(
    f"{language}/{path.stem}" for language in rule_languages() for path in BUILT_IN.glob(f"{language}/*.toml")
)


@cache
def every_rule() -> Rules:
    return load_rules(None, unverified=True)


@pytest.mark.parametrize("name", PACKS)
def test_the_examples_of_a_pack_are_reported_as_they_say(name: str) -> None:
    rules = every_rule()
    (pack,) = (pack for pack in rules.packs if pack.name == name)
    assert pack.examples
    troubles = [
        f"{example.origin.file}:{example.origin.line}: {trouble}"
        for example in pack.examples
        for trouble in examples.run(example, lambda each: _found(each, rules), pack.language)
    ]
    assert troubles == []
