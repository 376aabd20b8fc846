"""Which texts a pattern lets through: compared with what the engines say of texts that are put together at random."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.rules.load import load_rules
from pyrograph.scanner.analysis.patterns import charset, texts
from pyrograph.scanner.analysis.patterns.automaton import parts
from pyrograph.scanner.analysis.patterns.dialect import ECMASCRIPT, RE, RE2, Dialect
from pyrograph.scanner.analysis.patterns.parse import parse
from pyrograph.scanner.analysis.patterns.texts import admits, rest_admits, single

PATTERNS = (
    *("^[a-z.]+$", "[a-z]+", r"^(a|/\.\.)*$", r"\A[^/]+\Z", "^$", "^", "a*", "b$"),
    *(r"(?m)^[a-z]+$", r"^\w+(-\w+)*$", "^[./]{2}$"),
)
HARMFUL = (r"(^|/)\.\.(/|$)", "[;\n]", r"[^\w-]", "^/", "a$")


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(PATTERNS),
    st.sampled_from(("match", "fullmatch", "search")),
    st.sampled_from(HARMFUL),
    st.text("ab./;-\n", max_size=6),
)
def test_no_text_that_passes_holds_harm_unless_the_answer_says_so(
    pattern: str, kind: str, harmful: str, text: str
) -> None:
    passes = getattr(re, kind)(pattern, text) is not None and not text.endswith("\n")  # "$" before the last line end
    if passes and re.search(harmful, text):
        assert admits(pattern, "", RE, kind, harmful)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(("[^a-z]", "[;/]+", r"\.\.|;", "a|b", "^a", r"[\s/]", "(?i)[A]")),
    st.text("abA./;-\n", max_size=6),
    st.sampled_from(HARMFUL),
)
def test_what_a_replacement_leaves_holds_harm_only_if_the_answer_says_so(pattern: str, text: str, harmful: str) -> None:
    left = re.sub(pattern, "", text)
    if re.search(harmful, left):
        assert rest_admits(charset.complement(single(pattern, "", RE)), harmful)


@pytest.mark.parametrize(
    ("pattern", "flags", "dialect", "harmful", "expected"),
    [
        ("^[a-z]+$", "", ECMASCRIPT, "[^a-z]", False),
        ("^[a-z]+$", "i", ECMASCRIPT, "[^a-z]", True),
        ("^[a-z]+$", "m", ECMASCRIPT, ";", True),  # one of several lines
        ("^[[:alnum:]_]+$", "", RE2, r"[^\w]", False),
        ("^[[:^alnum:]]+$", "", RE2, ";", True),
        (r"^(?:a|b)$", "", RE2, "[^ab]", False),
        (r"^\d{1,3}$", "", RE2, r"\d{4}", False),
        ("(a)\\1", "", RE, ";", True),  # not understood
    ],
)
def test_what_a_dialect_admits(pattern: str, flags: str, dialect: Dialect, harmful: str, expected: bool) -> None:
    assert admits(pattern, flags, dialect, "search", harmful) == expected


def test_a_group_is_asked_by_number_and_by_name() -> None:
    pattern = r"(?P<kind>[a-z]+)-((\d+)|.*)"
    assert not admits(pattern, "", RE, "match", ";", 1)
    assert not admits(pattern, "", RE, "match", ";", "kind")
    assert admits(pattern, "", RE, "match", ";", 2)
    assert not admits(pattern, "", RE, "match", ";", 3)
    assert admits(pattern, "", RE, "match", ";", 0)
    assert admits(pattern, "", RE, "match", "a", "none")


def test_what_every_vulnerability_calls_harmful_can_be_read() -> None:
    for each in load_rules().vulnerabilities.values():
        parse(each.harmful, "", RE)


def test_an_automaton_is_built_once_for_all_that_is_asked_of_a_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []

    def counted(node: Any, alphabet: Any) -> Any:
        built.append(node)
        return parts(node, alphabet)

    monkeypatch.setattr(texts, "parts", counted)
    harmful = ["<", "[^\\w]", "[;&|]", "\\.\\./", "[0-9]"]
    for each in harmful:  # those of the vulnerabilities are kept, too
        admits("[a-z]+", "", RE, "fullmatch", each)
    built.clear()
    answers = [admits("[a-z]+[0-9]?;built-once", "", RE, "fullmatch", each) for each in harmful]
    assert answers == [False, True, True, False, True]
    assert len(built) == 1


@pytest.mark.parametrize(("pattern", "expected"), [("a.\\b.b", True), ("a\\b[b-z];", False), ("a\\B-;", False)])
def test_a_boundary_tells_words_from_the_rest_in_a_set_of_both(pattern: str, expected: bool) -> None:
    assert admits(pattern, "", RE, "fullmatch", "[;]") == expected


LOOKING = (
    *("^/(?!/)", r"^(?!.*\.\.)[./a-z]+$", "(?!a).*", "^(?!a|b{2,3}).+$", "^(?!a)(?!/)[a/.]*", "/(?!/)", "^a?(?!b)"),
    *(
        "(?m)^(?!/)",
        "^(?!a$)",
        "^(?=a)",
        "^(?!(?!a))",
        "^[ab](?![./]).*$",
        "(?!a{11})a+",
        r"^(?!\b)",
        "^(?!)",
        "^(?!a*).",
    ),
)


@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(LOOKING),
    st.sampled_from(("match", "fullmatch", "search")),
    st.sampled_from((*HARMFUL, "^//", "^b", "^aa?$")),
    st.text("ab./;-\n", max_size=6),
)
def test_what_a_lookahead_refuses_holds_no_harm_unless_the_answer_says_so(
    pattern: str, kind: str, harmful: str, text: str
) -> None:
    passes = getattr(re, kind)(pattern, text) is not None and not text.endswith("\n")
    if passes and re.search(harmful, text):
        assert admits(pattern, "", RE, kind, harmful)


@pytest.mark.parametrize(
    ("pattern", "harmful", "expected"),
    [
        ("^/(?!/)", "^//", False),
        ("^/(?!/)", r"^/\\", True),
        (r"^/(?![/\\])[\w/?=&.-]*$", r"^/[/\\]", False),
        (r"^(?!.*\.\.)[./a-z]+$", r"\.\.", False),
        (r"^(?!\.\.)[./a-z]+$", r"\.\.", True),
        ("/(?!/)", "^//", True),  # it may begin behind the first slash
        ("^/*(?!/)", "^//", True),
        ("^/(?!//)", "^//", True),
        ("^/(?=/)", "^//", True),
    ],
)
def test_a_lookahead_behind_a_certain_number_of_characters_counts(pattern: str, harmful: str, expected: bool) -> None:
    assert admits(pattern, "", RE, "search", harmful) is expected
