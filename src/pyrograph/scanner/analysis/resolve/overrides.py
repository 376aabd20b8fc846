"""Methods of subclasses, where the receiver of a call is only known to be of their base.

``task.run(name)`` with ``task: Task`` runs the method of a subclass if ``Task`` declares the method only, or defines it
as something that is there to be overridden: it always raises, or it uses none of its parameters. A class with such
methods only, of which nothing makes an instance and which nothing extends, says what others have
(``class Task(Protocol)``): the methods of the classes that have all of its methods run there.

The same holds of methods of the class: ``cls.load(name)`` in a method of ``Task`` that subclasses inherit.

The same holds where such a method is read and not called: a base class registers ``self.show`` for a route.

A method that calls another one of its own object (``self.run(name)``) runs as well in the subclasses of which no code
makes an instance: a framework does, or a loader of the files of a folder. Other subclasses may have been made. If a
framework's class is above them, it does for certain, also where code makes the instances: it hands them to the
framework, ``root.putChild("jobs", Jobs())``, which calls the inherited method on them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from operator import itemgetter

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND_BITS, subjects
from pyrograph.policy.limits.resolution import (
    MAX_HANDLERS,
    MAX_IMPLEMENTATIONS,
    MAX_OVERRIDES,
    MAX_REGISTERED,
    MAX_STATES,
)
from pyrograph.scanner.analysis.numbers import CONSTRUCTOR, METHOD, RECEIVER_KIND
from pyrograph.scanner.analysis.resolve.binding import bind
from pyrograph.scanner.analysis.resolve.computed_names import begins, computed_names, is_method
from pyrograph.scanner.analysis.resolve.framework_objects import is_handler
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver


def overriding_methods(solver: Solver, row: int, classes: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """Those of ``candidates`` that subclasses of ``classes`` define; those of tests only for calls of tests. None where
    a base is only a part of the object.
    """
    return overriding(solver, solver.calls.result[row], classes, candidates)


def overriding(solver: Solver, value: int, classes: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """The same, for the code that computes ``value``."""
    if solver.files.traits_of(value).dispatch.bases_are_parts:
        return []
    bases = set(classes)
    tests, file_of = solver.files.tests, solver.files.file_of
    in_test = tests[file_of[value]]
    return [
        f
        for f in candidates
        if solver.functions.owner[f] not in bases
        and not bases.isdisjoint(solver.classes.lineage(solver.functions.owner[f]))
        and (in_test or not tests[file_of[solver.functions.result[f]]])
    ]


def resolve_overridden(
    solver: Solver,
    by_name: Mapping[tuple[str, int], Sequence[int]],
    implementing: Callable[[Solver, int, int], list[int]],
) -> None:
    """Let calls whose targets are all there to be overridden reach the methods that override them.

    ``by_name``: the methods of the program by language and name. ``implementing``: those of a name of the types that
    have all methods of a class.
    """
    if solver.guesses.idle is None:
        solver.guesses.idle = idle_methods(solver)
    idle = solver.guesses.idle
    only_idle: dict[int, bool] = {}
    for row, function in solver.calls.targets:
        only_idle[row] = function in idle and only_idle.get(row, True)
    made: set[int] | None = None
    own: dict[int, int] | None = None
    for row in [row for row, is_idle in only_idle.items() if is_idle]:
        receiver, name = solver.calls.receiver[row], solver.calls.name[row]
        if receiver == NONE or name == NONE or solver.op[receiver] == Op.SUPER:
            continue
        node = solver.points.reps[receiver]
        classes = subjects(solver.points.states[node], INSTANCE_OF)
        if not classes and subjects(solver.points.states[node], CLASS):
            own = own_receivers(solver) if own is None else own
            if node in own:  # a method of the class, which subclasses inherit; not ``Base.load(name)``
                classes = subjects(solver.points.states[node], CLASS)
        named = by_name.get((solver.files.language_of(receiver), name), ())
        found = overriding_methods(solver, row, classes, named) if classes else []
        if classes and not found and not solver.files.traits_of(solver.calls.result[row]).dispatch.bases_are_parts:
            made = made_classes(solver) if made is None else made
            declared = [c for c in classes if c not in made and declares_only(solver, c, idle)]
            found = declared_elsewhere(solver, row, declared, idle, implementing)
        if len(found) <= MAX_OVERRIDES:
            for function in found:
                bind(solver, row, function, receiver)
    resolve_unseen(solver, by_name)


def resolve_unseen(solver: Solver, by_name: Mapping[tuple[str, int], Sequence[int]]) -> None:
    """Let calls of methods on their own object reach those of subclasses of which no code makes an instance, where the
    class of the calling method has no such method, or one that is there to be overridden, or where a framework makes
    the instances. Linear in calls.
    """
    own = own_receivers(solver)
    idle = idle_methods(solver, given=False)
    reps, calls = solver.points.reps, solver.calls
    made: set[int] | None = None
    given: set[int] | None = None
    for row, receiver in enumerate(calls.receiver):
        owner = own.get(reps[receiver], NONE) if receiver != NONE and solver.op[receiver] != Op.SUPER else NONE
        name = calls.name[row]
        if owner == NONE or name == NONE:
            continue
        named = by_name.get((solver.files.language_of(receiver), name), ())
        found = overriding_methods(solver, row, [owner], named) if named else []
        if found:
            made = seen_classes(solver) if made is None else made
            given = handed_over(solver) if given is None else given
            found = [f for f in found if solver.functions.owner[f] not in made or solver.functions.owner[f] in given]
            if not all([function in idle for function in methods_of(solver, owner, name)]):
                found = [function for function in found if is_handler(solver, solver.functions.owner[function])]
            if len(found) <= MAX_OVERRIDES:
                for function in found:
                    bind(solver, row, function, receiver)


def read_unseen(solver: Solver) -> None:
    """Let a method that is read of its own object by a computed name, ``getattr(self, "do_" + name)``, mean those of
    subclasses of which no code makes an instance, or whose instances are handed to a framework. Where the class has
    such methods itself, only if a class of a library is above them. None where these are too many for one value.
    """
    reads = [(each, beginning) for each in solver.accesses.computed_reads if (beginning := begins(solver, each[2]))]
    if not reads:
        return
    own, made, states, reps = own_receivers(solver), seen_classes(solver), solver.points.states, solver.points.reps
    made -= handed_over(solver)
    for (result, obj, name), beginning in reads:
        base = own.get(reps[obj], NONE)
        if base == NONE:
            continue
        has_some = bool(computed_names(solver, result, base, name))
        named = [
            function
            for owner, members in solver.classes.members.items()
            if owner != base and owner not in made and base in solver.classes.lineage_set(owner)
            for key, values in members.items()
            if solver.strings[key].startswith(beginning)
            for value in values
            if is_method(solver, value) and (not has_some or solver.classes.extends_library(owner))
            for function in subjects(states[reps[value]], FUNCTION)
        ]
        found = overriding(solver, result, [base], named)
        if 0 < len(found) <= MAX_REGISTERED:
            if len(found) <= MAX_HANDLERS:
                solver.points.expect_handlers(reps[result])
            else:
                solver.points.register(reps[result])
            for function in found:
                solver.points.add(reps[result], function << KIND_BITS | FUNCTION)


def own_receivers(solver: Solver) -> dict[int, int]:
    """The nodes of methods' receivers, and of what closures in them capture of these, with the class of each."""
    functions, reps = solver.functions, solver.points.reps
    found: dict[int, int] = {}
    for parameter, kind in enumerate(functions.param_kind):
        owner = functions.owner[functions.param_function[parameter]]
        if kind == RECEIVER_KIND and owner != NONE:
            found[reps[functions.param_value[parameter]]] = owner
    inner, outer = (solver.program.numbers("captures", each) for each in ("inner", "outer"))
    for inside, outside in sorted(zip(inner, outer, strict=True), key=itemgetter(1)):
        if reps[outside] in found:
            found.setdefault(reps[inside], found[reps[outside]])
    return found


def methods_of(solver: Solver, owner: int, name: int) -> list[int]:
    """The methods ``name`` of a class, or of the nearest of its bases that has one."""
    for each in solver.classes.lineage(owner):
        values = solver.classes.members.get(each, {}).get(name, ())
        if values:
            return [f for value in values for f in subjects(solver.points.states[solver.points.reps[value]], FUNCTION)]
    return []


def seen_classes(solver: Solver) -> set[int]:
    """The classes of the program that something calls, and those above them. Linear in calls."""
    states, reps = solver.points.states, solver.points.reps
    callees = [callee for callee in solver.calls.callee if callee != NONE]
    called = {owner for callee in callees for owner in subjects(states[reps[callee]], CLASS)}
    return {each for owner in called for each in solver.classes.lineage(owner)}


def handed_over(solver: Solver) -> set[int]:
    """The classes of a framework's objects whose instances are an argument of a call that runs no function of the
    program: the framework has them then. Linear in arguments.
    """
    own = {row for row, _ in solver.calls.targets}
    arguments, states, reps = solver.program.tables["arguments"], solver.points.states, solver.points.reps
    found = {
        owner
        for row, value in zip(arguments["call"].tolist(), arguments["value"].tolist(), strict=True)
        if row not in own
        for owner in subjects(states[reps[value]], INSTANCE_OF)
    }
    return {owner for owner in found if is_handler(solver, owner)}


def read_overridden(solver: Solver, by_name: Mapping[tuple[str, int], Sequence[int]]) -> None:
    """Let a method that is read and not called, and is there to be overridden, mean those that override it, too.

    None where these are too many for one value. Linear in loads.
    """
    idle = idle_methods(solver, given=False)
    names = {solver.functions.name[each] for each in idle}
    called = {solver.points.reps[each] for each in solver.calls.callee if each != NONE}
    states, reps = solver.points.states, solver.points.reps
    accesses = solver.accesses
    for result, obj, key in zip(accesses.load_result, accesses.load_object, accesses.load_key, strict=True):
        if key not in names or reps[result] in called or idle.isdisjoint(subjects(states[reps[result]], FUNCTION)):
            continue
        classes = subjects(states[reps[obj]], INSTANCE_OF)
        named = by_name.get((solver.files.language_of(result), key), ())
        found = overriding(solver, result, classes, named) if classes else []
        if len(found) + len(states[reps[result]]) <= MAX_STATES:
            for function in found:
                solver.points.add(reps[result], function << KIND_BITS | FUNCTION)


def made_classes(solver: Solver) -> set[int]:
    """The classes of the program that something calls or extends. Linear in calls and bases."""
    states = solver.points.states
    found = {
        owner
        for callee in solver.calls.callee
        if callee != NONE
        for owner in subjects(states[solver.points.reps[callee]], CLASS)
    }
    for owner in solver.classes.bases:
        found.update(set(solver.classes.lineage(owner)) - {owner})
    return found


def declares_only(solver: Solver, owner: int, idle: Container[int]) -> bool:
    """Whether all methods of a class are there to be overridden, and there is one."""
    states = solver.points.states
    methods = [
        function
        for values in solver.classes.members.get(owner, {}).values()
        for value in values
        for function in subjects(states[solver.points.reps[value]], FUNCTION)
    ]
    return bool(methods) and all([function in idle for function in methods])


def declared_elsewhere(
    solver: Solver,
    row: int,
    declared: Sequence[int],
    idle: Container[int],
    implementing: Callable[[Solver, int, int], list[int]],
) -> list[int]:
    """The methods that a call on one of the classes ``declared`` may run; those of tests only for calls of tests. None
    where there are too many.
    """
    tests, file_of = solver.files.tests, solver.files.file_of
    in_test = tests[file_of[solver.calls.result[row]]]
    found = [
        function
        for owner in declared
        for function in implementing(solver, owner, solver.calls.name[row])
        if function not in idle and (in_test or not tests[file_of[solver.functions.result[function]]])
    ]
    return found if len(found) <= MAX_IMPLEMENTATIONS else []


def idle_methods(solver: Solver, *, given: bool = True) -> set[int]:
    """Methods with parameters that always raise, or that use none of their parameters; ``given``: no methods without
    parameters, which always raise. Linear in the tables.
    """
    t = solver.program.tables
    used = np.zeros(solver.program.num_values, bool)
    for table, column in (
        ("flows", "origin"),
        ("arguments", "value"),
        ("loads", "object"),
        ("slices", "object"),
        ("stores", "object"),
        ("stores", "value"),
        ("calls", "callee"),
        ("calls", "receiver"),
        ("captures", "outer"),
        ("pis", "input"),
    ):
        values = t[table][column]
        used[values[values != NONE]] = True
    parameters = t["parameters"]
    taken = parameters["kind"] != RECEIVER_KIND
    functions = len(solver.functions.owner)
    takes, uses, returns = (np.zeros(functions, bool) for _ in range(3))
    takes[parameters["function"][taken]] = True
    uses[parameters["function"][taken & used[parameters["value"]]]] = True
    returns[parameters["function"][parameters["out"] != NONE]] = True
    flags = np.array(solver.functions.flags, np.int64)
    is_method = (flags & METHOD != 0) & (flags & CONSTRUCTOR == 0)
    idle = takes & is_method & (~uses | ~returns)
    if not given:
        idle |= is_method & ~returns
    found: list[int] = np.flatnonzero(idle).tolist()
    return set(found)
