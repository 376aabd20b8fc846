"""Receivers of functions that a framework takes from an object of options: ``{ actions: { … }, methods: { … } }``.

A framework makes one object of such a literal, and calls the functions in it on that object: ``this.find()`` in an
action is the function ``find`` that stands under ``methods``. No code of the program does so. The receiver of a
function that lies in a literal, and that no code calls on an object, gets the literals which lie in the same literal,
or in one above it, and hold a function of a name that is called on the receiver. The nearest literal with such a part
counts.

Linear in the members of literals, plus calls on these receivers times the parts of the literals above them.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_OPTION_DEPTH
from pyrograph.scanner.analysis.numbers import NEW_OP
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver


def join_option_objects(solver: Solver) -> None:
    """Give a receiver of which nothing is known the literals that hold the methods which are called on it."""
    holders: dict[int, list[int]] = {}  # a literal -> the literals that it lies in
    lying: dict[int, list[int]] = {}  # a function without a known receiver -> the literals that it lies in
    states, reps = solver.points.states, solver.points.reps
    for (state, _), node in solver.points.cells.items():
        if not is_literal(solver, state):
            continue
        for held in states[node]:
            if is_literal(solver, held):
                holders.setdefault(held, []).append(state)
            elif held & KIND == FUNCTION:
                receiver = solver.functions.receiver(held >> KIND_BITS)
                is_method = solver.functions.owner[held >> KIND_BITS] != NONE
                if receiver != NONE and not is_method and not states[reps[receiver]]:
                    lying.setdefault(held >> KIND_BITS, []).append(state)
    names = names_called(solver) if lying else {}
    for function, literals in lying.items():
        receiver = solver.functions.receiver(function)
        wanted = wanted_names(solver, reps[receiver], names)
        for found in parts_with(solver, literals, holders, wanted) if wanted else ():
            solver.points.add(reps[receiver], found)


def is_literal(solver: Solver, state: int) -> bool:
    """Whether a state is an object that a literal of the program makes."""
    return state & KIND == OBJECT and solver.op[state >> KIND_BITS] == NEW_OP


def names_called(solver: Solver) -> dict[int, set[int]]:
    """The names of the methods that are called on each node."""
    found: dict[int, set[int]] = {}
    for row, receiver in enumerate(solver.calls.receiver):
        if receiver != NONE and solver.calls.name[row] != NONE:
            found.setdefault(solver.points.reps[receiver], set()).add(solver.calls.name[row])
    return found


def wanted_names(solver: Solver, receiver: int, names: dict[int, set[int]]) -> set[int]:
    """The methods that are called on a receiver, also by the functions inside that capture it."""
    found = set(names.get(receiver, ()))
    for following in solver.points.successors[receiver]:
        found |= names.get(following, set())
    return found


def parts_with(solver: Solver, literals: list[int], holders: dict[int, list[int]], wanted: set[int]) -> list[int]:
    """The literals in the nearest one above a function, at most ``MAX_OPTION_DEPTH`` above, that hold a function of one
    of the names.
    """
    level = literals
    for _ in range(MAX_OPTION_DEPTH):
        found = [
            part
            for literal in level
            for key in solver.points.keys_of.get(literal, ())
            for part in solver.points.states[solver.points.cells[literal, key]]
            if is_literal(solver, part) and holds(solver, part, wanted)
        ]
        if found:
            return list(dict.fromkeys(found))
        level = list(dict.fromkeys([above for literal in level for above in holders.get(literal, ())]))
    return []


def holds(solver: Solver, literal: int, wanted: set[int]) -> bool:
    """Whether a literal holds a function under one of the names."""
    for key in solver.points.keys_of.get(literal, ()):
        if key in wanted and any(s & KIND == FUNCTION for s in solver.points.states[solver.points.cells[literal, key]]):
            return True
    return False
