"""Functions with bound arguments: ``functools.partial`` and what else a pack describes by ``bind``.

The result of such a call is an object that resolution knows the callees of. The arguments that are bound arrive at a
callee where they are bound, as those of a callback do; the other ones where the object is called.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.languages import MAX_BOUND_ARGUMENTS
from pyrograph.rules.entries import CallFlow
from pyrograph.scanner.analysis.resolve.binding import bind
from pyrograph.scanner.analysis.resolve.callbacks import call_back, make_by_library, receivers_passed
from pyrograph.scanner.analysis.resolve.class_members import allocators, call_methods, constructors, finishers
from pyrograph.scanner.analysis.resolve.constructions import fill_fields, finish_filled
from pyrograph.scanner.analysis.resolve.models import Partial
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver


@dataclass(frozen=True, slots=True)
class PartialListener(Listener):
    """A function with bound arguments that a library calls, as ``flow`` says."""

    flow: CallFlow

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT and state >> KIND_BITS in solver.models.partials:
            use_partials(solver, state >> KIND_BITS, call, self.flow)


@dataclass(frozen=True, slots=True)
class BindListener(Listener):
    """A function whose first arguments the call ``call`` binds, as ``flow`` says."""

    flow: CallFlow

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        kind, subject = state & KIND, state >> KIND_BITS
        if kind in (FUNCTION, CLASS, INSTANCE_OF):
            receivers = receivers_passed(solver, call, self.flow, subject) if kind == FUNCTION else 0
            bind_first(solver, call, self.flow, Partial(state, 0), receivers=receivers)
        elif kind == OBJECT and subject in solver.models.partials:
            use_partials(solver, subject, call, self.flow)
        elif kind == API and state != EXTERNAL_API and not places_bound(solver, call, self.flow):
            solver.points.add(solver.points.reps[solver.calls.result[call]], state)


def places_bound(solver: Solver, row: int, flow: CallFlow) -> int:
    """How many arguments the call ``row`` binds by their place."""
    return sum(len(port_values(solver, row, port)) if port.kind == "from" else 1 for port in flow.arguments)


def bind_first(solver: Solver, row: int, flow: CallFlow, partial: Partial, *, receivers: int = 0) -> None:
    """Bind the arguments of the call ``row`` to what follows those that ``partial`` has.

    ``receivers``: 1 if the first of them is the receiver, ``partial(Job.run, job)``, which ``Partial`` does not count.
    """
    call_first(solver, row, flow, partial, partial.given)
    made = Partial(partial.state, partial.given + places_bound(solver, row, flow) - receivers, partial.dropped)
    if made.given <= MAX_BOUND_ARGUMENTS:
        add_partial(solver, solver.points.reps[solver.calls.result[row]], made)


def add_partial(solver: Solver, node: int, made: Partial) -> None:
    """The object that ``node`` stands for calls ``made``, too."""
    known = solver.models.partials[node]
    if made in known:
        return
    known.append(made)
    for user, other in tuple(solver.models.partial_users.get(node, ())):
        use_partial(solver, user, other, made)


def use_partials(solver: Solver, made: int, row: int, flow: CallFlow | None) -> None:
    """The call ``row`` calls the object that ``made`` is, or passes it to what does as ``flow`` says."""
    solver.models.partial_users.setdefault(made, []).append((row, flow))
    for partial in tuple(solver.models.partials[made]):
        use_partial(solver, row, flow, partial)


def use_partial(solver: Solver, row: int, flow: CallFlow | None, partial: Partial) -> None:
    if flow is None:
        call_partial(solver, row, partial)
    elif flow.later:
        bind_first(solver, row, flow, partial)
    else:
        call_first(solver, row, flow, partial, partial.given - partial.dropped)


def call_first(solver: Solver, row: int, flow: CallFlow, partial: Partial, given: int) -> None:
    """A library calls what ``partial`` calls, or binds arguments to it, after ``given`` others."""
    if partial.state & KIND == CLASS:
        make_by_library(solver, row, flow, partial.state >> KIND_BITS, given=given)
        return
    for function in called(solver, partial):
        call_back(solver, row, flow, function, given=given)


def call_partial(solver: Solver, row: int, partial: Partial) -> None:
    result = solver.calls.result[row]
    if partial.state & KIND == CLASS:
        solver.points.add(solver.points.reps[result], partial.state - CLASS + INSTANCE_OF)
        owner = partial.state >> KIND_BITS
        for function in allocators(solver, owner):
            bind(solver, row, function, NONE, given=partial.given)
        made = called(solver, partial)
        for function in made:
            bind(solver, row, function, result, constructed=True, given=partial.given)
        if not made:
            fill_fields(solver, row, owner, given=partial.given)
            for function in finishers(solver, owner):
                finish_filled(solver, row, owner, function, given=partial.given)
    else:
        for function in called(solver, partial):
            bind(solver, row, function, NONE, given=partial.given, dropped=partial.dropped)


def called(solver: Solver, partial: Partial) -> list[int]:
    """The functions that run when ``partial`` is called."""
    if partial.state & KIND == INSTANCE_OF:
        return call_methods(solver, partial.state >> KIND_BITS)
    if partial.state & KIND == CLASS:
        return constructors(solver, partial.state >> KIND_BITS)
    return [partial.state >> KIND_BITS]
