"""Assignments to properties, which are calls: ``job.name = text`` runs the setter of ``name``.

Also in the constructor, ``self.name = name``. Where each object that is assigned to is an instance of a class with such
a setter, the value lies in the object only as the setter leaves it: a setter that raises for some values is a check.
Linear in the stores under names that setters have, times the classes of their objects.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


def link_assigned_properties(solver: Solver) -> None:
    """Bind the assignments whose objects are known by now to the setters, each once."""
    setters = setters_by_name(solver)
    stores = solver.program.tables["stores"]
    names = {key for _, key in setters}
    for row in np.flatnonzero(among(stores["key"], names) & (stores["value"] >= 0)).tolist() if names else ():
        key = solver.accesses.store_key[row]
        for state in tuple(solver.points.states_of(solver.accesses.store_object[row])):
            function = setter_of(solver, setters, state, key)
            if function != NONE and (row, function) not in solver.accesses.set_by_calls:
                solver.accesses.set_by_calls[row, function] = None
                call_setter(solver, row, function)


def setters_by_name(solver: Solver) -> dict[tuple[int, int], int]:
    """(class, name) -> its setter."""
    functions = solver.program.tables["functions"]
    chosen = np.flatnonzero((functions["flags"] & int(FunctionFlag.SETTER) != 0) & (functions["owner"] != NONE))
    owners, names = functions["owner"][chosen].tolist(), functions["name"][chosen].tolist()
    return dict(zip(zip(owners, names, strict=True), chosen.tolist(), strict=True))


def setter_of(solver: Solver, setters: Mapping[tuple[int, int], int], state: int, key: int) -> int:
    """The setter that the class of an instance, or the first of its bases that has one, has for a name; or NONE."""
    for each in solver.classes.lineage(state >> KIND_BITS) if state & KIND == INSTANCE_OF else ():
        if (found := setters.get((each, key), NONE)) != NONE:
            return found
    return NONE


def call_setter(solver: Solver, row: int, function: int) -> None:
    """Bind the store ``row`` as a call of a setter: the object is its receiver and has the state that it leaves."""
    site = solver.resolution.num_sites
    solver.resolution.num_sites += 1
    signature = solver.functions.signature(function)
    for parameter, value in (
        (signature.receiver, solver.accesses.store_object[row]),
        (signature.by_position.get(0, NONE), solver.accesses.store_value[row]),
    ):
        if parameter != NONE:
            formal = solver.functions.param_value[parameter]
            solver.calls.bindings.append((site, value, formal, NO_KEY, ENTIRE_ARGUMENT))
            solver.points.edge(solver.points.reps[value], solver.points.reps[formal])
    out = solver.functions.receiver_out(function)
    if out != NONE:
        solver.resolution.returns.append((site, out, int(solver.program.tables["stores"]["result"][row])))


def note_replaced_stores(solver: Solver) -> None:
    """Note the assignments that do nothing but call setters, once the call graph is complete."""
    setters = setters_by_name(solver) if solver.accesses.set_by_calls else {}
    for row in dict.fromkeys(row for row, _ in solver.accesses.set_by_calls):
        key = solver.accesses.store_key[row]
        states = solver.points.states_of(solver.accesses.store_object[row])
        if all(setter_of(solver, setters, state, key) != NONE for state in states):
            solver.resolution.flows.replaced_stores.append(row)
