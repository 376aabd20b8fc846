"""Reads of what a library keeps for the program: ``request.app.store.find(x)``, ``container.resolve("store")``.

Packs describe a few of these ways. For the others the name decides, as in a field-based call graph, and what is called:
an object of the program is meant if it lies under this name somewhere (``kept_by_name``), and if its class has the
methods that are called on what is read. That may be wrong, so it is tried where nothing else is known of what is read,
if the objects are ``MAX_CANDIDATES`` at most. States pass to the value that is read; data does not.

Not in languages whose types are closed (``Traits.open_objects``): there the declared type of what is read decides.

A round is linear in the loads, calls and parameters of the program. It looks for objects under the names alone that
are read where a method is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.policy.limits.resolution import MAX_CANDIDATES, MAX_NAMED_STEPS
from pyrograph.scanner.analysis.numbers import DECORATOR, FIELD_OP, NORMAL_KIND, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.kept_by_name import (
    Kept,
    KeptObjects,
    kept_objects,
    name_of,
    name_of_key,
    only_argument,
    own_arguments,
)
from pyrograph.scanner.analysis.resolve.programs import are_linked
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver

ONLY_EXTERNAL: Final = (EXTERNAL_API,)


class Read(NamedTuple):
    """A value that is read under a name, and of which nothing else is known."""

    value: int
    name: int
    stored: bool  # whether members of objects may be meant, and not only what a library was given
    token: int = NONE  # the value that stands for the name


def read_kept_objects(solver: Solver) -> None:
    """Put objects that lie under a name on values that are read under it, and on which their methods are called."""
    called = called_names(solver)
    found: list[tuple[Read, set[int]]] = []
    for read in (*reads(solver, called), *injected(solver)) if called else ():
        names = names_called_on(solver, solver.points.reps[read.value], called)
        if names:
            found.append((read, names))
    kept = kept_objects(solver, [read.name for read, _names in found])
    for read, names in found:
        resolve_read(solver, read, under(solver, kept, read), names, called)


def under(solver: Solver, kept: KeptObjects, read: Read) -> dict[Kept, None]:
    """What lies under the name that is read. A class that names nothing stands for its instances."""
    place = solver.files.language_of(read.value), read.name
    found = dict(kept.given.get(place, {}))
    if read.stored:
        found.update(kept.stored.get(place, {}))
    if read.token != NONE and not found:
        file, states = int(solver.files.file_of[read.value]), solver.points.states_of(read.token)
        return {Kept(each & SUBJECT_MASK | INSTANCE_OF, file): None for each in states if each & KIND == CLASS}
    return found


def resolve_read(
    solver: Solver, read: Read, kept: dict[Kept, None], names: set[int], called: dict[int, set[int]]
) -> None:
    """Put those of ``kept`` that have what is called on what is read there, unless they are too many."""
    node, file = solver.points.reps[read.value], int(solver.files.file_of[read.value])
    near = {each.state for each in kept if are_linked(solver, file, each.file)}
    found = [state for state in sorted(near) if has_methods(solver, state, names, called.get(node, set()))]
    if len(found) <= MAX_CANDIDATES:
        for state in found:
            solver.points.add(node, state)


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
    while work and len(seen) < MAX_NAMED_STEPS:  # what is pushed is new in ``seen``
        for other in solver.points.successors[work.pop()]:
            if other not in seen:
                seen.add(other)
                work.append(other)
                names |= called.get(other, set())
    return names


def has_methods(solver: Solver, state: int, names: set[int], here: set[int]) -> bool:
    """Whether an object has one of the methods ``names``, and all of those that are called ``here``, where it is read.

    A class that extends a library's may have them from there.
    """
    if state & KIND == OBJECT:
        have = {each for each in names if holds_function(solver, solver.points.cells.get((state, each), NONE))}
        return bool(have) and here <= have
    lineage = solver.classes.lineage(state >> KIND_BITS)
    have = {each for each in names if any([each in solver.classes.members.get(owner, ()) for owner in lineage])}
    return bool(have) and (here <= have or extends_library(solver, state >> KIND_BITS))


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
            name = name_of_key(solver, accesses.load_key[row])
            if name != NONE:
                yield Read(result, name, stored=True)
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
