"""Matches with constant patterns as checks, and comparisons of a text with what a replacement leaves of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrograph.scanner.analysis.label.admitted import (
    leading_mask,
    matched_mask,
    names_host,
    pattern_at,
    refused_beginnings,
    replaced_mask,
    replacing_flow,
    unmatched_mask,
)
from pyrograph.scanner.analysis.label.comparison_checks import Check, comparison_checks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.numbers import CALL_OP

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Kind


def pattern_checks(facts: Facts, guards: dict[str, Tests], call: int, method: str, operands: list[int]) -> list[Check]:
    """The checks of a match with a constant pattern: what the pattern admits where it matches; and what is left where a
    search for it fails, ``if re.search("[^a-z]", x): return``, among it that the text does not begin so. A pattern of
    hosts on certain domains is a list of these: ``HOSTS.fullmatch(urlsplit(x).hostname)``.
    """
    if "match" not in guards or len(operands) < 2:
        return []
    questions = facts.traits_of(facts.call_result[call]).questions
    at = 1 if method in questions.given_patterns else 0
    pattern = pattern_at(facts, operands[at], call)
    if pattern is None:
        return []
    anchored = questions.anchored.get(method)
    kind: Kind = "fullmatch" if anchored == "fullmatch" else "match" if anchored == "match" else "search"
    masks = {False: matched_mask(facts, pattern, kind), True: unmatched_mask(facts, pattern, kind)}
    found: list[Check] = []
    for check in comparison_checks(facts, guards, "match", operands[1 - at], pattern.text):
        for fails, mask in masks.items():
            if check.mask & mask:
                found.append(check._replace(mask=check.mask & mask, when_false=check.when_false != fails))
    if mask := leading_mask(facts, pattern, kind):
        found.append(Check({facts.rep[operands[1 - at]]}, mask, False, None))
    if names_host(pattern, kind):  # these characters leave no doubt of what the host is, unlike a mere end
        found += comparison_checks(facts, guards, "in", operands[1 - at], None, transformed=True)
    for text in refused_beginnings(pattern, kind):
        refused = comparison_checks(facts, guards, "prefix", operands[1 - at], text)
        found += [check for check in refused if check.when_false]
    return found


def left_of(facts: Facts, value: int, rep: int) -> int:
    """For what ``value`` is clean that a replacement leaves of the text ``rep``: ``re.sub("[^a-z]", "", x) == x``."""
    if facts.op[facts.rep[value]] != CALL_OP:
        return 0
    call = facts.data[facts.rep[value]]
    flow = replacing_flow(facts, call)
    if flow is None or rep not in [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, flow.origin)]:
        return 0
    return replaced_mask(facts, call, flow)
