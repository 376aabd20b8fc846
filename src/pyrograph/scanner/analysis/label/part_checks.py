"""Tests of one part of a text, whose other side is kept: ``[p for p in x.split("/") if p != ".."]``.

What the rules say of a text no part of which is ``..`` holds of the part that is not: it holds no slash. So it holds of
what is put together of such parts, in a list that a loop, a comprehension or ``filter`` makes.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.scanner.analysis.label.comparison_checks import Check, comparison_checks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.numbers import LOAD_OP, PARAMETER_OP


def part_checks(facts: Facts, guards: dict[str, Tests], part: int, texts: Iterable[str]) -> list[Check]:
    """The check that ``part``, an element of the parts of a text, is none of ``texts``; none if it is no such part."""
    lists = lists_with(facts, facts.rep[part])
    mask = facts.wanted.all if lists else 0
    for each in lists:
        proven = 0
        for text in texts:
            for check in comparison_checks(facts, guards, "contains", each, text):
                is_text = any([value != facts.rep[each] for value in check.values])
                proven |= check.mask if check.when_false and is_text else 0
        mask &= proven
    return [Check({facts.rep[part]}, mask, True, None)] if mask else []


def lists_with(facts: Facts, rep: int) -> list[int]:
    """The lists whose element a value is: of a loop over one, or the parameter of a function that is given each."""
    if facts.op[rep] == LOAD_OP and facts.load_key[facts.data[rep]] == UNKNOWN_KEY:
        return [facts.load_object[facts.data[rep]]]
    if facts.op[rep] == PARAMETER_OP and rep not in facts.flows.captured and not facts.calls.arguments_for(rep):
        return [table for table, _ in facts.calls.elements_for(rep)]
    return []
