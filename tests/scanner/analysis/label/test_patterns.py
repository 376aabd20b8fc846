"""Constant regular expressions: where they are defined, their flags, and the time that matching may take."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled

from pyrograph.ir.codes import NONE
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.label import patterns
from pyrograph.scanner.analysis.label.patterns import dialect_named, flags_at, literal, pattern, takes_long

RULES = '[propagator]\nflow = ["re.compile:", "re.match:"]\n'


def argument(found: Labelled, name: str = "use") -> int:
    """The first argument of the call of ``name``."""
    facts = found.facts
    (call,) = (row for row in range(len(facts.call_result)) if found.text(facts.call_callee[row]) == name)
    return facts.arg_value[facts.args.of(call)[0]]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("p = re.compile('a+')\nuse(p)", "'a+"),
        ("P = re.compile('a+')\ndef f():\n    use(P)", "'a+"),
        ("P = re.compile('a+')\nP = re.compile('b')\ndef f():\n    use(P)", None),
        ("use(re.compile(x))", None),
        ("use('a+')", None),
    ],
)
def test_the_pattern_of_a_compiled_expression(code: str, text: str | None) -> None:
    found = labelled(f"import re\n{code}\n", RULES)
    assert pattern(found.facts, argument(found)) == text


def test_the_first_result_of_a_call_is_what_it_compiled() -> None:
    code = 'package main\nimport "regexp"\nfunc f() { p, err := regexp.Compile("a+"); use(p) }\n'
    found = labelled(code, '[propagator]\nflow = ["regexp.Compile:"]\n', "go")
    assert pattern(found.facts, argument(found)) == "'a+"


@pytest.mark.parametrize(
    ("flags", "letters"),
    [("re.I", "i"), ("re.IGNORECASE", "i"), ("re.I | re.X", "ix"), ("0", ""), ("FLAGS", "i"), ("other", "")],
)
def test_flags_are_found_by_name_joined_or_not(flags: str, letters: str) -> None:
    found = labelled(f"import re\nFLAGS = re.I\ndef f():\n    re.match('a', {flags})\n", RULES)
    assert (
        flags_at(
            found.facts, found.call(f"re.match('a', {flags})"), dialect_named(language_of("python").pattern_dialect)
        )
        == letters
    )


@pytest.mark.parametrize(
    ("code", "language", "exponential", "polynomial"),
    [
        ("use('(a+)+$')", "python", True, False),
        ("import re\nuse(re.compile('(a+)+$'))", "python", True, False),
        ("use('a+a+$')", "python", False, True),
        ("use('a+$')", "python", False, False),
        ("use(x)", "python", False, False),
        ("use(/(a+)+$/)", "javascript", True, False),
        ("use(new RegExp('(a+)+$'))", "javascript", True, False),
        ("use('(a+)+$')", "javascript", False, False),
    ],
)
def test_the_worst_case_of_matching(code: str, language: str, exponential: bool, polynomial: bool) -> None:
    rules = RULES if language == "python" else '[propagator]\nflow = ["globalThis.RegExp:"]\n'
    found = labelled(f"{code}\n", rules, language)
    value = argument(found)
    call = found.facts.calls.call_of_argument[found.facts.arg_value.index(value)]
    assert takes_long(found.facts, value, call, "match", exponential=True) is exponential
    assert takes_long(found.facts, value, call, "match", exponential=False) is polynomial


def test_an_engine_that_does_not_backtrack_has_no_long_matches() -> None:
    found = labelled('package main\nfunc f() { use("(a+)+$") }\n', RULES.replace("re.", "regexp."), "go")
    assert not takes_long(found.facts, argument(found), 0, "match", exponential=True)


@pytest.mark.plain
def test_a_program_whose_patterns_take_very_many_steps_is_told_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = labelled("use('(a+)+$')\n")
    facts, value = found.facts, argument(found)
    monkeypatch.setattr(patterns, "MAX_PATTERN_STEPS", 0)
    assert not takes_long(facts, value, 0, "match", exponential=True)
    assert not takes_long(facts, value, 0, "search", exponential=True)
    assert [problem.kind for problem in facts.labels.problems] == ["limit"]
    monkeypatch.undo()
    assert takes_long(facts, value, 0, "match", exponential=True)
    spent = facts.labels.growths.steps
    assert spent > 0
    assert takes_long(facts, value, 0, "match", exponential=True)
    assert facts.labels.growths.steps == spent, "an answer is remembered"


@pytest.mark.plain
def test_the_flags_of_a_call_are_looked_for_once_in_each_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values meet again: four texts of 30 times the one before would be 810,000 visits."""
    lines = ["import re", "def f(a0):", *(f'    a{each + 1} = f"{f"{{a{each}}}" * 30}"' for each in range(4))]
    found = labelled("\n".join([*lines, "    re.search('a', a0, a4)"]) + "\n")
    visits = []
    origins_of = type(found.facts.flows).origins_of

    def counted(self: object, value: int) -> list[tuple[int, int]]:
        visits.append(value)
        return origins_of(self, value)  # type: ignore[arg-type]

    monkeypatch.setattr(type(found.facts.flows), "origins_of", counted)
    calls = found.facts.tables["calls"]["result"]
    flags_at(found.facts, len(calls) - 1, dialect_named("re"))
    assert 4 <= len(visits) < 100


@pytest.mark.parametrize(
    ("text", "found"),
    [("/a+/g", ("a+", "g")), ("/a+/", ("a+", "")), ("/a\\/b/i", ("a\\/b", "i")), ("a+", None)],
)
def test_a_literal_has_a_pattern_and_flags(text: str, found: tuple[str, str] | None) -> None:
    assert literal(labelled("use(x)\n").facts, text, NONE) == found
