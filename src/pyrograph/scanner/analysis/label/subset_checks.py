"""Conditions that say of all elements of a collection at once what they are: ``set(cols) <= ALLOWED``.

Packs name the calls (guards ``within``): one that is true where all elements of a collection lie within another one,
``cols.issubset(ALLOWED)``, or one whose result is empty there, ``cols.difference(ALLOWED)``. What is left of a
collection after a call that keeps the elements for which a function is true, ``cols.filter(isBad)``, is empty where the
function is false for all of them. What membership in the other collection proves of one value (``member_checks``)
holds of each element, also of the collection that the tested one was made from: ``set(cols)``.

A collection that the program also uses as a table has values besides, of which this says nothing (``is_table``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.rules.entries import CallFlow, Flow, Guard
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.emptiness import emptied
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.member_checks import member_checks
from pyrograph.scanner.analysis.label.membership import is_given, number_tested
from pyrograph.scanner.analysis.label.schema_checks import checking_call
from pyrograph.scanner.analysis.label.table_uses import is_table
from pyrograph.scanner.analysis.numbers import CALL_OP, TRUTH_TEST
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

Keys = tuple[int, ...]


class Subset(NamedTuple):
    """What one side of a condition says of the elements of a collection."""

    collection: int  # value
    keys: Keys  # where the elements lie below it
    side: int
    mask: int  # what they are clean for
    version: int  # of the parameter of a function that was asked about them, where it gives this answer; or NONE
    is_doubt: bool = False  # what the other collection holds is not known: it proves nothing


def subset_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[Subset]:
    """The statements of one condition about all elements of collections."""
    found: list[Subset] = []
    result, is_filled = emptied(facts, test, left, right)
    rep = facts.rep[result] if result != NONE else NONE
    if rep != NONE and facts.op[rep] == CALL_OP:
        for collection, version in kept_elements(facts, facts.data[rep]):
            found += [Subset(at, keys, 1 - is_filled, 0, version) for at, keys in lying_at(facts, collection)]
    number, is_more = number_tested(facts, test, left, right)
    for guard in guards["within"].plain if "within" in guards else ():
        if not guard.when_false:
            tested, side = facts.rep[left] if test == TRUTH_TEST else NONE, 1
        elif guard.steps:  # a member counts what is left
            tested, side = facts.rep[number] if number != NONE else NONE, 1 - is_more
        else:
            tested, side = rep, 1 - is_filled
        call = checking_call(facts, tested, guard) if tested != NONE else NONE
        if call != NONE:
            found += [Subset(*each, side, mask, NONE, not mask) for each, mask in within(facts, call, guard, guards)]
    return [each for each in found if not is_table(facts, facts.rep[each.collection])]


def within(facts: Facts, call: int, guard: Guard, guards: dict[str, Tests]) -> Iterator[tuple[tuple[int, Keys], int]]:
    """The collections whose elements a call asks for in another one, with the mask of what that proves of each: 0 where
    it is not known what the other one holds. None where the request brings the other one.
    """
    if guard.port is None or guard.schema is None or not holds(facts, guard.conditions, call):
        return
    wanted = facts.wanted.cleaned_by(guard.vulnerability)
    others = [facts.arg_value[row] for row in facts.args.at(call, guard.schema)]
    for row in facts.args.at(call, guard.port) if len(others) == 1 else ():
        value = facts.arg_value[row]
        mask = 0
        for check in member_checks(facts, guards, keys_of(facts, others[0]), value):
            if facts.rep[value] in check.values and not check.when_false and check.conjunct is None:
                mask |= check.mask & wanted
        if mask or not (facts.is_constant_collection(keys_of(facts, others[0])) or is_given(facts, others[0])):
            for each in lying_at(facts, value):
                yield each, mask


def keys_of(facts: Facts, collection: int) -> int:
    """The table whose keys a call lists, ``TABLE.keys()``, or ``set(TABLE)``; else the collection itself."""
    for _ in range(MAX_GUARD_SLICE):
        rep = facts.rep[collection]
        if facts.op[rep] != CALL_OP or facts.is_constant_collection(rep):
            break
        before = [value for value, _ in moved(facts, facts.data[rep])]
        if len(before) != 1:
            break
        collection = before[0]
    return collection


def kept_elements(facts: Facts, call: int) -> Iterator[tuple[int, int]]:
    """(collection, version) where a call keeps the elements for which a function is true: the version of the function's
    parameter where it is false.
    """
    apis = facts.apis[facts.language(facts.call_result[call])]
    parameters = facts.tables["parameters"]
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        flows = [flow for each in roles.propagators for flow in each.flows] if roles is not None else []
        for flow in flows:
            if not isinstance(flow, CallFlow) or not flow.where or len(flow.arguments) != 1:
                continue
            if flow.arguments[0].path != ("",):
                continue
            given = [facts.arg_value[row] for row in facts.args.at(call, flow.callee)]
            states = [state for each in given for state in facts.resolution.states_of(each)]
            functions = [state >> KIND_BITS for state in states if state & KIND == FUNCTION]
            rows = facts.functions.parameters_of(functions[0]) if len(functions) == 1 == len(states) else ()
            for row in rows:
                version = int(parameters["false"][row])
                if int(parameters["position"][row]) == 0 and version != NONE:
                    for at in facts.args.at(call, replace(flow.arguments[0], path=())):
                        yield facts.arg_value[at], version


def lying_at(facts: Facts, collection: int) -> Iterator[tuple[int, Keys]]:
    """Where the elements of a collection lie: in it, and in what modelled calls made it from, ``set(cols)``."""
    yield collection, (UNKNOWN_KEY,)
    for _ in range(MAX_GUARD_SLICE):
        rep = facts.rep[collection]
        before = list(moved(facts, facts.data[rep])) if facts.op[rep] == CALL_OP else []
        if len(before) != 1:
            return
        collection, keys = before[0]
        yield collection, keys
        if keys != (UNKNOWN_KEY,):
            return


def moved(facts: Facts, call: int) -> Iterator[tuple[int, Keys]]:
    """The collections of whose elements, or keys, a modelled call makes a collection, all of them and no others."""
    apis = facts.apis.get(facts.language(facts.call_result[call]))
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node) if apis is not None else None
        for propagator in roles.propagators if roles is not None else ():
            flows = [flow for flow in propagator.flows if isinstance(flow, Flow) and flow.target.kind == "ret"]
            if len(flows) != 1 or not flows[0].same or not holds(facts, propagator.conditions, call):
                continue
            target, origin = facts.keys(call, flows[0].target.path), facts.keys(call, flows[0].origin.path)
            if target == origin == ():
                target = origin = (UNKNOWN_KEY,)
            if target == (UNKNOWN_KEY,) and len(origin) == 1:
                for row in facts.args.at(call, flows[0].origin):
                    yield facts.arg_value[row], origin
