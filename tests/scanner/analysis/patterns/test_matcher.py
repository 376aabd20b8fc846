"""The counting matcher matches what the engine of Python matches, and its trees come from both dialects."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from tests.scanner.analysis.patterns.strategies import patterns, texts

from pyrograph.scanner.analysis.patterns.alphabet import Alphabet
from pyrograph.scanner.analysis.patterns.charset import EXACT, Chars, complement, either_case
from pyrograph.scanner.analysis.patterns.dialect import ECMASCRIPT, RE, Dialect
from pyrograph.scanner.analysis.patterns.matcher import Kind, Matcher
from pyrograph.scanner.analysis.patterns.parse import Unreadable, parse


def matches(pattern: str, text: str, flags: str = "", dialect: Dialect = RE, kind: Kind = "fullmatch") -> bool:
    return Matcher(parse(pattern, flags, dialect), dialect).steps(text, kind, 100_000)[1] is True


@given(patterns(), texts)
@settings(deadline=None, max_examples=400)
def test_a_text_matches_where_it_does_in_python(pattern: str, text: str) -> None:
    compiled = re.compile(pattern)
    matcher = Matcher(parse(pattern, "", RE), RE)
    for kind, wanted in (
        ("match", compiled.match(text)),
        ("fullmatch", compiled.fullmatch(text)),
        ("search", compiled.search(text)),
    ):
        if not text and r"\B" in pattern:
            continue  # versions of Python differ
        found = matcher.steps(text, kind, 200_000)[1]  # type: ignore[arg-type]
        assert found is None or found == (wanted is not None)


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"\x41\u00e9\t\101\0", ""),
        (r"[]a^-]+[\]\-\d]", ""),
        (r"[^\W\d_]+", ""),
        (r"(?i)stra\xdfe[A-F]", ""),
        (r"(?P<name>a)(?#comment)b{2,3}?c{x}", ""),
        (" a  b # comment\n [ c]\\ ", "x"),
        (r"(?i:a)b(?-i:c)", "i"),
        (r"a.b", "s"),
        (r"^b$", "m"),
        (r"(?<=a)b(?<!c)", ""),
        (r"\Aa*+b++\Z", ""),
        (r"\w\W\s\S\d\D", "a"),
        (r"[a-]{,2}", ""),
    ],
)
def test_python_s_notation_means_what_it_means_there(pattern: str, flags: str) -> None:
    compiled = re.compile(
        f"(?{flags}:{pattern})" if flags not in ("", "a") else (f"(?{flags})" * bool(flags)) + pattern
    )
    matcher = Matcher(parse(pattern, flags, RE), RE)
    tried = [
        "A\xe9\tA\0",
        "]^-",
        "]9",
        "strASSEF",
        "STRA\xdfEf",
        "abbc{x}",
        "ab ",
        "AbC",
        "aBc",
        "a\nb",
        "c\nb\na",
        "ab",
    ]
    tried += ["c\nb\na", "ab", "a!a a!", "a! a1a", "aaab", "\xe9! \xe91\xe9", "aa", "a-", "", "\xe9t\xe9"]
    for text in tried:
        assert matcher.steps(text, "search", 10_000)[1] == (compiled.search(text) is not None), text
        assert matcher.steps(text, "fullmatch", 10_000)[1] == (compiled.fullmatch(text) is not None), text


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "wanted"),
    [
        ("[^]", "", "\n", True),
        ("[]", "", "", False),
        (".", "", "\u2028", False),
        (r"\w", "", "\xe9", False),
        (r"\W", "", "\xe9", True),
        (r"\p{L}\P{L}", "u", "\xe91", True),
        (r"\u{41}", "u", "A", True),
        (r"\cJ", "", "\n", True),
        ("a{,2}", "", "a{,2}", True),
        (r"(?<year>\d{4})", "", "2026", True),
        (r"\/\-", "", "/-", True),
        ("a$", "", "a\n", False),
        (r"(?:a?)*b", "", "aab", True),
    ],
)
def test_javascript_s_notation(pattern: str, flags: str, text: str, wanted: bool) -> None:
    assert matches(pattern, text, flags, ECMASCRIPT) == wanted


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", "back-reference"),
        ("(?P<x>a)(?P=x)", r"\(\?P="),
        ("(a)(?(1)b|c)", r"\(\?\("),
        ("(" * 60 + ")" * 60, "40 groups"),
        ("a" * 6000, "longer than 5000"),
        ("(a", "not closed"),
        ("a)", "nothing opens"),
        ("*a", "repetition of nothing"),
        ("a{3,2}", "wrong way round"),
        ("[b-a]", "wrong way round"),
        ("[a", "not closed"),
        ("a\\", "backslash"),
        (r"\N{DASH}", r"'\\N'"),
    ],
)
def test_what_is_not_looked_at_says_so(pattern: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        parse(pattern, "", RE)


def test_classes_are_those_of_the_engines() -> None:
    for letter, chars in RE.classes.items():
        wanted = [bool(re.match(f"\\{letter}", chr(code))) for code in range(EXACT + 1)]
        assert [holds(chars, code) for code in range(EXACT + 1)] == wanted
    assert holds(ECMASCRIPT.classes["s"], 0xFEFF)
    assert not holds(ECMASCRIPT.classes["s"], 0x1C)


def holds(chars: Chars, code: int) -> bool:
    return any(first <= code <= last for first, last in chars)


def test_sets() -> None:
    assert complement(complement(((5, 9), (20, 30)))) == ((5, 9), (20, 30))
    assert either_case(((97, 98),)) == ((65, 66), (97, 98))


def test_what_no_set_tells_apart_is_one_letter() -> None:
    alphabet = Alphabet(parse("[a-z]x|[0-9]", "", RE))
    assert alphabet.letter("a") == alphabet.letter("w")
    assert alphabet.letter("y") == alphabet.letter("z")
    assert alphabet.letter("x") not in (alphabet.letter("a"), alphabet.letter("z"))
    assert alphabet.letter("!") != alphabet.letter("5")
    assert alphabet.sample(alphabet.mask(((ord("a"), ord("z")),))) == "a"
