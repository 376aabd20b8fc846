"""Stores: the cells of objects, members and bases of classes, declared types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.apis import EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.numbers import (
    CLASS_METHOD,
    CONST_OP,
    CONSTRUCTOR,
    FIELD_OP,
    FUNCTION_OP,
    LOAD_OP,
    METHOD,
    NEW_OP,
    STATIC,
)
from pyrograph.scanner.analysis.resolve.api_members import is_shared_field, share_field
from pyrograph.scanner.analysis.resolve.packages import assign_name
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

HOLDERS: Final = frozenset((NEW_OP, FIELD_OP))  # what a declaration makes: ``var handlers sync.Map``


class MethodListener(Listener):
    """Puts ``instance``, a state, on the receiver of a function that is a member of a class or of a prototype.

    ``bound_late``: the set in which functions are noted that get their receiver when they are read, or None.
    ``wraps``: the member is what decorators made of a method, so that a function which they made gets the receiver as
    its first argument. A library that calls the method calls this function.
    """

    def __init__(self, instance: int, bound_late: set[int] | None = None, *, wraps: bool = False) -> None:
        self.instance = instance
        self.bound_late = bound_late
        self.wraps = wraps

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != FUNCTION:
            return
        function = state >> KIND_BITS
        receiver = solver.functions.receiver(function)
        if self.bound_late is not None and solver.is_bound_late(function):
            self.bound_late.add(function)
            first = solver.functions.signature(function).by_position.get(0, NONE)
            if self.wraps and first != NONE:
                of_class = self.bound_late is solver.classes.bound_to_classes
                state = self.instance & SUBJECT_MASK | CLASS if of_class else self.instance
                solver.points.add(solver.points.reps[solver.functions.param_value[first]], state)
        if receiver != NONE and solver.functions.flags[function] & (METHOD | CONSTRUCTOR):
            is_class = solver.functions.flags[function] & CLASS_METHOD
            solver.points.add(
                solver.points.reps[receiver], self.instance & SUBJECT_MASK | CLASS if is_class else self.instance
            )
        elif receiver != NONE and self.instance & KIND == MADE_BY:
            solver.points.add(solver.points.reps[receiver], self.instance)


def own_members(solver: Solver, rows: Sequence[int], state: int) -> None:
    """Add the members of a class that becomes known."""
    if state & KIND != CLASS:
        return
    for row in rows:
        add_member(solver, state >> KIND_BITS, solver.classes.member_name[row], solver.classes.member_value[row])


def add_member(solver: Solver, owner: int, name: int, value: int) -> bool:
    """Add ``value`` as the member ``name`` of a class; returns whether it is new."""
    values = solver.classes.members.setdefault(owner, {}).setdefault(name, [])
    if value in values:
        return False
    solver.classes.change(owner, name)
    values.append(value)
    late = bound_late(solver, owner, value)
    wraps = late is not None and is_decorated_method(solver, value)
    solver.listen(value, MethodListener(owner << KIND_BITS | INSTANCE_OF, late, wraps=wraps))
    return True


def is_decorated_method(solver: Solver, value: int) -> bool:
    """Whether a member is what decorators made of a method."""
    original = solver.undecorated(value)
    return (
        original != value
        and solver.op[original] == FUNCTION_OP
        and bool(solver.functions.flags[solver.data[original]] & METHOD)
    )


def bound_late(solver: Solver, owner: int, value: int) -> set[int] | None:
    """Where to note functions that are the member ``value`` of a class and no methods by their own declaration.

    The function under the decorators says whether it is a static method or a class method. It gets its states here:
    its wrapper may pass the receiver on within ``*args``.
    """
    original = solver.undecorated(value)
    if solver.op[original] != FUNCTION_OP:
        return solver.classes.bound_to_instances
    function = solver.data[original]
    flags = solver.functions.flags[function]
    if flags & STATIC:
        return None
    receiver = solver.functions.receiver(function)
    if receiver != NONE and original != value and flags & METHOD:
        kind = CLASS if flags & CLASS_METHOD else INSTANCE_OF
        solver.points.add(solver.points.reps[receiver], owner << KIND_BITS | kind)
    return solver.classes.bound_to_classes if flags & CLASS_METHOD else solver.classes.bound_to_instances


def inherit(solver: Solver, row: int, state: int) -> None:
    """Add a base class that ``row`` of the table of bases declares."""
    extend(solver, solver.classes.base_owner[row], state, row)


def extend(solver: Solver, owner: int, state: int, row: int) -> None:
    """Add a base class of ``owner``. ``row``: where it is declared, or NONE for an API."""
    kind = state & KIND
    if kind == CLASS:
        bases = solver.classes.bases.setdefault(owner, [])
        if state >> KIND_BITS not in bases and state >> KIND_BITS != owner:
            solver.classes.add_base(owner, state >> KIND_BITS, row)
            for view in solver.classes.super_views.get(owner, ()):
                solver.points.add(solver.points.reps[view], state & SUBJECT_MASK | INSTANCE_OF)
    elif kind == API and state >> KIND_BITS != EXTERNAL:
        nodes = solver.classes.apis.setdefault(owner, [])
        value = int(solver.program.tables["owners"]["value"][owner])
        apis = solver.apis[solver.files.language_of(value)]
        for node in apis.expand(state >> KIND_BITS):
            if node not in nodes:
                solver.classes.change(owner, NONE)
                nodes.append(node)
                for view in solver.classes.super_views.get(owner, ()):
                    for instance in apis.step(node, INSTANCE):
                        solver.arise(view, instance)
    elif kind == API:
        solver.classes.unknown_bases.add(owner)


def declare(solver: Solver, value: int, state: int) -> None:
    """``value`` is declared to be an instance of ``state``."""
    kind = state & KIND
    if kind == CLASS:
        node = solver.points.reps[value]
        owner = state >> KIND_BITS
        # a type that declares a field or a method and is not marked as an interface is none
        is_known = owner in solver.classes.members and not solver.classes.is_marked(owner)
        if is_known and node in solver.classes.types.asserted:
            solver.points.receivers[node] = owner
        solver.points.add(node, state & SUBJECT_MASK | INSTANCE_OF)
        for receiver in solver.called_receivers.get(state >> KIND_BITS, ()):
            solver.points.edge(solver.points.reps[value], receiver)
    elif kind == API and state >> KIND_BITS != EXTERNAL:
        apis = solver.apis[solver.files.language_of(value)]
        for node in apis.step(state >> KIND_BITS, INSTANCE):
            solver.arise(value, node)
            if solver.op[value] in HOLDERS and apis.keeps(node, node):
                solver.points.add(solver.points.reps[value], solver.points.reps[value] << KIND_BITS | OBJECT)
        solver.guesses.library_objects.add(solver.points.reps[value])
    elif kind == API:
        solver.guesses.library_objects.add(solver.points.reps[value])
    elif kind in (INSTANCE_OF, OBJECT):  # an object stands for each collection of a type with elements, ``list[T]``
        solver.points.add(solver.points.reps[value], state)


def store(solver: Solver, rows: Sequence[int], state: int) -> None:
    kind = state & KIND
    if kind == MODULE:
        language, _, module = solver.strings[state >> KIND_BITS].partition(":")
        for row in rows if language_of(language).traits.modules.directory_is_module else ():
            if solver.accesses.store_key[row] >= 0:
                assign_name(solver, module, solver.accesses.store_key[row], solver.accesses.store_value[row])
        return
    if kind == API:
        if state >> KIND_BITS != EXTERNAL:
            attach(solver, state >> KIND_BITS, rows)
        return
    for row in rows:
        key = solver.accesses.store_key[row]
        value = solver.accesses.store_value[row]
        if key < UNKNOWN_KEY:
            key = UNKNOWN_KEY
        node = solver.points.reps[value]
        solver.points.edge(node, solver.cell(state, key))
        is_back = is_put_back(solver, state, node, key) or is_read_and_put_back(solver, row, node)
        if key != UNKNOWN_KEY and not is_back:
            solver.accesses.set_by_name.add((state, key))
        whole = kind == CLASS and key >= 0 and not solver.resolution.is_part(solver.program, row)
        if whole and add_member(solver, state >> KIND_BITS, key, value):
            solver.classes.external_names.add(key)  # an attribute of the class: whoever asked for it before asks again
        if kind == PROTOTYPE:
            # A function whose prototype has methods makes objects, whether or not the program shows the `new`.
            if (receiver := solver.functions.receiver(state >> KIND_BITS)) != NONE:
                solver.points.add(solver.points.reps[receiver], state & SUBJECT_MASK | MADE_BY)
            solver.listen(value, MethodListener(state & SUBJECT_MASK | MADE_BY))
            if solver.op[value] not in (FUNCTION_OP, CONST_OP):
                solver.accesses.prototype_data.setdefault((state, key), []).append(value)
                for result in solver.accesses.prototype_loads.get((state, key), ()):
                    solver.resolution.flows.context_free_edges.append((value, result))


def is_put_back(solver: Solver, state: int, node: int, key: int) -> bool:
    """Whether a table that makes its elements gets one back: ``table.a.append(f)`` changes the element in its place."""
    return (
        state >> KIND_BITS in solver.models.tables_of_handlers
        and solver.op[node] == LOAD_OP
        and solver.accesses.load_key[solver.data[node]] == key
    )


def is_read_and_put_back(solver: Solver, row: int, node: int) -> bool:
    """Whether a store puts back what was read at the same place: ``show(table["a"])`` may change the element."""
    accesses, reps = solver.accesses, solver.points.reps
    if solver.op[node] != LOAD_OP:
        return False
    load = solver.data[node]
    return (
        accesses.load_key[load] == accesses.store_key[row]
        and reps[accesses.load_object[load]] == reps[accesses.store_object[row]]
    )


def attach(solver: Solver, api: int, rows: Sequence[int]) -> None:
    """``request.user = value``: share a field that the program adds to an object of a framework."""
    for row in rows:
        key, value = solver.accesses.store_key[row], solver.accesses.store_value[row]
        own = key >= 0 and not solver.resolution.is_part(solver.program, row)
        if own and is_shared_field(solver, value, api, key):
            share_field(solver, api, key, value, NONE)
