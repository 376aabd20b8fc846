"""Objects that outlive a request: what one request stores in them, another reads.

``app.worker = Worker()`` is made when the program starts, ``sheets[number] = Sheet(owner)`` lies in a variable of a
module. The data of a module's own variables is followed wherever they are read. An object that is found otherwise (by
the name under which a library keeps it, by a dependency, by taking it out of a table with a call) is another value in
each handler, but the same object. Points-to sets know an instance by its class. So each class of which such an
instance exists has a cell (``Op.CELL``): data flows into it from the receiver of each method, as it is when a method is
left that a request may call, and from there to the receiver where a method that something calls is entered, in every
calling context.

A class has such instances

* if it is called, or a literal of it stands, in one place, and this is no code that requests lead to: of several
  objects, one does not know what another one keeps;
* if no code calls it, extends none of a library's, and a framework calls its methods, or such a class asks for it where
  it is made: a container of dependencies makes one of each;
* or if an instance lies in a container that a variable of a module holds, or that such an object holds, and the class
  extends none of a library's: models of databases and of requests are made for each request, too.

What a method does not change is not kept, nor is an object that a request brings as a whole: it is no such instance.
Constructors keep nothing: what made the object knows what it holds. Without functions that a framework calls, nothing
is looked for. Linear in the calls, the cells and the methods of the program.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from pyrograph.graph import reached
from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.scanner.analysis.numbers import GLOBAL_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.records import put_at
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver


def link_lasting(solver: Solver) -> None:
    """Let data flow between the methods of objects that outlive a request."""
    entered = entered_functions(solver)
    if not entered:
        return
    requested = requested_functions(solver, entered)
    made_once, made_inside = classes_made(solver, requested)
    made_once |= provided_classes(solver) - made_inside
    held = held_by_variables(solver, made_once) & made_inside
    lasting = made_once | {owner for owner in held if not solver.classes.extends_library(owner)}
    called = set(solver.calls.targets.array()[:, 1].tolist()) | entered
    for owner in sorted(lasting - solver.resolution.stored.record_classes):
        link_methods(solver, owner, requested, called)


def entered_functions(solver: Solver) -> set[int]:
    """The functions that a framework calls, and those that have a request as a parameter: where types are declared,
    nothing else makes a function a handler.
    """
    functions = solver.functions
    found = {each.function for each in solver.resolution.entry_points}
    for function, value in zip(functions.param_function, functions.param_value, strict=True):
        for state in solver.points.states[solver.points.reps[value]]:
            if state & KIND == API and solver.apis[solver.files.language_of(value)].is_request(state >> KIND_BITS):
                found.add(function)
    return found


def requested_functions(solver: Solver, functions: set[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """These functions, and those that they call."""
    entered = np.array(sorted(functions), np.int64)
    call, callee = solver.calls.targets.array().T
    tables = solver.program.tables
    caller = tables["values"]["function"][tables["calls"]["result"]][call]
    return reached(len(solver.functions.raised), caller, callee, entered)


def classes_made(solver: Solver, requested: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[set[int], set[int]]:
    """The classes of which instances are made in one place, by a call or a literal, where no request leads to, and
    those of which some are made where one does.
    """
    function_of = solver.program.tables["values"]["function"]
    states = solver.points.states
    made = [
        (result, state >> KIND_BITS)
        for result, callee in zip(solver.calls.result, solver.calls.callee, strict=True)
        if callee != NONE
        for state in states[solver.points.reps[callee]]
        if state & KIND == CLASS
    ]
    made += [
        (value, state >> KIND_BITS)
        for value, op in enumerate(solver.op)
        if op == NEW_OP
        for state in states[value]
        if state & KIND == INSTANCE_OF
    ]
    outside, inside = dict[int, int](), set[int]()
    for value, owner in made:
        if requested[int(function_of[value])]:
            inside.add(owner)
        else:
            outside[owner] = outside.get(owner, 0) + 1
    return {owner for owner, places in outside.items() if places == 1} - inside, inside


def provided_classes(solver: Solver) -> set[int]:
    """The classes that no code calls, so that a framework makes one instance of each: it calls their methods, or gives
    them to the constructors that declare such a parameter. Those that extend a library's are made for each request.
    """
    owners = solver.program.tables["functions"]["owner"]
    called = {
        state >> KIND_BITS
        for callee in solver.calls.callee
        if callee != NONE
        for state in solver.points.states[solver.points.reps[callee]]
        if state & KIND == CLASS
    }
    seen = {int(owners[each.function]) for each in solver.resolution.entry_points} - {NONE} - called
    work = sorted(seen)
    for owner in work:  # grows by classes that are new in ``seen``
        for declared in declared_by_constructors(solver, owner):
            for state in solver.points.states_of(declared):
                each = state >> KIND_BITS
                if state & KIND == CLASS and each not in called and each not in seen:
                    seen.add(each)
                    work.append(each)
    return {owner for owner in work if not solver.classes.extends_library(owner)}


def declared_by_constructors(solver: Solver, owner: int) -> list[int]:
    """The declared types of the parameters of a class's constructors."""
    functions, declared = solver.functions, solver.classes.types.of
    members = solver.classes.members.get(owner, {})
    names = solver.files.traits_of(int(solver.program.tables["owners"]["value"][owner])).construction.constructors
    made = [
        state >> KIND_BITS
        for name in names
        for value in members.get(solver.program.string_ids.get(name, NONE), ())
        for state in solver.points.states_of(value)
        if state & KIND == FUNCTION
    ]
    given = [functions.param_value[row] for each in made for row in functions.parameters_of.get(each, ())]
    return [declared[value] for value in given if value in declared]


def held_by_variables(solver: Solver, made_once: set[int]) -> set[int]:
    """The classes whose instances lie in containers that variables of modules hold, or objects that are made once."""
    points = solver.points
    states = {
        state for node, op in enumerate(solver.op) if op == GLOBAL_OP for state in points.states[points.reps[node]]
    }
    work = [state for state in states if state & KIND == OBJECT]
    work += [owner << KIND_BITS | INSTANCE_OF for owner in made_once]
    seen, found = set(work), set[int]()
    while work:  # what is pushed is new in ``seen``
        holder = work.pop()
        for key in points.keys_of.get(holder, ()):
            for state in points.states[points.cells[(holder, key)]]:
                if state in seen or state & KIND not in (OBJECT, INSTANCE_OF):
                    continue
                seen.add(state)
                work.append(state)
                if state & KIND == INSTANCE_OF:
                    found.add(state >> KIND_BITS)
    return found


def link_methods(
    solver: Solver, owner: int, requested: np.ndarray[tuple[int], np.dtype[np.bool_]], called: Collection[int]
) -> None:
    """Join the methods of a class by a cell, if a request may call one that leaves the object in another state."""
    functions, named = solver.functions, solver.files.traits_of(int(solver.program.tables["owners"]["value"][owner]))
    methods = [
        (name, state >> KIND_BITS)
        for each in solver.classes.lineage(owner)
        for name, values in solver.classes.members.get(each, {}).items()
        for value in values
        for state in solver.points.states[solver.points.reps[value]]
        if state & KIND == FUNCTION and functions.receiver(state >> KIND_BITS) != NONE
    ]
    making = frozenset(named.construction.constructors) | frozenset(named.construction.allocators)
    methods = [each for each in methods if solver.strings[each[0]] not in making]
    leaving = [functions.receiver_out(each) for _, each in methods if requested[each]]
    leaving = [each for each in leaving if each != NONE]
    cell = next(solver.models.cells, NONE) if leaving else NONE
    if cell == NONE:
        return
    tables = solver.program.tables["owners"]
    put_at(solver, cell, int(tables["value"][owner]), int(tables["name"][owner]))
    solver.resolution.stored.left_states += [(each, cell) for each in dict.fromkeys(leaving)]
    for method in dict.fromkeys(each for _, each in methods if each in called):
        solver.resolution.flows.context_free_edges.append((cell, functions.receiver(method)))
    solver.models.lasting_cells[owner] = cell
    solver.resolution.stored.lasting[cell] = solver.strings[solver.data[cell]]
