"""The solver: the parts of resolution, joined, and the listeners that run for states that arrive at a node.

``Solver`` has no rules of the language or of the packs. Each module of resolution is a set of functions over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import (
    FEW_LISTENERS,
    MAX_CELL_COPIES,
    MAX_DECORATORS,
    MAX_MIRRORED_CELLS,
    MAX_NOTIFY_DEPTH,
)
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import CALL_OP, DECORATOR, FUNCTION_OP
from pyrograph.scanner.analysis.resolve.accesses import Accesses
from pyrograph.scanner.analysis.resolve.calls import Calls
from pyrograph.scanner.analysis.resolve.classes import Classes
from pyrograph.scanner.analysis.resolve.cloning import clone_functions
from pyrograph.scanner.analysis.resolve.concerns import LISTENERS, LOADS
from pyrograph.scanner.analysis.resolve.files import Files
from pyrograph.scanner.analysis.resolve.functions import Functions, handed_back, is_bound_late
from pyrograph.scanner.analysis.resolve.guesses import Guesses
from pyrograph.scanner.analysis.resolve.handler_tables import captured_callees, given_functions, handler_nodes
from pyrograph.scanner.analysis.resolve.kept_handlers import kept_handlers
from pyrograph.scanner.analysis.resolve.models import Models
from pyrograph.scanner.analysis.resolve.names import Names
from pyrograph.scanner.analysis.resolve.points_to import PointsTo
from pyrograph.scanner.analysis.resolve.representatives import representatives
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, MODULE, OBJECT, Resolution
from pyrograph.scanner.analysis.resolve.table_cells import reserve_cells


class Listener:
    """A constraint on a node: ``on_state`` runs for every state that the node has and gets.

    It runs twice for a state that is in the queue when the listener is added, and has to be idempotent.

    ``call`` is the call that listens, or NONE. Equal listeners of one call listen to a node once
    (``Solver.listen_node``); those that listen to values are never compared.

    ``copies``: it passes on what an object holds to another object, whatever key that lies under.
    """

    copies = False

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class KeyPath(Listener):
    """Listens to what is in an object under ``keys``: what it holds, a class's methods of these names, or what a module
    exports under them.

    A function without parameters stands for the object that it returns: ``fields: () => ({ name: ... })``.
    """

    keys: tuple[int, ...]
    listener: Listener
    named: bool = False  # only what was stored under these keys by name

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        rest = self.listener if len(self.keys) == 1 else KeyPath(self.keys[1:], self.listener, self.named)
        key = self.keys[0]
        if state & KIND == OBJECT:
            if key == UNKNOWN_KEY:
                solver.listen_anywhere(state, rest, call)
            for each in (key,) if self.named else dict.fromkeys((key, UNKNOWN_KEY)):
                solver.listen_node(solver.cell(state, each), rest, call)
        elif state & KIND in (CLASS, INSTANCE_OF):
            for each in solver.classes.lineage(state >> KIND_BITS):
                members = solver.classes.members.get(each, {})
                for name in members if key == UNKNOWN_KEY else (key,):
                    for value in members.get(name, ()):
                        solver.listen_node(solver.points.reps[value], rest, call)
            if (
                key != UNKNOWN_KEY
                and state & KIND == INSTANCE_OF
                and solver.classes.extends_library(state >> KIND_BITS)
            ):
                solver.listen_node(solver.cell(state, key), rest, call)  # what the library keeps in it
        elif state & KIND == MODULE and key != UNKNOWN_KEY:
            language, _, module = solver.strings[state >> KIND_BITS].partition(":")
            for file in solver.program.modules.members(module, language):
                for value in solver.names.exports_of(file, key):
                    solver.listen_node(solver.points.reps[value], rest, call)
        elif state & KIND == FUNCTION and self.named and key != UNKNOWN_KEY:
            solver.listen_node(solver.cell(state, key), rest, call)  # ``Page.getInitialProps = load``
        elif state & KIND == FUNCTION and not self.named and call != NONE:
            function = state >> KIND_BITS
            if not solver.functions.signature(function).by_position:
                solver.listen_node(solver.points.reps[solver.functions.result[function]], self, call)


class Solver:
    """All that resolution knows: the tables of the program, three groups of parts, and the listeners.

    * points-to: ``points``, and the loads and stores (``accesses``) that add edges to it;
    * dispatch: ``calls``, ``functions``, ``classes``, ``names``, and ``guesses`` for calls that are left;
    * models: ``apis`` (the packs) and ``models`` (those that were applied).

    No part knows another's modules but ``points``, which asks ``classes`` for lineages. The parts do not refer to the
    solver: it is freed as soon as nobody holds it, without garbage collection.
    """

    def __init__(self, program: Program, apis: dict[str, Apis]) -> None:
        """``apis`` by language. The tables of ``program`` grow by the copies of functions."""
        self.program = program
        self.apis = apis
        self.strings = program.strings
        self.resolution = Resolution()
        rep, copies = clone_functions(program, representatives(program), apis)
        rep, cells = reserve_cells(program, rep)
        self.resolution.reached.not_cloned = program.tables["functions"]["result"][copies.left_out].tolist()
        self.resolution.num_sites = len(program.tables["calls"]["result"])
        self.op = program.numbers("values", "op")
        self.data = program.numbers("values", "data")
        self.files = Files(program, apis)
        self.functions = Functions(program)
        self.functions.handed_back = handed_back(program, rep)
        self.classes = Classes(program, rep, self.resolution, self.files)
        self.points = PointsTo(program, rep, self.classes, self.resolution)
        self.points.capacity.handlers, self.points.capacity.registered = handler_nodes(program, rep, apis.values())
        capacity = self.points.capacity
        capacity.kept, capacity.kept_keys = kept_handlers(program, rep, apis.values(), capacity.handlers)
        self.points.captured_callees = captured_callees(program, rep)
        for function, nodes in given_functions(program, rep, self.points.captured_callees).items():
            self.points.captured_callees[function] += nodes
        self.points.may_register = {node for nodes in self.points.captured_callees.values() for node in nodes}
        self.points.capacity.function_owner = self.functions.owner
        self.points.capacity.arities = self.functions.arities(self.files)
        self.points.receivers = self.functions.receivers_of_classes(self.files, self.points.reps)
        self.called_receivers = self.functions.called_receivers(program, self.points.reps)
        self.accesses = Accesses(program, rep)
        self.calls = Calls(program, rep, copies)
        self.models = Models(program, rep)
        self.models.cells = iter(cells)
        self.names = Names(program)
        self.guesses = Guesses(program)
        self.listeners: dict[int, list[tuple[int, Listener]]] = {}  # node -> (call, listener)
        self.wide_listeners: dict[int, set[tuple[int, Listener]]] = {}  # node with many -> the same
        self.unknown_key_listeners: dict[int, list[tuple[Listener, int]]] = {}  # object -> those of all its cells
        self.copies_of: dict[int, list[tuple[Listener, int]]] = {}  # object -> the same that pass it on to a copy
        self.copied_as_one: set[int] = set()  # objects whose copies listen to ``points.contents``
        self.notify_depth = 0  # listeners that run, each because of the one before
        self.pending: list[tuple[Listener, int, int]] = []  # (listener, call, state) for ``loop.run_to_fixpoint``

    def arise(self, value: int, node: int) -> None:
        """``value`` is the API ``node``."""
        self.resolution.api_values.append((value, node))
        self.points.add(self.points.reps[value], node << KIND_BITS | API)

    def cell(self, state: int, key: int) -> int:
        """The node of what an object holds under ``key``; a new one is linked to loads of and listeners to any key."""
        points = self.points
        node = points.cells.get((state, key))
        if node is None:
            node = points.cells[(state, key)] = points.new_node()
            points.keys_of.setdefault(state, []).append(key)
            if key in points.capacity.kept_keys:
                points.capacity.kept.add(node)
            everything = points.contents.get(state, NONE)
            if everything != NONE:
                points.edge(node, everything)
            else:
                for result in points.unknown_key_loads.get(state, ()):
                    points.edge(node, result)
                    if result in points.capacity.registered:
                        points.capacity.registered.add(node)
            for listener, call in tuple(self.unknown_key_listeners.get(state, ())):
                self.listen_node(node, listener, call)
            if state in self.copies_of and not self.shares_contents(state):
                for listener, call in tuple(self.copies_of[state]):
                    self.listen_node(node, listener, call)
            mirrored = self.accesses.mirrored.get(state, ())
            if len(mirrored) * len(points.keys_of[state]) <= MAX_MIRRORED_CELLS:
                for other in mirrored:
                    points.edge(node, self.cell(other, key))
        return node

    def listen_anywhere(self, state: int, listener: Listener, call: int) -> None:
        """Run ``listener`` for each state of each cell of an object, now and later.

        Where an object has many cells and is copied often, copies listen to the node that is anything in the object:
        cells + copies, not cells x copies. That node holds as many states as one that many loads share.
        """
        if listener.copies:
            self.copies_of.setdefault(state, []).append((listener, call))
            if self.shares_contents(state):
                self.listen_node(self.points.contents[state], listener, call)
                return
        else:
            self.unknown_key_listeners.setdefault(state, []).append((listener, call))
        for key in tuple(self.points.keys_of.get(state, ())):
            self.listen_node(self.points.cells[(state, key)], listener, call)

    def shares_contents(self, state: int) -> bool:
        """Whether copies of an object listen to what is anything in it. From then on they do."""
        if state in self.copied_as_one:
            return True
        points, copies = self.points, self.copies_of.get(state, ())
        stored = points.keys_of.get(state, ())
        if len(copies) * len(stored) <= MAX_CELL_COPIES:
            return False
        self.copied_as_one.add(state)
        everything = points.contents.get(state, NONE)
        if everything == NONE:
            everything = points.collect(state)
        if any(points.cells[(state, key)] in points.capacity.registered for key in stored):
            points.register(everything)
        for listener, call in tuple(copies):
            self.listen_node(everything, listener, call)
        return True

    def listen(self, value: int, listener: Listener, call: int = NONE) -> None:
        """Run ``listener`` for each state of ``value``, now and later."""
        node = self.points.reps[value]
        self.points.concerned[node] |= LISTENERS
        entry = (call, listener)
        self.listeners.setdefault(node, []).append(entry)
        if node in self.wide_listeners:
            self.wide_listeners[node].add(entry)
        self.notify(listener, call, self.points.states[node])

    def listen_node(self, node: int, listener: Listener, call: int) -> None:
        """Run ``listener`` for each state of ``node``, now and later, unless an equal one of this call listens."""
        listeners = self.listeners.setdefault(node, [])
        known = self.wide_listeners.get(node)
        if known is None and len(listeners) >= FEW_LISTENERS:
            known = self.wide_listeners[node] = set(listeners)
        entry = (call, listener)
        if known is None:
            if entry in listeners:
                return
        else:
            before = len(known)
            known.add(entry)  # hashes the entry once, which takes long where a listener holds another one
            if len(known) == before:
                return
        self.points.concerned[node] |= LISTENERS
        listeners.append(entry)
        self.notify(listener, call, self.points.states[node])

    def notify(self, listener: Listener, call: int, states: Sequence[int]) -> None:
        """Run ``listener`` for states that a node has already.

        Listeners may add listeners, and a chain of prototypes would recurse as deep as it is long: below
        ``MAX_NOTIFY_DEPTH`` levels, ``loop.run_to_fixpoint`` runs them.
        """
        for state in states:
            if self.notify_depth == MAX_NOTIFY_DEPTH:
                self.pending.append((listener, call, state))
            else:
                self.notify_depth += 1
                listener.on_state(self, call, state)
                self.notify_depth -= 1

    def read_from(self, result: int, obj: int, key: int) -> None:
        """``result`` has the states of what ``obj`` holds under ``key``; the data takes another path.

        ``loop.propagate`` looks it up: modules that export what others export would nest as deep as they are many.
        """
        accesses, points = self.accesses, self.points
        row = len(accesses.load_result)
        accesses.load_result.append(result)
        accesses.load_object.append(obj)
        accesses.load_key.append(key)
        node = points.reps[obj]
        accesses.loads_of.setdefault(node, []).append(row)
        points.concerned[node] |= LOADS
        for state in points.states[node]:
            accesses.unread.append((row, state))

    def load_from(self, result: int, obj: int, key: int) -> None:
        """Add a load that is no row of the program: of a name from a CommonJS module's object. A module may export
        itself.
        """
        row = (result, obj, key)
        if row not in self.accesses.added_loads:
            self.accesses.added_loads.add(row)
            self.resolution.flows.loads.append(row)
            self.read_from(result, obj, key)

    def is_bound_late(self, function: int) -> bool:
        """``functions.is_bound_late``."""
        functions = self.functions
        return is_bound_late(functions.owner[function], self.files.traits_of(functions.result[function]))

    def undecorated(self, value: int) -> int:
        """The function under the decorators that ``value`` is the result of, or ``value`` itself."""
        found = value
        for _ in range(MAX_DECORATORS):
            if self.op[found] != CALL_OP or not self.calls.flags[self.data[found]] & DECORATOR:
                break
            found = next((self.calls.arg_value[a] for a in self.calls.args.of(self.data[found])), value)
        return found if self.op[found] == FUNCTION_OP else value

    def number(self, index: int) -> int:
        """The key of a position."""
        return self.program.intern(str(index))
