"""Data that one call passes on to another call of the same rule is one finding."""

from __future__ import annotations

from typing import Literal

import pytest

from pyrograph.model.finding import Finding, Trace
from pyrograph.model.place import Place
from pyrograph.scanner.explain.arguments import Reached
from pyrograph.scanner.explain.passed_on import without_repeats

Level = Literal["low", "medium", "high"]


def reached(
    start: int,
    *,
    function: str = "f",
    confidence: Level = "high",
    sources: tuple[int, ...] = (1,),
    passed: tuple[int, ...] = (),
    rule: str = "go/ssrf",
) -> Reached:
    """A finding at the call that begins at ``start``; ``passed``: starts of the calls on its path."""
    place = Place("a.go", start, 1, start, 2)
    trace = Trace("http", "source", ())
    finding = Finding(rule, rule, "high", confidence, "", place, function, "", (trace,), len(sources), str(start))
    places = frozenset(("a.go", each, each + 1) for each in passed)
    return Reached(finding, (rule, "a.go", start, start + 1), "", frozenset(sources), places)


def starts(*found: Reached) -> list[int]:
    return [each.finding.place.line for each in without_repeats(found)]


def test_the_last_call_of_a_function_is_reported() -> None:
    assert starts(reached(1), reached(2, passed=(1, 2))) == [2]


@pytest.mark.parametrize(
    "last",
    [
        reached(2, passed=()),
        reached(2, passed=(1,), rule="go/xss"),
        reached(2, passed=(1,), sources=(2,)),
    ],
)
def test_calls_that_have_nothing_to_do_with_each_other_are_both_reported(last: Reached) -> None:
    assert starts(reached(1), last) == [1, 2]


def test_the_first_call_is_reported_where_another_function_sends_what_it_is_given() -> None:
    sends = reached(3, function="send", passed=(1, 2), sources=(1, 2))
    assert starts(reached(1), reached(2, function="g", sources=(2,)), sends) == [1, 2]


def test_a_call_that_data_reaches_without_the_first_one_is_reported() -> None:
    assert starts(reached(1), reached(2, function="send", passed=(1,), sources=(1, 2))) == [1, 2]


def test_what_is_less_likely_replaces_nothing() -> None:
    assert starts(reached(1), reached(2, passed=(1,), confidence="medium")) == [1]


def test_of_three_calls_the_last_one_is_reported() -> None:
    assert starts(reached(1), reached(2, passed=(1,)), reached(3, passed=(1, 2))) == [3]


def test_what_is_more_likely_is_reported_and_replaces_what_is_less_likely() -> None:
    doubtful = reached(1, function="compiled", confidence="low")
    assert starts(doubtful, reached(2, passed=(1,))) == [2]
    assert starts(reached(1, function="compiled", confidence="low", sources=(1, 2)), reached(2, passed=(1,))) == [1, 2]
    assert starts(doubtful, reached(2, passed=(1,), confidence="low")) == [1]
