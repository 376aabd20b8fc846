"""Objects of libraries that hold values: models that store in them, load from them, and move between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_MIRRORED_CELLS
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.numbers import GLOBAL_OP, LOAD_OP
from pyrograph.scanner.analysis.resolve.api_members import is_shared_field, share_field
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.key_texts import name_of_type
from pyrograph.scanner.analysis.resolve.loads import is_prototype
from pyrograph.scanner.analysis.resolve.modules import members_of, wholes_of
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    EXTERNAL_API,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
    PROTOTYPE,
)
from pyrograph.scanner.analysis.resolve.solver import KeyPath, Listener, Solver
from pyrograph.scanner.analysis.resolve.stores import MethodListener

MEMBERED: Final = (FUNCTION, CLASS, INSTANCE_OF, OBJECT, API, MODULE, MADE_BY)  # states that something is called of
FIRST_OF_SEVERAL: Final = ("0",)  # the first of several results
SECOND_OF_PAIRS: Final = ("", "1")  # of each element: what ``new Map(pairs)`` and ``Object.fromEntries(pairs)`` hold


def holds_values(solver: Solver, state: int) -> bool:
    """Whether a library can keep values in it: an object, or an instance of a class that extends a library's."""
    kind = state & KIND
    return kind == OBJECT or (kind == INSTANCE_OF and solver.classes.extends_library(state >> KIND_BITS))


class PutListener(Listener):
    """An object in which a library stores ``origin``, a node, under ``key``."""

    def __init__(self, origin: int, key: int) -> None:
        self.origin = origin
        self.key = key

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if holds_values(solver, state):
            solver.points.edge(self.origin, solver.cell(state, self.key))


class GatherListener(Listener):
    """A function that a library puts into what it returns, under ``key``: the result is an object that holds it, even
    where nothing was one before, as in ``append(nil, f)``.
    """

    def __init__(self, origin: int, key: int, extends: bool) -> None:
        self.origin = origin
        self.key = key
        self.extends = extends  # the call returns its first argument, too

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == FUNCTION:
            result = solver.points.reps[solver.calls.result[call]]
            made = (list_extended_by(solver, call) if self.extends else result) << KIND_BITS | OBJECT
            solver.points.add(solver.points.reps[solver.calls.result[call]], made)
            solver.points.edge(self.origin, solver.cell(made, self.key))


def list_extended_by(solver: Solver, call: int) -> int:
    """The value that stands for the list that a call extends and returns: the same for all calls that extend a field
    of one type, or one variable of a package, of which there may be dozens.
    """
    result = solver.points.reps[solver.calls.result[call]]
    for value in port_values(solver, call, Port("position", 0)):
        key, holder = NONE, value
        if solver.op[value] == GLOBAL_OP and not solver.files.traits_of(value).modules.directory_is_module:
            continue  # a name of one file
        if solver.op[value] == LOAD_OP:
            row = solver.data[value]
            key, holder = solver.accesses.load_key[row], solver.accesses.load_object[row]
            holder = solver.classes.types.of.get(solver.points.reps[holder], NONE)
        name = name_of_type(solver, holder)
        if name:
            return solver.models.lists.setdefault((name, key), result)
    return result


class TakeListener(Listener):
    """An object from which a library loads ``target``, a node, under ``key``: ``handlers.get(name)``.

    Not from an instance if its members are ``chosen`` otherwise.
    """

    def __init__(self, target: int, key: int, chosen: bool = False) -> None:
        self.target = target
        self.key = key
        self.chosen = chosen

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if not holds_values(solver, state) or (self.chosen and state & KIND == INSTANCE_OF):
            return
        if self.key == UNKNOWN_KEY:
            solver.points.take_any(state, self.target)
        else:
            solver.points.edge(solver.cell(state, self.key), self.target)
            solver.accesses.unnamed_loads.append((state, self.key, self.target))


class CollectionListener(Listener):
    """An object that a library makes a collection of: listens to what it holds under ``keys``, one in the other.

    Of a module that is what it defines and imports of the program: ``getmembers(loaders)``, ``Object.values(loaders)``.
    """

    def __init__(self, keys: tuple[int, ...], made: ContentListener | PairListener) -> None:
        self.keys = keys
        self.made = made

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT:
            KeyPath(self.keys, self.made).on_state(solver, call, state)
        elif state & KIND == API and self.keys == (UNKNOWN_KEY,):
            apis = solver.apis[solver.files.language_of(self.made.state >> KIND_BITS)]
            for each in apis.step(state >> KIND_BITS, "[*]") if state != EXTERNAL_API else ():
                self.made.on_state(solver, call, each << KIND_BITS | API)
        elif state & KIND == MODULE and self.keys == (UNKNOWN_KEY,):
            members = members_of(solver, state >> KIND_BITS)
            public = [key for key in members if solver.strings[key][:1] != "_"]
            for key in public if len(public) <= MAX_HANDLERS else ():
                for value in members[key]:
                    solver.listen_node(solver.points.reps[value], self.made, call)
            for value in wholes_of(solver, state >> KIND_BITS):
                solver.listen_node(solver.points.reps[value], self, call)


@dataclass(frozen=True, slots=True)
class PairListener(Listener):
    """A pair that a library makes an entry of ``state`` of: what is second in it lies under what is first, where that
    is a constant in the text, and under an unknown key where it is not.
    """

    state: int  # the result

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT:
            key = key_of_pair(solver, state)
            if key != UNKNOWN_KEY:
                solver.accesses.set_by_name.add((self.state, key))
            KeyPath((solver.number(1),), ContentListener(self.state, (), key)).on_state(solver, call, state)


def key_of_pair(solver: Solver, state: int) -> int:
    """The constant that alone is stored first in a pair, as a key; UNKNOWN_KEY if there is none."""
    accesses = solver.accesses
    node, first = solver.points.reps[state >> KIND_BITS], solver.number(0)
    values = [
        accesses.store_value[row]
        for row in accesses.stores_of.get(node, ())
        if accesses.store_key[row] == first or accesses.store_key[row] < 0
    ]
    text = constant(solver, values[0]) if len(values) == 1 else None
    return UNKNOWN_KEY if text is None else solver.program.intern(text)


@dataclass(frozen=True, slots=True)
class ContentListener(Listener):
    """The content of an object that a library makes a collection of: the call's result holds it, too.

    The result becomes an object when it holds something that can be called: most collections hold texts and numbers.
    """

    state: int  # the result
    outer: tuple[int, ...]  # keys under which it also lies in itself
    key: int

    copies = True

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND not in MEMBERED:
            return
        points = solver.points
        made = self.state
        result = points.reps[made >> KIND_BITS]
        if made not in points.states[result]:
            points.add(result, made)
        for key in self.outer:
            points.add(solver.cell(made, key), made)
        held = points.cells.get((made, self.key), NONE)
        if held == NONE:
            held = solver.cell(made, self.key)
        if held not in points.capacity.handlers:
            points.expect_handlers(held)  # one cell for what the other object may hold under many keys
        if (
            state & KIND > INSTANCE_OF and held in points.full
        ):  # most states come from several cells of the other object
            further = points.refused.get(held)
            if further is None or state in further:
                return
        if state not in points.states[held]:
            points.add(held, state)


class SharedFieldListener(Listener):
    """A request, or its context: ``value`` is stored in it under ``key``, or ``result`` loaded from there.

    ``added``: so it is with any object of the library that gets a member this way: ``app.decorate("db", pool)``.
    """

    def __init__(self, key: int, value: int, result: int, added: bool) -> None:
        self.key = key
        self.value = value
        self.result = result
        self.added = added

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        api = state >> KIND_BITS
        if state & KIND == API and api != EXTERNAL:
            value = solver.calls.result[call]
            apis = solver.apis[solver.files.language_of(value)]
            if not apis.is_static(api) and (
                apis.shares_fields(api) or (self.added and is_shared_field(solver, value, api, self.key))
            ):
                share_field(solver, api, self.key, self.value, self.result)


@dataclass(frozen=True, slots=True)
class MergedListener(Listener):
    """An instance, or a prototype, that a library adds the content of ``origin`` to.

    A class stands for its prototype as well (``loads.read``): what is added to the class itself is static, and no
    instance has it.
    """

    origin: int
    is_prototype: bool  # the value is a prototype, as the text says

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        kind = state & KIND
        if kind in (INSTANCE_OF, MADE_BY, PROTOTYPE):
            solver.listen(self.origin, MirrorListener(state), call)
        elif kind == CLASS and self.is_prototype:
            solver.listen(self.origin, MirrorListener(state & SUBJECT_MASK | INSTANCE_OF), call)


@dataclass(frozen=True, slots=True)
class MirrorListener(Listener):
    """An object whose content ``holder`` has, too, now and later."""

    holder: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        known = solver.accesses.mirrored.setdefault(state, {})
        if state & KIND != OBJECT or self.holder in known:
            return
        if (len(known) + 1) * len(solver.points.keys_of.get(state, ())) > MAX_MIRRORED_CELLS:
            return
        known[self.holder] = None
        made = self.holder & SUBJECT_MASK | MADE_BY if self.holder & KIND == PROTOTYPE else self.holder
        for key in tuple(solver.points.keys_of.get(state, ())):
            solver.points.edge(solver.points.cells[(state, key)], solver.cell(self.holder, key))
        KeyPath((UNKNOWN_KEY,), MethodListener(made)).on_state(solver, call, state)


def put_into(solver: Solver, row: int, flow: Flow, *, extends: bool) -> None:
    """A library's object keeps a value under a key, as an object of the program does. ``extends``: see ``ApiModel``."""
    kept = [
        PutListener(solver.points.reps[origin], key_at(solver, row, flow.target.path[0]))
        for origin in port_values(solver, row, flow.origin)
    ]
    for holder in port_values(solver, row, flow.target) if kept else ():
        for listener in kept:
            solver.listen(holder, listener, row)
    if flow.target.kind == "ret":
        for listener in kept:
            solver.listen_node(listener.origin, GatherListener(listener.origin, listener.key, extends), row)


def listen_for_shared_field(solver: Solver, row: int, port: Port, ends: Sequence[tuple[int, int]]) -> None:
    """Share a field that has a constant key: ``context.Set("user", name)`` in one handler, ``context.Get("user")`` in
    another.
    """
    key = key_at(solver, row, port.path[0]) if port.path[0][:1] == "$" and port.path[0][-1] != "." else NONE
    if key < 0:
        return
    added = port.kind == "this" and len(port.path) == 1
    for holder in port_values(solver, row, port):
        for value, result in ends:
            solver.listen(holder, SharedFieldListener(key, value, result, added), row)


def share_fields_of(solver: Solver, row: int, flow: Flow) -> None:
    """Share what lies under constant keys of what is merged into the receiver: ``session.update({"user": name})``."""
    accesses = solver.accesses
    for origin in port_values(solver, row, flow.origin):
        for store in accesses.stores_of.get(solver.points.reps[origin], ()):
            if (key := accesses.store_key[store]) >= 0:
                listener = SharedFieldListener(key, accesses.store_value[store], NONE, added=True)
                for holder in port_values(solver, row, flow.target):
                    solver.listen(holder, listener, row)


def merge_content(solver: Solver, row: int, flow: Flow) -> None:
    """What a library adds to an instance is read from it by name: ``Object.assign(this, services)``."""
    for origin in port_values(solver, row, flow.origin):
        for holder in port_values(solver, row, flow.target):
            solver.listen(holder, MergedListener(origin, is_read_prototype(solver, holder)), row)


def is_read_prototype(solver: Solver, value: int) -> bool:
    """Whether a value is read as the prototype of something: ``C.prototype``, also where a variable holds it."""
    read = solver.points.reps[value]
    if solver.op[read] != LOAD_OP:
        return False
    key = solver.accesses.load_key[solver.data[read]]
    return key >= 0 and solver.strings[key] == "prototype" and is_prototype(solver, read)


def read_of_results(solver: Solver, row: int, key: str) -> list[int]:
    """The reads of one of several results of a call, ``value, ok := c.Get("user")``; the call's result if none is read.

    An object with a tainted field keeps that field apart only where the result itself is the object.
    """
    accesses, result = solver.accesses, solver.calls.result[row]
    loads = accesses.loads_of.get(solver.points.reps[result], ())
    name = solver.program.string_ids.get(key, NONE)
    return [accesses.load_result[load] for load in loads if accesses.load_key[load] == name] or [result]


def move_content(solver: Solver, row: int, flow: Flow) -> None:
    """A library makes a collection of another's content: ``handlers.values()``, or of pairs: ``handlers.items()``; or
    of what stands in pairs: ``new Map([["get", get]])``, where constants keep entries apart.

    Pairs are not kept apart, as elements are not: the collection stands for each of them, too.
    """
    if flow.target.path == FIRST_OF_SEVERAL:
        ends = [(NONE, each) for each in read_of_results(solver, row, flow.target.path[0])]
        listen_for_shared_field(solver, row, flow.origin, ends)
    *outer, last = (key_at(solver, row, key) for key in flow.target.path)
    result = solver.calls.result[row] << KIND_BITS | OBJECT
    keys = tuple(key_at(solver, row, key) for key in flow.origin.path)
    if flow.origin.path == SECOND_OF_PAIRS and not outer and last == UNKNOWN_KEY:
        source = CollectionListener(keys[:1], PairListener(result))
    else:
        source = CollectionListener(keys, ContentListener(result, tuple(outer), last))
    for origin in port_values(solver, row, flow.origin):
        solver.listen(origin, source, row)
