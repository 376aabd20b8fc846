"""Fields of objects on which a framework calls one method after another.

A handler that is an object gets its request in several calls: ``prepare`` or ``dispatch`` stores what it reads in a
field, and ``post`` uses it. Or the framework makes an object for each request, and the constructor stores what it is
given. No code of the program connects these calls: the object passes from one to the next here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS, PAIR_BITS, PAIR_LOW
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.resolution import MAX_SHARED_STORES
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.numbers import CONSTRUCTOR, METHOD
from pyrograph.scanner.analysis.resolve.class_members import constructors
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION
from pyrograph.scanner.analysis.resolve.solver import Solver


def pass_objects_on(solver: Solver) -> None:
    """The receiver of each method that a framework calls is the one that another such method changed.

    Only methods that the program itself does not call: those that it calls get their object from the caller, behind the
    caller's checks. Linear in the members of these classes, plus changing methods x methods of each class.
    """
    joined: set[tuple[int, int]] = set()
    handlers = [owner for owner in solver.classes.members if is_handler(solver, owner)]
    entered_by_framework = {each.function for each in solver.resolution.entry_points}
    if not handlers and not entered_by_framework:
        return
    calls = [(each >> PAIR_BITS, each & PAIR_LOW) for each in solver.calls.seen_bindings if each >= 0]
    called = {function for _, function in calls}
    changed, checked = changed_receivers(solver, calls), checked_objects(solver)
    for owner in solver.classes.members if entered_by_framework else ():
        pass_made_object_on(solver, owner, entered_by_framework, called, joined)
    for owner in handlers:
        methods = [each for each in entered(solver, owner) if each not in called]
        nodes = [(each, receiver_nodes(solver, each)) for each in methods]
        first = [each for each, own in nodes if not changed.isdisjoint(own) and checked.isdisjoint(own)]
        for before in first[:MAX_SHARED_STORES]:
            out = solver.functions.receiver_out(before)
            for after in methods[:MAX_SHARED_STORES] if out != NONE else ():
                step = (out, solver.functions.receiver(after))
                if after != before and step not in joined:
                    joined.add(step)
                    solver.resolution.flows.context_free_edges.append(step)


def pass_made_object_on(
    solver: Solver,
    owner: int,
    entered_by_framework: Collection[int],
    called: Collection[int],
    joined: set[tuple[int, int]],
) -> None:
    """A framework that calls methods of a class, and gives something to its constructor, has made the object.

    ``class Views: def __init__(self, request): self.params = request.params``, with a route at each method.
    """
    made = [each for each in constructors(solver, owner) if each in entered_by_framework]
    outs = [out for out in map(solver.functions.receiver_out, made) if out != NONE]
    for after in entered(solver, owner) if outs else ():
        if after in entered_by_framework and after not in called:
            for step in [(out, solver.functions.receiver(after)) for out in outs]:
                if step not in joined:
                    joined.add(step)
                    solver.resolution.flows.context_free_edges.append(step)


def is_handler(solver: Solver, owner: int) -> bool:
    """Whether a framework makes the instances of a class: a base of a library has requests, or methods it calls."""
    value = int(solver.program.tables["owners"]["value"][owner])
    apis = solver.apis.get(solver.files.language_of(value))
    if apis is None:
        return False
    for each in solver.classes.lineage(owner):
        for base in solver.classes.apis.get(each, ()):
            if base in apis.conventions.overrides or any(
                apis.shares_fields(instance) for instance in apis.step(base, INSTANCE)
            ):
                return True
    return False


def entered(solver: Solver, owner: int) -> list[int]:
    """The methods of a class and of its bases, nearest first, without those that are overridden."""
    names: set[int] = set()
    found: list[int] = []
    for each in solver.classes.lineage(owner):
        for name, values in solver.classes.members.get(each, {}).items():
            if name in names:
                continue
            names.add(name)
            for value in values:
                for state in sorted(solver.points.states[solver.points.reps[value]]):
                    function = state >> KIND_BITS
                    if (
                        state & KIND == FUNCTION
                        and solver.functions.flags[function] & METHOD
                        and not solver.functions.flags[function] & CONSTRUCTOR
                        and solver.functions.receiver(function) != NONE
                    ):
                        found.append(function)
    return found


def receiver_nodes(solver: Solver, function: int) -> set[int]:
    """The node of a receiver, and that of its version at exit: another one behind a call of ``super()``."""
    values = (solver.functions.receiver(function), solver.functions.receiver_out(function))
    return {solver.points.reps[value] for value in values if value != NONE}


def changed_receivers(solver: Solver, called: Iterable[tuple[int, int]]) -> set[int]:
    """Nodes of receivers in which a function stores, itself or by a method that it calls on the receiver."""
    stored = solver.accesses.stores_of
    found: set[int] = set()
    for row, function in called:
        receiver, formal = solver.calls.receiver[row], solver.functions.receiver(function)
        if receiver != NONE and formal != NONE and solver.points.reps[formal] in stored:
            found.add(solver.points.reps[receiver])
    return found.union(stored)


def checked_objects(solver: Solver) -> set[int]:
    """Nodes of objects that a function stores in and of which it tests the same field.

    The fields are not known to be clean where the object is left: a check is about the value that was read.
    """
    tables = solver.program.tables
    rep, stores = solver.points.rep, tables["stores"]
    tested = distinct(tables["pis"]["input"])
    own = ~put_back(solver)
    checked = rep[stores["object"][own & (stores["key"] >= 0) & among(stores["value"], tested)]]
    loads = tables["values"]["data"][tested[tables["values"]["op"][tested] == Op.LOAD]]
    read = fields(rep[tables["loads"]["object"][loads]], tables["loads"]["key"][loads])
    stored = fields(rep[stores["object"][own]], stores["key"][own])
    return {*checked.tolist(), *(read[among(read, stored)] >> PAIR_BITS).tolist()}


def put_back(solver: Solver) -> npt.NDArray[np.bool_]:
    """Which stores put a later version of what was read from a field back into it, behind a call on it or on a part of
    it: ``self.request.headers.get(name)`` stores nothing in ``request``.
    """
    tables, rep = solver.program.tables, solver.points.rep
    stores, loads, values = tables["stores"], tables["loads"], tables["values"]
    first = rep[stores["value"]]
    if not len(loads["object"]):
        return np.zeros(len(first), np.bool_)
    rows = np.where(values["op"][first] == Op.LOAD, values["data"][first], NONE)
    found: npt.NDArray[np.bool_] = (
        (rows != NONE) & (rep[loads["object"][rows]] == rep[stores["object"]]) & (loads["key"][rows] == stores["key"])
    )
    return found


def fields(objects: npt.NDArray[np.int32], keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Pairs of an object and a constant key, each once."""
    named = keys >= 0
    return distinct(objects[named].astype(np.int64) << PAIR_BITS | keys[named])
