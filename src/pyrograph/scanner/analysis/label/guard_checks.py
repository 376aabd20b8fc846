"""Conditions compared with the guards of the rules: which values a condition proves clean, and for what.

``single_checks`` asks the module of each kind of test: ``comparison_checks``, ``prefix_checks``, ``member_checks``,
``pattern_checks``, ``schema_checks``, ``index_checks`` for positions, and ``predicate_checks`` for calls.
``guarded_values`` finds the values that a test is about.
"""

from __future__ import annotations

from pyrograph.scanner.analysis.label.comparison_checks import ABSENT, Check, comparison_checks
from pyrograph.scanner.analysis.label.endings import PARENT, is_parent
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guarded_values import transform_guards
from pyrograph.scanner.analysis.label.index_checks import count_checks, index_checks
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.member_checks import is_constant_element, lookup_checks, member_checks
from pyrograph.scanner.analysis.label.part_checks import part_checks
from pyrograph.scanner.analysis.label.pattern_checks import left_of
from pyrograph.scanner.analysis.label.predicate_checks import call_checks, first_result_of
from pyrograph.scanner.analysis.label.prefix_checks import beginning_checks, common_prefix_checks
from pyrograph.scanner.analysis.label.schema_checks import schema_checks
from pyrograph.scanner.analysis.label.text_origins import is_untrusted, made_from
from pyrograph.scanner.analysis.numbers import CALL_OP, EQUAL_TEST, IN_TEST, IS_TEST, LESS_TEST, LOAD_OP, TRUTH_TEST

# The chapters that ask about checks import these from here.
__all__ = ["ABSENT", "Check", "comparison_checks", "is_constant_element", "single_checks", "transform_guards"]


def single_checks(
    facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests], language: str
) -> list[Check]:
    """The checks of one condition, without those of functions that it asks about elements."""
    found: list[Check] = []
    if test == EQUAL_TEST:
        for operand, other in ((left, right), (right, left)):
            constant = facts.constant(other)
            if constant in ABSENT:  # nothing is known of what it was made from: "re.match(p, x) is None"
                for check in comparison_checks(facts, guards, "eq", operand, constant):
                    values = check.values & {facts.rep[operand]}
                    found.append(check._replace(values=values))
            elif constant is not None:
                found += comparison_checks(facts, guards, "eq", operand, constant.removeprefix("'"))
                found += beginning_checks(facts, guards, operand, other)
                if constant[:1] == "'":
                    found += part_checks(facts, guards, operand, [constant[1:]])
            elif is_parent(facts, other):
                found += comparison_checks(facts, guards, "eq", operand, PARENT)
            elif is_constant_element(facts, other):
                found += comparison_checks(facts, guards, "in", operand, None)
            else:
                own = facts.rep[other] in made_from(facts, facts.rep[operand])[1:] and is_untrusted(facts, other)
                if not own:
                    found += comparison_checks(facts, guards, "eq", operand, None, transformed=True)
                    found += common_prefix_checks(facts, guards, operand, other)
                # what equals a clean text is clean: basename(x) == x; but normpath(x) == x proves nothing
                if mask := facts.labels.clean.get(other, 0) | left_of(facts, other, facts.rep[operand]):
                    found.append(Check({facts.rep[operand]}, mask, False, None))
    elif test == IN_TEST:
        found += member_checks(facts, guards, right, left)
        constant = facts.constant(left)
        if constant is not None:
            found += comparison_checks(facts, guards, "contains", right, constant.removeprefix("'"))
        elif is_parent(facts, left):
            found += comparison_checks(facts, guards, "contains", right, PARENT)
        else:
            found += comparison_checks(facts, guards, "contains", right, None, transformed=True)
    elif test == IS_TEST:
        constant = facts.constant(right)
        name = constant.removeprefix("'") if constant is not None else None
        if name is None:
            nodes = facts.resolution.api_nodes(right)
            name = facts.apis[language].paths[nodes[0]][-1] if nodes and language in facts.apis else None
        found += comparison_checks(facts, guards, "is", left, name)
    elif test == TRUTH_TEST and facts.op[left] == LOAD_OP:
        found += lookup_checks(facts, left, guards)
        # "if urlparse(x).netloc": on the false side there is no host
        for check in comparison_checks(facts, guards, "eq", left, "", transformed=True):
            found.append(check._replace(when_false=not check.when_false))
        found += call_checks(facts, first_result_of(facts, left), guards)
    elif test == TRUTH_TEST and facts.op[left] == CALL_OP:
        found += call_checks(facts, facts.data[left], guards)
    if test == EQUAL_TEST and facts.op[facts.rep[left]] == CALL_OP and facts.constant(right) in ABSENT:
        for check in call_checks(facts, facts.data[facts.rep[left]], guards):  # "re.match(...) is None"
            found.append(check._replace(when_false=not check.when_false))
    if test == EQUAL_TEST and facts.op[facts.rep[left]] == LOAD_OP and facts.constant(right) in ABSENT:
        for check in lookup_checks(facts, facts.rep[left], guards):  # "TABLE[x] === undefined"
            found.append(check._replace(when_false=not check.when_false))
    if test in (EQUAL_TEST, LESS_TEST, TRUTH_TEST):
        found += count_checks(facts, test, left, right, guards)
    if test in (EQUAL_TEST, LESS_TEST):
        found += index_checks(facts, test, left, right, guards)
    for each in schema_checks(facts, test, left, right, guards):
        if mask := each.fields.get((), 0):
            found.append(Check(set(each.values), mask, each.when_false, None))
    return found
