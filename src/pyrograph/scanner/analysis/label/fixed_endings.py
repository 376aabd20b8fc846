"""Texts whose end the program fixes, whatever stands before it: ``"/srv/" + name + ".css"`` names a style sheet."""

from __future__ import annotations

import re

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.definitions import definitions, results_of
from pyrograph.scanner.analysis.label.endings import last_part
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import text_of
from pyrograph.scanner.analysis.label.text_origins import texts_kept


def always_ends_so(facts: Facts, value: int, pattern: re.Pattern[str]) -> bool:
    """Whether the end of a text holds a match of ``pattern`` in all of its definitions, whoever passes it.

    Looks through the same as ``ends_so``, parameters with several calls, and calls that keep their last argument; False
    if there are ``MAX_DEFINITIONS`` values or more.
    """
    seen: set[int] = set()
    work, is_fixed = [value], False
    while work:
        at = work.pop()
        if at in seen:
            continue
        if len(seen) >= MAX_DEFINITIONS:  # ``seen`` grows
            return False
        seen.add(at)
        text = text_of(facts, at, facts.constant(at))
        if text[-1:] == "\0":
            before = before_end(facts, at)
            if not before:
                return False
            work += before
        elif pattern.search(text) is None:
            return False
        else:
            is_fixed = True
    return is_fixed  # values that are made of one another alone have no end that is known


def ends_mildly(facts: Facts, value: int, bit: int) -> bool:
    """Whether a text ends so, that it does harm in few places: it names a style sheet."""
    pattern = facts.wanted.weak_end.get(bit)
    return pattern is not None and always_ends_so(facts, value, pattern)


def before_end(facts: Facts, value: int) -> list[int]:
    """The values that the end of a text may be, which is not constant; none where it is not known."""
    rep = facts.rep[value]
    last = last_part(facts, value)
    if last != NONE:
        return [last]
    if facts.op[rep] == Op.PARAMETER and rep not in facts.flows.captured:
        return facts.calls.arguments_for(rep)
    if facts.op[rep] != Op.CALL:
        return [each for each in definitions(facts, rep) if each not in (value, rep)]
    results = results_of(facts, facts.data[rep])
    if results:
        return results
    kept = texts_kept(facts, rep)
    rows = [row for row in facts.args.of(facts.data[rep]) if facts.arg_position[row] != RECEIVER] if kept else []
    last = facts.arg_value[rows[-1]] if rows else kept[-1] if kept else NONE
    return [last] if last != NONE and facts.rep[last] in kept else []
