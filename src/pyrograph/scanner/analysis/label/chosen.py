"""Whether the program chose a text that stands before untrusted data: the address of a server, from its settings."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_CHOSEN
from pyrograph.policy.names.requests import SCHEMES
from pyrograph.scanner.analysis.label.definitions import asked_elements, attributes, choices, listed, results_of
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.label.literals import text_of
from pyrograph.scanner.analysis.label.text_origins import MERGES, is_untrusted
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, EXPRESSION_OP, LOAD_OP, NEW_OP, PARAMETER_OP, PHI_OP

OPEN: Final = re.compile(r"\A\Z|(?::|//)\Z")  # nothing, or no more than a scheme


def is_chosen(facts: Facts, value: int) -> bool:
    """Whether no request reaches a text, and no constant that it may be or be made from is empty or a scheme alone.

    Looks at whatever it is made from: merges, names, attributes, arguments of all calls, defaults, elements, results.
    False if that is more than ``MAX_CHOSEN`` values.
    """
    seen: set[int] = set()
    work = [value]
    while work:
        at = work.pop()
        rep = facts.rep[at]
        if rep in seen:
            continue
        seen.add(rep)
        if len(seen) > MAX_CHOSEN or is_untrusted(facts, at) or is_scheme(facts, rep):
            return False
        if facts.op[rep] == NEW_OP and facts.is_filled(rep):
            return False
        if facts.op[rep] in (PHI_OP, EXPRESSION_OP) and len(facts.flows.same_as(rep)) == 1:
            return False  # ``SITE || ""``: the default has no flow
        text = facts.constants.texts.get(at, facts.constants.texts.get(rep))
        constant = facts.constant(at)
        if constant is None and text is not None:
            constant = "'" + text.replace("\0", "x")  # what fills it is looked at, too
        if constant is not None and constant[:1] == "'" and OPEN.search(constant[1:]) is not None:
            return False
        if facts.op[rep] != CONST_OP:
            made = made_of(facts, rep)
            work += made if text is None else [each for each in made if facts.op[each] != CONST_OP]
    return True


def names_behind(facts: Facts, suffix: int, separator: str) -> bool:
    """Whether a suffix begins with ``separator`` and goes on with several names, ``".example.com"``, or with what the
    program chose, ``"." + domain``. Of a list of texts, and of a text that is one of several, each has to.
    ``evilexample.com`` ends with ``example.com``, and anybody may have a name below ``.com``.
    """
    rep = facts.rep[suffix]
    each_of = listed(facts, suffix) or choices(facts, rep) or asked_elements(facts, rep)
    for each in each_of or [suffix]:
        text = text_of(facts, each, facts.constant(each))
        names = text.removeprefix(separator)
        if names == text or not (is_chosen(facts, each) if "\0" in names else separator in names.strip(separator)):
            return False
    return True


def made_of(facts: Facts, rep: int) -> list[int]:
    """The values that ``rep`` may be, or be made from."""
    op = facts.op[rep]
    if rep in facts.flows.captured:
        return [facts.flows.captured[rep]]
    if op in MERGES or op == EXPRESSION_OP:
        return [origin for origin, _ in facts.flows.origins_of(rep)] + elements_of(facts, rep)
    if op == PARAMETER_OP:
        tables = [table for table, _ in facts.calls.elements_for(rep)]
        return [*facts.flows.same_as(rep), *facts.calls.arguments_for(rep), *tables]
    if op == NEW_OP:
        return elements_of(facts, rep)
    if op == CALL_OP:
        call = facts.data[rep]
        return results_of(facts, call) + [facts.arg_value[row] for row in facts.args.of(call)]
    held = list(facts.flows.heap_in.get(rep, ())) if op in NAMED else []
    if op == LOAD_OP:
        held += sorted(attributes(facts, rep)) or [facts.load_object[facts.data[rep]]]
    return held


def is_scheme(facts: Facts, rep: int) -> bool:
    """Whether a value is read under a name that says that it is a scheme: ``config["SCHEME"]``."""
    key = facts.load_key[facts.data[rep]] if facts.op[rep] == LOAD_OP else NONE
    return key >= 0 and SCHEMES.search(facts.program.strings[key]) is not None


def elements_of(facts: Facts, rep: int) -> list[int]:
    stored = facts.tables["stores"]["value"]
    values = [int(stored[row]) for row in facts.flows.stores_into(rep)[:MAX_CHOSEN]]
    return [value for value in values if value != NONE]
