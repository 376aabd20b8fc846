"""The solver: states on nodes, edges that carry them, and those who watch.

A node is a representative value, or a place where states gather: what an object holds under a key, what a name is in a
class. ``add`` puts a state on a node and queues it; ``loop`` takes it from there and tells everyone concerned. Nothing
is ever removed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import INTERFACE, NO_STRING, NONE, UNKNOWN_KEY, CallFlag, Op, ParameterKind
from pyrograph.ir.packed import KIND, KIND_BITS, PAIR_BITS, PAIR_LOW
from pyrograph.kernels.arrays import distinct, first_of_equals
from pyrograph.parsers import language_of
from pyrograph.parsers.language import Traits
from pyrograph.policy.limits import FEW_EDGES, MAX_CROSSED, MAX_JOINS, MAX_NESTED_WATCHERS, MAX_STATES
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.copies import make_copies
from pyrograph.scanner.analysis.resolve.numbers import KEYWORDS_KIND, NORMAL_KIND, RECEIVER_KIND, VARARG_KIND
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT, Entry, Resolution

Row = tuple[int, ...]
Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]
NO_STATES: Final[tuple[int, ...]] = ()

# What happens to the states of a node beside travelling on.
MEMBERS: Final = 1
BASES: Final = 2
LOADS: Final = 4
CALLS: Final = 8
STORES: Final = 16
TYPES: Final = 32
WATCHERS: Final = 64

# Kinds of flows that concern what a value is: the library calls an argument; a value is passed on as it is, put into an
# object, taken out of one; what lies in one object goes to another.
CALLS_BACK: Final = 0
PASSES: Final = 1
PUTS: Final = 2
TAKES: Final = 3
HANDS_ON: Final = 4


class Watcher:
    """Who wants to know what a node is: it is told of every state that the node has and gets, once each.

    ``call`` is the call that watches, or NONE. Equal watchers of one call watch a node once (``watch_node``); those
    that watch values alone are never compared.
    """

    def told(self, solver: Solver, call: int, state: int) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Part(Watcher):
    """Asks on for what lies in an object under ``keys``: what it holds, or a class's methods of these names."""

    keys: tuple[int, ...]
    watcher: Watcher
    named: bool = False  # only what was stored under these keys as they are written

    def told(self, solver: Solver, call: int, state: int) -> None:
        rest = self.watcher if len(self.keys) == 1 else Part(self.keys[1:], self.watcher, self.named)
        key = self.keys[0]
        if state & KIND == OBJECT:
            if key == UNKNOWN_KEY:
                solver.any_watches.setdefault(state, []).append((rest, call))
                for stored in tuple(solver.cells_of.get(state, ())):
                    solver.watch_node(solver.cells[(state, stored)], rest, call)
            for each in (key,) if self.named else dict.fromkeys((key, UNKNOWN_KEY)):
                solver.watch_node(solver.cell(state, each), rest, call)
        elif state & KIND in (CLASS, INSTANCE_OF):
            for each in solver.lineage(state >> KIND_BITS):
                members = solver.class_members.get(each, {})
                for name in members if key == UNKNOWN_KEY else (key,):
                    for value in members.get(name, ()):
                        solver.watch_node(solver.reps[value], rest, call)


class Member:
    """What a name is in a class or its instances, as known after so many changes of classes."""

    def __init__(self, node: int, changes: int) -> None:
        self.node = node  # gathers the states of all that it may be
        self.changes = changes
        self.found = False
        self.values: list[int] = []  # what the class, or the nearest base that has something of this name, has
        self.data: list[int] = []  # class attributes that hold data
        self.getters: list[int] = []
        self.apis: list[int] = []


class Signature:
    """The parameters of a function, rows in the table of these, as calls ask for them."""

    def __init__(self) -> None:
        self.receiver = NONE
        self.by_position: dict[int, int] = {}
        self.by_name: dict[int, int] = {}
        self.vararg = NONE
        self.keywords = NONE
        self.end = 0  # the position after the last


class Deeds:
    """What the packs say of the values that a call of one API is given and returns, sorted out once."""

    def __init__(self) -> None:
        self.used: list[tuple[Port, Entry]] = []  # functions that are used as the entry says
        self.flows: list[tuple[int, Any]] = []  # which kind of flow, and the flow, in the packs' order
        self.is_injected = False  # calls something that it may not be told: see ``models.called_for``


class Unresolved:
    """A call of which nothing certain is known, and what it may be."""

    def __init__(
        self,
        row: int,
        name: int,
        language: str,
        nodes: Sequence[int] = (),
        registered: Sequence[int] = (),
        made: Sequence[int] = (),
    ) -> None:
        self.row = row
        self.name = name  # NONE: the call decorates
        self.language = language
        self.nodes = nodes  # APIs of built-in types with a method of this name
        self.registered = registered  # APIs that register functions by a method of this name
        self.made = made  # what a method of this name returns, whatever has it


class Solver:
    def __init__(self, program: Program, apis: dict[str, Apis]) -> None:
        self.program = program
        self.apis = apis
        self.strings = program.strings
        self.resolution = Resolution()
        self.rep, copies = make_copies(program, _representatives(program), apis)
        self.copies = copies
        self.resolution.not_copied = program.tables["functions"]["result"][copies.left_out].tolist()
        tables = program.tables
        self.op = program.numbers("values", "op")
        self.data = program.numbers("values", "data")
        self.file_of = program.files_of_values()
        self.languages = [file.language for file in program.files]
        self.builtins = {name: language_of(name).builtins for name in apis}  # roots of what needs no import
        self.traits = [language_of(file.language).traits for file in program.files]
        self.tests = [language_of(file.language).is_test_file(file.path) for file in program.files]
        self.resolution.representative = self.rep
        self.reps = program.shared(self.rep)
        self.resolution.reps = self.reps
        self.states = self.resolution.states = [NO_STATES] * program.num_values
        self.num_known = 0  # nodes that have a state
        self.full = self.resolution.limited
        self.stored_by_name: set[tuple[int, int]] = set()  # (object's state, key)
        self.loose: list[tuple[int, int, int]] = []  # (object's state, key, load): nothing is stored under it by name
        self.next: list[list[int]] = []  # of each node; of those that have none ``nowhere``, to which nothing is added
        self.nowhere: list[int] = []
        self.many: dict[int, set[int]] = {}  # the same of those that have many
        self.queue: list[int] = []  # states that arrived and were not told to anyone yet, ...
        self.queue_nodes: list[int] = []  # ... and where
        self.cells = self.resolution.cells
        self.cells_of = self.resolution.cells_of
        self.shared: dict[tuple[int, int], list[int]] = {}  # (PROTOTYPE state, key) -> data stored there
        # (PROTOTYPE state, key) -> results of loads from instances
        self.inherited: dict[tuple[int, int], list[int]] = {}
        self.any_loads: dict[int, list[int]] = {}  # state -> results of loads with an unknown key
        self.contents: dict[int, int] = {}  # state -> a node for anything in the object, where ``collect`` made one
        self.collecting: set[int] = set()  # those nodes
        self.static_edges()
        self.index_rows()
        self.classes()
        self.of_library: set[int] = set()  # values declared with a type of a library
        self.done_loads: set[int] = set()  # load << PAIR_BITS | state
        self.unread: deque[tuple[int, int]] = deque()  # (load, state) of loads that were made while states travelled
        self.loaded_from: set[tuple[int, int, int]] = set()  # (result, object, key) of those that no text shows
        self.missed: list[tuple[int, int]] = []
        self.carried: dict[tuple[int, int], tuple[list[int], list[int]]] = {}  # (API, key) -> values, results of loads
        self.watch: dict[int, list[tuple[int, Watcher]]] = {}  # node -> (call, watcher)
        self.telling = 0  # watchers that are being told, each by the one before
        self.deferred: list[tuple[Watcher, int, int]] = []  # watchers to be told by ``drain``: (watcher, call, state)
        self.resolution.num_sites = len(tables["calls"]["result"])
        self.seen_bindings: set[Row] = set()  # (call, function)
        self.seen_api: set[Row] = set()  # (call, node)
        # The rows of what the resolution lists, named when it is frozen; sites <= FIRST_GETTER_SITE are of loads.
        self.targets: list[Row] = []
        self.bindings: list[Row] = []
        self.signatures: dict[int, Signature] = {}  # by function
        self.deeds: dict[int, Deeds] = {}  # by the identity of an API's ``Roles``
        self.known_calls: set[int] = set()  # calls with a target, a function or an API
        self.bound_calls: set[int] = set()  # those that may run a function of the program
        self.used: dict[tuple[int, int], list[Entry]] = {}  # (function, call) -> how it is used with an API
        self.passed_on: set[tuple[int, int]] = set()  # pairs in ``Resolution.same``
        self.seen_callbacks: set[tuple[int, int, int]] = set()
        self.most_arguments: dict[int, int] = {}
        self.unresolved: list[Unresolved] | None = None  # None: not asked yet
        self.registering = self.registrations()
        self.decorated = self.decorated_functions()
        self.roots_of_file: dict[int, set[str]] = {}
        self.closures: dict[int, set[int]] = {}
        self.files_imported: dict[int, set[int]] | None = None
        self.by_file: dict[tuple[int, int], list[int]] = {}  # (file, name) -> what the file exports under it
        self.packages: dict[tuple[str, int, str, bool], list[int]] = {}  # see ``members.package_members``
        self.declaring: dict[tuple[str, int], list[int]] = {}  # (directory that is a module, name) -> declaring files
        self.packages_imported: dict[int, dict[str, str]] = {}  # file -> name in the package's clause -> module
        self.readers: dict[tuple[str, int], list[int]] = {}  # (directory, name) -> values that read it
        self.assigned: dict[tuple[str, int], list[int]] = {}  # (directory, name) -> what other packages assign
        self.done_assignments: set[tuple[str, int, int]] = set()  # (directory, name, value)
        # names whose readers have what other packages assign from the first of them
        self.assigned_to_first: set[tuple[str, int]] = set()
        self.imports_of: dict[int, list[int]] = {}
        self.pending_imports: list[int] = []
        self.star = program.intern("*")
        self.declared: dict[tuple[int, int], tuple[int, bool]] = {}  # (file, name) -> see ``names.declares``
        self.libraries: dict[tuple[str, str], Sequence[int]] = {}  # (language, module) -> API nodes
        self.hubs: dict[int, int] = {}  # list of all that is assigned to a name, by identity -> a value that has it all
        self.crossed: dict[int, int] = {}  # the same -> edges from it so far
        self.stars: dict[tuple[str, str], list[Any]] = {}  # (language, module) -> see ``members.looked_through``

    def static_edges(self) -> None:
        """SAME flow between representatives, except into a view by ``super``, which is another type."""
        program, rep = self.program, self.rep
        flows = program.tables["flows"]
        origin, target, kind = flows["origin"], flows["target"], flows["kind"]
        op = program.tables["values"]["op"]
        chosen = (kind == 0) & (op[target] != Op.SUPER)
        captures = program.tables["captures"]
        slices = program.tables["slices"]
        origins = np.concatenate([rep[origin[chosen]], rep[captures["outer"]], rep[slices["object"]]])
        targets = np.concatenate([rep[target[chosen]], rep[captures["inner"]], rep[slices["result"]]])
        different = origins != targets
        pairs = distinct(origins[different].astype(np.int64) << PAIR_BITS | targets[different])
        ends = program.shared(pairs & PAIR_LOW)
        keys, starts = _runs(pairs >> PAIR_BITS)
        nodes = program.shared(keys)
        bounds: list[int] = starts.tolist()
        self.next = [self.nowhere] * program.num_values
        for at, node in enumerate(nodes):
            self.next[node] = ends[bounds[at] : bounds[at + 1]]

    def index_rows(self) -> None:
        tables, numbers = self.program.tables, self.program.numbers
        loads, stores, calls = tables["loads"], tables["stores"], tables["calls"]
        self.load_result = list(numbers("loads", "result"))  # and of loads that no text shows (``members.read_from``)
        self.load_object = list(numbers("loads", "object"))
        self.load_key = list(numbers("loads", "key"))
        objects = self.rep[loads["object"]]
        self.loads_of = _grouped(self.program, objects)
        self.store_key = numbers("stores", "key")
        self.store_value = numbers("stores", "value")
        holders = np.where(stores["value"] >= 0, self.rep[stores["object"]], NONE)
        self.stores_of = _grouped(self.program, holders)
        self.call_result = numbers("calls", "result")
        self.call_callee = numbers("calls", "callee")
        self.call_receiver = numbers("calls", "receiver")
        self.call_name = numbers("calls", "name")
        self.call_flags = numbers("calls", "flags")
        callees = self.rep[calls["callee"]]
        self.calls_of = _grouped(self.program, callees)
        self.args = Arguments(self.program)
        self.arg_value, self.arg_post = self.args.value, self.args.post
        self.arg_position, self.arg_keyword, self.arg_flags = self.args.position, self.args.keyword, self.args.flags
        types = tables["types"]
        declared = self.rep[types["type"]]
        self.typed_by = _grouped(self.program, declared)
        self.typed_value = numbers("types", "value")
        owners = self.rep[tables["members"]["owner"]]
        self.members_of = _grouped(self.program, owners)
        self.member_name = numbers("members", "name")
        self.member_value = numbers("members", "value")
        self.owner_value = numbers("owners", "value")
        self.base_owner = numbers("bases", "owner")
        bases = self.rep[tables["bases"]["base"]]
        self.bases_by = _grouped(self.program, bases)
        self.fn_flags = numbers("functions", "flags")
        self.fn_result = numbers("functions", "result")
        self.fn_raised = numbers("functions", "raised")
        self.fn_value = numbers("functions", "value")
        self.fn_owner = numbers("functions", "owner")
        self.fn_parent = numbers("functions", "parent")
        self.fn_name = numbers("functions", "name")
        parameters = tables["parameters"]
        self.params_of = _grouped(self.program, parameters["function"])
        self.param_function = numbers("parameters", "function")
        self.param_value = numbers("parameters", "value")
        self.param_name = numbers("parameters", "name")
        self.param_position = numbers("parameters", "position")
        self.param_kind = numbers("parameters", "kind")
        self.param_out = numbers("parameters", "out")
        self.param_true = numbers("parameters", "true")
        handlers = tables["handlers"]
        self.handlers_of = _grouped(self.program, handlers["call"])
        concerned = np.zeros(self.program.num_values, np.uint8)
        for what, nodes in (
            (MEMBERS, owners),
            (BASES, bases),
            (LOADS, objects),
            (CALLS, callees),
            (STORES, holders),
            (TYPES, declared),
        ):
            concerned[nodes[nodes >= 0]] |= what
        self.concerned = bytearray(concerned.tobytes())  # of each node: what happens to its states beside travelling on
        self.handler_value = numbers("handlers", "value")
        self.import_module = numbers("imports", "module")
        self.import_name = numbers("imports", "name")
        self.import_level = numbers("imports", "level")

    def classes(self) -> None:
        self.any_watches: dict[int, list[tuple[Watcher, int]]] = {}  # object -> what is watched in all its cells
        self.class_members = self.resolution.class_members
        self.class_bases = self.resolution.class_bases
        self.class_apis: dict[int, list[int]] = {}  # class -> API nodes of its bases
        self.outside_bases: set[int] = set()  # classes with a base of which no pack says anything
        self.lineages: dict[int, list[int]] = {}  # as known at present
        self.interface_mark = self.program.string_ids.get(INTERFACE, NO_STRING)
        self.has_interfaces = INTERFACE in self.program.string_ids
        self.implementing: dict[tuple[int, int], list[int]] = {}  # (interface, method) -> functions
        self.method_sets: dict[int, dict[int, list[int]]] = {}  # method -> type -> functions
        self.related: dict[int, set[int]] = {}  # all classes at once, when first asked for
        self.undecided: set[int] = set()
        self.members: dict[tuple[int, int], Member] = {}  # (state, key)
        self.changes = 0  # of what classes have and inherit
        self.changed: dict[int, int] = {}  # class -> which of them was its last
        self.outside: set[int] = set()  # names that were assigned to classes from outside
        self.class_heap: set[tuple[int, int]] = set()
        self.filled: set[tuple[int, int, int, int]] = set()
        self.retried = -1
        # the receivers of methods -> the class whose method it is, where a method is called on nothing else
        self.receivers: dict[int, int] = {}
        self.refused: set[tuple[int, int]] = set()  # (receiver, state): not of that class, as known at present
        kinds = np.array(self.param_kind, np.int32)
        for row in np.flatnonzero(kinds == ParameterKind.RECEIVER).tolist():
            function, value = self.param_function[row], self.param_value[row]
            if self.fn_owner[function] != NONE and self.traits_of(value).receiver_is_instance:
                self.receivers[self.reps[value]] = self.fn_owner[function]
        self.class_views: dict[int, list[int]] = {}  # class -> super values
        for value in np.flatnonzero(self.program.tables["values"]["op"] == Op.SUPER).tolist():
            self.class_views.setdefault(self.data[value], []).append(value)

    def language_of(self, value: int) -> str:
        return self.languages[self.file_of[value]]

    def traits_of(self, value: int) -> Traits:
        """The facts about the language of the file that ``value`` is in."""
        return self.traits[self.file_of[value]]

    def add(self, node: int, state: int) -> None:
        states = self.states[node]
        if not states:
            self.num_known += 1
            self.states[node] = (state,)
            self.queue_nodes.append(node)
            self.queue.append(state)
        elif state in states:
            return
        elif node in self.receivers and self.is_foreign(node, state):
            self.refused.add((node, state))
        elif len(states) >= MAX_STATES and node not in self.collecting:
            self.full.add(node)
        elif len(states) > MAX_STATES:  # what reads from a collecting node is full itself
            return
        else:
            self.states[node] = (*states, state)
            self.queue_nodes.append(node)
            self.queue.append(state)

    def is_foreign(self, node: int, state: int) -> bool:
        """Whether no receiver of a method of a class is ``state``: an instance of no class that extends it."""
        return state & KIND == INSTANCE_OF and self.receivers[node] not in self.lineage(state >> KIND_BITS)

    def edge(self, origin: int, target: int) -> None:
        """States of node ``origin`` also reach node ``target``."""
        if origin == target:
            return
        following = self.next[origin]
        if not following:
            self.next[origin] = [target]
        elif len(following) < FEW_EDGES:
            if target in following:
                return
            following.append(target)
        else:
            known = self.many.get(origin)
            if known is None:
                known = self.many[origin] = set(following)
            if target in known:
                return
            known.add(target)
            following.append(target)
        for state in self.states[origin]:
            self.add(target, state)

    def heap(self, origin: int, target: int) -> None:
        """Data and states of ``origin`` reach ``target``, whatever the calling context."""
        self.resolution.heap.append((origin, target))
        self.edge(self.reps[origin], self.reps[target])

    def share(self, origins: Sequence[int], target: int) -> None:
        """``heap`` from each of ``origins``, which all values that read one name have in common, to ``target``.

        ``origins``: a list that is neither copied nor changed. Where a name has many origins and many readers, the
        further readers get all from one that has all: what arrives where is the same, in as many edges as there are
        readers. Only paths that are shown have a step more.
        """
        name = id(origins)
        hub = self.hubs.get(name, NONE)
        if hub != NONE:
            self.heap(hub, target)
            return
        for each in origins:
            if each != target:
                self.heap(each, target)
        if len(origins) < FEW_EDGES:
            return
        crossed = self.crossed[name] = self.crossed.get(name, 0) + len(origins)
        if crossed > MAX_CROSSED and target not in origins:
            self.hubs[name] = target

    def arise(self, value: int, node: int) -> None:
        """``value`` is the API ``node``."""
        self.resolution.api_values.append((value, node))
        self.add(self.reps[value], node << KIND_BITS | API)

    def new_node(self) -> int:
        self.states.append(NO_STATES)
        self.next.append(self.nowhere)
        self.concerned.append(0)
        return len(self.states) - 1

    def cell(self, state: int, key: int) -> int:
        node = self.cells.get((state, key))
        if node is None:
            node = self.cells[(state, key)] = self.new_node()
            self.cells_of.setdefault(state, []).append(key)
            everything = self.contents.get(state, NONE)
            if everything != NONE:
                self.edge(node, everything)
            else:
                for result in self.any_loads.get(state, ()):
                    self.edge(node, result)
            for entry, call in tuple(self.any_watches.get(state, ())):
                self.watch_node(node, entry, call)
        return node

    def collect(self, state: int) -> int:
        """A new node that is anything that lies in an object, now and later.

        Where an object has many cells and many loads with an unknown key, further loads read from this node instead of
        each cell: cells + loads edges, not cells x loads. It has one state more than others, so that a load overflows
        where it would overflow without this node.
        """
        node = self.contents[state] = self.new_node()
        self.collecting.add(node)
        for key in self.cells_of.get(state, ()):
            self.edge(self.cells[(state, key)], node)
        return node

    def watch_value(self, value: int, watcher: Watcher, call: int = NONE) -> None:
        """Tell ``watcher`` of all that ``value`` is and becomes."""
        node = self.reps[value]
        self.concerned[node] |= WATCHERS
        self.watch.setdefault(node, []).append((call, watcher))
        self.tell(watcher, call, self.states[node])

    def watch_node(self, node: int, watcher: Watcher, call: int) -> None:
        """Tell ``watcher`` of all states of ``node``, if it does not watch it already."""
        watchers = self.watch.setdefault(node, [])
        if (call, watcher) in watchers:
            return
        self.concerned[node] |= WATCHERS
        watchers.append((call, watcher))
        self.tell(watcher, call, self.states[node])

    def tell(self, watcher: Watcher, call: int, states: Sequence[int]) -> None:
        """Tell ``watcher`` of states that a node has already: now, or in ``drain`` where another watcher told it,
        that one by a third, and so on. A chain of prototypes would recurse as deep as it is long.
        """
        for state in states:
            if self.telling == MAX_NESTED_WATCHERS:
                self.deferred.append((watcher, call, state))
            else:
                self.telling += 1
                watcher.told(self, call, state)
                self.telling -= 1

    def change(self, owner: int) -> None:
        """A class learns something of its members or bases."""
        self.changes += 1
        self.changed[owner] = self.changes

    def lineage(self, owner: int) -> list[int]:
        """The class and its bases, nearest first."""
        order = self.lineages.get(owner)
        if order is None:
            order = self.lineages[owner] = [owner]
            for each in order:
                for base in self.class_bases.get(each, ()):
                    if base not in order and len(order) < 50:
                        order.append(base)
        return order

    def states_of(self, value: int) -> Sequence[int]:
        return self.states[self.reps[value]]

    def constructors(self, owner: int) -> list[int]:
        """The functions that are the constructor of a class, or of the nearest base that has one."""
        for name in self.traits_of(self.owner_value[owner]).constructors:
            key = self.program.string_ids.get(name, NONE)
            for each in self.lineage(owner):
                values = self.class_members.get(each, {}).get(key, ())
                functions = [
                    state >> KIND_BITS
                    for value in values
                    for state in self.states_of(value)
                    if state & KIND == FUNCTION
                ]
                if functions:
                    return functions
        return []

    def constructed(self, owner: int) -> list[int]:
        """What the constructors of a class, or of the nearest base that has some, leave in the new object."""
        return [out for out in map(self.receiver_out, self.constructors(owner)) if out != NONE]

    def declared_beside(self, result: int) -> list[int]:
        """The types of the parameters whose default, or one of whose types, a call's result is.

        Linear in the flows and types of the program: for the few calls that ask a framework to look there.
        """
        flows, types = self.program.tables["flows"], self.program.tables["types"]
        beside = flows["target"][flows["origin"] == result].tolist() + types["value"][types["type"] == result].tolist()
        parameters = {value for value in beside if self.op[value] == Op.PARAMETER}
        rows = [row for row, value in enumerate(self.typed_value) if value in parameters] if parameters else []
        return [each for each in types["type"][rows].tolist() if each != result]

    def signature(self, function: int) -> Signature:
        """The parameters of a function, worked out once."""
        known = self.signatures.get(function)
        if known is not None:
            return known
        known = self.signatures[function] = Signature()
        for parameter in self.params_of.get(function, ()):
            kind, name = self.param_kind[parameter], self.param_name[parameter]
            if kind == RECEIVER_KIND and known.receiver == NONE:
                known.receiver = parameter
            elif kind == VARARG_KIND:
                known.vararg = parameter
            elif kind == KEYWORDS_KIND:
                known.keywords = parameter
            else:
                if kind == NORMAL_KIND:
                    position = self.param_position[parameter]
                    known.by_position[position] = parameter
                    known.end = max(known.end, position + 1)
                if name != NONE:
                    known.by_name[name] = parameter
        return known

    def receiver(self, function: int) -> int:
        parameter = self.signature(function).receiver
        return NONE if parameter == NONE else self.param_value[parameter]

    def receiver_out(self, function: int) -> int:
        """The state of the receiver at exit."""
        parameter = self.signature(function).receiver
        return NONE if parameter == NONE else self.param_out[parameter]

    def is_bound_late(self, function: int) -> bool:
        """Whether a function that lies in a class gets its receiver as its first argument: it is no method by its own
        declaration, such as a decorator's inner function or a lambda, and is bound when it is read.
        """
        return self.fn_owner[function] == NONE and self.traits_of(self.fn_result[function]).functions_bind_late

    def number(self, index: int) -> int:
        return self.program.intern(str(index))

    def registrations(self) -> set[int]:
        """Calls that decorate, or whose result does, or that are passed a function: a framework may be at work."""
        tables = self.program.tables
        calls, arguments = tables["calls"], tables["arguments"]
        decorators = calls["callee"][calls["flags"] & CallFlag.DECORATOR != 0]
        functions = tables["values"]["op"][self.rep[arguments["value"]]] == Op.FUNCTION
        decorating = np.zeros(self.program.num_values, bool)
        decorating[decorators] = True
        found = decorating[calls["result"]]
        found[arguments["call"][functions]] = True
        return set(np.flatnonzero(found).tolist())

    def decorated_functions(self) -> set[int]:
        """Functions that a decorator is given as they are, before any instance exists."""
        tables = self.program.tables
        calls, arguments, values = tables["calls"], tables["arguments"], tables["values"]
        decorates = (calls["flags"] & CallFlag.DECORATOR != 0)[arguments["call"]]
        given = self.rep[arguments["value"][decorates]]
        return set(values["data"][given[values["op"][given] == Op.FUNCTION]].tolist())


def chosen_parameters(solver: Solver, function: int, which: int | str, first: int = 0) -> list[int]:
    """Rows of the parameters that ``which`` names: a position, a name, or "*"; the receiver is not counted, and
    positions count from ``first``.
    """
    rows = [p for p in solver.params_of.get(function, ()) if solver.param_kind[p] != RECEIVER_KIND]
    rows = [p for p in rows if solver.param_kind[p] != NORMAL_KIND or solver.param_position[p] >= first]
    if which == "*":
        return rows
    if isinstance(which, int):
        return [p for p in rows if solver.param_position[p] == which + first]
    name = solver.program.string_ids.get(which, NONE)
    return [p for p in rows if solver.param_name[p] == name and name != NONE]


def _grouped(program: Program, keys: npt.NDArray[np.int32]) -> dict[int, list[int]]:
    """Row numbers by key, in order; negative keys are left out."""
    order = np.argsort(keys, kind="stable")
    different, starts = _runs(keys[order])
    rows = program.shared(order)
    bounds: list[int] = starts.tolist()
    found: dict[int, list[int]] = {}
    for at, key in enumerate(program.shared(different)):
        if key >= 0:
            found[key] = rows[bounds[at] : bounds[at + 1]]
    return found


def _runs(ordered: Numbers) -> tuple[Numbers, npt.NDArray[np.intp]]:
    """The different ones of ascending keys, and where each begins, with the end of all behind."""
    starts = first_of_equals(ordered)
    return ordered[starts], np.append(starts, len(ordered))


def _representatives(program: Program) -> npt.NDArray[np.int32]:
    """For each value, the value that it always is another state or version of.

    A state after a store or a call stands for the object's state before; a version under a condition for the version;
    a phi whose inputs have one representative for that one. Pointer jumping, O(n log n).
    """
    tables = program.tables
    n = program.num_values
    op = tables["values"]["op"]
    parent = np.arange(n)
    stores, pis, arguments = tables["stores"], tables["pis"], tables["arguments"]
    parent[stores["result"]] = stores["object"]
    parent[pis["value"]] = pis["input"]
    posts = arguments["post"] >= 0
    parent[arguments["post"][posts]] = arguments["value"][posts]
    _jump(parent, np.flatnonzero(parent != np.arange(n)))
    flows = tables["flows"]
    joins = (op == Op.PHI) | (op == Op.CARRY) | (op == Op.OUT) | (op == Op.RESULT)
    chosen = np.flatnonzero((flows["kind"] == 0) & joins[flows["target"]])
    origin, target = parent[flows["origin"][chosen]], flows["target"][chosen].astype(np.intp)
    function = tables["values"]["function"]
    one = np.empty(n, np.intp)  # of the inputs of a join
    differ = np.empty(n, bool)
    for _ in range(MAX_JOINS):
        other = origin != target
        origin, target = origin[other], target[other]
        one[target] = origin
        differ[target] = False
        differ[target[one[target] != origin]] = True
        single = target[~differ[target]]
        single = single[function[one[single]] == function[single]]
        if not len(single):
            break
        parent[single] = one[single]
        _jump(parent, single)
        left = parent[target] == target
        origin, target = parent[origin[left]], target[left]
    _jump(parent, np.flatnonzero(parent != np.arange(n)))
    return parent.astype(np.int32)


def _jump(parent: npt.NDArray[np.intp], rows: npt.NDArray[np.intp]) -> None:
    """Let ``parent`` of ``rows`` be the end of the chain that begins there; all others are ends, or point to one."""
    for _ in range(len(rows).bit_length() + 1):
        near = parent[rows]
        far = parent[near]
        moved = far != near
        rows = rows[moved]
        if not len(rows):
            break
        parent[rows] = far[moved]
