"""Matches with patterns that the code does not show: ``RegExp(row.targets).test(x)``, ``re.match(settings.NAME, x)``.

The pattern stands in a database or in a configuration. Nothing is known of what it admits, but whoever wrote it decides
which texts pass, and the request does not. So where it matches, the text is checked in a way that no rule describes.
A pattern that is made of constants in the program is left to ``pattern_checks``, which knows what it proves.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.definitions import attributes, some_made
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.patterns import compiling_call
from pyrograph.scanner.analysis.label.text_origins import is_untrusted, roots_of
from pyrograph.scanner.analysis.numbers import LOAD_OP


def matched_by_unknown(facts: Facts, call: int) -> set[int]:
    """Representatives of the texts that a call matches with a pattern that is not constant and comes from no request;
    none where the call is ``NONE``.
    """
    if call == NONE:
        return set()
    questions = facts.traits_of(facts.call_result[call]).questions
    apis = facts.apis[facts.language(facts.call_result[call])]
    found: set[int] = set()
    for node in facts.calls.apis_of.get(call, ()):
        path = apis.paths[node]
        if questions.tests.get(path[-1]) != "match":
            continue
        operands = [facts.arg_value[row] for row in facts.args.at(call, Port("from", 0))]
        if INSTANCE in path:
            operands = [facts.arg_value[row] for row in facts.args.at(call, Port("this"))] + operands
        at = 1 if path[-1] in questions.given_patterns else 0
        if len(operands) >= 2 and is_unknown_pattern(facts, operands[at]):
            found |= roots_of(facts, operands[1 - at], "match")
    return found


def is_unknown_pattern(facts: Facts, value: int) -> bool:
    """Whether a pattern, or what it was compiled from, is neither constant nor read from a request here. A row that a
    request chooses holds a pattern that the request did not write.
    """
    for written in written_patterns(facts, value):
        if facts.constant(written) is not None or is_untrusted(facts, written):
            return False
        made, is_whole = some_made(facts, written)
        if not is_whole or any(facts.constant(each) is not None for each in made):
            return False
    return True


def written_patterns(facts: Facts, value: int) -> list[int]:
    """What a pattern may have been compiled from, or ``value`` where no call is known that compiled it."""
    rep = facts.rep[value]
    held = [value, *(attributes(facts, rep) if facts.op[rep] == LOAD_OP else ())]
    found: list[int] = []
    for each in held:
        made = compiling_call(facts, each)
        if made == NONE:
            calls, _ = some_made(facts, each)
            made = compiling_call(facts, calls[0]) if len(calls) == 1 else NONE
        rows = facts.args.at(made, Port("position", 0)) if made != NONE else []
        found.append(facts.arg_value[rows[0]] if rows else each)
    return found
