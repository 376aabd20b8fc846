"""Rows of tables: objects, whatever their columns hold.

``res.send(await User.findByPk(id))`` answers with JSON, so no browser shows it as a page. Packs say which calls return
a row, or a list of rows (``recall rows[...] -> ret``). A value is a row if all that it may be is one, or nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Recall
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.resolve.resolution import API

ROWS: Final = "rows"  # tables of databases; others keep texts under keys
NOTHING: Final = ("null", "undefined", "false")


def is_row(facts: Facts, value: int) -> bool:
    """Whether all that ``value`` may be is a row, a list of rows, or nothing. Time O(MAX_DEFINITIONS)."""
    first, found = facts.rep[value], False
    work, seen = [first], {first}
    while work:  # what is pushed is new in ``seen``
        rep = work.pop()
        op = facts.op[rep]
        origins: list[int] = []
        is_read = op == Op.CALL and reads_row(facts, facts.data[rep])
        if is_read or (op == Op.PARAMETER and is_given_row(facts, rep)):
            found = True
        elif op == Op.CONST:
            if facts.constant(rep) not in NOTHING:
                return False
        elif op == Op.PARAMETER:
            origins = facts.calls.arguments_for(rep)
            if not origins:
                return False
        elif op in (Op.PHI, Op.CARRY, Op.RESULT):
            origins = facts.flows.same_as(rep)
            if not origins:
                return False
        else:
            return False
        fresh = {facts.rep[origin] for origin in origins} - seen
        seen |= fresh
        work += sorted(fresh)
        if len(seen) > MAX_DEFINITIONS:
            return False
    return found


def reads_row(facts: Facts, call: int) -> bool:
    """Whether all models of a library's call return a row, or rows."""
    nodes = facts.calls.apis_of.get(call, ())
    roles = [facts.apis[facts.language(facts.call_result[call])].roles.get(node) for node in nodes]
    return bool(roles) and all(
        each is not None
        and any(
            isinstance(flow, Recall)
            and flow.table == ROWS
            and not flow.declares
            and flow.target.kind == "ret"
            and flow.target.path in ((), ("",))
            for propagator in each.propagators
            for flow in propagator.flows
        )
        for each in roles
    )


def is_given_row(facts: Facts, parameter: int) -> bool:
    """Whether a parameter belongs to a function that is written where it is passed to a library, as to
    ``find().then((user) => ...)``, and holds a row whenever that calls it.
    """
    states = facts.resolution.states_of(parameter)
    if not states or not types_of_rows(facts).issuperset(states) or facts.calls.arguments_for(parameter):
        return False
    functions = facts.tables["functions"]
    function = facts.function_of[parameter]
    value = int(functions["value"][function])
    if value == NONE:
        return False
    passed = facts.resolution.representative[facts.tables["arguments"]["value"]]
    return int(np.count_nonzero(passed == facts.rep[value])) == 1


def types_of_rows(facts: Facts) -> set[int]:
    """The types that packs give to the rows that calls return. Computed when it is first asked for, O(calls)."""
    found = facts.conditions.types_of_rows
    if found is None:
        found = facts.conditions.types_of_rows = set()
        for call in facts.calls.apis_of:
            if reads_row(facts, call):
                states = facts.resolution.states_of(facts.call_result[call])
                found.update(state for state in states if state & KIND == API)
    return found
