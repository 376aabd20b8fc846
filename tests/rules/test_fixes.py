"""Entries of ``[fix]``: how they are read, and that the built-in ones fit the rest of their packs."""

from __future__ import annotations

import pytest

from pyrograph.model.languages import rule_languages
from pyrograph.rules import load_rules
from pyrograph.rules.entries import EditStep, Origin, Parameters, Port, Remedy
from pyrograph.rules.errors import EntryError
from pyrograph.rules.grammar_fixes import remedies
from pyrograph.rules.proofs import apis_of, spelled_path

HERE = Origin("pack.toml", 1, "")


def read(text: str, language: str = "python") -> list[Remedy]:
    return remedies("x", text, language, HERE)


def test_an_entry_names_an_api_and_operations() -> None:
    (remedy,) = read("yaml.load : call yaml.safe_load, drop 1|Loader")
    assert remedy.api == ("yaml", "load")
    assert remedy.steps == (
        EditStep("call", ("yaml", "safe_load")),
        EditStep("drop", port=Port("position", 1, ("Loader",))),
    )
    (remedy,) = read("source a.B#c : wrap builtins.str")
    assert remedy.source
    (remedy,) = read("a.B#c= : assign d", "javascript")
    assert remedy.assignment
    assert [each.api[-1] for each in read("a.{b,c} : words list, drop shell=")] == ["b", "c"]
    (remedy,) = read("a.b : parameters dollar if 'x/y'", "go")
    assert (remedy.steps[0].word, remedy.given) == ("dollar", "x/y")
    (remedy,) = read(r"""a.b : replace "\s*x" with '\{' """.strip())
    assert remedy.steps[0].texts == (r"\s*x", "{")


@pytest.mark.parametrize(
    "text",
    [
        "a.b",
        "a.b : ",
        "a.b : paint c",
        "a.b : parameters colon",
        "a.b : conversion 'q'",
        "a.b : drop 0[x]",
        "a.b : drop this",
        "a.b : replace '(' with ''",
        "a.b : replace 'a'",
        "a.b : call c.d,",
        "a.b : words",
        "a.b(0) : call c.d",
    ],
)
def test_what_does_not_follow_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(EntryError):
        read(text)


def test_built_in_fixes_belong_to_sinks_and_name_what_the_rules_know() -> None:
    """So that each API of a fix was looked up in its library, and the scan that verifies a fix knows the new one."""
    rules = load_rules(unverified=True)
    for language in rule_languages():
        packs = [pack for pack in rules.packs if pack.language == language]
        known = {spelled_path(api).removesuffix("()") for pack in packs for api in apis_of(pack)}
        known |= {root for api in known if (root := api.rpartition(".")[0])}
        sinks = {
            (name, spelled_path(api))
            for pack in packs
            for name, target in (
                *((each.vulnerability, each.target) for each in pack.sinks),
                *(("xss", each.target) for each in pack.renderings),
            )
            if (api := target.api if isinstance(target, Parameters) else target)
        }
        for remedy in (remedy for pack in packs for remedy in pack.remedies):
            if remedy.source:
                assert spelled_path(remedy.api) in known, remedy.origin
            else:
                assert (remedy.vulnerability, spelled_path(remedy.api)) in sinks, remedy.origin
            for step in remedy.steps:
                assert not step.api or spelled_path(step.api) in {*known, "globalThis.String"}, remedy.origin
