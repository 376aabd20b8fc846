"""Calls that nothing resolved: looked up again, or by the name of the method and what is known of the receiver.

What is tried here may be wrong, so it is tried only when everything that is certain was propagated.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import FIRST_CONSTRUCTION, KIND, KIND_BITS, PAIR_BITS, PAIR_LOW, subjects
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.numbers import DECORATOR, FUNCTION_OP, STATIC
from pyrograph.scanner.analysis.resolve.api_calls import call_api, decorate, shared_arguments
from pyrograph.scanner.analysis.resolve.api_members import imported_roots
from pyrograph.scanner.analysis.resolve.binding import bind
from pyrograph.scanner.analysis.resolve.candidates import (
    candidate_methods,
    implementations,
    library_methods,
    methods_by_name,
    methods_of_subtypes,
    static_methods,
)
from pyrograph.scanner.analysis.resolve.class_members import class_member, is_current
from pyrograph.scanner.analysis.resolve.dispatch import construct
from pyrograph.scanner.analysis.resolve.guesses import Unresolved
from pyrograph.scanner.analysis.resolve.library_objects import mark_own_objects, propagate_library_objects
from pyrograph.scanner.analysis.resolve.loads import look_up
from pyrograph.scanner.analysis.resolve.overrides import (
    overriding_methods,
    read_overridden,
    read_unseen,
    resolve_overridden,
)
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API, INSTANCE_OF, MODULE
from pyrograph.scanner.analysis.resolve.solver import Solver


def retry_failed_loads(solver: Solver) -> None:
    """Look up class members again that were loaded before a base class was known."""
    if solver.classes.changes == solver.classes.retried:
        return  # no class has learnt anything since
    before, solver.classes.retried = solver.classes.retried, solver.classes.changes
    if solver.classes.external_names:
        key, done = solver.accesses.load_key, solver.accesses.done_by_name
        asked = [each for name in solver.classes.external_names for each in done.get(name, ())]
        for each in sorted(asked):
            class_member(solver, each >> PAIR_BITS, each & PAIR_LOW, key[each >> PAIR_BITS])
    solver.classes.external_names.clear()
    solver.points.retry_filtered()
    missed, solver.accesses.failed_loads = solver.accesses.failed_loads, []
    settled: dict[tuple[int, int], bool] = {}  # (class, number of changes)
    load_key, keep = solver.accesses.load_key, solver.accesses.failed_loads.append
    unchanged: dict[int, bool] = {}  # state -> whether nothing in the lineage of its class has changed since ``before``
    changes = solver.classes.changes  # when these were found
    for pair in missed:
        state = pair & PAIR_LOW
        as_before = unchanged.get(state)
        if as_before is None or changes != solver.classes.changes:
            if changes != solver.classes.changes:
                unchanged.clear()
                changes = solver.classes.changes
            is_class = pair & KIND == INSTANCE_OF or pair & KIND == CLASS
            as_before = unchanged[state] = is_class and is_unchanged(solver, state >> KIND_BITS, before)
        row = pair >> PAIR_BITS
        if as_before and row >= 0 and load_key[row] >= 0:  # most loads: it was looked up since, and nothing was found
            keep(pair)
            continue
        if row <= FIRST_CONSTRUCTION:
            owner = state >> KIND_BITS
            name = (owner, solver.classes.changes)
            is_known = settled.get(name)
            if is_known is None:
                is_known = settled[name] = is_settled(solver, owner, before)
            if is_known:
                result = solver.points.reps[solver.calls.result[FIRST_CONSTRUCTION - row]]
                solver.points.add(result, owner << KIND_BITS | INSTANCE_OF)
                keep(pair)
            else:
                construct(solver, FIRST_CONSTRUCTION - row, owner)
        elif is_unknown(solver, row, state) or not look_up(solver, row, state):
            keep(pair)


def is_unchanged(solver: Solver, owner: int, before: int) -> bool:
    """Whether a class and those above it have got no member and no base since the change ``before``."""
    last_change = solver.classes.last_change
    return all([last_change.get(each, 0) <= before for each in solver.classes.lineage(owner)])


def is_settled(solver: Solver, owner: int, before: int) -> bool:
    """Whether a class and those above it have not changed since the change ``before``, and what allocates instances is
    a plain function: then a call that constructs one again finds nothing new.
    """
    classes, ids = solver.classes, solver.program.string_ids
    names = [ids.get(name, NONE) for name in solver.files.traits_of(classes.owner_value[owner]).construction.allocators]
    for each in classes.lineage(owner):
        if classes.last_change.get(each, 0) > before:
            return False
        members = classes.members.get(each, {})
        for name in names:
            for value in members.get(name, ()):
                if solver.op[value] != FUNCTION_OP:
                    return False
    return True


def is_unknown(solver: Solver, row: int, state: int) -> bool:
    """Whether a load from a class or its instances finds nothing, as the last time."""
    if state & KIND not in (CLASS, INSTANCE_OF):
        return False
    key = solver.accesses.load_key[row]
    member = solver.classes.found.get((state, key))
    return member is not None and not member.found and is_current(solver, member, state, key)


def pass_through_decorators(solver: Solver) -> None:
    """Let unknown decorators return their argument, before names are compared: a method of the program under one is
    known, and is no method of a built-in type with the same name (``get``).
    """
    solver.guesses.unresolved = unresolved_calls(solver)
    for each in solver.guesses.unresolved:
        if each.name == NONE and (each.row not in solver.calls.known or each.row in solver.resolution.external):
            decorate(solver, each.row)


def resolve_by_name(solver: Solver, round_: int) -> None:
    """Resolve the calls that ``pass_through_decorators`` found: by name, methods of built-in types match, then those of
    classes. A call on an object that was found by name may mean a method of a built-in type all the same.
    """
    # by name alone in the first round, or in the second where interfaces come first
    naming = {name for name in solver.apis if int(language_of(name).traits.dispatch.interfaces_before_names) == round_}
    by_name = methods_by_name(solver) if naming else {}
    static_by_name = methods_by_name(solver, STATIC) if naming else {}
    foreign = [name for name in sorted(naming) if language_of(name).traits.library_types_are_foreign]
    if foreign:
        propagate_library_objects(solver, foreign)
    external = solver.resolution.external
    known, by_object = solver.calls.known, solver.guesses.calls_by_object
    solver.guesses.unresolved = [
        each
        for each in solver.guesses.unresolved
        if each.row not in known or each.row in external or each.row in by_object
    ]
    shared: dict[tuple[str, int], int | None] = {}  # language and name of a method -> ``shared_arguments``
    for each in solver.guesses.unresolved:
        row, name, language = each.row, each.name, each.language
        if name == NONE:
            continue  # a decorator
        if each.registered:
            imported = imported_roots(solver, solver.files.file_of[solver.calls.result[row]])
            for node in each.registered:
                if solver.apis[language].paths[node][0] in imported:
                    call_api(solver, row, node, guessed=True)
        for node in each.made:
            solver.arise(solver.calls.result[row], node)
        if row in external:
            receiver = solver.calls.receiver[row]
            states = solver.points.states[solver.points.reps[receiver]] if receiver != NONE else ()
            if any(s & KIND == MODULE or s == EXTERNAL_API for s in states):
                for node in library_methods(solver, row, name):  # a library's object, taken for an interface
                    call_api(solver, row, node, guessed=True)
                continue
        named = by_name.get((language, name), ()) if language in naming else ()
        if each.nodes and not is_implemented(solver, row, named):
            if (language, name) not in shared:
                shared[language, name] = shared_arguments(solver, language, each.nodes)
            most = shared[language, name]
            for node in each.nodes:
                call_api(solver, row, node, made=False, guessed=True, most=most)
        elif (
            row not in external
            and row not in by_object
            and (named or solver.guesses.has_interfaces or (language, name) in static_by_name)
            and not solver.strings[name].startswith("__")
        ):
            methods = candidate_methods(solver, row, name, named)
            for function in methods:
                bind(solver, row, function, solver.calls.receiver[row])
            mixed_in = static_methods(solver, row, name, static_by_name.get((language, name), ()))
            for function in mixed_in:
                bind(solver, row, function, NONE)
            methods += mixed_in
            if methods and apis_have(solver, language, name):
                solver.resolution.named_calls.add(row)
            if row not in solver.calls.ambiguous and not implements(solver, row, methods):
                for node in library_methods(solver, row, name):
                    call_api(solver, row, node, guessed=True)
    if by_name:
        resolve_overridden(solver, by_name, implementations)
        read_overridden(solver, by_name)
        read_unseen(solver)
    for language in foreign:
        mark_own_objects(solver, language)


def is_implemented(solver: Solver, row: int, named: Sequence[int]) -> bool:
    """Whether the receiver of a call is declared to be of a type of the program that says no more of the method, and
    one of ``named`` implements it: ``users.find(q)`` with ``users: Repository<User>`` is no method of an array.
    """
    receiver = solver.calls.receiver[row]
    if receiver == NONE or not named:
        return False
    states = solver.points.states_of(receiver)
    classes = subjects(states, INSTANCE_OF)
    if not classes and any([state & KIND == API for state in states]):
        return bool(methods_of_subtypes(solver, receiver, named))
    return bool(classes) and bool(overriding_methods(solver, row, classes, named))


def apis_have(solver: Solver, language: str, name: int) -> bool:
    """Whether packs know a type of a library with a method of this name."""
    apis = solver.apis.get(language)
    return apis is not None and bool(apis.methods_named(solver.strings[name]))


def implements(solver: Solver, row: int, methods: list[int]) -> bool:
    """Whether a call may run a method beside the one that it stands in, which wraps another object of the interface."""
    here = int(solver.program.tables["values"]["function"][solver.calls.result[row]])
    return any([method != here for method in methods])


def unresolved_calls(solver: Solver) -> list[Unresolved]:
    """The calls of which nothing certain is known, and something may be guessed."""
    found = []
    for row in range(len(solver.calls.name)):
        if row in solver.calls.known and row not in solver.resolution.external:
            continue
        name = solver.calls.name[row]
        language = solver.files.language_of(solver.calls.result[row])
        if solver.calls.flags[row] & DECORATOR:
            found.append(Unresolved(row, NONE, language))
        elif name != NONE:
            text = solver.strings[name]
            apis = solver.apis.get(language)
            nodes = apis.builtin_methods.get(text, ()) if apis is not None else ()
            registered = (
                apis.registrations.get(text, ()) if apis is not None and row in solver.models.registering else ()
            )
            made = apis.unknown_results.get(text, ()) if apis is not None else ()
            if nodes or registered or not text.startswith("__"):  # names with underscores every class may have
                found.append(Unresolved(row, name, language, nodes, registered, made))
    return found
