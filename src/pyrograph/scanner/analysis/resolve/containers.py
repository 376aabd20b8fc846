"""Objects of libraries that hold values: models that store in them, load from them, and move between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.resolve.api_members import carry
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import KeyPath, Listener, Solver

MEMBERED: Final = (FUNCTION, CLASS, INSTANCE_OF, OBJECT, API)  # states that something can be called of


class Kept(Listener):
    """An object that a library puts what ``origin``, a node, is into, under ``key``."""

    def __init__(self, origin: int, key: int) -> None:
        self.origin = origin
        self.key = key

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT:
            solver.points.edge(self.origin, solver.cell(state, self.key))


class Taken(Listener):
    """An object that a library takes ``target``, a node, out of, from under ``key``: ``handlers.get(name)``."""

    def __init__(self, target: int, key: int) -> None:
        self.target = target
        self.key = key

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != OBJECT:
            return
        if self.key == UNKNOWN_KEY:
            solver.points.take_any(state, self.target)
        else:
            solver.points.edge(solver.cell(state, self.key), self.target)
            solver.accesses.unnamed_loads.append((state, self.key, self.target))


class Source(Listener):
    """An object that a library makes a collection of: asks on for what lies in it under ``key``."""

    def __init__(self, key: int, made: Made) -> None:
        self.key = key
        self.made = made

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT:
            KeyPath((self.key,), self.made).on_state(solver, call, state)


@dataclass(frozen=True, slots=True)
class Made(Listener):
    """What lies in an object that a library makes a collection of: it lies in the call's result, too.

    The result is an object only once something lies in it that can be called: most collections hold texts and numbers.
    """

    state: int  # the result
    outer: tuple[int, ...]  # keys under which it also lies in itself
    key: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND not in MEMBERED:
            return
        solver.points.add(solver.points.reps[self.state >> KIND_BITS], self.state)
        for key in self.outer:
            solver.points.add(solver.cell(self.state, key), self.state)
        solver.points.add(solver.cell(self.state, self.key), state)


class Hung(Listener):
    """A request, or its context, in which ``value`` is put under ``key``, or of which ``result`` is what lies there."""

    def __init__(self, key: int, value: int, result: int) -> None:
        self.key = key
        self.value = value
        self.result = result

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == API and state >> KIND_BITS != EXTERNAL:
            apis = solver.apis[solver.files.language_of(solver.calls.result[call])]
            if not apis.is_static(state >> KIND_BITS) and apis.carries(state >> KIND_BITS):
                carry(solver, state >> KIND_BITS, self.key, self.value, self.result)


def put(solver: Solver, row: int, flow: Flow) -> None:
    """A library object keeps a value: what it is travels with it, as in an object of the program."""
    kept = [
        Kept(solver.points.reps[origin], key_at(solver, row, flow.target.path[0]))
        for origin in port_values(solver, row, flow.origin)
    ]
    for holder in port_values(solver, row, flow.target) if kept else ():
        for listener in kept:
            solver.listen(holder, listener, row)


def hang(solver: Solver, row: int, port: Port, ends: Sequence[tuple[int, int]]) -> None:
    """``context.Set("user", name)`` of one handler and ``context.Get("user")`` of another: one request, by its type."""
    key = key_at(solver, row, port.path[0]) if port.path[0].startswith("$") else NONE
    if key < 0:
        return
    for holder in port_values(solver, row, port):
        for value, result in ends:
            solver.listen(holder, Hung(key, value, result), row)


def hand_on(solver: Solver, row: int, flow: Flow) -> None:
    """A library makes a collection of what lies in another: ``handlers.values()``, or of pairs: ``handlers.items()``.

    The pairs are told from each other no more than the elements are: the collection stands for each of them, too.
    """
    if flow.target.path == ("0",):  # the first of several results
        hang(solver, row, flow.origin, [(NONE, solver.calls.result[row])])
    *outer, last = (key_at(solver, row, key) for key in flow.target.path)
    made = Made(solver.calls.result[row] << KIND_BITS | OBJECT, tuple(outer), last)
    source = Source(key_at(solver, row, flow.origin.path[0]), made)
    for origin in port_values(solver, row, flow.origin):
        solver.listen(origin, source, row)
