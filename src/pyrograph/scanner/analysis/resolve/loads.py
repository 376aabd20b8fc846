"""Loads: what an object holds under a name or a key, by what the object is.

A load is looked up once for each state of its object; what is found flows into its result. Members and bases of classes
may become known later: a load that fails is in ``Accesses.failed_loads`` and is looked up again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS, PAIR_BITS, SUBJECT_MASK
from pyrograph.scanner.analysis.apis import EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.numbers import LOAD_OP, SUPER_OP
from pyrograph.scanner.analysis.resolve.api_members import (
    alike_sinks,
    api_member,
    builtin_members,
    is_shared_field,
    registrations_of,
    share_field,
    unknown_member,
)
from pyrograph.scanner.analysis.resolve.class_members import class_member
from pyrograph.scanner.analysis.resolve.computed_names import read_computed, read_of_module
from pyrograph.scanner.analysis.resolve.concerns import CALLS
from pyrograph.scanner.analysis.resolve.modules import module_member
from pyrograph.scanner.analysis.resolve.plugins import HOLE, plugin_member
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
    PROTOTYPE,
)
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver

SECOND: Final = "1"  # the key of the second part of a pair


@dataclass(frozen=True, slots=True)
class PrototypeListener(Listener):
    """Looks up the load ``row`` in the prototypes of its object."""

    row: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND in (MADE_BY, OBJECT, PROTOTYPE, INSTANCE_OF):
            load(solver, self.row, state)


def load(solver: Solver, row: int, state: int) -> None:
    pair = row << PAIR_BITS | state
    accesses = solver.accesses
    done = accesses.done_loads
    if pair not in done:
        done.add(pair)
        if state & KIND in (CLASS, INSTANCE_OF):
            accesses.done_by_name.setdefault(accesses.load_key[row], []).append(pair)
        if not look_up(solver, row, state):
            accesses.failed_loads.append(pair)


def look_up(solver: Solver, row: int, state: int) -> bool:
    accesses, points = solver.accesses, solver.points
    result, key = accesses.load_result[row], accesses.load_key[row]
    kind = state & KIND
    node = points.reps[result]
    if kind == API:
        api = state >> KIND_BITS
        if api == EXTERNAL:
            solver.points.add(node, state)
            if key >= 0:
                unknown_member(solver, result, solver.strings[key])
            return True
        if key >= 0:
            api_member(solver, result, api, solver.strings[key])
            if solver.op[accesses.load_object[row]] == SUPER_OP:
                construct_base(solver, row, api)
            if is_shared_field(solver, result, api, key):
                share_field(solver, api, key, NONE, result)
        else:
            apis = solver.apis[solver.files.language_of(result)]
            for step in ("[*]", "[]") if key == UNKNOWN_KEY else ("[*]",):
                for each in apis.step(api, step):
                    solver.arise(result, each)
            if solver.points.concerned[node] & CALLS:
                for each in (*registrations_of(solver, result, api), *alike_sinks(solver, result, api)):
                    solver.arise(result, each)
        return True
    if kind == MODULE:
        if key < UNKNOWN_KEY:
            read_of_module(solver, result, solver.accesses.load_object[row], state >> KIND_BITS, FIRST_VALUE_KEY - key)
        if key < 0:
            return True
        _language, _, module = solver.strings[state >> KIND_BITS].partition(":")
        if module.startswith(HOLE):
            return plugin_member(solver, result, module, key, solver.files.file_of[result])
        return module_member(solver, result, module, key, solver.files.file_of[result])
    if kind == CLASS and key >= 0 and solver.strings[key] == "prototype" and is_prototype(solver, result):
        solver.points.add(node, state)  # what is stored in it becomes a member of the class
        return True
    if kind == CLASS and key < 0 and solver.files.traits_of(result).construction.item_methods:
        solver.points.add(node, state)  # ``Service[Store]``: a class with arguments of types is the class
        return True
    if kind in (CLASS, INSTANCE_OF):
        if key < UNKNOWN_KEY and not solver.files.traits_of(result).construction.item_methods:
            read_computed(solver, result, solver.accesses.load_object[row], state >> KIND_BITS, FIRST_VALUE_KEY - key)
        found = key >= 0 and class_member(solver, row, state, key)
        if not found and is_second_of_pair(solver, row):
            solver.points.add(node, state)
            return True
        return found
    if key == UNKNOWN_KEY or key < 0:
        solver.points.take_any(state, node)
        return True
    if kind == FUNCTION and solver.strings[key] == "prototype":
        solver.points.add(node, state & SUBJECT_MASK | PROTOTYPE)
        return True
    if is_second_of_pair(solver, row):
        solver.points.add(node, state)
    cell = points.cells.get((state, key), NONE)
    points.edge(solver.cell(state, key) if cell == NONE else cell, node)
    if kind == MADE_BY:
        shared = state & SUBJECT_MASK | PROTOTYPE
        solver.points.edge(solver.cell(shared, key), node)
        solver.accesses.prototype_loads.setdefault((shared, key), []).append(result)
        for value in solver.accesses.prototype_data.get((shared, key), ()):
            solver.resolution.flows.context_free_edges.append((value, result))
        prototype = solver.program.intern("prototype")
        solver.listen_node(solver.cell(state & SUBJECT_MASK | FUNCTION, prototype), PrototypeListener(row), row)
    if kind in (FUNCTION,):
        builtin_member(solver, result, key, "Function")
    known = solver.apis.get(solver.files.language_of(result))
    if (
        known is None or solver.strings[key] not in known.builtin_methods
    ):  # `table.get` is a method, whatever is in there
        solver.accesses.unnamed_loads.append((state, key, node))
    return True


def construct_base(solver: Solver, row: int, api: int) -> None:
    """``super().__init__(url)`` where a class extends a library's is ``Base(url)``; ``api``: an instance of it."""
    result, key = solver.accesses.load_result[row], solver.accesses.load_key[row]
    apis = solver.apis[solver.files.language_of(result)]
    path = apis.paths[api]
    if path[-1] == INSTANCE and solver.strings[key] in solver.files.traits_of(result).construction.constructors:
        solver.arise(result, apis.node(path[:-1]))


def is_second_of_pair(solver: Solver, row: int) -> bool:
    """Whether a load reads the second part of what a loop takes out of a container that a library made.

    ``for (const [path, handler] of routes)``: the loop over a map gives pairs, and the points-to set of the loop's
    variable is that of the values, which have no second part. Where classes say what an element of their objects is,
    a loop over a table gives its keys, and an object under ``1`` is what the class says.
    """
    accesses = solver.accesses
    if solver.files.traits_of(accesses.load_result[row]).construction.item_methods:
        return False
    key = accesses.load_key[row]
    if key < 0 or solver.strings[key] != SECOND:
        return False
    element = solver.points.reps[accesses.load_object[row]]
    if solver.op[element] != LOAD_OP or accesses.load_key[solver.data[element]] != UNKNOWN_KEY:
        return False
    states = solver.points.states_of(accesses.load_object[solver.data[element]])
    return any([each & KIND == OBJECT for each in states]) and any([each & KIND == API for each in states])


def is_prototype(solver: Solver, result: int) -> bool:
    """Whether a member ``prototype`` is a class's prototype in the language of ``result``."""
    return solver.files.traits_of(result).prototypes


def link_unknown_keys(solver: Solver) -> None:
    """Link the content under unknown keys to loads of names under which nothing is stored, unless it has overflown."""
    loose, solver.accesses.unnamed_loads = solver.accesses.unnamed_loads, []
    points, keep = solver.points, solver.accesses.unnamed_loads.append
    under_unknown: dict[int, int] = {}  # state -> its cell, or NONE; edges make no cells
    for each in loose:
        state, key, node = each
        stored = under_unknown.get(state)
        if stored is None:
            stored = under_unknown[state] = points.cells.get((state, UNKNOWN_KEY), NONE)
        if stored == NONE or not points.states[stored]:
            keep(each)
        elif stored not in points.overflown and (state, key) not in solver.accesses.set_by_name:
            points.edge(stored, node)


def builtin_member(solver: Solver, result: int, key: int, kind: str) -> None:
    """A method of a function value itself: ``f.call``."""
    for node in builtin_members(solver, result, key, kind):
        solver.arise(result, node)
