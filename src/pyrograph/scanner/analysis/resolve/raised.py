"""Exceptions that leave the program's code: functions that are registered for errors get them.

``raise Unknown(name)`` in what a request leads to, and ``@app.errorhandler(Unknown)`` above a function that makes a
page: no call joins the two. Packs say which functions handle exceptions, as functions that handle messages of the topic
``raised``: the first part of its key is the position of the parameter that gets the exception, the second one its
class. An exception gets there if a function that a framework calls raises it, or one that is called without a handler
around the call, and if its class, or a base of it, is that of the handler; the class that all exceptions extend is each
exception's. A middleware that calls what it was given, with a handler around the call, gets all exceptions, and so do
parameters of a type that packs list as ``errors``; these also get what a handler gives to its last parameter,
``next(error)``.

Linear in the calls and the raised values of the program, times the handlers of one class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pyrograph.graph import reached
from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_ERROR_EDGES
from pyrograph.scanner.analysis.numbers import CALL_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.records import IMPORTED, TYPE
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver

RAISED_TOPIC: Final = "raised"


def name_of_class(solver: Solver, value: int) -> str | None:
    """The key of a class that is no class of the program: the name that it is read by; else None."""
    node = solver.points.reps[value]
    op, row = solver.op[node], solver.data[node]
    if any(state & KIND == CLASS for state in solver.points.states[node]):
        return None
    name = row if op == GLOBAL_OP else solver.names.import_name[row] if op == IMPORT_OP else NONE
    name = solver.accesses.load_key[row] if op == LOAD_OP else name
    return f"{IMPORTED}{solver.strings[name]}" if name >= 0 else None


def parameter_of(solver: Solver, function: int, topic: tuple[str, ...]) -> int:
    """The parameter (value) of a function that gets the exceptions of a topic; NONE if it has none."""
    rows = solver.functions.chosen_parameters(function, int(topic[1]))
    return solver.functions.param_value[rows[0]] if rows else NONE


def give_class(solver: Solver, function: int, topic: tuple[str, ...]) -> None:
    """What a function handles is an instance of the class that it is registered for."""
    value = parameter_of(solver, function, topic)
    if value != NONE and topic[2].startswith(TYPE):
        state = int(topic[2].removeprefix(TYPE)) << KIND_BITS | INSTANCE_OF
        solver.points.add(solver.points.reps[value], state)


def link_raised(solver: Solver) -> None:
    """Let data flow from exceptions that reach the framework to the functions that handle them."""
    handlers: dict[str, list[int]] = {}
    for topic, (functions, _) in solver.models.topics.items():
        if topic[0] == RAISED_TOPIC:
            for state in functions:
                value = parameter_of(solver, state >> KIND_BITS, topic) if state & KIND == FUNCTION else NONE
                if value != NONE:
                    handlers.setdefault(topic[2], []).append(value)
    around = [*caught_around(solver), *typed_parameters(solver)]
    if not handlers and not around:
        return
    edges = solver.resolution.flows.context_free_edges
    for value in (*escaping(solver), *handed_on(solver)):
        targets = dict.fromkeys(around)
        for key in classes_of(solver, value):
            targets.update(dict.fromkeys(handlers.get(key, ())))
        for target in list(targets)[:MAX_ERROR_EDGES]:
            edges.append((value, target))
            solver.resolution.handled_errors.add(target)


def escaping(solver: Solver) -> list[int]:
    """The values that are raised, and that no handler of the program catches before the framework gets them."""
    tables = solver.program.tables
    values, flows = tables["values"], tables["flows"]
    call, callee = solver.calls.targets.array().T
    handled = np.zeros(len(tables["calls"]["result"]), bool)
    handled[list(solver.calls.handlers_of)] = True
    plain = ~handled[call]
    caller = values["function"][tables["calls"]["result"]][call]
    entered = np.array(sorted({each.function for each in solver.resolution.entry_points}), np.int64)
    open_ = reached(len(solver.functions.raised), caller[plain], callee[plain], entered)
    rows = np.flatnonzero(values["op"][flows["target"]] == Op.RAISED)
    rows = rows[open_[values["data"][flows["target"][rows]]]]
    found: list[int] = flows["origin"][rows].tolist()
    return found


def classes_of(solver: Solver, value: int) -> Iterator[str]:
    """The keys of the classes that an exception is an instance of."""
    node = solver.points.reps[value]
    for state in solver.points.states[node]:
        if state & KIND == INSTANCE_OF:
            for each in solver.classes.lineage(state >> KIND_BITS):
                yield f"{TYPE}{each}"
    if solver.op[node] == CALL_OP:
        name = name_of_class(solver, solver.calls.callee[solver.data[node]])
        if name is not None:
            yield name
    for name in solver.files.traits_of(value).construction.root_exceptions:
        yield f"{IMPORTED}{name}"


def typed_parameters(solver: Solver) -> Iterator[int]:
    """The parameters that packs declare to get exceptions, by the type that they give them (``[type] errors``)."""
    for value in dict.fromkeys(solver.functions.param_value):
        for state in solver.points.states[solver.points.reps[value]]:
            if state & KIND == API and state >> KIND_BITS in solver.apis[solver.files.language_of(value)].errors:
                yield value


def handed_on(solver: Solver) -> Iterator[int]:
    """What a function that a framework calls gives to the function that it was given last: ``next(error)``."""
    entered = {each.function for each in solver.resolution.entry_points}
    for function in sorted(entered):
        rows = solver.functions.chosen_parameters(function, "*")
        if len(rows) < 2:
            continue
        goes_on = solver.points.reps[solver.functions.param_value[rows[-1]]]
        for row in solver.calls.of_callee.get(goes_on, ()):
            given = list(solver.calls.args.of(row))
            if len(given) == 1 and row not in solver.calls.bound:
                yield solver.calls.arg_value[given[0]]


def caught_around(solver: Solver) -> Iterator[int]:
    """What handlers catch around calls of a parameter in functions that a framework calls: ``await next()``."""
    entered = {each.function for each in solver.resolution.entry_points}
    function_of = solver.program.tables["values"]["function"]
    for row in solver.calls.handlers_of:
        callee = solver.calls.callee[row]
        if callee == NONE or row in solver.calls.bound or solver.op[solver.points.reps[callee]] != PARAMETER_OP:
            continue
        if int(function_of[solver.calls.result[row]]) in entered:
            for handler in solver.calls.handlers_of[row]:
                yield solver.calls.handler_value[handler]
