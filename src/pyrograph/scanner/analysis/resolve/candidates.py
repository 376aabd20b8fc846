"""Candidates: the methods that a call may mean, by name, interface, relatives, arity and visibility."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.policy.limits.resolution import (
    MAX_CANDIDATES,
    MAX_IMPLEMENTATIONS,
    MAX_OVERRIDES,
    MIN_TELLING_METHODS,
)
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.numbers import LOAD_OP, METHOD, NORMAL_KIND, SUPER_OP, VARARG_KIND
from pyrograph.scanner.analysis.resolve.class_members import is_interface
from pyrograph.scanner.analysis.resolve.library_objects import from_library
from pyrograph.scanner.analysis.resolve.overrides import idle_methods, overriding_methods
from pyrograph.scanner.analysis.resolve.programs import are_linked, imported_from
from pyrograph.scanner.analysis.resolve.resolution import API, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.signatures import has_signatures
from pyrograph.scanner.analysis.resolve.solver import Solver

ANY_NUMBER: Final = 1 << 30  # of arguments: a function with ``*args`` takes them all


def candidate_methods(solver: Solver, row: int, name: int, candidates: Sequence[int]) -> list[int]:
    """The methods that the call ``row`` may run, by the points-to set of its receiver.

    Of an interface, those of the types that have all its methods. Of a class of the program, those of its
    subclasses, or else of its relatives (its own were found before). Of a library's object, none. Of anything else,
    all of that name, if they are few, or those of one family of classes.
    """
    receiver = solver.calls.receiver[row]
    if receiver != NONE and solver.op[receiver] == SUPER_OP:
        return callable_methods(solver, row, name, beside(solver, solver.data[receiver], candidates))
    states = solver.points.states[solver.points.reps[receiver]] if receiver != NONE else ()
    classes = subjects(states, INSTANCE_OF)
    interfaces = [each for owner in classes for each in interfaces_of(solver, owner, name)]
    found: list[int]
    if interfaces:
        found = [f for owner in interfaces for f in implementations(solver, owner, name)]
        found = callable_methods(solver, row, name, list(dict.fromkeys(found)))
        if len(found) > MAX_IMPLEMENTATIONS:
            found = likely_methods(solver, receiver, found)
        if len(found) > most_implementations(solver, interfaces):
            solver.calls.ambiguous.add(row)
            return []
        return found
    if classes and candidates:
        found = overriding_methods(solver, row, classes, candidates)
        if len(found) > MAX_OVERRIDES:
            solver.calls.ambiguous.add(row)
            return []
        if found:
            return found
    if not 0 < len(candidates) <= 2 * (MAX_CANDIDATES if classes else MAX_OVERRIDES):
        return []
    if classes:
        found = []
        for owner in classes:
            relatives = relatives_of(solver, owner)
            found += [f for f in candidates if solver.functions.owner[f] in relatives]
        candidates = [f for f in candidates if f in found]
    elif any(s & KIND == API for s in states) or (receiver != NONE and from_library(solver, receiver)):
        candidates = methods_of_subtypes(solver, receiver, candidates)
    found = callable_methods(solver, row, name, candidates)
    if len(found) <= MAX_CANDIDATES or (
        not classes and len(found) <= MAX_OVERRIDES and few_families(solver, found, name)
    ):
        return found
    return []


def methods_of_subtypes(solver: Solver, receiver: int, candidates: Sequence[int]) -> list[int]:
    """The methods among ``candidates`` of classes that extend a library's type which the receiver is known to be.

    A library makes objects of classes that a program hands it: ``connect(connection_factory=Tracked)`` is declared to
    return a connection, and ``connection.tracked()`` is found in ``Tracked(connection)`` alone. None where the types of
    libraries are closed (``Traits.library_types_are_foreign``).
    """
    if solver.files.traits_of(receiver).library_types_are_foreign:
        return []
    types: set[int] = set()
    for node in subjects(solver.points.states_of(receiver), API):
        types.update(base_types(solver, receiver, node))
    if not types:
        return []
    apis, owners = solver.classes.apis, solver.functions.owner
    return [
        each
        for each in candidates
        if any([not types.isdisjoint(apis.get(base, ())) for base in solver.classes.lineage(owners[each])])
    ]


def base_types(solver: Solver, value: int, node: int) -> tuple[int, ...]:
    """The API node of the class that an API node is an instance of, with what it is called elsewhere."""
    apis = solver.apis.get(solver.files.language_of(value))
    if apis is None:
        return ()
    path = apis.paths[node]
    return apis.expand(apis.node(path[:-1])) if path[-1] == INSTANCE and len(path) > 1 else ()


def most_implementations(solver: Solver, interfaces: Sequence[int]) -> int:
    """How many methods a call of these interfaces may mean: more where no type has all of their methods by accident."""
    return MAX_OVERRIDES if all([is_telling(solver, each) for each in interfaces]) else MAX_IMPLEMENTATIONS


def is_telling(solver: Solver, interface: int) -> bool:
    """Whether no type has all methods of an interface by accident."""
    return len(methods_of(solver, interface)) >= MIN_TELLING_METHODS


def telling_implementations(solver: Solver, row: int, name: int, interfaces: Sequence[int]) -> list[int]:
    """The methods that the call ``row`` may run on any type with all methods of those ``interfaces`` that are telling;
    none if these are more than ``MAX_OVERRIDES``.
    """
    found = [f for owner in interfaces if is_telling(solver, owner) for f in implementations(solver, owner, name)]
    found = callable_methods(solver, row, name, list(dict.fromkeys(found)))
    return found if len(found) <= MAX_OVERRIDES else []


def beside(solver: Solver, owner: int, candidates: Sequence[int]) -> list[int]:
    """What ``super`` in a class without this method above it may mean: methods of the other bases of its subclasses
    (``class Page(Checked, View)``), and neither its own method nor one that overrides it.
    """
    relatives = relatives_of(solver, owner)
    owners = solver.functions.owner
    return [f for f in candidates if owners[f] in relatives and owner not in solver.classes.lineage_set(owners[f])]


def few_families(solver: Solver, methods: Sequence[int], name: int) -> bool:
    """Whether methods override a few only, at most ``MAX_CANDIDATES``: handlers, engines, stores.

    A family are methods whose classes have a base in common that has the method, too.
    """
    roots: list[set[int]] = []
    for each in methods:
        own = {
            c for c in solver.classes.lineage(solver.functions.owner[each]) if name in solver.classes.members.get(c, ())
        }
        joined = [other for other in roots if not other.isdisjoint(own)]
        roots = [other for other in roots if other.isdisjoint(own)]
        roots.append(own.union(*joined))
    return len(roots) <= MAX_CANDIDATES


def likely_methods(solver: Solver, receiver: int, methods: Sequence[int]) -> list[int]:
    """Of too many methods of an interface: those of the types that the program stores in the field that is read, where
    one has such a method; else those that use what they are given.
    """
    held = {each for owner in held_classes(solver, receiver) for each in solver.classes.lineage(owner)}
    found = [f for f in methods if solver.functions.owner[f] in held]
    if found:
        return found
    if solver.guesses.idle is None:
        solver.guesses.idle = idle_methods(solver)
    return [f for f in methods if f not in solver.guesses.idle]


def held_classes(solver: Solver, receiver: int) -> set[int]:
    """The types, no interfaces, of what is stored in the field that a receiver is read from."""
    if solver.op[receiver] != LOAD_OP:
        return set()
    row = solver.data[receiver]
    key = solver.accesses.load_key[row]
    states = solver.points.states[solver.points.reps[solver.accesses.load_object[row]]]
    found: set[int] = set()
    for owner in subjects(states, INSTANCE_OF):
        for each in solver.classes.lineage(owner):
            cell = solver.points.cells.get((each << KIND_BITS | INSTANCE_OF, key), NONE)
            if cell != NONE:
                found.update(subjects(solver.points.states[cell], INSTANCE_OF))
    return {each for each in found if not is_interface(solver, each)}


def callable_methods(solver: Solver, row: int, name: int, methods: Sequence[int]) -> list[int]:
    """Those that accept the call's number of arguments and are visible in its file."""
    if not methods:
        return []
    arity = sum([1 for a in solver.calls.args.of(row) if solver.calls.arg_position[a] >= 0])
    file = solver.files.file_of[solver.calls.result[row]]
    return [f for f in methods if accepts(solver, f, arity) and is_visible(solver, file, f, name)]


def interfaces_of(solver: Solver, owner: int, name: int) -> list[int]:
    """The type if it is an interface, or else the interfaces that are parts of it and have the method: what a struct
    embeds answers for it.
    """
    if is_interface(solver, owner):
        return [owner]
    lineage = solver.classes.lineage(owner)
    return [each for each in lineage if name in solver.classes.members.get(each, ()) and is_interface(solver, each)]


def library_methods(solver: Solver, row: int, name: int) -> tuple[int, ...]:
    """The APIs that a call on an interface of the program may be: methods of that name that return what the interface
    says, of the types that have most of its methods.

    ``interface { QueryContext(context.Context, string, ...any) (*sql.Rows, error) }`` is there to be given a database.
    """
    answer = solver.guesses.answers.get(name)
    receiver = solver.calls.receiver[row]
    if answer is None or receiver == NONE:
        return ()
    found: dict[int, None] = {}
    for owner in subjects(solver.points.states[solver.points.reps[receiver]], INSTANCE_OF):
        if is_interface(solver, owner):
            known = solver.guesses.answering.get((owner, name))
            if known is None:
                known = solver.guesses.answering[owner, name] = methods_answering(solver, owner, name, answer)
            found.update(dict.fromkeys(known))
    return tuple(found)


def methods_answering(solver: Solver, owner: int, name: int, answer: int) -> tuple[int, ...]:
    """The APIs that the method ``name`` of one interface may be; ``answer``: the member that says what it returns."""
    members = {
        member: value
        for base in solver.classes.lineage(owner)
        for member, values in solver.classes.members.get(base, {}).items()
        for value in values
    }
    if answer not in members:
        return ()
    apis = solver.apis[solver.files.language_of(members[answer])]
    answered = subjects(solver.points.states[solver.points.reps[members[answer]]], API)
    of_types: dict[int, list[int]] = {}  # number of methods of the interface that a type has -> its method ``name``
    names = [solver.strings[each] for each in members if not solver.strings[each].startswith("\0")]
    for method in apis.methods_returning(solver.strings[name], answered):
        owner_of_method = apis.node(apis.paths[method][:-1])
        count = sum([1 for each in names if (owner_of_method, each) in apis.children])
        of_types.setdefault(count, []).append(method)
    return tuple(of_types[max(of_types)]) if of_types else ()


def implementations(solver: Solver, owner: int, name: int) -> list[int]:
    """The methods ``name`` of the types that have all methods of an interface, with its types where these are declared,
    or of a class.
    """
    known = solver.guesses.implementing.get((owner, name))
    if known is not None:
        return known
    if not solver.guesses.method_sets:
        collect_methods(solver)
    wanted = methods_of(solver, owner)
    if not is_interface(solver, owner):  # a class that declares methods; what fields it has says nothing
        wanted = {member for member in wanted if owner in solver.guesses.method_sets.get(member, ())}
    having = solver.guesses.method_sets.get(name, {})
    types = set(having)
    for member in wanted:
        types &= solver.guesses.method_sets.get(member, {}).keys()
    value = solver.program.tables["owners"]["value"]
    language = solver.files.language_of(int(value[owner]))
    types = {
        each
        for each in types
        if solver.files.language_of(int(value[each])) == language and has_signatures(solver, each, owner, wanted)
    }
    known = list(dict.fromkeys(function for each in sorted(types) for function in having[each]))
    solver.guesses.implementing[owner, name] = known
    return known


def methods_of(solver: Solver, owner: int) -> set[int]:
    """The names of all members that a type declares, and those above it."""
    wanted = {member for base in solver.classes.lineage(owner) for member in solver.classes.members.get(base, ())}
    wanted.discard(solver.classes.types.interface_mark)
    wanted.difference_update(solver.guesses.answers.values())
    return wanted


def collect_methods(solver: Solver) -> None:
    """Fill ``Guesses.method_sets``; methods of embedded types are promoted."""
    for each in solver.classes.members.keys() | solver.classes.bases.keys():
        if is_interface(solver, each):
            continue
        methods: dict[int, list[int]] = {}
        for base in reversed(solver.classes.lineage(each)):
            for member, values in solver.classes.members.get(base, {}).items():
                states = [state for value in values for state in solver.points.states[solver.points.reps[value]]]
                functions = subjects(states, FUNCTION)
                if functions:
                    methods[member] = functions
        for member, functions in methods.items():
            solver.guesses.method_sets.setdefault(member, {})[each] = functions


def relatives_of(solver: Solver, owner: int) -> set[int]:
    """All classes of the lineages that contain ``owner``."""
    if not solver.guesses.relatives:
        for each in solver.classes.members.keys() | solver.classes.bases.keys():
            lineage = solver.classes.lineage(each)
            for one in lineage:
                solver.guesses.relatives.setdefault(one, set()).update(lineage)
    return solver.guesses.relatives.get(owner, set())


def is_visible(solver: Solver, file: int, function: int, name: int) -> bool:
    """Whether code of ``file`` may call the method: not what only tests or other programs have, nor what another module
    does not export; where calls follow imports, one of the two files imports the other, directly or not.
    """
    traits = solver.files.traits[file]
    other = int(solver.files.file_of[solver.functions.result[function]])
    if traits.modules.calls_follow_imports:
        return other in imported_from(solver, file) or file in imported_from(solver, other)
    if (solver.files.tests[other] and not solver.files.tests[file]) or not are_linked(solver, file, other):
        return False
    if not traits.modules.exported_by_case or solver.strings[name][:1].isupper():
        return True
    files = solver.program.files
    return files[file].path.rpartition("/")[0] == files[other].path.rpartition("/")[0]


def static_methods(solver: Solver, row: int, name: int, named: Sequence[int]) -> list[int]:
    """The static methods that a call on an object of a known class may run where neither the class nor one above it has
    a method of the name: those of classes that a subclass mixes in.
    """
    receiver = solver.calls.receiver[row]
    states = solver.points.states[solver.points.reps[receiver]] if named and receiver != NONE else ()
    relatives: set[int] = set()
    for owner in subjects(states, INSTANCE_OF):
        relatives |= relatives_of(solver, owner)
    found = callable_methods(solver, row, name, [f for f in named if solver.functions.owner[f] in relatives])
    return found if len(found) <= MAX_OVERRIDES else []


def methods_by_name(solver: Solver, flag: int = METHOD) -> dict[tuple[str, int], list[int]]:
    """The methods of the program with a flag, by language and name: no call goes from one language to another."""
    methods: dict[tuple[str, int], dict[int, None]] = {}
    for members in solver.classes.members.values():
        for name, values in members.items():
            for value in values:
                for state in solver.points.states[solver.points.reps[value]]:
                    if state & KIND == FUNCTION and solver.functions.flags[state >> KIND_BITS] & flag:
                        language = solver.files.language_of(solver.functions.result[state >> KIND_BITS])
                        methods.setdefault((language, name), {})[state >> KIND_BITS] = None
    return {name: list(found) for name, found in methods.items()}


def accepts(solver: Solver, function: int, arity: int) -> bool:
    most = solver.functions.most_arguments.get(function)
    if most is None:
        kinds = [solver.functions.param_kind[p] for p in solver.functions.parameters_of.get(function, ())]
        most = ANY_NUMBER if VARARG_KIND in kinds else kinds.count(NORMAL_KIND)
        solver.functions.most_arguments[function] = most
    # one argument may be several: f(g())
    if arity != 1 and solver.files.traits_of(solver.functions.result[function]).dispatch.exact_arity:
        return arity == most or most == ANY_NUMBER
    return arity <= most
