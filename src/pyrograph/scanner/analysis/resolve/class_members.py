"""Members of classes and instances, by lineage; properties and subscripts, which are calls."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_GETTER_SITE, FIRST_VALUE_KEY, KIND, KIND_BITS, PAIR_BITS, PAIR_LOW, pack_pair
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CLASS_METHOD,
    CONST_OP,
    CONSTRUCTOR,
    FIELD_OP,
    FUNCTION_OP,
    METHOD,
    PARAMETER_OP,
    PROPERTY,
)
from pyrograph.scanner.analysis.resolve.binding import only_tested, pass_embedded
from pyrograph.scanner.analysis.resolve.classes import Member
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

NO_CLASSES: Final[frozenset[int]] = frozenset()


@dataclass(frozen=True, slots=True)
class PlainTypeListener(Listener):
    """Reads what is stored in a field if its declared type only names a function or a table (``Classes.is_plain``)."""

    held: int  # the cell of the field
    node: int  # what reads the field
    promoted: bool = False  # the field of a part, stored by the whole: read as well if its type is an interface

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        owner = state >> KIND_BITS
        if state & KIND == INSTANCE_OF and (
            solver.classes.is_plain(owner) or (self.promoted and is_interface(solver, owner))
        ):
            solver.points.edge(self.held, self.node)


@dataclass(frozen=True, slots=True)
class LibraryObjectListener(Listener):
    """Reads which object of a library lies in a field whose declared type says all else: one queue of several."""

    node: int  # what reads the field

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        subject = state >> KIND_BITS
        if state & KIND == OBJECT and subject < len(solver.op) and solver.op[subject] in (CALL_OP, PARAMETER_OP):
            solver.points.add(self.node, state)


def class_member(solver: Solver, row: int, state: int, key: int) -> bool:
    """Bind a load to a method, class attribute or declared field, and for instances to stores of any method."""
    member = solver.classes.found.get((state, key))
    if member is None or not is_current(solver, member, state, key):
        member = solver.classes.found[state, key] = find_member(
            solver, state, key, NONE if member is None else member.node
        )
    result = solver.accesses.load_result[row]
    solver.points.edge(member.node, solver.points.reps[result])
    for value in member.data:
        if (value, result) not in solver.classes.data_edges:
            solver.classes.data_edges.add((value, result))
            solver.resolution.flows.context_free_edges.append((value, result))
    for function in member.getters:
        get_property(solver, row, function)
    for function in member.methods:
        take_method(solver, row, function)
    for api in member.apis:
        solver.arise(result, api)
    return member.found


def is_current(solver: Solver, member: Member, state: int, key: int) -> bool:
    """Whether a cached look-up still holds: the classes of ``state`` got no base and no member ``key`` since."""
    classes, changes = solver.classes, member.changes
    if changes == classes.changes:
        return True
    is_name_unchanged = classes.changed_names.get(key, 0) <= changes
    if not is_name_unchanged or classes.lineages.last_change > changes:
        last_change = classes.last_change_of_bases if is_name_unchanged else classes.last_change
        for each in classes.lineage(state >> KIND_BITS):
            if last_change.get(each, 0) > changes:
                return False
    member.changes = solver.classes.changes
    if state & KIND == INSTANCE_OF:
        member.getters = getters(solver, member.values)
    return True


def getters(solver: Solver, values: Sequence[int]) -> list[int]:
    """The properties among members of a class."""
    found: list[int] = []
    for value in values:
        for state in solver.points.states[solver.points.reps[value]]:
            if state & KIND == FUNCTION and solver.functions.flags[state >> KIND_BITS] & PROPERTY:
                found.append(state >> KIND_BITS)
    return found


def find_member(solver: Solver, state: int, key: int, node: int) -> Member:
    """Look up ``key`` in a class or its instances. ``node``: that of the last look-up, or NONE."""
    if node == NONE:
        node = solver.points.new_node()
        if key in solver.points.capacity.kept_keys:
            solver.points.capacity.kept.add(node)
    member = Member(node, solver.classes.changes)
    points, cells, kind = solver.points, solver.points.cells, state & KIND
    successors, known_states, unlinked = points.successors, points.states, points.no_successors
    lineage, having = solver.classes.lineage(state >> KIND_BITS), solver.classes.having.get(key, NO_CLASSES)
    declared = promoted_field(solver, lineage, having, key) if kind == INSTANCE_OF and having else NONE
    for each in lineage:
        if each in having:
            values = solver.classes.members[each][key]
            member.found = True
            member.values = values
            for value in values:
                solver.points.edge(solver.points.reps[value], node)
                if solver.op[value] not in (FUNCTION_OP, FIELD_OP, CONST_OP):
                    member.data.append(value)
            if state & KIND == INSTANCE_OF:
                member.getters = getters(solver, values)
                member.methods = bound_methods(solver, values)
                if all(solver.op[value] == FIELD_OP for value in values):
                    held = solver.cell(each << KIND_BITS | INSTANCE_OF, key)
                    if any(value not in solver.classes.types.of for value in values):
                        # The field has no declared type: it may hold a function, a channel, a table of handlers.
                        solver.points.edge(held, node)
                    else:
                        for value in values:
                            solver.listen_node(solver.points.reps[value], PlainTypeListener(held, node), NONE)
                        solver.listen_node(held, LibraryObjectListener(node), NONE)
                elif all(solver.op[value] == CONST_OP for value in values):
                    # ``pool = None`` in the class is what the field holds until a method stores something.
                    solver.points.edge(solver.cell(each << KIND_BITS | INSTANCE_OF, key), node)
            return member
        holder = each << KIND_BITS | kind
        cell = cells.get((holder, key), NONE)
        if cell == NONE:
            cell = solver.cell(holder, key)
        if declared != NONE:
            for value in solver.classes.members[declared][key]:
                solver.listen_node(points.reps[value], PlainTypeListener(cell, node, promoted=True), NONE)
            solver.listen_node(cell, LibraryObjectListener(node), NONE)
            continue
        if not known_states[cell] and successors[cell] is unlinked:  # as ``edge`` for most of them, without a call
            successors[cell] = [node]
        else:
            points.edge(cell, node)
    apis = solver.apis.get(solver.files.language_of(int(solver.program.tables["owners"]["value"][state >> KIND_BITS])))
    if apis is None:
        return member
    extended = solver.classes.mixed_with if state & KIND == INSTANCE_OF else {}
    of_libraries = solver.classes.apis
    traits = solver.files.traits_of(solver.classes.owner_value[state >> KIND_BITS])
    fills = state & KIND == INSTANCE_OF and solver.strings[key] in traits.construction.constructors
    for each in lineage:
        if each not in of_libraries and each not in extended:
            continue
        for base in (*solver.classes.apis.get(each, ()), *extended.get(each, ())):
            for instance in apis.step(base, INSTANCE) if state & KIND == INSTANCE_OF else (base,):
                member.apis.extend(apis.member(instance, solver.strings[key]))
            if fills:  # `super().__init__(url)` is `Base(url)` of a library's class
                member.apis.append(base)
    member.found = bool(member.apis)
    return member


def promoted_field(solver: Solver, lineage: Sequence[int], having: Set[int], key: int) -> int:
    """The part of an object that declares the field ``key`` with its type, where types hold and the first of
    ``lineage``, the object's own class, does not declare the field; or NONE.

    ``shop.users = users`` stores in the part of ``shop`` that has ``users``: as in a field of its own, the declared
    type says what lies there.
    """
    if lineage[0] in having or not solver.files.traits_of(solver.classes.owner_value[lineage[0]]).declared_types_hold:
        return NONE
    for each in lineage:
        if each in having:
            values = solver.classes.members[each][key]
            typed = all([solver.op[value] == FIELD_OP and value in solver.classes.types.of for value in values])
            return each if typed else NONE
    return NONE


def is_interface(solver: Solver, owner: int) -> bool:
    """Whether a type is an interface, or declared as one: ``type Named Interface`` in Go."""
    for each in solver.classes.lineage(owner):
        members = solver.classes.members.get(each, ())
        if members:
            return solver.classes.types.interface_mark in members
    return False


def bound_methods(solver: Solver, values: Sequence[int]) -> list[int]:
    """The methods among members of a class that keep the object that they are read from."""
    return [
        solver.data[value]
        for value in values
        if solver.op[value] == FUNCTION_OP
        and solver.files.traits_of(value).dispatch.methods_are_bound
        and solver.functions.flags[solver.data[value]] & (METHOD | CLASS_METHOD | CONSTRUCTOR | PROPERTY) == METHOD
    ]


def take_method(solver: Solver, row: int, function: int) -> None:
    """A method that is read as a value, ``run(job.start)``, gets the object when it runs: bind its receiver to what it
    is read from. What it then stores in its receiver is in the object, for other methods that were read of it: nothing
    says when they run. A method that is called where it is read gets its receiver there.
    """
    site = FIRST_GETTER_SITE - row
    receiver = solver.functions.receiver(function)
    if receiver == NONE or solver.accesses.load_result[row] in solver.calls.called_members:
        return
    if not solver.calls.mark_bound(site, function):
        return
    holder = solver.accesses.load_object[row]
    solver.accesses.read_methods.append((holder, solver.accesses.load_result[row]))
    solver.calls.bindings.append((site, holder, receiver, NO_KEY, ENTIRE_ARGUMENT))
    out = solver.functions.param_out[solver.functions.signature(function).receiver]
    if out != NONE:
        solver.resolution.returns.append((site, out, holder))
    pass_embedded(solver, site, holder, receiver, function)
    if not only_tested(solver, holder, receiver):
        solver.points.edge(solver.points.reps[holder], solver.points.reps[receiver])


def get_property(solver: Solver, row: int, function: int) -> None:
    """Bind a load of a property as a call of its getter."""
    site = FIRST_GETTER_SITE - row
    if not solver.calls.mark_bound(site, function):
        return
    result = solver.accesses.load_result[row]
    receiver = solver.functions.receiver(function)
    if receiver != NONE:
        solver.calls.bindings.append((site, solver.accesses.load_object[row], receiver, NO_KEY, ENTIRE_ARGUMENT))
        solver.points.edge(solver.points.reps[solver.accesses.load_object[row]], solver.points.reps[receiver])
    solver.resolution.returns.append((site, solver.functions.result[function], result))
    solver.points.edge(solver.points.reps[solver.functions.result[function]], solver.points.reps[result])


def link_subscripts(solver: Solver) -> None:
    """``instance[key]`` of a class of the program that says what this is: a call of ``__getitem__`` and the like.

    A unit does not distinguish it from ``instance.key``; a name that the class has no member of, and that nothing
    stores in its instances, is a key.
    """
    for method in dict.fromkeys(
        [method for traits in solver.files.traits for method in traits.construction.item_methods]
    ):
        name = solver.program.string_ids.get(method, NONE)
        if name != NONE:
            read_by(solver, name)


def read_by(solver: Solver, name: int) -> None:
    """Reads of instances under keys are calls of their classes' methods ``name``."""
    saying = solver.classes.having.get(name, NO_CLASSES)
    methods: dict[int, Sequence[int]] = {}  # state -> what is ``name`` of the class
    stored: dict[tuple[int, int], bool] = {}  # (state, key) -> whether something is stored under it by name
    points, load_key, seen = solver.points, solver.accesses.load_key, solver.calls.seen_bindings
    for pair in solver.accesses.failed_loads if saying else ():
        if pair & KIND != INSTANCE_OF or pair < 0:
            continue
        state = pair & PAIR_LOW
        values = methods.get(state)
        if values is None:
            first = next((each for each in solver.classes.lineage(state >> KIND_BITS) if each in saying), None)
            values = methods[state] = () if first is None else solver.classes.members[first][name]
        if not values:
            continue
        row = pair >> PAIR_BITS
        site = FIRST_GETTER_SITE - row
        read = [
            held >> KIND_BITS
            for value in values
            for held in points.states[points.reps[value]]
            if held & KIND == FUNCTION and pack_pair(site, held >> KIND_BITS) not in seen
        ]
        if not read:  # mostly: in an earlier round it became such a call
            continue
        key = load_key[row]
        is_stored = stored.get((state, key))
        if is_stored is None:
            is_stored = stored[state, key] = is_stored_by_name(solver, state >> KIND_BITS, key)
        if is_stored:
            continue
        for function in dict.fromkeys(read):
            get_property(solver, row, function)
            for formal in solver.functions.chosen_parameters(function, 0) if key < UNKNOWN_KEY else ():
                parameter = solver.functions.param_value[formal]
                solver.calls.bindings.append((site, FIRST_VALUE_KEY - key, parameter, NO_KEY, ENTIRE_ARGUMENT))
                points.edge(points.reps[FIRST_VALUE_KEY - key], points.reps[parameter])


def is_stored_by_name(solver: Solver, owner: int, key: int) -> bool:
    """Whether something is stored under ``key`` in an instance of a class, or of one of its bases."""
    for each in solver.classes.lineage(owner):
        if (each << KIND_BITS | INSTANCE_OF, key) in solver.accesses.set_by_name:
            return True
    return False


def constructors(solver: Solver, owner: int) -> list[int]:
    """The functions that are the constructor of a class, or of the nearest base that has one."""
    for name in solver.files.traits_of(solver.classes.owner_value[owner]).construction.constructors:
        key = solver.program.string_ids.get(name, NONE)
        for each in solver.classes.holders_of(owner, key):
            functions = [
                state >> KIND_BITS
                for value in solver.classes.members[each][key]
                for state in solver.points.states_of(value)
                if state & KIND == FUNCTION
            ]
            if functions:
                return functions
    return []


def allocators(solver: Solver, owner: int) -> list[int]:
    """The functions that make an instance of a class before its constructor runs."""
    names = solver.files.traits_of(solver.classes.owner_value[owner]).construction.allocators
    return [function for name in names for function in methods_named(solver, owner, name)]


def finishers(solver: Solver, owner: int) -> list[int]:
    """The functions that run on an instance whose fields a constructor that nobody wrote has filled."""
    names = solver.files.traits_of(solver.classes.owner_value[owner]).construction.finishers
    return [function for name in names for function in methods_named(solver, owner, name)]


def call_methods(solver: Solver, owner: int) -> list[int]:
    """The functions that run where an instance of a class is called."""
    names = solver.files.traits_of(solver.classes.owner_value[owner]).construction.call_methods
    return [
        state >> KIND_BITS
        for key in [solver.program.string_ids.get(name, NONE) for name in names]
        for each in solver.classes.holders_of(owner, key)
        for value in solver.classes.members[each][key]
        for state in solver.points.states_of(value)
        if state & KIND == FUNCTION
    ]


def constructed(solver: Solver, owner: int) -> list[int]:
    """The new object's versions at exit of the constructors of a class, or of the nearest base that has some."""
    return [out for out in map(solver.functions.receiver_out, constructors(solver, owner)) if out != NONE]


def methods_named(solver: Solver, owner: int, name: str) -> list[int]:
    """The functions that are the method ``name`` of a class, or of the nearest base that has one."""
    key = solver.program.string_ids.get(name, NONE)
    for each in solver.classes.holders_of(owner, key):
        if values := solver.classes.members[each][key]:
            states = [state for value in values for state in solver.points.states[solver.points.reps[value]]]
            return [state >> KIND_BITS for state in states if state & KIND == FUNCTION]
    return []
