"""Questions that compare a text with constants alone: ``"example.com" in url``, ``/example/.test(url)``.

What such a question proves of the text, the guards of the rules say, in a function that is named after checking as
well as in the function that uses the text. Where they say nothing, it proves nothing: ``"example.com" in url`` holds
for ``https://evil.example/?example.com``.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.admitted import pattern_at
from pyrograph.scanner.analysis.label.definitions import attribute, listed
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guard_checks import is_constant_element, transform_guards
from pyrograph.scanner.analysis.label.membership import index_call
from pyrograph.scanner.analysis.label.text_origins import kept_from, texts_kept
from pyrograph.scanner.analysis.numbers import LOAD_OP, PARAMETER_OP

PARTS: Final = ("subdomain", "in", "eq")  # tests whose guards know parts of a text, such as its host


def is_constant_question(facts: Facts, call: int, elements: frozenset[int] = frozenset()) -> bool:
    """Whether a call asks whether a text begins or ends with a constant, or with one of several, contains one, or
    matches a constant pattern. ``elements``: representatives of what else stands for a constant.
    """
    kind, operands = asked_by(facts, call)
    if len(operands) < 2:
        return False
    if kind in ("prefix", "suffix", "contains"):
        is_constant = facts.rep[operands[1]] in elements or is_constant_text(facts, operands[1])
        asked = is_asked_text if kind == "contains" else is_given_text
        return is_constant and asked(facts, operands[0])
    return kind == "match" and is_constant_match(facts, call, operands)


def is_constant_match(facts: Facts, call: int, operands: list[int]) -> bool:
    """Whether a call matches a text with a constant pattern."""
    names = {path[-1]: INSTANCE in path for path in paths_of(facts, call)}
    given_patterns = facts.traits_of(facts.call_result[call]).questions.given_patterns
    for name, is_method in names.items():
        asked = operands if is_method else [facts.arg_value[row] for row in facts.args.at(call, Port("from", 0))]
        if len(asked) < 2:
            return False
        at = 1 if name in given_patterns else 0
        if pattern_at(facts, asked[at], call) is None or not is_asked_text(facts, asked[1 - at]):
            return False
    return bool(names)


def is_constant_position(facts: Facts, value: int) -> bool:
    """Whether a value is the position at which a text contains a constant: ``url.indexOf("https://")``."""
    operands = index_call(facts, value)[1] if value != NONE else []
    return len(operands) > 1 and is_asked_text(facts, operands[0]) and is_constant_text(facts, operands[1])


def is_constant_containment(facts: Facts, left: int, right: int) -> bool:
    """Whether ``left in right`` asks whether a text contains a constant, or one of several."""
    return is_asked_text(facts, right) and is_constant_text(facts, left)


def asked_by(facts: Facts, call: int) -> tuple[str, list[int]]:
    """The test of the rule language that a call is by its name, or ""; and what it compares."""
    tests = facts.traits_of(facts.call_result[call]).questions.tests
    kinds = {tests.get(path[-1], "") for path in paths_of(facts, call)}
    receiver = [facts.arg_value[row] for row in facts.args.at(call, Port("this"))]
    operands = receiver + [facts.arg_value[row] for row in facts.args.at(call, Port("from", 0))]
    return kinds.pop() if len(kinds) == 1 else "", operands


def paths_of(facts: Facts, call: int) -> list[tuple[str, ...]]:
    """The names, part by part, of the APIs that a call may be of."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    return [apis.paths[node] for node in facts.calls.apis_of.get(call, ())]


def is_given_text(facts: Facts, value: int) -> bool:
    """Whether a value is a parameter, or a part of a text that guards know, such as its host."""
    return facts.op[facts.rep[value]] == PARAMETER_OP or is_part(facts, value)


def is_asked_text(facts: Facts, value: int) -> bool:
    """Whether a value is a parameter, a part of a text that guards know, or such a text in another form, of which
    nothing is left out and to which nothing is added: ``url.lower()``.
    """
    if is_part(facts, value):
        return True
    made = kept_from(facts, facts.rep[value])
    return all(len(texts_kept(facts, each)) < 2 for each in made) and facts.op[made[-1]] == PARAMETER_OP


def is_part(facts: Facts, value: int) -> bool:
    tests = facts.guards.tests.get(facts.language(value), {})
    guards = [each for kind in PARTS if kind in tests for each in transform_guards(facts, value, tests[kind])]
    return any(guard.steps for guard in guards)


def is_constant_text(facts: Facts, value: int) -> bool:
    """Whether a value is a constant, an element of a constant collection, or such a collection, which an attribute of a
    class may hold.
    """
    if facts.constant(value) is not None or is_constant_element(facts, value) or facts.is_constant_collection(value):
        return True
    rep = facts.rep[value]
    held = listed(facts, attribute(facts, rep)) if facts.op[rep] == LOAD_OP else []
    return bool(held) and all(facts.constant(each) is not None for each in held)
