"""Membership in collections: which condition asks for it, and whether a request brings what the collection holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pyrograph.ir.codes import NONE, Test
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE, MAX_TABLES
from pyrograph.rules.entries import Flow, Guard, Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.text_origins import is_untrusted
from pyrograph.scanner.analysis.numbers import CALL_OP, EQUAL_TEST, LESS_TEST, LOAD_OP, POST_OP, STORE_OP


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
        further = {facts.rep[each] for each in put_into(facts, rep) if each != NONE} - seen
        work += sorted(further)
        seen |= further
    return bool(work)


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
    if facts.op[rep] == LOAD_OP:
        yield facts.load_object[facts.data[rep]]
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
    """The names of the methods that a call may be which looks for a position, and where and what it looks for; or
    nothing.
    """
    if facts.op[value] != CALL_OP:
        return [], []
    call = facts.data[value]
    apis = facts.apis.get(facts.language(value))
    nodes = facts.calls.apis_of.get(call, ())
    methods = [apis.paths[node][-1] for node in nodes] if apis is not None else []
    questions = facts.traits_of(value).questions
    if not any(method in questions.positions or method in questions.pattern_positions for method in methods):
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
