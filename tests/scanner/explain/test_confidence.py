"""What makes a path too long for high confidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyrograph.model.finding import Step
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.confidence import MAX_STEPS_STORED, MAX_STEPS_SURE
from pyrograph.scanner.explain.confidence import is_far_stored, is_long_way, requests_of

FLOW = Step(Place("a.py", 1, 1, 1, 2), "flow", "")
RETURN = replace(FLOW, kind="return")
VULNERABILITY = Vulnerability("v", "v", (1,), "high", 5.0, "high", "", "")
READ = replace(FLOW, kind="load", resumed=True)
ELSEWHERE = [replace(FLOW, place=Place(f"{name}.py", 1, 1, 1, 2)) for name in "bcd"]


@pytest.mark.parametrize(
    ("steps", "is_long"),
    [
        ([FLOW, RETURN, FLOW, RETURN], True),
        ([FLOW, RETURN, READ, RETURN], False),  # two requests, with a call each
        ([FLOW, RETURN, READ, RETURN, FLOW, RETURN], False),  # a row that two calls hand on
        ([FLOW, RETURN, FLOW, RETURN, READ], True),
        ([FLOW, RETURN, replace(RETURN, inline=True)], False),  # rows.map((row) => ...)
        ([FLOW] * (MAX_STEPS_SURE + 1), True),
        ([FLOW] * MAX_STEPS_SURE + [READ], False),
        ([FLOW, *ELSEWHERE], True),
        ([FLOW, *ELSEWHERE[:2], READ, ELSEWHERE[2]], False),
    ],
)
def test_each_request_counts_alone(steps: list[Step], is_long: bool) -> None:
    ways = requests_of(steps)
    assert any(is_long_way(each, shows_stored=at > 0) for at, each in enumerate(ways)) == is_long


def test_no_step_is_lost() -> None:
    steps = [FLOW, READ, FLOW, READ]
    assert [step for part in requests_of(steps) for step in part] == steps


@pytest.mark.parametrize(
    ("steps", "executed", "is_far"),
    [
        ([*[FLOW] * (MAX_STEPS_STORED - 1), READ], False, False),
        ([*[FLOW] * MAX_STEPS_STORED, READ], False, True),
        ([*[FLOW] * MAX_STEPS_STORED, READ], True, False),  # an interpreter runs it
        ([FLOW] * (MAX_STEPS_STORED + 1), False, False),  # nothing is stored
    ],
)
def test_all_steps_count_where_an_earlier_request_stored(steps: list[Step], executed: bool, is_far: bool) -> None:
    vulnerability = replace(VULNERABILITY, executed=executed)
    assert is_far_stored(steps, vulnerability) == is_far
