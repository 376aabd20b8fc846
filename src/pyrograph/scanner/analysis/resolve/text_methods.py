"""Text that shows an instance is made by a method of its class: ``f"({query})"`` calls ``query.__str__()``.

Languages name these methods (``ConstructionTraits.text_methods``). The units say which values a text shows; each one
that is an instance of a class with such a method is the receiver of a call of it, whose result becomes a part of the
text. Linear in what texts show, times the classes that each may be of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyrograph.ir.codes import NONE, Flow
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.numbers import FUNCTION_OP
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


@dataclass(frozen=True, slots=True)
class ShownListener(Listener):
    """A value that a text shows."""

    value: int
    text: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != INSTANCE_OF:
            return
        function = text_method(solver, state >> KIND_BITS, solver.files.traits_of(self.value).construction.text_methods)
        formal = solver.functions.receiver(function) if function != NONE else NONE
        if formal == NONE:
            return
        site = solver.resolution.num_sites
        solver.resolution.num_sites += 1
        solver.calls.bindings.append((site, self.value, formal, NO_KEY, ENTIRE_ARGUMENT))
        solver.resolution.returns.append((site, solver.functions.result[function], self.text))
        solver.points.add(solver.points.reps[formal], state)


def text_method(solver: Solver, owner: int, names: frozenset[str]) -> int:
    """The method of a class, or of the first of its bases that has one, that makes its text; NONE if none does."""
    ids = [solver.program.string_ids[name] for name in sorted(names) if name in solver.program.string_ids]
    for each in solver.classes.lineage(owner) if ids else ():
        members = solver.classes.members.get(each, {})
        for value in (value for name in ids for value in members.get(name, ())):
            if solver.op[value] == FUNCTION_OP:
                return solver.data[value]
    return NONE


def listen_to_texts(solver: Solver) -> None:
    """Call the methods that make the texts of instances, wherever a text shows one."""
    flows, texts = solver.program.tables["flows"], solver.program.tables["texts"]["value"]
    shows = (flows["kind"] == Flow.SHOWN) | (flows["kind"] == Flow.DERIVED) & among(flows["target"], texts)
    for row in np.flatnonzero(shows).tolist():
        value, text = int(flows["origin"][row]), int(flows["target"][row])
        if solver.files.traits_of(value).construction.text_methods:
            solver.listen(value, ShownListener(value, text), NONE)
