"""Classes that extend a class, where the class asks for them: ``__init_subclass__`` and ``__subclasses__``.

A class of commands or of providers often finds those that extend it so, and no code names them:

* a hook runs for each class that extends its class, directly or not, which is its receiver;
* a list holds the classes that extend a class directly.

A round is linear in the classes of the program and in the calls of such lists.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND_BITS, subjects
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver


def tell_of_subclasses(solver: Solver) -> None:
    """Run hooks, and fill lists, with the subclasses that are known so far."""
    names = solver.program.string_ids
    for hook in dict.fromkeys([each for traits in solver.files.traits for each in traits.construction.subclass_hooks]):
        run_hook(solver, names.get(hook, NONE))
    for listing in dict.fromkeys(
        [each for traits in solver.files.traits for each in traits.construction.subclass_lists]
    ):
        fill_lists(solver, names.get(listing, NONE))


def run_hook(solver: Solver, name: int) -> None:
    """The receiver of the nearest method ``name`` above each class is that class."""
    classes, functions = solver.classes, solver.functions
    if name == NONE or not any([name in members for members in classes.members.values()]):
        return
    for owner in list(classes.bases):
        above = [each for each in classes.lineage(owner)[1:] if name in classes.members.get(each, ())]
        for value in classes.members[above[0]][name] if above else ():
            for function in subjects(solver.points.states_of(value), FUNCTION):
                receiver = functions.receiver(function)
                if receiver != NONE:
                    solver.points.add(solver.points.reps[receiver], owner << KIND_BITS | CLASS)


def fill_lists(solver: Solver, name: int) -> None:
    """The result of a call of ``name`` on a class holds the classes that extend it."""
    if name == NONE:
        return
    rows = [row for row, called in enumerate(solver.calls.name) if called == name]
    derived: dict[int, list[int]] = {}
    for owner, bases in solver.classes.bases.items() if rows else ():
        for base in bases:
            derived.setdefault(base, []).append(owner)
    for row in rows:
        receiver, result = solver.calls.receiver[row], solver.calls.result[row]
        states = solver.points.states_of(receiver) if receiver != NONE else ()
        for owner in [each for base in subjects(states, CLASS) for each in derived.get(base, ())]:
            held = solver.points.reps[result] << KIND_BITS | OBJECT
            solver.points.add(solver.points.reps[result], held)
            cell = solver.cell(held, UNKNOWN_KEY)
            solver.points.expect_handlers(cell)
            solver.points.add(cell, owner << KIND_BITS | CLASS)
