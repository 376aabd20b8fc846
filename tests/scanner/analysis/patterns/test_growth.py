"""What is told of a pattern is what a matcher does: steps are counted, and Python's own engine is run."""

from __future__ import annotations

import string
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scanner.analysis.patterns.strategies import patterns

from pyrograph.scanner.analysis.patterns import Growth, growth
from pyrograph.scanner.analysis.patterns.alphabet import Alphabet
from pyrograph.scanner.analysis.patterns.ambiguity import Budget, components, exponential
from pyrograph.scanner.analysis.patterns.automaton import Automaton, build
from pyrograph.scanner.analysis.patterns.dialect import ECMASCRIPT, RE, Dialect
from pyrograph.scanner.analysis.patterns.matcher import Kind, Matcher
from pyrograph.scanner.analysis.patterns.parse import parse

LIMIT = 300_000  # steps of one try

EXPONENTIAL = [
    "(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "(a*)*b",
    r"^(\w+\s?)*$",
    r"(?:[^\"]|\\.)*\"",
    r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*@x",
    "(x+x+)+y",
    "(.*a)+b",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?=(a+)+b)a",
    "(?>(a+)+b)",
    r"(\w{1,30})+!",
    r"^(?:[a-z0-9]+[-_.]?)+@",
    r"(a|b|ab)*c",
    r"^(?:a|b*|c*)*d",
    r"(x+x+)+y|x",
    r"(?i)^(ab|AB)*$",
    r"^\s*(?:(?:a|[^b])\s*)*$",
]
HARMLESS = [
    "(a+)+",  # it accepts whatever follows
    "^(a+)*",
    ".*",
    "abc",
    r"^[\w.]+@\w+$",
    r"^(?:[a-z]+-)*[a-z]+$",
    "(a?){3}b",
    r"^(?!.*\.\.)[\w.]+@\w+$",
    "(?:a{0,5}b?){0,5}",
    r"^\s*(\w+\s*=\s*)*;",
    "x|(x+x+)+y",  # its first alternative always succeeds
    r"^(?:a(?=b)b)+$",
    r"\d{1,30}x",  # a text that is longer takes no longer for each start
    r"^(\d|x)*$",
    r"^(?:\\.|[^\\])*$",
    r"^\s*(?:(?:a|[ab])\s*)*$",  # one set for the engine
    r"(?s)^(?:.|\n)+$",  # anything matches
]
POLYNOMIAL: list[tuple[str, Kind, int]] = [
    (r"\s+$", "search", 2),
    (r"^\s+|\s+$", "search", 2),
    (r"\s*\s*x", "match", 2),
    (r"\s*\s*\s*x", "match", 3),
    (r"\[(.*?)\]\((.*?)\)", "search", 3),
    ("<[^>]*>", "search", 2),
    (r"(,\s*)+x", "search", 2),
    (r"(?:\w|_)+!", "search", 2),  # one set for the engine
    ("(.|\n)*x", "search", 2),
    ("a++b", "search", 2),
]


def steps(pattern: str, found: Growth, times: int, kind: Kind, flags: str = "", dialect: Dialect = RE) -> int:
    matcher = Matcher(parse(pattern, flags, dialect), dialect)
    return matcher.steps(found.prefix + found.word * times + found.suffix, kind, LIMIT)[0]


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_what_is_exponential_doubles_with_each_word(pattern: str) -> None:
    found = growth(pattern)
    assert found.order == "exponential"
    counts = [steps(pattern, found, times, "search") for times in range(4, 11)]
    assert all(later > 1.6 * earlier for earlier, later in pairwise(counts) if later < LIMIT)


@pytest.mark.parametrize("pattern", HARMLESS)
def test_what_is_harmless_is_not_told(pattern: str) -> None:
    assert growth(pattern, kind="match").order == "linear"


@pytest.mark.parametrize(("pattern", "kind", "degree"), POLYNOMIAL)
def test_the_degree_is_that_of_the_steps(pattern: str, kind: Kind, degree: int) -> None:
    found = growth(pattern, kind=kind)
    assert (found.order, found.degree) == ("polynomial", degree)
    few, some, many = (steps(pattern, found, times, kind) for times in (10, 20, 40))
    ratio = (many - some) / (some - few)
    assert 2 ** (degree - 0.7) < ratio < 2 ** (degree + 0.5)


def test_how_it_is_matched_matters() -> None:
    assert growth("(a+)+", kind="search").order == "linear"
    assert growth("(a+)+", kind="fullmatch").order == "exponential"
    assert growth(r"\s+$", kind="match").order == "linear"
    assert growth(r"\s+$", kind="search").degree == 2


def test_the_dialects_differ() -> None:
    assert growth(r"^(?:\w|_)+$").order == "linear"  # Python makes one set of both
    assert growth(r"^(?:\w|_)+$", dialect=ECMASCRIPT).order == "exponential"
    assert growth(r"^(?:.|\n)+x$").order == "linear"
    assert growth(r"^(?:.|\n)+x$", "s").order == "exponential"
    assert growth(r"^(?:\w|\xe9)+$", dialect=ECMASCRIPT).order == "linear"  # \w is ASCII there


def test_what_stands_before_a_back_reference_is_looked_at() -> None:
    assert growth(r"(?:.*,)*realm=([\"'])(.*?)\1").order == "exponential"
    failing = growth(r"([\"'])((?:\\.|.)*?)\1")  # that part matches in many ways, and the reference fails behind each
    assert failing.order == "exponential"
    assert not set("\"'") & set(failing.word + failing.suffix)
    assert growth(r"(a+)+\1b").order == growth(r"(a*)(b|b)*\1").order == "unknown"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [(r"(a+)+\1", "back-reference"), ("(" * 99, "40 groups"), ("((a{50}){50}){50}b*c", "1500 characters")],
)
def test_what_is_too_much_is_unknown_and_says_why(pattern: str, reason: str) -> None:
    found = growth(pattern)
    assert found.order == "unknown"
    assert reason in found.reason


def test_long_patterns_are_answered() -> None:
    for pattern in (
        "[abc]{1,5}x" * 90,
        "(?:" + "|".join(f"word{each}" for each in range(150)) + ")+x",
        "a*" * 300 + "b",
    ):
        assert growth(pattern).order in ("linear", "polynomial", "unknown")
    assert growth("x" * 900 + "(a+)+$").order == "exponential"
    assert growth("((((((((((a?){9}){9}){9}){9}){9}){9}){9}){9}){9}){9}b*c").order == "unknown"


@given(st.text(string.printable, max_size=30), st.sampled_from([RE, ECMASCRIPT]))
@settings(deadline=None)
def test_nothing_raises(pattern: str, dialect: Dialect) -> None:
    assert growth(pattern, "", dialect).order in ("linear", "polynomial", "exponential", "unknown")


@given(patterns(looks=False), st.sampled_from(["match", "fullmatch", "search"]))
@settings(deadline=None, max_examples=300)
def test_a_verdict_is_what_the_steps_show(pattern: str, kind: Kind) -> None:
    found = growth(pattern, kind=kind)
    if found.order == "exponential":
        early, late = (steps(pattern, found, times, kind) for times in (6, 10))
        assert late > 8 * early or late == LIMIT
    elif found.order == "polynomial":
        early, late = (steps(pattern, found, times, kind) for times in (16, 64))
        assert late > 5 * early or late == LIMIT


@given(patterns(places=False, looks=False))
@settings(deadline=None, max_examples=200)
def test_nothing_exponential_is_missed(pattern: str) -> None:
    """All short words, repeated and made to fail: where the steps double and double, it was told."""
    whole = f"(?:{pattern})"
    if growth(whole, kind="fullmatch").order in ("exponential", "unknown"):
        return
    matcher = Matcher(parse(whole, "", RE), RE)
    for word in ("a", "b", "ab", "ba", "aab", " ", "a "):
        for suffix in ("!", "a!", "\n!"):
            counts = [matcher.steps(word * times + suffix, "fullmatch", 300_000)[0] for times in (6, 9, 12)]
            assert not all(later > 6 * earlier for earlier, later in pairwise(counts))


def ambiguous(pattern: str) -> bool:
    automat = automaton(pattern)
    return next(exponential(automat, components(automat), Budget()), None) is not None


def automaton(pattern: str) -> Automaton:
    node = parse(pattern, "", RE)
    return build(node, Alphabet(node))


def test_loops_that_read_a_word_in_one_way_are_no_candidates() -> None:
    assert ambiguous("(?:a|ab|b)*c")
    assert not ambiguous("(?:a|ba|c)*c")
    assert not ambiguous(r"(?:\d{3}-)*\d{3}")
    assert ambiguous("(a*)*")
    assert not ambiguous("(a?)*")


SCRIPT = """
import re, signal, sys
signal.signal(signal.SIGALRM, lambda *_: sys.exit(3))
signal.alarm(60)
pattern, prefix, word, suffix = sys.argv[1:]
compiled = re.compile(pattern)
import time
def took(times):
    before = time.process_time()
    compiled.search(prefix + word * times + suffix)
    return time.process_time() - before
times = 4
while took(times) < 0.02:
    times += 1
    if times > 60:
        sys.exit(1)
"""


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_python_s_own_engine_takes_long(pattern: str) -> None:
    """Sixty words would be nothing for a polynomial: it takes a hundredth of a second only if it doubles."""
    if pattern == r"(?:[^\"]|\\.)*\"":
        pattern = r"^(?:[^\"]|\\.)*\""
    found = growth(pattern)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, pattern, found.prefix, found.word, found.suffix], timeout=120, check=False
    )
    assert done.returncode == 0
