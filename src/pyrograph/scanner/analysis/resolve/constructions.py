"""Instances of classes whose constructor nobody wrote: their fields, and the methods that finish them."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND_BITS
from pyrograph.scanner.analysis.resolve.binding import pass_argument
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


def finish(solver: Solver, row: int, owner: int, function: int) -> None:
    """A constructor that nobody wrote runs ``function`` on the object whose fields it has filled. Parameters get the
    arguments that stand for the fields of their names (``InitVar``).
    """
    if not solver.calls.mark_bound(row, function):
        return
    solver.calls.bound.add(row)
    solver.calls.targets.append((row, function))
    solver.resolution.stored.finished.add((row, function))
    signature, result = solver.functions.signature(function), solver.calls.result[row]
    formal, out = solver.functions.receiver(function), solver.functions.receiver_out(function)
    if formal != NONE:
        solver.calls.bindings.append((row, result, formal, NO_KEY, ENTIRE_ARGUMENT))
        solver.points.edge(solver.points.reps[result], solver.points.reps[formal])
        if out != NONE:
            solver.resolution.returns.append((row, out, result))
    declared = solver.classes.declared_fields(owner)
    for argument in solver.calls.args.of(row):
        key = field_of(solver, argument, declared)
        if (parameter := signature.by_name.get(key, NONE)) != NONE:
            pass_argument(solver, row, argument, parameter)


def finish_filled(solver: Solver, row: int, owner: int, function: int, *, given: int) -> None:
    """The same at a call behind one that has bound the first ``given`` arguments: each argument of this call lies in
    the receiver of ``function`` as the field that it fills. What the result is made of else is none of them.
    """
    formal = solver.functions.receiver(function)
    if formal == NONE or not solver.calls.mark_bound(row, function):
        return
    solver.calls.bound.add(row)
    solver.calls.targets.append((row, function))
    declared = solver.classes.declared_fields(owner)
    for argument in solver.calls.args.of(row):
        key = field_of(solver, argument, declared, given)
        if key != NONE:
            solver.calls.bindings.append((row, solver.calls.arg_value[argument], formal, key, ENTIRE_ARGUMENT))
    out = solver.functions.receiver_out(function)
    if out != NONE:
        solver.resolution.returns.append((row, out, solver.calls.result[row]))


def field_of(solver: Solver, argument: int, declared: Sequence[int], given: int = 0) -> int:
    """The field that an argument fills: its keyword, or the one that is declared at its position, behind ``given``
    arguments that were bound before; NONE if none is.
    """
    position, key = solver.calls.arg_position[argument], solver.calls.arg_keyword[argument]
    if key == NONE and 0 <= position < len(declared) - given and not solver.calls.arg_flags[argument]:
        return declared[position + given]
    return key


def fill_fields(solver: Solver, row: int, owner: int, named: frozenset[int] | None = None, *, given: int = 0) -> None:
    """A class without a constructor of its own, or of a library: keywords are fields, positions are the declared
    fields in their order (records, data classes, models).

    ``named``: the keywords that the class's own constructor takes for itself; it passes the others on.
    ``given``: how many arguments were bound before.
    """
    result = solver.calls.result[row]
    declared: list[int] | None = None  # looked up where an argument has a position only
    order: list[int] | None = None  # of the fields, where they have numbers; looked up at the first one
    for argument in solver.calls.args.of(row):
        position, key = solver.calls.arg_position[argument], solver.calls.arg_keyword[argument]
        if named is not None:
            key = NONE if key in named else key
        elif key == NONE and position >= 0 and not solver.calls.arg_flags[argument]:
            if declared is None:
                declared = solver.classes.declared_fields(owner)
            if position + given < len(declared):
                key = declared[position + given]
        if key != NONE:
            fill_field(solver, (row, solver.calls.arg_value[argument], result, key), owner)
            if order is None:
                order = solver.classes.declared_fields(owner) if is_numbered(solver, owner) else []
            if key in order:
                number = solver.number(order.index(key))
                fill_field(solver, (row, solver.calls.arg_value[argument], result, number), owner)


def fill_field(solver: Solver, field: tuple[int, int, int, int], owner: int) -> None:
    """An argument of a call is a field of its result: (call, argument, result, key)."""
    if field not in solver.calls.filled_fields:
        solver.calls.filled_fields.add(field)
        solver.resolution.fields.append(field)
        solver.points.edge(solver.points.reps[field[1]], solver.cell(owner << KIND_BITS | INSTANCE_OF, field[3]))


def is_numbered(solver: Solver, owner: int) -> bool:
    """Whether instances of a class hold their fields under numbers, too (``ConstructionTraits.numbered_records``)."""
    value = solver.classes.owner_value[owner]
    type_ = solver.files.traits_of(value).construction.numbered_records
    apis = solver.apis[solver.files.language_of(value)] if type_ else None
    if apis is None:
        return False
    node = apis.node(type_)
    return any(node in solver.classes.apis.get(each, ()) for each in solver.classes.lineage(owner))
