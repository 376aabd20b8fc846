"""Membership in collections: which condition asks for it, and whether a request brings what the collection holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pyrograph.ir.codes import NONE, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value, subjects
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE, MAX_TABLES
from pyrograph.rules.entries import Flow, Guard, Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.text_origins import is_untrusted
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    EQUAL_TEST,
    LESS_TEST,
    LOAD_OP,
    POST_OP,
    STORE_OP,
    TRUTH_TEST,
)
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF


def is_given(facts: Facts, collection: int) -> bool:
    """Whether a collection comes from the request, by itself or by a call that a pack describes, as of ``Split``, or
    holds elements that do: ``names = append(names, name)``. Looks at ``MAX_TABLES`` values at most.
    """
    rep = facts.rep[collection]
    described = facts.op[rep] == CALL_OP and facts.data[rep] in facts.calls.apis_of
    rows = facts.args.of(facts.data[rep]) if described else ()
    if any(is_untrusted(facts, facts.arg_value[row]) for row in rows):
        return True
    work, seen = [rep], {rep}
    while work and len(seen) <= MAX_TABLES:  # what is pushed is new in ``seen``
        rep = work.pop()
        if is_untrusted(facts, rep):
            return True
        known = facts.guards.put_into.get(rep)
        if known is None:
            known = frozenset(facts.rep[each] for each in put_into(facts, rep) if each != NONE)
            facts.guards.put_into[rep] = known
        further = known - seen
        work += sorted(further)
        seen |= further
    return bool(work)


def may_be_brought(facts: Facts, collection: int) -> bool:
    """Whether something from a source may get to a collection, or to what it is read from: through functions, names of
    the program and fields of any object of them.
    """
    for _ in range(MAX_GUARD_SLICE + 1):
        if facts.guards.brought[collection]:
            return True
        rep = facts.rep[collection]
        if rep in facts.flows.captured:
            collection = facts.flows.captured[rep]
        elif facts.op[rep] == LOAD_OP:
            collection = facts.load_object[facts.data[rep]]
        else:
            break
    return False


def is_filled_by_request(facts: Facts, collection: int) -> bool:
    """Whether a request is seen to bring an element of a collection: this request, as of ``is_given``, or another one,
    which puts it into a collection that has the same name. Follows what functions of the program return and what is
    stored in names, closures and fields. Looks at ``MAX_TABLES`` values at most.
    """
    if not may_be_brought(facts, collection):
        return False
    if is_given(facts, collection):
        return True
    work = [facts.rep[collection]]
    seen = set(work)
    while work and len(seen) <= MAX_TABLES:  # what is pushed is new in ``seen``
        rep = work.pop()
        if is_untrusted(facts, rep):
            return True
        further = {facts.rep[each] for each in filled_from(facts, rep) if each != NONE and facts.guards.brought[each]}
        work += sorted(further - seen)
        seen |= further
    return bool(work)


def filled_from(facts: Facts, rep: int) -> Iterator[int]:
    """What may be an element of a collection, or what it holds its elements from, of one step back."""
    stores = facts.tables["stores"]
    yield from (origin for origin, _ in facts.flows.origins_of(rep))
    stored_there = [each for each in facts.flows.heap_in.get(rep, ()) if facts.rep[each] != rep]
    yield from stored_there
    if rep in facts.flows.captured:
        yield facts.flows.captured[rep]
    for name in facts.flows.names_of(rep):
        for row in facts.flows.stores_into(name):
            value, key = int(stores["value"][row]), int(stores["key"][row])
            if key <= FIRST_VALUE_KEY:
                yield key_value(key)  # what is in a table is its keys
            elif value != NONE and (key < 0 or facts.program.strings[key].isdigit()):
                yield value
        for call in facts.calls.calls_with(name):
            yield from put_by_call(facts, call, name)
    if facts.op[rep] == LOAD_OP and not stored_there:
        yield from held_under(facts, facts.load_object[facts.data[rep]], facts.load_key[facts.data[rep]])
    elif facts.op[rep] == CALL_OP:
        call = facts.data[rep]
        for function in facts.calls.functions_of(call):
            yield int(facts.tables["functions"]["result"][function])
        if call in facts.calls.apis_of:
            yield from (facts.arg_value[row] for row in facts.args.of(call))


def held_under(facts: Facts, holder: int, key: int) -> list[int]:
    """What stores put into an object under a key, by whatever name; the object itself where none is seen to."""
    stores = facts.tables["stores"]
    rows = [row for name in facts.flows.names_of(facts.rep[holder]) for row in facts.flows.stores_into(name)]
    found = [int(stores["value"][row]) for row in rows if key >= 0 and int(stores["key"][row]) == key]
    return [each for each in found if each == NONE or not is_left_by_call(facts, each)] or [holder]


def put_by_call(facts: Facts, call: int, name: int) -> Iterator[int]:
    """What a modelled call puts into its argument ``name``; where it calls a function of the program, the parameter."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                if isinstance(flow, Flow) and flow.target.kind != "ret" and flow.origin.kind != flow.target.kind:
                    target, origin = replace(flow.target, path=()), replace(flow.origin, path=())
                    key = flow.target.path[0] if flow.target.path else ""
                    if key[:1] == "$" and key[1:].isdigit():
                        origin = Port("position", int(key[1:]))
                    if any(facts.rep[facts.arg_value[row]] == name for row in facts.args.at(call, target)):
                        yield from (facts.arg_value[row] for row in facts.args.at(call, origin))
    functions = facts.calls.functions_of(call)
    if functions and any(facts.rep[facts.arg_value[row]] == name for row in facts.args.of(call)):
        given = facts.calls.parameters_given(name)
        for row in (row for function in functions for row in facts.functions.parameters_of(function)):
            parameter = int(facts.tables["parameters"]["value"][row])
            if facts.rep[parameter] in given:
                yield parameter


def answers_itself(facts: Facts, collection: int) -> bool:
    """Whether a class of the program says what its instances contain."""
    containing = facts.traits_of(collection).questions.containing
    work = list(subjects(facts.resolution.states_of(collection), INSTANCE_OF)) if containing else []
    seen: set[int] = set()
    while work:  # each class is looked at once, by ``seen``
        owner = work.pop()
        if owner not in seen:
            seen.add(owner)
            names = (facts.program.strings[key] for key in facts.resolution.class_members.get(owner, {}) if key >= 0)
            if any(name in containing for name in names):
                return True
            work += facts.resolution.class_bases.get(owner, ())
    return False


def is_left_by_call(facts: Facts, value: int) -> bool:
    """Whether ``value`` is the state in which a call left a part of what it is stored into, or what holds that part."""
    stores = facts.tables["stores"]["value"]
    for _ in range(MAX_GUARD_SLICE):
        if value == NONE or facts.op[value] != STORE_OP:
            break
        value = int(stores[facts.data[value]])
    return value != NONE and facts.op[value] == POST_OP


def put_into(facts: Facts, rep: int) -> Iterator[int]:
    """What a value is one of, what is stored into it, what it is an element of, and what a library made it from."""
    yield from (origin for origin, _ in facts.flows.origins_of(rep))
    stored = [int(facts.tables["stores"]["value"][row]) for row in facts.flows.stores_into(rep)]
    yield from (value for value in stored if value != NONE and not is_left_by_call(facts, value))
    for call in facts.calls.methods_on(rep):
        yield from put_by_call(facts, call, rep)
    for call in dict.fromkeys(facts.calls.calls_with(rep)):
        if call in facts.calls.apis_of and facts.call_receiver[call] != rep:  # ``decoder.Decode(&names)``
            yield from put_by_call(facts, call, rep)
    if facts.op[rep] == LOAD_OP:
        held = held_under(facts, facts.load_object[facts.data[rep]], facts.load_key[facts.data[rep]])
        yield from (each for each in held if each != NONE)
    elif facts.op[rep] == CALL_OP:
        call = facts.data[rep]
        apis = facts.apis[facts.language(rep)]
        for node in facts.calls.apis_of.get(call, ()):
            roles = apis.roles.get(node)
            for propagator in roles.propagators if roles is not None else ():
                for flow in propagator.flows:
                    if isinstance(flow, Flow) and flow.target.kind == "ret":
                        origin = replace(flow.origin, path=())
                        yield from (facts.arg_value[row] for row in facts.args.at(call, origin))


def unknown_collections(facts: Facts, call: int, guard: Guard) -> list[int]:
    """The collections in which a predicate of a pack looks for a value, which it asks to be constant."""
    asked = [test for each in guard.conditions if not each.unless for test in each.tests]
    return [
        facts.arg_value[row]
        for test in asked
        if test.operator == "is" and test.type == "constant"
        for row in facts.args.at(call, test.port)
        if not facts.is_constant_collection(facts.arg_value[row])
    ]


def index_call(facts: Facts, value: int) -> tuple[list[str], list[int]]:
    """The names of the methods that a call may be which looks for a position, or counts, and where and what it looks
    for; or nothing.
    """
    if facts.op[value] != CALL_OP:
        return [], []
    call = facts.data[value]
    methods = facts.methods_called(call)
    questions = facts.traits_of(value).questions
    asked = questions.positions | questions.pattern_positions | questions.counts
    if asked.isdisjoint(methods):
        return [], []
    operands = [facts.arg_value[a] for a in facts.args.at(call, Port("this"))]
    operands += [facts.arg_value[a] for a in facts.args.at(call, Port("from", 0))]
    return methods, operands[:2]  # Go's functions have no receiver


def shows_presence(facts: Facts, test: int, left: int, right: int) -> bool | None:
    """Whether a comparison of a search result shows a match (``i >= 0``: True) or no match (False); None: neither."""
    is_left = facts.op[left] == CALL_OP
    number = right if is_left else left
    return {(EQUAL_TEST, True, "-1"): False, (LESS_TEST, True, "0"): False, (LESS_TEST, False, "-1"): True}.get(
        (Test(test), is_left or test == EQUAL_TEST, str(facts.constant(number)))
    )


def number_tested(facts: Facts, test: int, left: int, right: int) -> tuple[int, bool]:
    """The value of which a condition asks whether it is 0, or NONE; and whether it is where the condition fails."""
    if test == TRUTH_TEST:
        return left, True
    if test == EQUAL_TEST:
        return left if facts.constant(right) == "0" else right if facts.constant(left) == "0" else NONE, False
    if test == LESS_TEST and facts.constant(right) == "1":  # len(x) < 1
        return left, False
    if test == LESS_TEST and facts.constant(left) == "0":  # 0 < len(x)
        return right, True
    return NONE, False
