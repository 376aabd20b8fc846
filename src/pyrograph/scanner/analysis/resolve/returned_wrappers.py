"""Functions that return a wrapper of what they are given: ``secured = (handler) => async (req) => handler(req)``.

Such a function stands for what it is given, as a decorator does, if the wrapper gives what it gets first to the
function first. Whoever calls the wrapper means the function then.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from pyrograph.ir.codes import NONE, ArgumentFlag, Flow, Op, ParameterKind
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.resolve.clone_facts import CloneFacts


def returned_wrappers(facts: CloneFacts, functions: Collection[int]) -> set[int]:
    """The rows of the parameters of ``functions`` which a function that they return calls with its own first argument.

    Time linear in the calls and the flows of the program; each call of a parameter looks for its arguments.
    """
    made = _returned_functions(facts, functions)
    if not made:
        return set()
    t = facts.program.tables
    arguments, parameters = t["arguments"], t["parameters"]
    callee = facts.root[t["calls"]["callee"]]
    rows = np.where(facts.op[callee] == Op.PARAMETER, facts.data[callee], NONE)
    owner = np.where(rows >= 0, parameters["function"][np.maximum(rows, 0)], NONE)
    calls = np.flatnonzero((rows >= 0) & among(owner, made.keys()))
    found: set[int] = set()
    for call in calls.tolist():
        given_rows = facts.argument_rows(call)
        start = given_rows.start
        given = int(facts.root[arguments["value"][start]]) if start < given_rows.stop else NONE
        if given == NONE or facts.op[given] != Op.PARAMETER or facts.data[given] < 0:
            continue
        formal = int(facts.data[given])
        is_rest = bool(parameters["kind"][formal] == ParameterKind.VARARG)
        is_spread = bool(arguments["flags"][start] & ArgumentFlag.SPREAD)
        is_first = parameters["position"][formal] == 0 and is_rest == is_spread
        if is_first and int(parameters["function"][formal]) in made[int(owner[call])]:
            found.add(int(rows[call]))
    return found


def _returned_functions(facts: CloneFacts, functions: Collection[int]) -> dict[int, set[int]]:
    """By function: the functions in it that it returns, or what a call makes of them."""
    t = facts.program.tables
    flows, arguments, parent = t["flows"], t["arguments"], t["functions"]["parent"]
    results = t["functions"]["result"]
    wanted = {int(facts.rep[results[f]]): f for f in functions if results[f] >= 0}
    returned = list(wanted.items())
    target = facts.rep[flows["target"]]
    rows = np.flatnonzero((flows["kind"] == Flow.SAME) & among(target, wanted.keys()))
    for row in rows.tolist():
        returned.append((int(flows["origin"][row]), wanted[int(target[row])]))
    found: dict[int, set[int]] = {}
    for value, function in returned:
        root = int(facts.root[value])
        made = [root]
        if facts.op[root] == Op.CALL:
            made = facts.root[arguments["value"][facts.argument_rows(int(facts.data[root]))]].tolist()
        for each in made:
            if facts.op[each] == Op.FUNCTION and parent[facts.data[each]] == function:
                found.setdefault(function, set()).add(int(facts.data[each]))
    return found
