"""Reads of what a library keeps for the program: ``request.app.store.find(x)``, ``container.resolve("store")``.

Packs describe a few of these ways. For the others the name decides, as in a field-based call graph, and what is called:
an object of the program is meant if it lies under this name somewhere (``kept_by_name``), and if its class has the
methods that are called on what is read. That may be wrong, so it is tried where nothing else is known of what is read,
if the objects are ``MAX_CANDIDATES`` at most. States pass to the value that is read; data does not.

Not in languages whose types are closed (``Traits.open_objects``): there the declared type of what is read decides.

A round is linear in the loads, calls and parameters of the program. It looks for objects under the names alone that
are read where a method is called, looks once for the methods of each, sorts those of a name by them once, and asks once
for the same methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.policy.limits.resolution import MAX_CANDIDATES, MAX_NAMED_STEPS
from pyrograph.scanner.analysis.numbers import DECORATOR, FIELD_OP, LOAD_OP, NORMAL_KIND, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.kept_by_name import (
    Kept,
    KeptObjects,
    kept_objects,
    name_of,
    name_of_key,
    only_argument,
    own_arguments,
)
from pyrograph.scanner.analysis.resolve.programs import are_linked, has_programs
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver

ONLY_EXTERNAL: Final = (EXTERNAL_API,)


class Read(NamedTuple):
    """A value that is read under a name, and of which nothing else is known."""

    value: int
    name: int
    stored: bool  # whether members of objects may be meant, and not only what a library was given
    token: int = NONE  # the value that stands for the name


class Lying(NamedTuple):
    """Objects that lie under one name, by what may be called on them."""

    files: dict[int, list[int]]  # object -> the files that put it there
    having: dict[int, set[int]]  # method -> the objects that have it
    extending: set[int]  # those that may have further methods from a library's class


class Offered(NamedTuple):
    """What may be called on one object, whatever it lies under."""

    names: list[int]  # of its methods, those that are asked
    extends: bool  # whether it may have further ones from a library's class


class Question(NamedTuple):
    """What reads that get the same answer have in common."""

    language: str
    name: int
    stored: bool
    names: frozenset[int]  # methods of which the object has one
    here: frozenset[int]  # methods all of which it has
    programs: int  # the file, where files are parts of programs


def read_kept_objects(solver: Solver) -> None:
    """Put objects that lie under a name on values that are read under it, and on which their methods are called."""
    called = called_names(solver)
    found: list[tuple[Read, frozenset[int]]] = []
    for read in (*reads(solver, called), *injected(solver)) if called else ():
        methods = names_called_on(solver, solver.points.reps[read.value], called)
        if methods:
            found.append((read, frozenset(methods)))
    kept = kept_objects(solver, [read.name for read, _names in found])
    asked = frozenset({name for _read, names in found for name in names})
    lying: dict[tuple[str, int, bool], Lying] = {}
    offered: dict[int, Offered] = {}
    answers: dict[Question, list[int]] = {}
    for read, names in found:
        node, file = solver.points.reps[read.value], int(solver.files.file_of[read.value])
        language = solver.files.language_of(read.value)
        if not is_known_to_libraries(solver, read.name, language) or is_of_own_name(solver, read.value):
            solver.guesses.own_names.append(read.value)
        place = language, read.name, read.stored
        objects = lying.get(place)
        if objects is None:
            objects = lying[place] = by_methods(solver, under(kept, *place), asked, offered)
        here = frozenset(called.get(node, ()))
        if not objects.files and read.token != NONE:
            objects = by_methods(solver, instances(solver, read, file), asked, offered)
            answer = meant(solver, objects, names, here, file)
        else:
            question = Question(language, read.name, read.stored, names, here, file if has_programs(solver) else NONE)
            known = answers.get(question)
            answer = answers[question] = meant(solver, objects, names, here, file) if known is None else known
        for state in answer:
            solver.points.add(node, state)


def is_known_to_libraries(solver: Solver, name: int, language: str) -> bool:
    """Whether some type of a library has a member of this name: what is read may then be that member's value."""
    apis = solver.apis.get(language)
    return apis is not None and bool(apis.methods_named(solver.strings[name]))


def is_of_own_name(solver: Solver, value: int) -> bool:
    """Whether a value is read of what was read under a name that no library's type has: ``ctx.services.files``, and
    not ``request.files``.
    """
    accesses = solver.accesses
    holder = accesses.load_object[solver.data[value]] if solver.op[value] == LOAD_OP else NONE
    if holder == NONE or solver.op[holder] != LOAD_OP:
        return False
    name = name_of_key(solver, accesses.load_key[solver.data[holder]])
    return name != NONE and not is_known_to_libraries(solver, name, solver.files.language_of(value))


def under(kept: KeptObjects, language: str, name: int, stored: bool) -> dict[Kept, None]:
    """What lies under a name. ``stored``: also as a member of objects."""
    found = dict(kept.given.get((language, name), {}))
    if stored:
        found.update(kept.stored.get((language, name), {}))
    return found


def instances(solver: Solver, read: Read, file: int) -> dict[Kept, None]:
    """A class under which nothing lies stands for its instances, ``injector.get(Store)``; an object of the program,
    under which nothing lies, for itself: ``Provide[Container.store]``.
    """
    states = solver.points.states_of(read.token)
    return {
        Kept(each & SUBJECT_MASK | INSTANCE_OF, file): None for each in states if each & KIND in (CLASS, INSTANCE_OF)
    }


def by_methods(solver: Solver, kept: Iterable[Kept], asked: frozenset[int], offered: dict[int, Offered]) -> Lying:
    """The objects by those of their methods that are ``asked``. Linear in the objects; their members are looked through
    once, as nothing that a round adds is a function.
    """
    found = Lying({}, {}, set())
    for each in kept:
        files = found.files.setdefault(each.state, [])
        files.append(each.file)
        if len(files) > 1:
            continue
        known = offered.get(each.state)
        if known is None:
            names = [name for name in methods_of(solver, each.state) if name in asked]
            is_class = each.state & KIND != OBJECT
            extends = is_class and extends_library(solver, each.state >> KIND_BITS)
            known = offered[each.state] = Offered(names, extends)
        for name in known.names:
            found.having.setdefault(name, set()).add(each.state)
        if known.extends:
            found.extending.add(each.state)
    return found


def methods_of(solver: Solver, state: int) -> Iterator[int]:
    """The names of the functions that an object holds, or of the members of an instance's class."""
    if state & KIND == OBJECT:
        for key in solver.points.keys_of.get(state, ()):
            if holds_function(solver, solver.points.cells[(state, key)]):
                yield key
        return
    for owner in solver.classes.lineage(state >> KIND_BITS):
        yield from solver.classes.members.get(owner, {})


def meant(solver: Solver, lying: Lying, names: frozenset[int], here: frozenset[int], file: int) -> list[int]:
    """The objects that have one of the methods ``names``, and all of those that are called ``here``, where it is read;
    none if they are too many. A class that extends a library's may have methods from there.
    """
    found: set[int] = set()
    for name in names:
        found |= lying.having.get(name, set())
    sure = found
    for name in here:
        sure = sure & lying.having.get(name, set())
    meant: list[int] = []
    for state in sorted(sure | (found & lying.extending)):
        if any([are_linked(solver, file, each) for each in lying.files[state]]):
            meant.append(state)
            if len(meant) > MAX_CANDIDATES:
                return []
    return meant


def called_names(solver: Solver) -> dict[int, set[int]]:
    """For each node on which a method is called that nothing resolved: the names of these methods."""
    found: dict[int, set[int]] = {}
    known, external = solver.calls.known, solver.resolution.external
    for row, name in enumerate(solver.calls.name):
        receiver = solver.calls.receiver[row]
        if name == NONE or receiver == NONE or (row in known and row not in external):
            continue
        if solver.files.traits_of(receiver).open_objects:
            found.setdefault(solver.points.reps[receiver], set()).add(name)
    return found


def names_called_on(solver: Solver, node: int, called: dict[int, set[int]]) -> set[int]:
    """The methods that are called on what a node holds, here or where it is passed to; ``MAX_NAMED_STEPS`` nodes."""
    seen, work = {node}, [node]
    names = set(called.get(node, ()))
    successors = solver.points.successors
    while work and len(seen) < MAX_NAMED_STEPS:  # what is pushed is new in ``seen``
        for other in successors[work.pop()]:
            if other not in seen:
                seen.add(other)
                work.append(other)
                if other in called:
                    names |= called[other]
    return names


def holds_function(solver: Solver, node: int) -> bool:
    return node != NONE and any([state & KIND == FUNCTION for state in solver.points.states[node]])


def extends_library(solver: Solver, owner: int) -> bool:
    """Whether a class, or one of its bases, extends a class of a library, known to packs or not."""
    unknown = solver.classes.unknown_bases
    return solver.classes.extends_library(owner) or any([each in unknown for each in solver.classes.lineage(owner)])


def reads(solver: Solver, called: dict[int, set[int]]) -> Iterator[Read]:
    """Members of libraries' and unknown objects; what calls of libraries return for a name; unknown parameters. Only
    what is passed on, or what something is called on.
    """
    accesses, calls, functions = solver.accesses, solver.calls, solver.functions
    reps, successors = solver.points.reps, solver.points.successors
    for row, result in enumerate(accesses.load_result):
        node = reps[result]
        if (node in called or successors[node]) and is_open(solver, result, accesses.load_object[row]):
            key = accesses.load_key[row]
            name = name_of_key(solver, key)
            if name != NONE:
                yield Read(result, name, stored=True, token=FIRST_VALUE_KEY - key if key < UNKNOWN_KEY else NONE)
    for row, receiver in enumerate(calls.receiver):
        result = calls.result[row]
        if receiver == NONE or row in calls.bound or not (reps[result] in called or successors[reps[result]]):
            continue
        if not is_open(solver, result, receiver):
            continue
        token = only_argument(solver, reps[result])
        name = name_of(solver, token) if token != NONE else NONE
        if name != NONE:
            yield Read(result, name, stored=True, token=token)
        elif token == NONE and calls.name[row] != NONE and not own_arguments(solver, row):
            yield Read(result, calls.name[row], stored=False)  # ``container.store()``
    for row, name in enumerate(functions.param_name):
        value = functions.param_value[row]
        if name == NONE or functions.param_kind[row] != NORMAL_KIND:
            continue
        if (reps[value] in called or successors[reps[value]]) and is_unknown(solver, value):
            yield Read(value, name, stored=False)


def injected(solver: Solver) -> Iterator[Read]:
    """Parameters and fields that a decorator fills, by the name that it is given: ``@Inject("STORE") store``."""
    calls = solver.calls
    for row, flags in enumerate(calls.flags):
        if not flags & DECORATOR or not solver.files.traits_of(calls.result[row]).open_objects:
            continue
        filled = [solver.points.reps[calls.arg_value[each]] for each in calls.args.of(row)]
        filled = [each for each in filled if solver.op[each] in (PARAMETER_OP, FIELD_OP)]
        token = only_argument(solver, solver.points.reps[calls.callee[row]]) if filled else NONE
        name = name_of(solver, token) if token != NONE else NONE
        for value in filled if name != NONE else ():
            yield Read(value, name, stored=True, token=token)


def is_open(solver: Solver, result: int, holder: int) -> bool:
    """Whether nothing is known of what is read of ``holder``, of which nothing is known either, or that it is a
    library's.
    """
    if not is_unknown(solver, result):
        return False
    for state in solver.points.states_of(holder):
        if state & KIND != API and not (state & KIND == INSTANCE_OF and extends_library(solver, state >> KIND_BITS)):
            return False
    return True


def is_unknown(solver: Solver, value: int) -> bool:
    """Whether a value may be nothing, or a library's object of which no pack says anything."""
    known = solver.points.states_of(value)
    return (not known or known == ONLY_EXTERNAL) and solver.files.traits_of(value).open_objects
