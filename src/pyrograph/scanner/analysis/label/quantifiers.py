"""Quantifiers: calls that ask a function about each element, ``ROOTS.some(root => path.startsWith(root + "/"))``.

Where the call is true, the function returned true for some element (for all of them, if it is ``every``); where it is
false, it returned false for one at least. So what each true (false) exit of the function proves of a variable that it
captures holds behind the call. A collection without elements is neglected: what it proves of no element, it proves of
none, and a program with an empty list of folders serves none.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.admitted import rest_mask
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guard_checks import (
    ABSENT,
    Check,
    comparison_checks,
    single_checks,
)
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.membership import is_filled_by_request, may_be_brought, shows_presence
from pyrograph.scanner.analysis.label.tested_characters import (
    EVERYTHING,
    absent_mask,
    before_replacing,
    characters_at,
    constant_texts,
    texts_refused,
    texts_without,
)
from pyrograph.scanner.analysis.label.text_origins import asked_of, roots_of, versions_outside
from pyrograph.scanner.analysis.numbers import (
    BOTH_TEST,
    CALL_OP,
    EQUAL_TEST,
    LESS_TEST,
    LOAD_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    TRUTH_TEST,
)
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

# (where the collection stands, the position of the function)
AS_METHOD: Final = (Port("this"), 0)
AS_ARGUMENT: Final = (Port("position", 0), 1)  # in a function, also a library's that stands for the method
Proven = dict[int, int]  # representative -> mask of what it is clean for


class Quantified(NamedTuple):
    """A call that asks a function of the program about the elements of a collection."""

    collection: int  # value
    element: int  # the function's first parameter
    true: int  # its version where the function returns true, or NONE
    false: int
    is_every: bool  # the call is true where the function is true for all elements; else: for some element


class Asked(NamedTuple):
    """What decides which checks a function makes: the guards, and the elements that it is asked about."""

    guards: dict[str, Tests]
    language: str
    element: int  # representative of the parameter
    is_choice: bool  # the collection is constant: what equals an element is one of the constants
    is_given: bool = False  # it comes from the request: what equals an element may be anything


def checks_of(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests], language: str) -> list[Check]:
    """The checks of one condition, those of a function that it asks about each element included."""
    found = single_checks(facts, test, left, right, guards, language)
    if test == TRUTH_TEST and facts.op[left] == CALL_OP:
        found += [Check({value}, mask, False, None) for value, mask in before_replacing(facts, facts.data[left])]
    call, is_there = call_asked(facts, test, left, right)
    asked = quantified(facts, call) if call != NONE else None
    if asked is None:
        return found
    found += checks_of_all(facts, asked, is_there)
    known = len(found)
    is_choice = facts.is_constant_collection(asked.collection)
    is_brought = not is_choice and is_filled_by_request(facts, asked.collection)
    about = Asked(guards, language, facts.rep[asked.element], is_choice, is_brought)
    for version, side in ((asked.true, True), (asked.false, False)):
        for value, mask in proven(facts, version, about).items():
            values = outside(facts, call, value)
            if values:
                found.append(Check(values, mask, side != is_there, None))
    if is_choice or is_brought or not may_be_brought(facts, asked.collection):
        return found
    return [*found[:known], *(each._replace(mask=0, is_doubt=True) for each in found[known:])]


def outside(facts: Facts, call: int, value: int) -> set[int]:
    """Representatives of what a value that a function captures is around it; where the function captures what was made
    of it, ``any(host == each for each in hosts)``, the value itself.
    """
    values = versions_outside(facts, value)
    if not values and facts.function_of[value] == facts.function_of[facts.call_result[call]]:
        return {value}
    return values


def equal_to_some(facts: Facts, test: int, left: int, right: int) -> tuple[set[int], set[int]]:
    """Representatives of what equals some element, or a part of it, of a collection that is neither constant nor
    brought by a request, ``files.some((each) => each === name)``: (where a condition fails, where it holds).
    """
    call, is_there = call_asked(facts, test, left, right)
    asked = quantified(facts, call) if call != NONE else None
    found: tuple[set[int], set[int]] = set(), set()
    if asked is None or facts.is_constant_collection(asked.collection) or may_be_brought(facts, asked.collection):
        return found
    for version, side in ((asked.true, True), (asked.false, False)):
        for value in equal_to_element(facts, version, facts.rep[asked.element]):
            found[side == is_there].update(outside(facts, call, value))
    return found


def equal_to_element(facts: Facts, version: int, element: int) -> set[int]:
    """What an element, or a part of it, equals where a version stands."""
    conditions, pis = facts.tables["conditions"], facts.tables["pis"]
    found: set[int] = set()
    for _ in range(MAX_GUARD_SLICE):  # conditions one behind the other
        if version == NONE or facts.op[version] != PI_OP:
            break
        row = facts.data[version]
        condition = int(pis["condition"][row])
        if pis["side"][row] and conditions["test"][condition] == EQUAL_TEST:
            left, right = int(conditions["left"][condition]), int(conditions["right"][condition])
            for one, other in ((left, right), (right, left)):
                if is_of_element(facts, one, element) and not is_of_element(facts, other, element):
                    found |= asked_of(facts, other, "eq")
        version = int(pis["input"][row])
    return found


def is_of_element(facts: Facts, value: int, element: int) -> bool:
    """Whether a value is the element, or what it holds or returns: ``entry.Name()``."""
    for _ in range(MAX_GUARD_SLICE):
        value = facts.rep[value]
        if value == element:
            return True
        if facts.op[value] == LOAD_OP:
            value = facts.load_object[facts.data[value]]
        elif facts.op[value] == CALL_OP and facts.call_receiver[facts.data[value]] != NONE:
            value = facts.call_receiver[facts.data[value]]
        else:
            break
    return False


def call_asked(facts: Facts, test: int, left: int, right: int) -> tuple[int, bool]:
    """The call whose result a condition tests, or NONE; and whether it found something where the condition holds."""
    if test == TRUTH_TEST and facts.op[left] == CALL_OP:
        return facts.data[left], True
    if test == EQUAL_TEST and facts.op[facts.rep[left]] == CALL_OP and facts.constant(right) in ABSENT:
        return facts.data[facts.rep[left]], False
    if test in (EQUAL_TEST, LESS_TEST) and (shown := shows_presence(facts, test, left, right)) is not None:
        position = left if facts.op[left] == CALL_OP else right
        return facts.data[position] if facts.op[position] == CALL_OP else NONE, shown
    return NONE, True


def answer_of_all(facts: Facts, test: int, left: int, right: int) -> tuple[int, int, int] | None:
    """(side, collection, version): where a condition has this side, a function gave one answer for all elements, and
    the version is that of its parameter where it gives this answer.
    """
    call, is_there = call_asked(facts, test, left, right)
    asked = quantified(facts, call) if call != NONE else None
    if asked is None:
        return None
    version = asked.true if asked.is_every else asked.false
    return (int(asked.is_every == is_there), asked.collection, version) if version != NONE else None


def checks_of_all(facts: Facts, asked: Quantified, is_there: bool) -> list[Check]:
    """What is known where the function gave the same answer for all elements: of a text whose characters they are, and
    of a captured text that holds none of the constants that they are.
    """
    version = asked.true if asked.is_every else asked.false
    if version == NONE:
        return []
    found: list[Check] = []
    when_false = asked.is_every != is_there
    element = facts.rep[asked.element]
    texts = constant_texts(facts, asked.collection)
    for value in texts_without(facts, version, element) if texts else ():
        values = versions_outside(facts, facts.rep[value])
        if values:
            found.append(Check(values, absent_mask(facts, texts, value), when_false, None))
    tests = facts.guards.tests.get(facts.language(asked.collection), {})
    for text in sorted(texts_refused(facts, version, element)):  # parts.some((part) => part === "..")
        for check in comparison_checks(facts, tests, "contains", asked.collection, text):
            if check.when_false:
                found.append(check._replace(when_false=when_false))
    chars = EVERYTHING if texts else characters_at(facts, version, element)
    if chars != EVERYTHING:
        found.append(Check(roots_of(facts, asked.collection, "eq"), rest_mask(facts, chars), when_false, None))
    return found


def is_quantifier(facts: Facts, call: int) -> bool:
    """Whether a call may stop before it has asked about all elements."""
    known = facts.traits_of(facts.call_result[call]).questions.quantifiers
    return any(name in known for name in facts.methods_called(call))


def quantified(facts: Facts, call: int) -> Quantified | None:
    """What a quantifier asks, if its function is known and tests its parameter."""
    names = facts.methods_called(call)
    questions = facts.traits_of(facts.call_result[call]).questions
    position = next((questions.quantifiers[name] for name in names if name in questions.quantifiers), NONE)
    if position == NONE:
        return None
    place = AS_ARGUMENT if position else AS_METHOD
    functions = functions_at(facts, call, place[1])
    if not functions and place != AS_ARGUMENT:
        place = AS_ARGUMENT
        functions = functions_at(facts, call, place[1])
    collections = facts.args.at(call, place[0])
    if len(collections) != 1 or len(functions) != 1:
        return None
    parameters = facts.tables["parameters"]
    for row in facts.functions.parameters_of(functions.pop()):
        if int(parameters["position"][row]) != RECEIVER:
            exits = int(parameters["true"][row]), int(parameters["false"][row])
            return Quantified(
                facts.arg_value[collections[0]],
                int(parameters["value"][row]),
                *exits,
                is_every=not questions.universal.isdisjoint(names),
            )
    return None


def functions_at(facts: Facts, call: int, position: int) -> set[int]:
    """The functions that an argument may be."""
    return {
        state >> KIND_BITS
        for row in facts.args.at(call, Port("position", position))
        for state in facts.resolution.states_of(facts.arg_value[row])
        if state & KIND == FUNCTION
    }


def proven(facts: Facts, version: int, asked: Asked) -> Proven:
    """What the conditions prove that a version stands behind: on all ways to it, where ways join."""
    if version == NONE:
        return {}
    found: Proven = {}
    for _ in range(MAX_GUARD_SLICE):  # conditions one behind the other
        if facts.op[version] == POST_OP:
            version = facts.arg_value[facts.data[version]]
        if facts.op[version] != PI_OP:
            break
        add(found, behind(facts, version, asked))
        version = int(facts.tables["pis"]["input"][facts.data[version]])
    if facts.op[version] == PHI_OP:
        ways = facts.flows.same_as(version)[:MAX_DEFINITIONS]
        each = [behind(facts, way, asked) if facts.op[way] == PI_OP else {} for way in ways]
        for value in set(each[0]).intersection(*each[1:]) if each else ():
            mask = facts.wanted.all
            for one in each:
                mask &= one[value]
            found[value] = found.get(value, 0) | mask
    return found


def behind(facts: Facts, version: int, asked: Asked) -> Proven:
    """What the condition of one pi proves."""
    row = facts.data[version]
    condition, side = int(facts.tables["pis"]["condition"][row]), bool(facts.tables["pis"]["side"][row])
    conditions = facts.tables["conditions"]
    test, left, right = (int(conditions[name][condition]) for name in ("test", "left", "right"))
    if test == BOTH_TEST or left == NONE:
        return {}
    checks = single_checks(facts, test, left, right, asked.guards, asked.language)
    if test == EQUAL_TEST and asked.element in (facts.rep[left], facts.rep[right]):
        other = right if facts.rep[left] == asked.element else left
        if asked.is_choice:
            checks = comparison_checks(facts, asked.guards, "in", other, None)
        elif asked.is_given:
            checks = []
    found: Proven = {}
    for check in checks:
        if check.when_false != side and check.mask:
            add(found, dict.fromkeys(check.values, check.mask))
    return found


def add(found: Proven, more: Proven) -> None:
    for value, mask in more.items():
        found[value] = found.get(value, 0) | mask
