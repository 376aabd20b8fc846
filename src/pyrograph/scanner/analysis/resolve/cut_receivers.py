"""Calls on receivers of more types than a points-to set keeps, where an interface says which types they may be.

``driver := drivers[kind]()`` with one function for each of 20 databases: the set of ``driver`` keeps the first
``MAX_STATES`` types and the interface that it is declared as. ``driver.Query(q)`` then means the methods of all types
that implement this interface, not those of the first ones, which would be arbitrary.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.resolution import MAX_STATES
from pyrograph.scanner.analysis.resolve.binding import bind
from pyrograph.scanner.analysis.resolve.candidates import telling_implementations
from pyrograph.scanner.analysis.resolve.class_members import is_interface
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver


def complete_cut_receivers(solver: Solver) -> None:
    """Let calls on full receivers mean all implementations of the interfaces that the receivers are declared as."""
    if not solver.guesses.has_interfaces:
        return
    calls, points = solver.calls, solver.points
    for row in sorted(calls.bound):
        receiver, name = calls.receiver[row], calls.name[row]
        if receiver == NONE or name == NONE:
            continue
        states = points.states[points.reps[receiver]]
        if len(states) < MAX_STATES:
            continue
        interfaces = [each for each in subjects(states, INSTANCE_OF) if is_interface(solver, each)]
        for function in telling_implementations(solver, row, name, interfaces):
            bind(solver, row, function, receiver)
