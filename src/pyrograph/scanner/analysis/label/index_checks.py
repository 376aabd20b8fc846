"""Tests of a position that a search returns, ``names.indexOf(x) === -1``, ``x.find(y) == 0``, and of what is counted:
``x.count("..") > 0``.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.label.comparison_checks import Check, comparison_checks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.member_checks import member_checks
from pyrograph.scanner.analysis.label.membership import index_call, number_tested, shows_presence
from pyrograph.scanner.analysis.label.pattern_checks import pattern_checks
from pyrograph.scanner.analysis.label.prefix_checks import prefix_checks
from pyrograph.scanner.analysis.numbers import CALL_OP, EQUAL_TEST


def count_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[Check]:
    """Whether something is found once at least, by how often it is: ``x.count("..")``, ``== 0``, ``> 0``."""
    number, when_false = number_tested(facts, test, left, right)
    methods, operands = index_call(facts, number) if number != NONE else ([], [])
    if len(operands) != 2 or facts.traits_of(number).questions.counts.isdisjoint(methods):
        return []
    return presence_checks(facts, operands, guards, when_false)


def index_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[Check]:
    """Membership by position: ``list.indexOf(x) === -1``, ``< 0``, ``> -1``."""
    call, number = (left, right) if facts.op[left] == CALL_OP else (right, left)
    methods, operands = index_call(facts, call)
    if not methods or not facts.traits_of(call).questions.counts.isdisjoint(methods):
        return []
    is_there = shows_presence(facts, test, left, right)
    questions = facts.traits_of(call).questions
    is_first = not questions.first_positions.isdisjoint(methods)
    if test == EQUAL_TEST and facts.constant(number) == "0" and is_first and len(operands) == 2:
        return prefix_checks(facts, guards, "prefix", *operands)
    if is_there is None or len(operands) < 2:
        return []
    found: list[Check] = []
    searching = next((method for method in methods if method in questions.pattern_positions), None)
    if searching is not None:
        for check in pattern_checks(facts, guards, facts.data[call], searching, operands):
            found.append(check._replace(when_false=check.when_false == is_there))
        return found
    return presence_checks(facts, operands, guards, is_there)


def presence_checks(facts: Facts, operands: list[int], guards: dict[str, Tests], is_there: bool) -> list[Check]:
    """The checks of a test that holds where the second operand is in the first, or where it is not (``is_there``
    false): membership of a collection, or a constant part of a text.
    """
    within, item = operands
    text = facts.constant(item)
    if text is not None and not facts.is_constant_collection(within):
        found = comparison_checks(facts, guards, "contains", within, text.removeprefix("'"))
    else:
        found = member_checks(facts, guards, within, item)
    return [check._replace(when_false=check.when_false == is_there) for check in found]
