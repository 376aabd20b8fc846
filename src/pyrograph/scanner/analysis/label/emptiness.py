"""Conditions on lengths: ``len(x) == 0`` and ``x.length < 1`` show that a text is empty, ``x.length > 0`` that it has a
length.

What is empty holds nothing of a client's, and what it was made from holds what a comparison with the empty text proves:
``len(urlparse(x).netloc) == 0`` says the same as ``urlparse(x).netloc == ""``. The text itself, ``if x``, needs no
rule: a value that is false is no text.
What has a length is no object of a request: objects lack that member, and a comparison with what is missing is false.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.parsers import language_of
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guard_checks import Check, comparison_checks
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.membership import number_tested
from pyrograph.scanner.analysis.label.objects import may_be_list, object_mask
from pyrograph.scanner.analysis.numbers import CALL_OP, LESS_TEST, LOAD_OP, TRUTH_TEST


def emptiness_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[Check]:
    """The checks that a comparison of a length is, if it shows on one side that the text is empty."""
    text, when_false = length_tested(facts, test, left, right)
    if text == NONE:
        return []
    number, _ = number_tested(facts, test, left, right)
    is_member = when_false and facts.op[facts.rep[number]] == LOAD_OP  # an object without it is not empty
    mask = facts.wanted.all & ~object_mask(facts) if is_member else facts.wanted.all
    found = [Check({facts.rep[text]}, mask, when_false, None)]
    for check in comparison_checks(facts, guards, "eq", text, "", transformed=True):
        found.append(check._replace(when_false=check.when_false != when_false))
    return found


def length_tested(facts: Facts, test: int, left: int, right: int) -> tuple[int, bool]:
    """What a condition asks the length of, or NONE; and whether it is empty where the condition fails."""
    number, when_false = number_tested(facts, test, left, right)
    return measured(facts, number), when_false


def emptied(facts: Facts, test: int, left: int, right: int) -> tuple[int, bool]:
    """The same of a collection, which in some languages is false where it is empty: ``if bad``."""
    text, when_false = length_tested(facts, test, left, right)
    if text == NONE and test == TRUTH_TEST and facts.traits_of(left).empty_is_false:
        return left, True
    return text, when_false


def length_checks(facts: Facts, test: int, left: int, right: int) -> list[Check]:
    """The check that ``x.length`` or ``x.length > 0`` is, for what only an object brings.

    Other comparisons are not looked at: a condition may be the negation of one, which holds of what is missing.
    """
    value = left if test == TRUTH_TEST else right if test == LESS_TEST and facts.constant(left) == "0" else NONE
    if value == NONE or facts.op[facts.rep[value]] != LOAD_OP:
        return []
    text = measured(facts, value)
    objects = object_mask(facts) if text != NONE else 0
    if not objects or may_be_list(facts, facts.rep[text]):
        return []
    return [Check({facts.rep[text]}, objects, False, None)]


def measured(facts: Facts, value: int) -> int:
    """The text whose length a value is, as its language says; NONE where it is no length."""
    if value == NONE:
        return NONE
    rep = facts.rep[value]
    language = facts.language(rep)
    traits = language_of(language).traits
    if facts.op[rep] == LOAD_OP:
        row = facts.data[rep]
        key = facts.load_key[row]
        is_length = key >= 0 and facts.program.strings[key] in traits.number_members
        return facts.load_object[row] if is_length else NONE
    if facts.op[rep] != CALL_OP or language not in facts.apis:
        return NONE
    paths = [facts.apis[language].paths[node] for node in facts.calls.apis_of.get(facts.data[rep], ())]
    if not paths or any(path[1:] != (traits.texts.length_function,) for path in paths):
        return NONE
    rows = facts.args.at(facts.data[rep], Port("position", 0))
    return facts.arg_value[rows[0]] if len(rows) == 1 else NONE
