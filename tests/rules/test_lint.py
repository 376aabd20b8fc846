"""Packs that can be read and are still likely to be wrong; the expectations of examples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.rules import load_rules
from pyrograph.rules.entries import Example, Origin, Pack
from pyrograph.rules.examples import (
    Expectation,
    ExpectationError,
    Found,
    differences,
    expectations,
    reported,
    run,
    silent,
)
from pyrograph.rules.files import parse
from pyrograph.rules.lint import lint

EXAMPLES = """
[[example]]
name = "reported"
code = "f(x)  # expect: xss"
[[example]]
name = "silent"
code = "f('x')"
"""


def pack(text: str, *, examples: str = EXAMPLES, name: str = "test") -> Pack:
    source = f'library = "x"\nlanguage = "python"\n{text}\n{examples}'
    parsed = parse(source.encode(), f"{name}.toml", name)
    assert parsed.errors == ()
    assert parsed.pack is not None
    return parsed.pack


GOOD = '[source]\nhttp = ["a.s"]\n[sink]\nxss = ["a.b(0)"]'


def test_a_good_pack_has_no_complaints() -> None:
    assert lint([pack(GOOD)], {"xss"}) == []


COMPLAINTS = {
    "duplicates": (
        '[source]\nhttp = ["a.s"]\n[sink]\nxss = ["a.{b,c}(0)", "a.c(0)"]',
        ["test.toml:6: 'a.c' is a duplicate of line 6"],
    ),
    "shadowed": (
        '[source]\nhttp = ["a.s"]\n[sink]\nxss = [\n"a.B#c(0) when 1 absent",\n"a.B#c(0)"]',
        ["test.toml:7: the condition of 'a.B#c' is pointless: line 8 has none"],
    ),
    "unreachable": (
        '[source]\nhttp = ["a.s"]\n[sink]\nxss = [\n"a.b(0) when 1 == 1 when 1 == 2",\n'
        '"a.c(0) when 1 absent unless 1 absent"]',
        [
            "test.toml:7: the conditions of 'a.b' never hold together",
            "test.toml:8: the conditions of 'a.c' never hold together",
        ],
    ),
    "no source": ('[sink]\nxss = ["a.b(0)"]', ["test.toml:4: python has sinks of xss but no source"]),
    "only unsure sources": (
        '[source]\nhttp = ["~ a.s"]\n[sink]\nxss = ["a.b(0)"]',
        ["test.toml:6: python has sinks of xss but no source"],
    ),
    "no example of it": (
        '[source]\nhttp = ["a.s"]\n[sink]\nxss = ["a.b(0)"]\nssrf = ["a.c(0)"]',
        ["test.toml:7: python has sinks of ssrf but no example expects one"],
    ),
}


@pytest.mark.parametrize(("text", "complaints"), COMPLAINTS.values(), ids=COMPLAINTS.keys())
def test_a_complaint_names_file_and_line(text: str, complaints: list[str]) -> None:
    assert lint([pack(text)], {"xss", "ssrf"}) == complaints


def test_constants_that_are_equal_in_python_are_not_duplicates() -> None:
    text = '[source]\nhttp = ["a.s"]\n[sink]\nxss = ["a.b(0) when 1 == true", "a.b(0) when 1 == 1"]'
    assert lint([pack(text)], {"xss"}) == []


def test_sinks_for_different_aspects_are_not_duplicates() -> None:
    text = '[source]\nhttp = ["a.s"]\n[sink]\nxss = ["a.b(0) without url.host", "~a.b(0)"]'
    assert lint([pack(text)], {"xss"}) == []


def test_a_pack_needs_a_reported_and_a_silent_example() -> None:
    assert lint([pack(GOOD, examples="")], {"xss"}) == [
        "test.toml:4: no example is reported; add one with '# expect: <vulnerability>'",
        "test.toml:4: no example without findings; add one that has no finding on any line",
        "test.toml:6: python has sinks of xss but no example expects one",
    ]


def test_the_comments_of_examples_are_checked() -> None:
    more = (
        '[[example]]\nname = "odd"\ncode = "f()  # expect: Bad"\n[[example]]\nname = "new"\ncode = "f()  # expect: xxs"'
    )
    assert lint([pack(GOOD, examples=EXAMPLES + more)], {"xss"}) == [
        "test.toml:14: example 'odd', line 1: 'Bad' is not an expectation; "
        "write 'expect: <vulnerability>' or 'expect: <vulnerability> from line N'",
        "test.toml:17: example 'new' expects the unknown vulnerability 'xxs'",
    ]


def test_an_api_that_another_pack_cleans_is_told() -> None:
    other = pack('[sanitizer]\nxss = ["a.b()"]', name="other")
    assert lint([pack(GOOD), other], {"xss"}) == ["other.toml:4: 'a.b()' is also a sink of xss (test.toml:6)"]


def test_an_entry_that_another_pack_has_is_told() -> None:
    other = pack('[sink]\nxss = ["a.{b,c}(0)"]', name="other")
    assert lint([pack(GOOD), other], {"xss"}) == ["other.toml:4: 'a.b' is a duplicate of test.toml:6"]


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    rules = load_rules(cache_folder=tmp_path_factory.mktemp("cache"))
    return lint(rules.packs, rules.vulnerabilities)


def test_every_built_in_sink_has_a_source_and_an_example(complaints: list[str]) -> None:
    assert [each for each in complaints if " has sinks of " in each] == []


def test_no_built_in_entry_is_a_slip(complaints: list[str]) -> None:
    assert [each for each in complaints if " has sinks of " not in each] == []


# Expectations


def test_comments_are_read_in_every_language() -> None:
    code = "a()  # expect: xss\nb() // spurious: ssrf from line 1, go/xss\n{/* missing: xxe */}\nd()  # unexpected: x"
    assert expectations(code) == [
        Expectation(1, "xss", 0, "expect"),
        Expectation(2, "ssrf", 1, "spurious"),
        Expectation(2, "xss", 0, "spurious"),
        Expectation(3, "xxe", 0, "missing"),
    ]


@pytest.mark.parametrize("comment", ["expect:", "expect: xss from 3", "spurious: xss ssrf", "missing: go/xss"])
def test_a_comment_that_cannot_be_read_is_an_error(comment: str) -> None:
    with pytest.raises(ExpectationError, match=r"^line 2: "):
        expectations(f"\nf()  # {comment}", "python")


def test_a_language_before_the_vulnerability_must_be_the_right_one() -> None:
    assert expectations("f()  # expect: python/xss", "python") == [Expectation(1, "xss", 0)]


CASES: dict[str, tuple[str, list[Found], list[str]]] = {
    "nothing expected, nothing found": ("f()", [], []),
    "as expected": ("f()  # expect: xss", [(1, "xss", 7)], []),
    "not found": ("f()  # expect: xss", [], ["line 1: xss is not found"]),
    "found elsewhere": (
        "f()  # expect: xss\ng()",
        [(2, "xss", 1)],
        ["line 1: xss is not found", "line 2: xss from line 1 is found but not expected"],
    ),
    "the right source": ("f()  # expect: xss from line 3", [(1, "xss", 4), (1, "xss", 3)], []),
    "another source": (
        "f()  # expect: xss from line 3",
        [(1, "xss", 4), (1, "xss", 5)],
        ["line 1: xss from line 3 is found from line 4, 5 instead"],
    ),
    "another vulnerability": (
        "f()  # expect: xss",
        [(1, "ssrf", 1)],
        ["line 1: ssrf from line 1 is found but not expected", "line 1: xss is not found"],
    ),
    "a known false finding": ("f()  # spurious: xss", [(1, "xss", 1)], []),
    "a false finding that is gone": (
        "f()  # spurious: xss",
        [],
        ["line 1: xss is not found any more: remove the comment 'spurious'"],
    ),
    "a known miss": ("f()  # missing: xss", [], []),
    "a miss that is found": (
        "f()  # missing: xss",
        [(1, "xss", 1)],
        ["line 1: xss is found now: write 'expect' instead of 'missing'"],
    ),
    "an unreadable comment": (
        "f()  # expect: XSS",
        [(1, "xss", 1)],
        [
            "line 1: 'XSS' is not an expectation; "
            "write 'expect: <vulnerability>' or 'expect: <vulnerability> from line N'"
        ],
    ),
}


@pytest.mark.parametrize(("code", "found", "told"), CASES.values(), ids=CASES.keys())
def test_findings_are_compared_with_the_comments(code: str, found: list[Found], told: list[str]) -> None:
    example = Example("x", code, "x.py", Origin("x.toml", 1, "x"))
    assert run(example, lambda _: found) == told


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["xss", "ssrf"]), st.integers(1, 4)), max_size=6))
def test_findings_agree_with_comments_made_of_them(found: list[Found]) -> None:
    assert differences([Expectation(*each) for each in found], found) == []


def test_reported_and_silent_examples() -> None:
    def example(code: str) -> Example:
        return Example("x", code, "x.py", Origin("x.toml", 1, "x"))

    assert reported(example("f()  # expect: xss"))
    assert not reported(example("f()  # spurious: xss"))
    assert silent(example("f()"))
    assert silent(example("f()  # missing: xss"))
    assert not silent(example("f()  # spurious: xss"))
