"""The steps of a file for questions about tables and checks: each is answered whole, or whoever asks is told."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label import budget
from pyrograph.scanner.analysis.label.definitions import elements, last_elements, made_where, some_made
from pyrograph.scanner.analysis.label.tested_characters import constant_texts


def argument(found: Labelled) -> int:
    """The first argument of the call of ``use``."""
    facts = found.facts
    (call,) = (row for row in range(len(facts.call_result)) if found.text(facts.call_callee[row]) == "use")
    return facts.arg_value[facts.args.of(call)[0]]


def listed(count: int) -> str:
    return "T = {" + ", ".join(f"'k{each}': g({each})" for each in range(count)) + "}\n"


def test_a_list_with_more_elements_than_are_looked_through_has_no_known_maker() -> None:
    short = labelled(listed(20) + "def f(x):\n    use(T[x])\n")
    assert len(made_where(short.facts, argument(short))) == 20
    long = labelled(listed(100) + "def f(x):\n    use(T[x])\n")
    some, is_whole = some_made(long.facts, argument(long))
    assert len(some) >= MAX_DEFINITIONS - 2
    assert not is_whole
    assert made_where(long.facts, argument(long)) == []


def test_the_last_elements_are_all_of_a_short_list_and_the_end_of_a_long_one() -> None:
    for count in (20, 100):
        found = labelled(listed(count) + "def f():\n    use(T)\n")
        whole = elements(found.facts, argument(found), UNKNOWN_KEY)
        last, are_all = last_elements(found.facts, argument(found), UNKNOWN_KEY)
        assert whole is not None
        assert last == whole[-len(last) :]
        assert are_all == (count == 20)
        assert len(whole) == count


def test_who_must_judge_all_elements_gets_none_where_the_file_has_no_steps_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget, "MAX_LOOKED_STEPS", 10)
    found = labelled(listed(20) + "def f():\n    use(T)\n")
    facts = found.facts
    while facts.budget.spend(argument(found), 5):  # ten steps at most
        pass
    assert elements(facts, argument(found), NONE) is None
    assert last_elements(facts, argument(found), NONE) == ([], False)
    assert constant_texts(facts, argument(found)) == []
    assert any(what == budget.MESSAGE for what, _, _ in facts.resolution.reached.reported)
