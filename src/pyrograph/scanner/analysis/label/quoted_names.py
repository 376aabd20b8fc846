"""Names in quotes that they cannot end: ``f'"{name}"'``, where each quote in ``name`` is doubled.

A database reads a name in backquotes, double quotes or brackets up to the first such quote that is not doubled. So a
part of a text does no harm behind an open one, if a replacement doubles or removes all of them in it, or a condition
refuses a text that contains one. In MySQL double quotes may stand around a text, in which a backslash escapes: aspects
of medium confidence stay there.
"""

from __future__ import annotations

from typing import Final

from pyrograph.policy.limits.labels import MAX_GUARD_SLICE, MAX_SCHEMA_DEPTH
from pyrograph.scanner.analysis.label.admitted import replaced_characters, replacing_flow
from pyrograph.scanner.analysis.label.definitions import results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.tested_characters import dominating, operands_of
from pyrograph.scanner.analysis.numbers import CALL_OP, IN_TEST, TRUTH_TEST

CLOSING: Final = {"`": "`", '"': '"', "[": "]"}


def harmless_name(facts: Facts, before: str, part: int) -> int:
    """For what a part of a text does no harm because it stands in the quotes of a name behind ``before``, and cannot
    end them.
    """
    quote = open_quote(before) if facts.wanted.names else ""
    if not quote or not lacks(facts, part, CLOSING[quote], 0):
        return 0
    return facts.wanted.names & ~facts.wanted.medium if quote == '"' else facts.wanted.names


def open_quote(text: str) -> str:
    """The quote of a name that is open at the end of a text; "" if there is none. A bracket counts at the end alone."""
    quote = ""
    for each in text:
        if quote:
            quote = "" if each == quote else quote
        elif each in "'\"`":
            quote = each
    if quote:
        return quote if quote in CLOSING else ""
    return "[" if text[-1:] == "[" else ""


def lacks(facts: Facts, value: int, quote: str, depth: int) -> bool:
    """Whether there is no single ``quote`` in a value: calls replaced it, the program's own functions included, or a
    condition refused it.
    """
    if is_refused(facts, value, quote):
        return True
    rep = facts.rep[value]
    for _ in range(MAX_GUARD_SLICE):
        if facts.op[rep] != CALL_OP:
            return False
        call = facts.data[rep]
        flow = replacing_flow(facts, call)
        if flow is None:
            results = results_of(facts, call) if depth < MAX_SCHEMA_DEPTH else []
            return bool(results) and all([lacks(facts, each, quote, depth + 1) for each in results])
        removed, added = replaced_characters(facts, call, flow)
        if added is None:
            return False
        if any([low <= ord(quote) <= high for low, high in removed]):
            return added.replace(quote * 2, "").find(quote) < 0
        origins = [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, flow.origin)]
        if quote in added or len(origins) != 1:
            return False
        rep = origins[0]
    return False


def is_refused(facts: Facts, value: int, quote: str) -> bool:
    """Whether a condition before ``value`` asked whether it contains ``quote``, and it does not."""
    conditions, wanted = facts.tables["conditions"], f"'{quote}"
    for condition, side in dominating(facts, value):
        test, left, right = (int(conditions[name][condition]) for name in ("test", "left", "right"))
        if side or left < 0:
            continue
        pair = [right, left] if test == IN_TEST else []
        if test == TRUTH_TEST and facts.op[facts.rep[left]] == CALL_OP:
            pair = operands_of(facts, facts.data[facts.rep[left]], "contains")
        if len(pair) == 2 and facts.rep[pair[0]] == facts.rep[value] and facts.constant(pair[1]) == wanted:
            return True
    return False
