"""Functions of a list that a library calls one after another: ``async.waterfall([find, show], done)``.

The last parameter of each is a function that goes on: ``next(error, user)`` calls the next one with ``user``. It is an
object with the next function as a partial that does not get the first argument.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_HANDLERS
from pyrograph.rules.entries import Chain
from pyrograph.scanner.analysis.resolve.models import Partial
from pyrograph.scanner.analysis.resolve.partials import add_partial
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver


@dataclass(frozen=True, slots=True)
class ChainListener(Listener):
    """The list of functions that the call ``call`` is given."""

    flow: Chain

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != OBJECT:
            return
        cells = [solver.points.cells.get((state, solver.number(at))) for at in range(MAX_HANDLERS)]
        steps = [node for node in cells if node is not None]
        ends = [solver.points.reps[value] for value in port_values(solver, call, self.flow.end)]
        for at, node in enumerate(steps):
            following = steps[at + 1 : at + 2]
            solver.listen_node(node, StepListener(tuple(following or ends), len(following)), call)


@dataclass(frozen=True, slots=True)
class StepListener(Listener):
    """A function of such a list; ``following``: the nodes of what is called next, without ``dropped`` arguments."""

    following: tuple[int, ...]
    dropped: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != FUNCTION:
            return
        signature = solver.functions.signature(state >> KIND_BITS)
        if not signature.by_position:
            return
        node = solver.points.reps[solver.functions.param_value[signature.by_position[max(signature.by_position)]]]
        solver.models.partials.setdefault(node, [])
        solver.points.add(node, node << KIND_BITS | OBJECT)
        for each in self.following:
            solver.listen_node(each, NextListener(node, self.dropped), call)


@dataclass(frozen=True, slots=True)
class NextListener(Listener):
    """What is called by the function that ``node`` stands for."""

    node: int
    dropped: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == FUNCTION:
            add_partial(solver, self.node, Partial(state, 0, self.dropped))
