"""Tests of membership: ``x in NAMES``, and an element that is there, ``if TABLE[x]``."""

from __future__ import annotations

from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS
from pyrograph.scanner.analysis.label.clean_types import clean_classes
from pyrograph.scanner.analysis.label.comparison_checks import Check, comparison_checks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.membership import answers_itself, is_filled_by_request, may_be_brought
from pyrograph.scanner.analysis.label.own_keys import is_own_key
from pyrograph.scanner.analysis.label.part_checks import part_checks
from pyrograph.scanner.analysis.label.text_origins import NO_TEXT, constants_in
from pyrograph.scanner.analysis.numbers import LOAD_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS


def member_checks(facts: Facts, guards: dict[str, Tests], collection: int, member: int) -> list[Check]:
    """The checks that membership in a collection is. Of one that no request gets to, it proves of a part, as of a host,
    what equality with something of the program proves: ``new URL(x).host in settings.hosts``. Where a request may get
    to what the collection is made of, it is a doubt; where one fills it, no check.
    """
    if is_own_key(facts, member, collection):
        return []  # a key that a loop over the collection gives is there, whatever it is
    is_constant = facts.is_constant_collection(collection)
    constants = constants_in(facts, collection)
    empty = "" if not set(NO_TEXT).isdisjoint(constants) else None
    found = comparison_checks(facts, guards, "in", member, empty, transformed=not is_constant)
    if is_constant:
        found += part_checks(facts, guards, member, [each[1:] for each in constants if each[:1] == "'"])
    if not found or is_constant:
        return found
    if facts.constant(collection) is not None:
        return []  # a text, any part of which is in it
    if is_filled_by_request(facts, collection):
        return []
    is_unknown = answers_itself(facts, collection) or may_be_brought(facts, collection)
    return [each._replace(mask=0, is_doubt=True) for each in found] if is_unknown else found


def lookup_checks(facts: Facts, value: int, guards: dict[str, Tests]) -> list[Check]:
    """The checks of an element that is there, ``if TABLE[x]``: the key is one of those of a constant table, or the name
    of a member of an enumeration.
    """
    row = facts.data[value]
    key = facts.load_key[row]
    if key > FIRST_VALUE_KEY:
        return []
    table = facts.load_object[row]
    if clean_classes(facts).isdisjoint(
        state >> KIND_BITS for state in facts.resolution.states_of(table) if state & KIND == CLASS
    ):
        return member_checks(facts, guards, table, FIRST_VALUE_KEY - key)
    return comparison_checks(facts, guards, "in", FIRST_VALUE_KEY - key, None)


def is_constant_element(facts: Facts, value: int) -> bool:
    """Whether a value is any element of a constant collection: of a loop over it, or under a number."""
    rep = facts.rep[value]
    if facts.op[rep] != LOAD_OP or facts.load_key[facts.data[rep]] >= 0:
        return False
    return facts.is_constant_collection(facts.load_object[facts.data[rep]])
