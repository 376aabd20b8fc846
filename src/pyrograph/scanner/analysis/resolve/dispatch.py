"""Calls by what the callee is: a function, a class, an instance that can be called, an API."""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import FIRST_CONSTRUCTION, KIND, KIND_BITS, PAIR_BITS
from pyrograph.scanner.analysis.numbers import KEYWORDS_KIND, LOAD_OP, NEW, PROPERTY
from pyrograph.scanner.analysis.resolve.api_calls import call_api
from pyrograph.scanner.analysis.resolve.binding import bind
from pyrograph.scanner.analysis.resolve.class_members import call_methods, constructors, methods_named
from pyrograph.scanner.analysis.resolve.constructions import fill_fields, finish
from pyrograph.scanner.analysis.resolve.partials import use_partials
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, MADE_BY, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver


def resolve_call(solver: Solver, row: int, state: int) -> None:
    kind = state & KIND
    if kind != API and row in solver.calls.copies.passing and row not in solver.calls.copies.wrapping:
        return  # a decorator that returns what it decorates
    result = solver.calls.result[row]
    if kind == FUNCTION:
        function = state >> KIND_BITS
        if solver.functions.flags[function] & PROPERTY:
            return  # a getter runs where its attribute is read; what is called is what it returns
        if solver.calls.flags[row] & NEW:
            solver.points.add(solver.points.reps[result], function << KIND_BITS | MADE_BY)
            if (receiver := solver.functions.receiver(function)) != NONE:
                solver.points.add(solver.points.reps[receiver], function << KIND_BITS | MADE_BY)
            bind(solver, row, function, result, constructed=True)
        else:
            bind(solver, row, function, receiver_of(solver, row))
    elif kind == CLASS:
        construct(solver, row, state >> KIND_BITS)
    elif kind == INSTANCE_OF:
        for member in call_methods(solver, state >> KIND_BITS):
            bind(solver, row, member, solver.calls.callee[row])
    elif kind == OBJECT:
        if state >> KIND_BITS in solver.models.partials:
            use_partials(solver, state >> KIND_BITS, row, None)
    elif kind == API:
        call_api(solver, row, state >> KIND_BITS)


def receiver_of(solver: Solver, row: int) -> int:
    """The value that the callee's receiver is at this call, or NONE."""
    receiver = solver.calls.receiver[row]
    if receiver == NONE and solver.op[solver.calls.callee[row]] == LOAD_OP:
        receiver = solver.accesses.load_object[solver.data[solver.calls.callee[row]]]
    return int(receiver)


def construct(solver: Solver, row: int, owner: int) -> None:
    result = solver.calls.result[row]
    solver.points.add(solver.points.reps[result], owner << KIND_BITS | INSTANCE_OF)
    apis = solver.apis.get(solver.files.language_of(result))
    traits = solver.files.traits_of(result)
    for name in traits.construction.allocators:
        run_nearest(solver, row, owner, name, NONE, constructed=False)
    for name in traits.construction.constructors:
        if run_nearest(solver, row, owner, name, result, constructed=True):
            named = keywords_passed_on(solver, owner)
            if named is not None:
                fill_fields(solver, row, owner, named)
            return
    fill_fields(solver, row, owner)
    for name in traits.construction.finishers:
        for function in methods_named(solver, owner, name):
            finish(solver, row, owner, function)
    convert(solver, row, owner)
    if apis is not None:
        for each in solver.classes.lineage(owner):
            for base in solver.classes.apis.get(each, ()):
                call_api(solver, row, base, made=False)
    solver.accesses.failed_loads.append((FIRST_CONSTRUCTION - row) << PAIR_BITS | owner << KIND_BITS | CLASS)


def convert(solver: Solver, row: int, owner: int) -> None:
    """A call of a type of functions converts its argument: the result, and the receiver of the type's methods."""
    receivers = solver.called_receivers.get(owner, ())
    first, last = solver.calls.args.first[row], solver.calls.args.first[row + 1]
    if last - first == 1 and (receivers or is_plain(solver, owner)):
        reps = solver.points.reps
        for node in (reps[solver.calls.result[row]], *receivers):
            solver.points.edge(reps[solver.calls.arg_value[first]], node)


def is_plain(solver: Solver, owner: int) -> bool:
    """Whether a class says nothing of what it is made from: no base, no constructor, no fields, in a language whose
    types have no constructors. Its name is another one for the type of functions, or of data, that it stands for.
    """
    classes = solver.classes
    if solver.files.traits_of(classes.owner_value[owner]).construction.constructors:
        return False
    if owner in classes.unknown_bases or classes.apis.get(owner) or len(classes.lineage(owner)) > 1:
        return False
    return not classes.declared_fields(owner)


def run_nearest(solver: Solver, row: int, owner: int, name: str, receiver: int, *, constructed: bool) -> bool:
    """Bind the call ``row`` to the method ``name`` of a class, or of the nearest base that has one; whether one has."""
    key = solver.program.string_ids.get(name, NONE)
    for each in solver.classes.lineage(owner) if key != NONE else ():
        values = solver.classes.members.get(each, {}).get(key, ())
        for value in values:
            for member in solver.points.states[solver.points.reps[value]]:
                if member & KIND == FUNCTION:
                    bind(solver, row, member >> KIND_BITS, receiver, constructed=constructed)
        if values:
            return True
    return False


def keywords_passed_on(solver: Solver, owner: int) -> frozenset[int] | None:
    """The keywords that the constructor of a class names, if it takes any others and a base is not seen that may get
    these; else None.
    """
    lineage = solver.classes.lineage(owner)
    if not any(each in solver.classes.unknown_bases or solver.classes.apis.get(each) for each in lineage):
        return None
    named: set[int] = set()
    takes_any = False
    for function in constructors(solver, owner):
        for row in solver.functions.parameters_of.get(function, ()):
            takes_any = takes_any or solver.functions.param_kind[row] == KEYWORDS_KIND
            named.add(solver.functions.param_name[row])
    return frozenset(named) if takes_any else None
