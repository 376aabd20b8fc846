"""The literals that a value may be, and those that its elements may be: tables of routes, in whatever way they are
kept and put together.

``server.route(Object.values(require("./routes")))``, ``for (const route of [...pages, ...files]) server.route(route)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.labels import MAX_TABLES
from pyrograph.rules.entries import Flow
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.resolve.resolution import OBJECT

_MERGED: Final = frozenset({Op.PHI, Op.CARRY, Op.RESULT, Op.EXPRESSION})
_NAMED: Final = frozenset({Op.GLOBAL, Op.IMPORT, Op.LOAD, Op.FIELD})


def literals(facts: Facts, value: int, *, elements: bool = False) -> list[int]:
    """The representatives of the literals that ``value`` may be, or with ``elements`` those that its elements may be.

    Names, results of functions, parameters and elements of other tables are followed, and so are calls of a library
    that pass elements on. Looks at ``MAX_TABLES`` values at most.
    """
    found: dict[int, None] = {}
    first = facts.rep[value], elements
    work, seen = [first], {first}
    while work and len(seen) <= MAX_TABLES:  # what is pushed is new in ``seen``
        rep, inside = work.pop()
        if facts.op[rep] == Op.NEW and not inside:
            found[rep] = None
            continue
        further = {(facts.rep[origin], deeper) for origin, deeper in _origins(facts, rep, inside) if origin != NONE}
        work += sorted(further - seen)
        seen |= further
    return sorted(found)


def _origins(facts: Facts, rep: int, inside: bool) -> Iterator[tuple[int, bool]]:
    """Values that ``rep`` may be, each with whether its elements are meant instead.

    ``inside``: the elements of ``rep`` are asked for.
    """
    op = facts.op[rep]
    if inside:
        for call in facts.calls.methods_on(rep):  # table.append(x), table.extend(others)
            yield from _passed(facts, rep, call, "this")
    if op == Op.NEW:
        stores = facts.tables["stores"]
        for row in facts.flows.stores_into(rep):
            yield int(stores["value"][row]), False
        for origin in facts.flows.same_as(rep):  # [...others]
            yield origin, True
    elif rep in facts.flows.captured:
        yield facts.flows.captured[rep], inside
    elif op in _MERGED:
        for origin in facts.flows.same_as(rep):
            yield origin, inside
    elif op == Op.PARAMETER:
        for argument in facts.calls.arguments_for(rep):
            yield argument, inside
        if not inside:
            for table, _ in facts.calls.elements_for(rep):
                yield table, True
    elif op == Op.CALL:
        yield from _results(facts, rep, inside)
    elif op in _NAMED:
        for origin in facts.flows.heap_in.get(rep, ()):
            yield origin, inside
        for made in subjects(facts.resolution.states_of(rep), OBJECT):  # a member of a module or of another object
            if made != rep:
                yield made, inside
        if op == Op.LOAD and not inside and facts.load_key[facts.data[rep]] < 0:  # an element, whichever it is
            yield facts.load_object[facts.data[rep]], True


def _results(facts: Facts, rep: int, inside: bool) -> Iterator[tuple[int, bool]]:
    """What a call may return: the results of the program's functions, or what a library passes on."""
    call = facts.data[rep]
    results = facts.tables["functions"]["result"]
    for function in facts.calls.functions_of(call):
        yield int(results[function]), inside
    if inside:
        yield from _passed(facts, rep, call, "ret")


def _passed(facts: Facts, rep: int, call: int, kind: str) -> Iterator[tuple[int, bool]]:
    """What a call of a library puts among the elements of its result, or of its receiver."""
    apis = facts.apis[facts.language(rep)]
    passed: dict[tuple[int, bool], None] = {}
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                if isinstance(flow, Flow) and flow.target.kind == kind and flow.target.path[:1] == ("",):
                    for row in facts.args.at(call, replace(flow.origin, path=())):
                        passed[facts.arg_value[row], flow.origin.path[:1] == ("",)] = None
    yield from passed


__all__ = ["literals"]
