"""Resolution: which functions, classes, instances and APIs reach which value, in one monotone loop.

Functions, classes, modules and APIs are *states* that travel along SAME edges from where they are made to where they
are called or read. A
resolved call adds edges from arguments to parameters, a model that calls its argument adds such edges too; these
bring more states;
nothing is ever removed, so it ends. Values that always hold the same thing (an object's states after stores and
calls, versions under a
condition) share one representative, which keeps the loop small.

A value has at most ``MAX_STATES`` states; what is left out is counted in ``Resolution.limited``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.unit import (
    INTERFACE,
    KEYS,
    NONE,
    RAISED,
    RECEIVER,
    UNKNOWN_KEY,
    ArgumentFlag,
    CallFlag,
    FunctionFlag,
    Op,
    ParameterKind,
)
from pyrograph.rules.entries import KEYS_PART, RAISED_PART, CallFlow, Drop, Flow, ParameterType, Port, Sink, Source
from pyrograph.scanner.apis import CALL, EXTERNAL, INSTANCE, Apis, parameters_of
from pyrograph.scanner.link import Program

HIDDEN_PARTS = {KEYS_PART: KEYS, RAISED_PART: RAISED}  # of a port's path: the keys that stand for them
MAX_STATES = 8  # states of one value
MAX_CANDIDATES = 3  # methods that a call may mean when only its name is known
MAX_IMPLEMENTATIONS = 8  # methods that a call of an interface's method may mean
MAX_DECORATORS = 16  # of one function that are looked through
MAX_JOINS = 12  # merges of merges that are still one thing
MAX_CARRIED = 64  # stores, and loads, of one name in the objects of one API that are told of each other
MAX_ROUNDS = 6  # fallback rounds; each adds at least one call edge

FUNCTION, CLASS, INSTANCE_OF, API, MODULE, OBJECT, PROTOTYPE, MADE_BY = range(8)  # kinds of states, in the low 3 bits


class Binding(NamedTuple):
    """An argument that arrives at a parameter. ``key`` >= 0: as that element of it (*args); ``element`` >= -1: an
    element of the argument.
    """

    site: int
    argument: int  # value
    parameter: int  # value
    key: int  # NONE, or the key under which the parameter holds the argument (string, or UNKNOWN_KEY - 1 for any)
    element: int  # NONE - 1 for the argument itself, else the key that is loaded from it (UNKNOWN_KEY: any)


WHOLE = NONE - 1  # Binding.element: the argument itself
NO_KEY = NONE - 1  # Binding.key: the parameter is the argument itself


class Return(NamedTuple):
    """What comes back from a call: a state at exit of the callee arrives at a value of the caller."""

    site: int
    origin: int
    target: int


class Target(NamedTuple):
    site: int
    function: int


class ApiCall(NamedTuple):
    call: int
    node: int


class _Part(NamedTuple):
    """Watch what lies in an object under these keys."""

    keys: tuple[int, ...]
    entry: object
    named: bool = False  # only what was stored under these keys as they are written


class _Chain(NamedTuple):
    """Look up a load in the prototypes of its object, too."""

    row: int


class Use(NamedTuple):
    """A function that is used with an API: decorated, registered, overriding."""

    entry: Source | Sink | ParameterType
    function: int
    call: int  # the call of the API, or NONE


@dataclass(slots=True)
class _Member:
    """What a name is in a class or its instances, as known after so many changes of classes."""

    node: int  # gathers the states of all that it may be
    changes: int
    found: bool = False
    data: list[int] = field(default_factory=list)  # class attributes that hold data
    getters: list[int] = field(default_factory=list)
    apis: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Resolution:
    """The call graph, frozen, and which value is which API."""

    targets: list[Target] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    api_calls: list[ApiCall] = field(default_factory=list)
    guessed_calls: set[ApiCall] = field(default_factory=set)  # by a built-in type's method name alone
    api_values: list[tuple[int, int]] = field(default_factory=list)  # (value, node) where an API arises
    heap: list[tuple[int, int]] = field(
        default_factory=list
    )  # data that goes (origin, target) whatever the calling context
    same: list[tuple[int, int]] = field(default_factory=list)  # data that goes (origin, target) inside one function
    exact: set[int] = field(default_factory=set)  # calls all of whose targets are known
    external: set[int] = field(default_factory=set)  # calls of library functions no pack describes
    uses: list[Use] = field(default_factory=list)
    decorated: list[tuple[Source | Sink | ParameterType, int, int]] = field(
        default_factory=list
    )  # (entry, parameter, call)
    fields: list[tuple[int, int, int, int]] = field(
        default_factory=list
    )  # (call, argument, result, key): construction without a constructor fills fields
    originals: dict[int, int] = field(default_factory=dict)  # decorating call -> the function under all decorators
    element_returns: list[tuple[int, int, int, int]] = field(default_factory=list)  # (site, origin, target, key)
    loads: list[tuple[int, int, int]] = field(default_factory=list)  # further loads (result, object, key)
    num_sites: int = 0
    limited: int = 0  # values with more states than MAX_STATES
    undecided: int = 0  # calls of methods with more implementations than MAX_IMPLEMENTATIONS; they go to none
    states: dict[int, list[int]] = field(default_factory=dict)  # by representative
    representative: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    reps: list[int] = field(default_factory=list)  # the same, for looking up one by one
    cells: dict[tuple[int, int], int] = field(
        default_factory=dict
    )  # (state, key) -> where what is stored there gathers
    cells_of: dict[int, list[int]] = field(default_factory=dict)  # state -> its keys
    class_members: dict[int, dict[int, list[int]]] = field(default_factory=dict)  # class -> name -> values
    class_bases: dict[int, list[int]] = field(default_factory=dict)  # class -> classes

    def limits(self) -> list[tuple[str, int]]:
        """What was cut, and how often."""
        found = [
            (
                f"a value may be more than {MAX_STATES} functions, classes or APIs; only these were followed",
                self.limited,
            ),
            (f"a method has more than {MAX_IMPLEMENTATIONS} implementations; the call goes to none", self.undecided),
        ]
        return [(what, count) for what, count in found if count]

    def states_of(self, value: int) -> Sequence[int]:
        return self.states.get(self.reps[value], ())

    def is_part(self, program: Program, store: int) -> bool:
        """Whether a store puts back what was loaded from the same place: a part of it has changed, nothing else."""
        stores, loads, values = (program.tables[name] for name in ("stores", "loads", "values"))
        value = int(stores["value"][store])
        part = self.reps[value]
        if value < 0 or int(values["op"][part]) != Op.LOAD:
            return False
        load = int(values["data"][part])
        return bool(
            loads["key"][load] == stores["key"][store]
            and self.reps[loads["object"][load]] == self.reps[stores["object"][store]]
        )

    def api_nodes(self, value: int) -> list[int]:
        """The API nodes that ``value`` may be."""
        return [state >> 3 for state in self.states_of(value) if state & 7 == API]


def resolve(program: Program, apis: dict[str, Apis]) -> Resolution:
    """Build the call graph. ``apis`` by language."""
    return _Resolver(program, apis).run()


class _Resolver:
    def __init__(self, program: Program, apis: dict[str, Apis]) -> None:
        self.program = program
        self.apis = apis
        self.strings = program.strings
        self.r = Resolution()
        tables = program.tables
        self.op = tables["values"]["op"].tolist()
        self.data = tables["values"]["data"].tolist()
        self.function_of = tables["values"]["function"].tolist()
        self.file_of: list[int] = program.file_of_value.tolist()
        self.languages = [file.language for file in program.files]
        self.tests = [file.language == "go" and file.path.endswith("_test.go") for file in program.files]
        self.rep = _representatives(program)
        self.r.representative = self.rep
        self.reps = self.r.reps = self.rep.tolist()
        self.states = self.r.states
        self.full: set[int] = set()
        self.stored_by_name: set[tuple[int, int]] = set()  # (object's state, key)
        self.loose: list[tuple[int, int, int]] = []  # (object's state, key, load): nothing is stored under it by name
        self.next: dict[int, list[int]] = {}
        self.edges: set[int] = set()  # those added since, origin << 32 | target
        self.queue: deque[tuple[int, int]] = deque()
        self.cells = self.r.cells
        self.num_nodes = program.num_values
        self.cells_of = self.r.cells_of
        self.shared: dict[tuple[int, int], list[int]] = {}  # (PROTOTYPE state, key) -> data stored there
        self.inherited: dict[
            tuple[int, int], list[int]
        ] = {}  # (PROTOTYPE state, key) -> results of loads from instances
        self.any_loads: dict[int, list[int]] = {}  # state -> results of loads with an unknown key
        self.static_edges()
        self.index_rows()
        self.classes()
        self.done_calls: set[tuple[int, int]] = set()
        self.of_library: set[int] = set()  # values declared with a type of a library
        self.done_loads: set[tuple[int, int]] = set()
        self.missed: list[tuple[int, int]] = []
        self.carried: dict[tuple[int, int], tuple[list[int], list[int]]] = {}  # (API, key) -> values, results of loads
        self.watch: dict[int, list[tuple[int, object]]] = {}
        self.exports: dict[tuple[str, int], list[int]] = {}
        self.r.num_sites = len(tables["calls"]["result"])
        self.seen_bindings: set[tuple[int, int]] = set()
        self.seen_api: set[ApiCall] = set()
        self.seen_callbacks: set[tuple[int, int, int]] = set()
        self.most_arguments: dict[int, int] = {}
        self.open_calls: Sequence[int] = range(self.r.num_sites)  # calls of which nothing certain is known
        self.registering = self.registrations()
        self.roots_of_file: dict[int, set[str]] = {}
        self.closures = {}

    # -- tables
    # ------------------------------------------------------------------------------------------------------------------

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
        pairs = np.unique(origins[different].astype(np.int64) << 32 | targets[different])
        ends = (pairs & 0xFFFFFFFF).tolist()
        self.next = {u: [ends[row] for row in rows] for u, rows in _grouped(pairs >> 32).items()}

    def index_rows(self) -> None:
        tables = self.program.tables
        loads, stores, calls, arguments = tables["loads"], tables["stores"], tables["calls"], tables["arguments"]
        self.load_result = loads["result"].tolist()
        self.load_object = loads["object"].tolist()
        self.load_key = loads["key"].tolist()
        self.loads_of = _grouped(self.rep[loads["object"]])
        self.store_key = stores["key"].tolist()
        self.store_value = stores["value"].tolist()
        interesting = stores["value"] >= 0
        self.stores_of = _grouped(np.where(interesting, self.rep[stores["object"]], -1))
        self.call_result = calls["result"].tolist()
        self.call_callee = calls["callee"].tolist()
        self.call_receiver = calls["receiver"].tolist()
        self.call_name = calls["name"].tolist()
        self.call_flags = calls["flags"].tolist()
        self.calls_of = _grouped(self.rep[calls["callee"]])
        self.arg_value = arguments["value"].tolist()
        self.arg_position = arguments["position"].tolist()
        self.arg_keyword = arguments["keyword"].tolist()
        self.arg_flags = arguments["flags"].tolist()
        self.arg_post = arguments["post"].tolist()
        self.args_of = _grouped(arguments["call"])
        types = tables["types"]
        self.typed_by = _grouped(self.rep[types["type"]])
        self.typed_value = types["value"].tolist()
        self.members_of = _grouped(self.rep[tables["members"]["owner"]])
        self.member_name = tables["members"]["name"].tolist()
        self.member_value = tables["members"]["value"].tolist()
        self.base_owner = tables["bases"]["owner"].tolist()
        self.bases_by = _grouped(self.rep[tables["bases"]["base"]])
        functions = tables["functions"]
        self.fn_flags = functions["flags"].tolist()
        self.fn_result = functions["result"].tolist()
        self.fn_raised = functions["raised"].tolist()
        self.fn_value = functions["value"].tolist()
        self.fn_owner = functions["owner"].tolist()
        self.fn_parent = functions["parent"].tolist()
        self.fn_name = functions["name"].tolist()
        parameters = tables["parameters"]
        self.params_of = _grouped(parameters["function"])
        self.param_value = parameters["value"].tolist()
        self.param_name = parameters["name"].tolist()
        self.param_position = parameters["position"].tolist()
        self.param_kind = parameters["kind"].tolist()
        self.param_out = parameters["out"].tolist()
        self.param_true = parameters["true"].tolist()
        handlers = tables["handlers"]
        self.handlers_of = _grouped(handlers["call"])
        self.concerned = {  # values to whose states something happens beside travelling on
            *self.loads_of,
            *self.calls_of,
            *self.stores_of,
            *self.typed_by,
            *self.members_of,
            *self.bases_by,
        }
        self.handler_value = handlers["value"].tolist()

    def classes(self) -> None:
        self.any_watches: dict[int, list[tuple[object, int]]] = {}  # object -> what is watched in all its cells
        self.class_members = self.r.class_members
        self.class_bases = self.r.class_bases
        self.class_apis: dict[int, list[int]] = {}  # class -> API nodes of its bases
        self.lineages: dict[int, list[int]] = {}  # as known at present
        self.interface_mark = self.program.string_ids.get(INTERFACE, NONE - 1)
        self.implementing: dict[tuple[int, int], list[int]] = {}  # (interface, method) -> functions
        self.method_sets: dict[int, dict[int, list[int]]] = {}  # method -> type -> functions
        self.related: dict[int, set[int]] = {}
        self.undecided: set[int] = set()
        self.members: dict[tuple[int, int], _Member] = {}  # (state, key)
        self.changes = 0  # of what classes have and inherit
        self.outside: set[int] = set()  # names that were assigned to classes from outside
        self.class_heap: set[tuple[int, int]] = set()
        self.filled: set[tuple[int, int, int, int]] = set()
        self.retried = -1
        self.class_views: dict[int, list[int]] = {}  # class -> super values
        for value in np.flatnonzero(self.program.tables["values"]["op"] == Op.SUPER).tolist():
            self.class_views.setdefault(self.data[value], []).append(value)

    def language_of(self, value: int) -> str:
        return self.languages[self.file_of[value]]

    # -- the loop
    # ----------------------------------------------------------------------------------------------------------------

    def run(self) -> Resolution:
        self.seed()
        self.drain()
        self.watch_exports()
        for round_ in range(MAX_ROUNDS):
            before = len(self.seen_bindings), len(self.seen_api), len(self.states)
            self.loosen()
            self.drain()
            self.retry_missed()
            self.subscripts()
            self.drain()
            self.fall_back(round_)
            self.drain()
            if before == (len(self.seen_bindings), len(self.seen_api), len(self.states)):
                break
        if self.conventions():
            self.drain()
            self.retry_missed()
            self.drain()
            self.fall_back(MAX_ROUNDS)
            self.drain()
        self.freeze()
        return self.r

    def add(self, node: int, state: int) -> None:
        states = self.states.get(node)
        if states is None:
            self.states[node] = [state]
        elif state in states:
            return
        elif len(states) >= MAX_STATES:
            if node not in self.full:
                self.full.add(node)
                self.r.limited += 1
            return
        else:
            states.append(state)
        self.queue.append((node, state))

    def edge(self, origin: int, target: int) -> None:
        """States of node ``origin`` also reach node ``target``."""
        if origin == target:
            return
        pair = origin << 32 | target
        if pair in self.edges:
            return
        self.edges.add(pair)
        following = self.next.get(origin)
        if following is None:
            self.next[origin] = [target]
        else:
            following.append(target)
        for state in self.states.get(origin, ()):
            self.add(target, state)

    def drain(self) -> None:
        queue, following, states, watch = self.queue, self.next, self.states, self.watch
        loads_of, calls_of = self.loads_of, self.calls_of
        stores_of, typed_by, members_of, bases_by = self.stores_of, self.typed_by, self.members_of, self.bases_by
        concerned = self.concerned
        while queue:
            node, state = queue.popleft()
            for target in following.get(node, ()):
                known = states.get(target)
                if known is None:
                    states[target] = [state]
                    queue.append((target, state))
                elif state not in known:
                    self.add(target, state)
            if node in watch:
                for call, entry in tuple(watch[node]):
                    self.watched(call, entry, state)
            if node not in concerned:
                continue
            rows = members_of.get(node)  # what a class has itself hides what it inherits: known before anyone asks
            if rows is not None:
                self.own(rows, state)
            rows = bases_by.get(node)
            if rows is not None:
                for row in rows:
                    self.inherit(self.base_owner[row], state)
            rows = loads_of.get(node)
            if rows is not None:
                for row in rows:
                    self.load(row, state)
            rows = calls_of.get(node)
            if rows is not None:
                for row in rows:
                    self.call(row, state)
            rows = stores_of.get(node)
            if rows is not None:
                self.store(rows, state)
            rows = typed_by.get(node)
            if rows is not None:
                for row in rows:
                    self.declared(self.typed_value[row], state)

    # -- seeds ---------------------------------------------------------------------------------------------------------
    # ----------

    def seed(self) -> None:
        tables = self.program.tables
        exports = tables["exports"]
        files = self.program.file_of_value[exports["value"]].tolist()
        by_file: dict[tuple[int, int], list[int]] = {}
        for name, value, file in zip(exports["name"].tolist(), exports["value"].tolist(), files, strict=True):
            values = by_file.setdefault((file, name), [])
            if value not in values:
                values.append(value)
        self.by_file = by_file
        self.packages: dict[tuple[str, int, str, bool], list[int]] = {}
        self.readers: dict[tuple[str, int], list[int]] = {}  # (directory, name) -> values that read it
        self.assigned: dict[tuple[str, int], list[int]] = {}  # (directory, name) -> what other packages assign
        self.imports_of: dict[int, list[int]] = {}
        self.star = self.program.intern("*")
        op = tables["values"]["op"]
        for value in np.flatnonzero(op == Op.FUNCTION).tolist():
            self.add(self.reps[value], self.data[value] << 3 | FUNCTION)
        for value in np.flatnonzero(op == Op.CLASS).tolist():
            self.add(self.reps[value], self.data[value] << 3 | CLASS)
        stores = tables["stores"]
        stored = np.unique(self.rep[stores["object"]]) if len(stores["object"]) else np.empty(0, np.int32)
        for node in stored.tolist():
            if self.op[node] == Op.NEW:
                self.add(node, node << 3 | OBJECT)
        self.cells_by_name: dict[tuple[int, int], int] = {}
        self.pending_imports: list[int] = np.flatnonzero(op == Op.IMPORT).tolist()
        for value in self.pending_imports:
            self.imports_of.setdefault(int(self.file_of[value]), []).append(value)
        for value in self.pending_imports:
            self.import_(value)
        for value in np.flatnonzero(op == Op.GLOBAL).tolist():
            self.global_(value)

    def import_(self, value: int) -> None:
        program = self.program
        imports = program.tables["imports"]
        row = self.data[value]
        file = self.file_of[value]
        module = self.strings[imports["module"][row]]
        name_id = int(imports["name"][row])
        level = int(imports["level"][row])
        node = self.reps[value]
        found = program.modules.resolve(file, module, level)
        if found is not None:
            if name_id == NONE or name_id == self.star:
                self.add(node, self.module_state(found, file))
                self.whole_module(value, found, file)
            else:
                self.module_member(value, found, name_id, file)
            return
        language = self.languages[file]
        apis = self.apis.get(language)
        for api in self.library(apis, language, module):
            if name_id == NONE or name_id == self.star:
                self.arise(value, api)
            elif language == "javascript" and self.strings[name_id] == "default":
                self.arise(value, api)
                self.arise_member(value, api, "default")
            else:
                self.arise_member(value, api, self.strings[name_id])

    def library(self, apis: Apis | None, language: str, module: str) -> Sequence[int]:
        """The API nodes of a library's module; EXTERNAL where no pack knows it."""
        if apis is None or not module:
            return (EXTERNAL,)
        if language == "python":
            nodes: Sequence[int] = ()
            for index, part in enumerate(module.split(".")):
                if index == 0:
                    root = apis.root(part)
                    nodes = () if root is None else apis.expand(root)
                else:
                    nodes = [n for node in nodes for n in apis.member(node, part)]
            return nodes or (EXTERNAL,)
        if language == "javascript":
            module = module.removeprefix("node:")
        else:
            parts = module.split("/")
            module = "/".join(p for i, p in enumerate(parts) if not (i and p[0:1] == "v" and p[1:].isdigit()))
        root = apis.root(module)
        if root is None and language == "go":
            root = apis.fork(module)
        return (EXTERNAL,) if root is None else apis.expand(root)

    def module_state(self, module: str, file: int) -> int:
        """MODULE states are numbered by the module's path and language."""
        return self.program.intern(f"{self.languages[file]}:{module}") << 3 | MODULE

    def whole_module(self, value: int, module: str, file: int) -> None:
        """``require`` of a module that assigns ``module.exports``: the exported object itself."""
        if self.languages[file] != "javascript":
            return
        name = self.program.string_ids.get("module.exports")
        if name is None:
            return
        for member in self.program.modules.members(module, "javascript"):
            for exported in self.by_file.get((member, name), ()):
                self.heap(exported, value)

    def module_member(self, value: int, module: str, name: int, file: int, depth: int = 0) -> bool:
        """``value`` is ``module.name``; star exports and CommonJS objects are looked through."""
        program = self.program
        language = self.languages[file]
        text = self.strings[name]
        found = False
        if language == "go":
            self.reads_name(value, module, name)
            for exported in self.package_members(module, name, program.modules.package_of(module), ""):
                self.heap(exported, value)
                found = True
        for member in program.modules.members(module, language):
            for exported in self.exported(member, name) if language != "go" else ():
                self.heap(exported, value)
                found = True
            if language == "javascript":
                cjs = program.string_ids.get("module.exports")
                for exported in self.by_file.get((member, cjs), ()) if cjs is not None else ():
                    if text == "default":
                        self.heap(exported, value)
                    else:
                        self.load_from(value, exported, name)
                    found = True
            if depth < 5:
                for star in self.by_file.get((member, self.star), ()):
                    row = self.data[star]
                    if self.op[star] == Op.IMPORT:
                        imports = program.tables["imports"]
                        inner = self.strings[imports["module"][row]]
                        target = program.modules.resolve(member, inner, int(imports["level"][row]))
                        if target is not None:
                            found |= self.module_member(value, target, name, member, depth + 1)
                        else:
                            for api in self.library(self.apis.get(language), language, inner):
                                if api != EXTERNAL:
                                    self.arise_member(value, api, text)
        if language == "python":
            submodule = program.modules.submodule(module, text)
            if submodule is not None:
                self.add(self.reps[value], self.module_state(submodule, file))
                found = True
        return found

    def exported(self, file: int, name: int) -> list[int]:
        return self.by_file.get((file, name), [])

    def read_from(self, result: int, obj: int, key: int) -> None:
        """What lies in ``obj`` under ``key`` is what ``result`` is, too; the data goes another way."""
        row = len(self.load_result)
        self.load_result.append(result)
        self.load_object.append(obj)
        self.load_key.append(key)
        self.loads_of.setdefault(self.reps[obj], []).append(row)
        for state in tuple(self.states.get(self.reps[obj], ())):
            self.load(row, state)

    def load_from(self, result: int, obj: int, key: int) -> None:
        """A load that the text does not show: of a name from a CommonJS module's object."""
        row = len(self.load_result)
        self.load_result.append(result)
        self.load_object.append(obj)
        self.load_key.append(key)
        self.loads_of.setdefault(self.reps[obj], []).append(row)
        self.concerned.add(self.reps[obj])
        self.r.loads.append((result, obj, key))
        for state in tuple(self.states.get(self.reps[obj], ())):
            self.load(row, state)

    def global_(self, value: int) -> None:
        """A name of the module, of the package, or of the language."""
        file = self.file_of[value]
        name = self.data[value]
        language = self.languages[file]
        if language == "go":
            exported = self.package_names(file, name)
            package = self.program.files[file]
            self.reads_name(value, package.path.rpartition("/")[0], name)
            declared = any(self.op[each] not in (Op.POST, Op.STORE) for each in exported)
            if not declared and (module := self.imported_by_clause(file, name)) is not None:
                self.add(self.reps[value], self.module_state(module, file))
                return
        else:
            exported = self.exported(file, name)
        if exported:
            for each in exported:
                if each != value:
                    self.heap(each, value)
            return
        if language == "python":
            for star in self.by_file.get((file, self.star), ()):
                imports = self.program.tables["imports"]
                row = self.data[star]
                inner = self.strings[imports["module"][row]]
                target = self.program.modules.resolve(file, inner, int(imports["level"][row]))
                if target is not None:
                    if self.module_member(value, target, name, file):
                        return
                else:
                    for api in self.library(self.apis.get(language), language, inner):
                        if api != EXTERNAL and self.apis[language].member(api, self.strings[name]):
                            self.arise_member(value, api, self.strings[name])
                            return
        apis = self.apis.get(language)
        if apis is None:
            return
        root = apis.root({"python": "builtins", "javascript": "globalThis", "go": "builtin"}[language])
        if root is not None:
            for node in apis.member(root, self.strings[name]):
                self.arise(value, node)
            if language == "javascript" and self.strings[name] in ("globalThis", "window", "self", "global"):
                self.arise(value, root)

    # -- packages of Go: names that several files define and assign

    def package_names(self, file: int, name: int) -> list[int]:
        """What a package-level name means in ``file``: its own import, or what the files of the package say."""
        own = [value for value in self.exported(file, name) if self.op[value] == Op.IMPORT]
        if own:
            return own
        package = self.program.files[file]
        return self.package_members(package.path.rpartition("/")[0], name, package.package, package.path)

    def package_members(self, directory: str, name: int, package: str, seen_from: str) -> list[int]:
        """What the files of a package declare under ``name``; of a variable, all that is assigned to it.

        What tests assign, only tests see. A constant or a function has one value, whatever calls leave in it.
        """
        key = directory, name, package, seen_from.endswith("_test.go")
        known = self.packages.get(key)
        if known is not None:
            return known
        files = self.program.files
        constant = self.program.string_ids.get("const " + self.strings[name], NONE)
        found: list[int] = []
        fixed: list[int] = []
        for other in self.program.modules.go.get(directory, ()):
            if (package and files[other].package != package) or (not key[3] and files[other].path.endswith("_test.go")):
                continue
            fixed += self.by_file.get((other, constant), ())
            for value in self.exported(other, name):
                if self.op[value] in (Op.FUNCTION, Op.CLASS):
                    fixed.append(value)
                elif self.op[value] != Op.IMPORT:
                    found.append(value)
        known = self.packages[key] = fixed or found
        return known

    def imported_by_clause(self, file: int, name: int) -> str | None:
        """The package of the program that ``file`` imports without a name, and whose own name is ``name``."""
        imports = self.program.tables["imports"]
        text = self.strings[name]
        for value in self.imports_of.get(file, ()):
            row = self.data[value]
            if int(imports["name"][row]) == NONE:
                module = self.program.modules.resolve(file, self.strings[imports["module"][row]], 0)
                if module is not None and self.program.modules.package_of(module) == text:
                    return module
        return None

    def reads_name(self, value: int, directory: str, name: int) -> None:
        """``value`` reads a package-level name; other packages may assign it, before or after this is known."""
        self.readers.setdefault((directory, name), []).append(value)
        for assigned in self.assigned.get((directory, name), ()):
            self.heap(assigned, value)

    def assign_name(self, module: int, name: int, value: int) -> None:
        """``package.Name = value``."""
        directory = self.strings[module].partition(":")[2]
        values = self.assigned.setdefault((directory, name), [])
        if value not in values:
            values.append(value)
            for reader in self.readers.get((directory, name), ()):
                self.heap(value, reader)

    def heap(self, origin: int, target: int) -> None:
        """Data and states of ``origin`` reach ``target``, whatever the calling context."""
        self.r.heap.append((origin, target))
        self.edge(self.reps[origin], self.reps[target])

    # -- APIs ----------------------------------------------------------------------------------------------------------
    # ----------

    def arise(self, value: int, node: int) -> None:
        """``value`` is the API ``node``."""
        self.r.api_values.append((value, node))
        self.add(self.reps[value], node << 3 | API)

    def arise_member(self, value: int, node: int, name: str) -> None:
        apis = self.apis[self.language_of(value)]
        if node == EXTERNAL:
            self.add(self.reps[value], EXTERNAL << 3 | API)
            return
        members = apis.member(node, name)
        for member in members:
            self.arise(value, member)
        # `window.location`: what another name stands for has the member, though the name itself has none
        if not members and apis.is_static(node) and not any(apis.member(n, name) for n in apis.expand(node)):
            self.add(self.reps[value], EXTERNAL << 3 | API)

    def declared(self, value: int, state: int) -> None:
        """``value`` is declared to be an instance of ``state``."""
        kind = state & 7
        if kind == CLASS:
            self.add(self.reps[value], state >> 3 << 3 | INSTANCE_OF)
        elif kind == API and state >> 3 != EXTERNAL:
            apis = self.apis[self.language_of(value)]
            for node in apis.step(state >> 3, INSTANCE):
                self.arise(value, node)
            self.of_library.add(self.reps[value])
        elif kind == API:
            self.of_library.add(self.reps[value])
        elif kind == INSTANCE_OF:
            self.add(self.reps[value], state)

    # -- classes
    # -----------------------------------------------------------------------------------------------------------------

    def own(self, rows: Sequence[int], state: int) -> None:
        """Members of a class become known."""
        if state & 7 != CLASS:
            return
        for row in rows:
            self.add_member(state >> 3, self.member_name[row], self.member_value[row])

    def add_member(self, owner: int, name: int, value: int) -> bool:
        """``owner.name`` is ``value``; whether that is new."""
        values = self.class_members.setdefault(owner, {}).setdefault(name, [])
        if value in values:
            return False
        self.changes += 1
        values.append(value)
        self.watch_function(value, (owner << 3 | INSTANCE_OF, None))
        return True

    def watch_function(self, value: int, entry: object, call: int = NONE) -> None:
        """Tell ``watched`` of every function that ``value`` is."""
        node = self.reps[value]
        self.watch.setdefault(node, []).append((call, entry))
        for state in tuple(self.states.get(node, ())):
            self.watched(call, entry, state)

    def watch_part(self, row: int, value: int, path: Sequence[str], entry: object) -> None:
        """Tell ``watched`` of every function that lies in ``value`` under ``path``."""
        self.watch_function(value, _Part(tuple(self.element(row, key) for key in path), entry), row)

    def watch_node(self, node: int, entry: object, call: int) -> None:
        watchers = self.watch.setdefault(node, [])
        if (call, entry) in watchers:
            return
        watchers.append((call, entry))
        for state in tuple(self.states.get(node, ())):
            self.watched(call, entry, state)

    def watched(self, call: int, entry: object, state: int) -> None:
        if isinstance(entry, _Part):
            self.watch_inside(call, entry, state)
            return
        if isinstance(entry, _Chain):
            if state & 7 in (MADE_BY, OBJECT, PROTOTYPE, INSTANCE_OF):
                self.load(entry.row, state)
            return
        if state & 7 != FUNCTION:
            return
        function = state >> 3
        if isinstance(entry, tuple):  # a method of a class: its receiver is an instance
            receiver = self.receiver(function)
            if receiver != NONE and self.fn_flags[function] & (FunctionFlag.METHOD | FunctionFlag.CONSTRUCTOR):
                is_class = self.fn_flags[function] & FunctionFlag.CLASS_METHOD
                self.add(self.reps[receiver], entry[0] >> 3 << 3 | CLASS if is_class else entry[0])
            elif receiver != NONE and entry[0] & 7 == MADE_BY:
                self.add(self.reps[receiver], entry[0])
        elif isinstance(entry, CallFlow):
            self.call_back(call, entry, function)
        elif isinstance(entry, (Source, Sink, ParameterType)):
            self.use(entry, function, call)

    def watch_inside(self, call: int, entry: _Part, state: int) -> None:
        """One key down: what an object holds under it, or a class's method of this name."""
        rest = entry.entry if len(entry.keys) == 1 else entry._replace(keys=entry.keys[1:])
        key = entry.keys[0]
        if state & 7 == OBJECT:
            if key == UNKNOWN_KEY:
                self.any_watches.setdefault(state, []).append((rest, call))
                for stored in tuple(self.cells_of.get(state, ())):
                    self.watch_node(self.cells[(state, stored)], rest, call)
            for each in (key,) if entry.named else dict.fromkeys((key, UNKNOWN_KEY)):
                self.watch_node(self.cell(state, each), rest, call)
        elif state & 7 in (CLASS, INSTANCE_OF):
            for each in self.lineage(state >> 3):
                members = self.class_members.get(each, {})
                for name in members if key == UNKNOWN_KEY else (key,):
                    for value in members.get(name, ()):
                        self.watch_node(self.reps[value], rest, call)

    def watch_exports(self) -> None:
        """Functions that frameworks find by the names of files and of what these export."""
        whole = self.program.string_ids.get("module.exports", NONE)
        names = {name for _, name in self.by_file}
        for language, apis in self.apis.items():
            for entry in apis.exports:
                parameters = parameters_of(entry)
                path = parameters.port.path if parameters.port else ()
                name = self.program.string_ids.get(parameters.method, NONE)
                if name not in names and whole not in names:
                    continue
                pattern = file_pattern(parameters.files)
                for number, file in enumerate(self.program.files):
                    if file.language != language or not pattern.fullmatch(file.path):
                        continue
                    self.watch_exported(self.by_file.get((number, name), ()), path, entry)
                    inside = path if parameters.method == "default" else (parameters.method, *path)
                    self.watch_exported(self.by_file.get((number, whole), ()), inside, entry)

    def watch_exported(self, values: Sequence[int], path: Sequence[str], entry: object) -> None:
        for value in values:
            keys = tuple(self.program.intern(key) if key else UNKNOWN_KEY for key in path)
            self.watch_function(value, _Part(keys, entry, named=True) if keys else entry)

    def use(self, entry: Source | Sink | ParameterType, function: int, call: int) -> None:
        use = Use(entry, function, call)
        if use in self.r.uses:
            return
        self.r.uses.append(use)
        if isinstance(entry, ParameterType):
            apis = self.apis[self.language_of(self.fn_result[function])]
            for row in chosen_parameters(self, function, entry.parameters.which):
                value = self.param_value[row]
                for node in apis.expand(apis.node((*entry.type, INSTANCE))):
                    self.arise(value, node)

    def receiver(self, function: int) -> int:
        for row in self.params_of.get(function, ()):
            if self.param_kind[row] == ParameterKind.RECEIVER:
                return int(self.param_value[row])
        return NONE

    def receiver_out(self, function: int) -> int:
        """The state of the receiver at exit."""
        for row in self.params_of.get(function, ()):
            if self.param_kind[row] == ParameterKind.RECEIVER:
                return int(self.param_out[row])
        return NONE

    def inherit(self, owner: int, state: int) -> None:
        """A base class of ``owner`` becomes known."""
        kind = state & 7
        if kind == CLASS:
            bases = self.class_bases.setdefault(owner, [])
            if state >> 3 not in bases and state >> 3 != owner:
                self.changes += 1
                self.lineages.clear()
                bases.append(state >> 3)
                for view in self.class_views.get(owner, ()):
                    self.add(self.reps[view], state >> 3 << 3 | INSTANCE_OF)
        elif kind == API and state >> 3 != EXTERNAL:
            nodes = self.class_apis.setdefault(owner, [])
            value = int(self.program.tables["owners"]["value"][owner])
            apis = self.apis[self.language_of(value)]
            for node in apis.expand(state >> 3):
                if node not in nodes:
                    self.changes += 1
                    nodes.append(node)
                    for view in self.class_views.get(owner, ()):
                        for instance in apis.step(node, INSTANCE):
                            self.arise(view, instance)

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

    # -- loads and stores
    # --------------------------------------------------------------------------------------------------------

    def load(self, row: int, state: int) -> None:
        done = (row, state)
        if done in self.done_loads:
            return
        self.done_loads.add(done)
        if not self.look_up(row, state):
            self.missed.append(done)

    def look_up(self, row: int, state: int) -> bool:
        result, key = self.load_result[row], self.load_key[row]
        kind = state & 7
        node = self.reps[result]
        if kind == API:
            api = state >> 3
            if api == EXTERNAL:
                self.add(node, state)
                if key >= 0:
                    self.unknown_member(result, self.strings[key])
                return True
            if key >= 0:
                self.api_member(result, api, self.strings[key])
                if self.apis[self.language_of(result)].carries(api):
                    self.carry(api, key, NONE, result)
            else:
                apis = self.apis[self.language_of(result)]
                for each in apis.step(api, "[*]"):
                    self.arise(result, each)
            return True
        if kind == MODULE:
            if key < 0:
                return True
            _language, _, module = self.strings[state >> 3].partition(":")
            return self.module_member(result, module, key, self.file_of[result])
        if kind in (CLASS, INSTANCE_OF):
            return key >= 0 and self.class_member(row, state, key)
        if key == UNKNOWN_KEY or key < 0:
            self.any_loads.setdefault(state, []).append(node)
            for stored in self.cells_of.get(state, ()):
                self.edge(self.cells[(state, stored)], node)
            return True
        if kind == FUNCTION and self.strings[key] == "prototype":
            self.add(node, state >> 3 << 3 | PROTOTYPE)
            return True
        self.edge(self.cell(state, key), node)
        if kind == MADE_BY:
            shared = state >> 3 << 3 | PROTOTYPE
            self.edge(self.cell(shared, key), node)
            self.inherited.setdefault((shared, key), []).append(result)
            for value in self.shared.get((shared, key), ()):
                self.r.heap.append((value, result))
            prototype = self.program.intern("prototype")
            self.watch_node(self.cell(state >> 3 << 3 | FUNCTION, prototype), _Chain(row), row)
        if kind in (FUNCTION,):
            self.builtin_member(result, key, "Function")
        self.loose.append((state, key, node))
        return True

    def loosen(self) -> None:
        """What was stored under keys that are not known is what a named key holds where nothing else is known of it,
        unless it is so much that it could be anything.
        """
        loose, self.loose = self.loose, []
        for state, key, node in loose:
            stored = self.cells.get((state, UNKNOWN_KEY), NONE)
            if stored == NONE or not self.states.get(stored):
                self.loose.append((state, key, node))
            elif stored not in self.full and (state, key) not in self.stored_by_name:
                self.edge(stored, node)

    def builtin_member(self, result: int, key: int, kind: str) -> None:
        """A method of a function value itself: ``f.call``."""
        language = self.language_of(result)
        apis = self.apis.get(language)
        root = (
            apis.root({"python": "builtins", "javascript": "globalThis", "go": "builtin"}[language]) if apis else None
        )
        if apis is None or root is None:
            return
        for function in apis.member(root, kind):
            for instance in apis.step(function, INSTANCE):
                for node in apis.member(instance, self.strings[key]):
                    self.arise(result, node)

    def unknown_member(self, result: int, name: str) -> None:
        """A member of something unknown, known by its name where a library is imported: ``Model.objects``."""
        apis = self.apis[self.language_of(result)]
        for node in apis.unknown_members.get(name, ()):
            if apis.paths[node][0] in self.imported_roots(self.file_of[result]):
                self.arise(result, node)

    def api_member(self, result: int, api: int, name: str) -> None:
        language = self.language_of(result)
        if language == "go" and name.isdigit() and self.apis[language].paths[api][-1] in (CALL, INSTANCE):
            if name == "0":
                self.add(self.reps[result], api << 3 | API)
            for member in self.apis[language].member(api, name):
                self.arise(result, member)
            return
        self.arise_member(result, api, name)

    def cell(self, state: int, key: int) -> int:
        node = self.cells.get((state, key))
        if node is None:
            node = self.cells[(state, key)] = self.num_nodes
            self.num_nodes += 1
            self.cells_of.setdefault(state, []).append(key)
            for result in self.any_loads.get(state, ()):
                self.edge(node, result)
            for entry, call in tuple(self.any_watches.get(state, ())):
                self.watch_node(node, entry, call)
        return node

    def class_member(self, row: int, state: int, key: int) -> bool:
        """A method, class attribute or declared field; for instances also what any method stored."""
        member = self.members.get((state, key))
        if member is None or member.changes != self.changes:
            member = self.members[state, key] = self.find_member(state, key, NONE if member is None else member.node)
        result = self.load_result[row]
        self.edge(member.node, self.reps[result])
        for value in member.data:
            if (value, result) not in self.class_heap:
                self.class_heap.add((value, result))
                self.r.heap.append((value, result))
        for function in member.getters:
            self.get_property(row, function)
        for api in member.apis:
            self.arise(result, api)
        return member.found

    def find_member(self, state: int, key: int, node: int) -> _Member:
        """What ``key`` is in a class or its instances; ``node``: where its states gathered before, or NONE."""
        if node == NONE:
            node = self.num_nodes
            self.num_nodes += 1
        member = _Member(node, self.changes)
        for each in self.lineage(state >> 3):
            for value in self.class_members.get(each, {}).get(key, ()):
                member.found = True
                self.edge(self.reps[value], node)
                if self.op[value] not in (Op.FUNCTION, Op.FIELD, Op.CONST):
                    member.data.append(value)
                if state & 7 == INSTANCE_OF:
                    for held in self.states.get(self.reps[value], ()):
                        if held & 7 == FUNCTION and self.fn_flags[held >> 3] & FunctionFlag.PROPERTY:
                            member.getters.append(held >> 3)
            if member.found:
                return member
            self.edge(self.cell(each << 3 | (state & 7), key), node)
        apis = self.apis.get(self.language_of(int(self.program.tables["owners"]["value"][state >> 3])))
        if apis is None:
            return member
        for each in self.lineage(state >> 3):
            for base in self.class_apis.get(each, ()):
                for instance in apis.step(base, INSTANCE) if state & 7 == INSTANCE_OF else (base,):
                    member.apis.extend(apis.member(instance, self.strings[key]))
        member.found = bool(member.apis)
        return member

    def subscripts(self) -> None:
        """``instance[key]`` of a class of the program that says what this is: a call of ``__getitem__``.

        A unit does not tell it from ``instance.key``; a name that the class has no member of, and that nothing stores
        in its instances, is a key.
        """
        name = self.program.string_ids.get("__getitem__")
        if name is None:
            return
        saying = {owner for owner, members in self.class_members.items() if name in members}
        methods: dict[int, Sequence[int]] = {}  # state -> what is ``__getitem__`` of the class
        for row, state in self.missed if saying else ():
            if row < 0 or state & 7 != INSTANCE_OF:
                continue
            values = methods.get(state)
            if values is None:
                first = next((each for each in self.lineage(state >> 3) if each in saying), None)
                values = methods[state] = () if first is None else self.class_members[first][name]
            key = self.load_key[row]
            if not values or any((o << 3 | INSTANCE_OF, key) in self.stored_by_name for o in self.lineage(state >> 3)):
                continue
            for held in [held for value in values for held in self.states.get(self.reps[value], ())]:
                if held & 7 == FUNCTION and (-2 - row, held >> 3) not in self.seen_bindings:
                    self.get_property(row, held >> 3)
                    for formal in chosen_parameters(self, held >> 3, 0) if key < UNKNOWN_KEY else ():
                        parameter = self.param_value[formal]
                        self.r.bindings.append(Binding(-2 - row, -2 - key, parameter, NO_KEY, WHOLE))
                        self.edge(self.reps[-2 - key], self.reps[parameter])

    def get_property(self, row: int, function: int) -> None:
        """Reading a property is a call of its getter."""
        site = -2 - row  # loads that are calls; renumbered when frozen
        if (site, function) in self.seen_bindings:
            return
        self.seen_bindings.add((site, function))
        result = self.load_result[row]
        receiver = self.receiver(function)
        if receiver != NONE:
            self.r.bindings.append(Binding(site, self.load_object[row], receiver, NO_KEY, WHOLE))
            self.edge(self.reps[self.load_object[row]], self.reps[receiver])
        self.r.returns.append(Return(site, self.fn_result[function], result))
        self.edge(self.reps[self.fn_result[function]], self.reps[result])

    def store(self, rows: Sequence[int], state: int) -> None:
        kind = state & 7
        if kind == MODULE and self.strings[state >> 3].startswith("go:"):
            for row in rows:
                if self.store_key[row] >= 0:
                    self.assign_name(state >> 3, self.store_key[row], self.store_value[row])
            return
        if kind in (API, MODULE):
            if kind == API and state >> 3 != EXTERNAL:
                self.attach(state >> 3, rows)
            return
        for row in rows:
            key = self.store_key[row]
            value = self.store_value[row]
            if key < UNKNOWN_KEY:
                key = UNKNOWN_KEY
            node = self.reps[value]
            self.edge(node, self.cell(state, key))
            if key != UNKNOWN_KEY:
                self.stored_by_name.add((state, key))
            whole = kind == CLASS and key >= 0 and not self.r.is_part(self.program, row)
            if whole and self.add_member(state >> 3, key, value):
                self.outside.add(key)  # an attribute of the class: whoever asked for it before asks again
            if kind == PROTOTYPE:
                self.watch_function(value, (state >> 3 << 3 | MADE_BY, None))
                if self.op[value] not in (Op.FUNCTION, Op.CONST):
                    self.shared.setdefault((state, key), []).append(value)
                    for result in self.inherited.get((state, key), ()):
                        self.r.heap.append((value, result))

    def attach(self, api: int, rows: Sequence[int]) -> None:
        """``request.user = value``: what a program hangs on an object of a framework, another function reads there."""
        for row in rows:
            key, value = self.store_key[row], self.store_value[row]
            own = key >= 0 and not self.r.is_part(self.program, row)
            if own and self.apis[self.language_of(value)].carries(api):
                self.carry(api, key, value, NONE)

    def carry(self, api: int, key: int, value: int, result: int) -> None:
        """``value`` is stored in, or ``result`` loaded from, any object that is this API, under ``key``."""
        values, results = self.carried.setdefault((api, key), ([], []))
        if value != NONE and value not in values and len(values) < MAX_CARRIED:
            values.append(value)
            for each in results:
                self.heap(value, each)
        if result != NONE and result not in results and len(results) < MAX_CARRIED:
            results.append(result)
            for each in values:
                self.heap(each, result)

    # -- calls ---------------------------------------------------------------------------------------------------------
    # ----------

    def call(self, row: int, state: int) -> None:
        done = (row, state)
        if done in self.done_calls:
            return
        self.done_calls.add(done)
        kind = state & 7
        result = self.call_result[row]
        if kind == FUNCTION:
            function = state >> 3
            if self.call_flags[row] & CallFlag.NEW:
                self.add(self.reps[result], function << 3 | MADE_BY)
                if (receiver := self.receiver(function)) != NONE:
                    self.add(self.reps[receiver], function << 3 | MADE_BY)
                self.bind(row, function, result, constructed=True)
            else:
                self.bind(row, function, self.receiver_of(row, function))
        elif kind == CLASS:
            self.construct(row, state >> 3)
        elif kind == INSTANCE_OF:
            key = self.program.string_ids.get("__call__")
            for owner in self.lineage(state >> 3) if key is not None else ():
                for value in self.class_members.get(owner, {}).get(key, ()):  # type: ignore[arg-type]
                    for member in self.states.get(self.reps[value], ()):
                        if member & 7 == FUNCTION:
                            self.bind(row, member >> 3, self.call_callee[row])
        elif kind == API:
            self.call_api(row, state >> 3)

    def receiver_of(self, row: int, function: int) -> int:
        """The value that the callee's receiver is at this call, or NONE."""
        receiver = self.call_receiver[row]
        if receiver == NONE and self.op[self.call_callee[row]] == Op.LOAD:
            receiver = self.load_object[self.data[self.call_callee[row]]]
        return int(receiver)

    def construct(self, row: int, owner: int) -> None:
        result = self.call_result[row]
        self.add(self.reps[result], owner << 3 | INSTANCE_OF)
        apis = self.apis.get(self.language_of(result))
        for name in ("__new__", "__init__", "constructor"):
            key = self.program.string_ids.get(name)
            if key is None:
                continue
            for each in self.lineage(owner):
                values = self.class_members.get(each, {}).get(key, ())
                for value in values:
                    for member in tuple(self.states.get(self.reps[value], ())):
                        if member & 7 == FUNCTION and name == "__new__":
                            self.bind(row, member >> 3, NONE)
                        elif member & 7 == FUNCTION:
                            self.bind(row, member >> 3, result, constructed=True)
                if values and name == "__new__":
                    break
                if values:
                    return
        self.fill_fields(row, owner)
        if apis is not None:
            for each in self.lineage(owner):
                for base in self.class_apis.get(each, ()):
                    self.call_api(row, base, made=False)
        self.missed.append((-2 - row, owner << 3 | CLASS))

    def fill_fields(self, row: int, owner: int) -> None:
        """A class without a constructor of its own, or of a library: keywords are fields, positions are the declared
        fields in their order (records, data classes, models).
        """
        result = self.call_result[row]
        lineage = self.lineage(owner)
        declared = [
            name
            for each in reversed(lineage)
            for name, values in self.class_members.get(each, {}).items()
            if any(self.op[value] == Op.FIELD for value in values)
        ]
        for argument in self.args_of.get(row, ()):
            position, key = self.arg_position[argument], self.arg_keyword[argument]
            if key == NONE and 0 <= position < len(declared) and not self.arg_flags[argument]:
                key = declared[position]
            field = (row, self.arg_value[argument], result, key)
            if key != NONE and field not in self.filled:
                self.filled.add(field)
                self.r.fields.append(field)
                self.edge(self.reps[field[1]], self.cell(owner << 3 | INSTANCE_OF, key))

    def bind(self, row: int, function: int, receiver: int, *, constructed: bool = False) -> None:
        """The call ``row`` may run ``function``."""
        if (row, function) in self.seen_bindings:
            return
        self.seen_bindings.add((row, function))
        self.r.targets.append(Target(row, function))
        result = self.call_result[row]
        flags = self.fn_flags[function]
        parameters = self.params_of.get(function, [])
        arguments = self.args_of.get(row, [])
        own = [a for a in arguments if self.arg_position[a] != RECEIVER]
        receiver_row = next((p for p in parameters if self.param_kind[p] == ParameterKind.RECEIVER), NONE)
        shift = 0
        if receiver_row != NONE:
            formal = self.param_value[receiver_row]
            actual = next((a for a in arguments if self.arg_position[a] == RECEIVER), NONE)
            callee_states = self.states.get(self.reps[receiver], ()) if receiver != NONE else ()
            through_class = (
                not constructed
                and flags & FunctionFlag.METHOD
                and not flags & FunctionFlag.CLASS_METHOD
                and any(s & 7 in (CLASS, MODULE) or s == EXTERNAL << 3 | API for s in callee_states)
                and not any(s & 7 == INSTANCE_OF for s in callee_states)
                and not flags & FunctionFlag.CONSTRUCTOR
            )
            if constructed:
                out = self.param_out[receiver_row]
                if out != formal:
                    self.r.returns.append(Return(row, out, result))
                else:
                    self.r.returns.append(Return(row, formal, result))
            elif own and (through_class or (receiver == NONE and self.takes_receiver(function, own))):
                shift = 1  # Class.method(instance, ...): the first argument is the receiver
                self.pass_argument(row, own[0], receiver_row)
                own = own[1:]
            elif self.is_method_value(row, function):
                pass  # bound to its receiver where it was taken
            elif actual != NONE and not flags & FunctionFlag.CLASS_METHOD:
                self.pass_argument(row, actual, receiver_row)
                self.pass_embedded(row, self.arg_value[actual], formal, function)
            elif receiver != NONE and not flags & FunctionFlag.CLASS_METHOD:
                self.r.bindings.append(Binding(row, receiver, formal, NO_KEY, WHOLE))
                if not self.only_tested(receiver, formal):
                    self.edge(self.reps[receiver], self.reps[formal])
        self.bind_arguments(row, own, [p for p in parameters if p != receiver_row], shift)
        if not constructed or not flags & FunctionFlag.CONSTRUCTOR:
            self.r.returns.append(Return(row, self.fn_result[function], result))
            self.edge(self.reps[self.fn_result[function]], self.reps[result])
        if flags & FunctionFlag.ASYNC and self.language_of(result) == "javascript":
            raised = self.program.intern(RAISED)
            self.r.element_returns.append((row, self.fn_raised[function], result, raised))
        for handler in self.handlers_of.get(row, ()):
            self.r.returns.append(Return(row, self.fn_raised[function], self.handler_value[handler]))
            self.edge(self.reps[self.fn_raised[function]], self.reps[self.handler_value[handler]])

    def only_tested(self, value: int, formal: int) -> bool:
        """Whether a test hands ``value`` to what it tests: what that is made of, tests do not decide."""
        return bool(self.tests[int(self.file_of[value])]) and not self.tests[int(self.file_of[formal])]

    def takes_receiver(self, function: int, own: Sequence[int]) -> bool:
        """Whether a method that is called by itself is given its receiver: it gets one argument more than it takes.

        Otherwise it was bound to its receiver where it was taken (``run(self.handle)``).
        """
        if not self.fn_flags[function] & FunctionFlag.METHOD:
            return False
        kinds = [self.param_kind[p] for p in self.params_of.get(function, ())]
        return len(own) > kinds.count(ParameterKind.NORMAL) and ParameterKind.VARARG not in kinds

    def is_method_value(self, row: int, function: int) -> bool:
        """Whether ``x.run(y)`` calls what lies in a field: Go's methods go by their own names only."""
        return (
            self.fn_flags[function] & FunctionFlag.METHOD != 0
            and self.fn_name[function] != self.call_name[row]
            and self.language_of(self.call_result[row]) == "go"
        )

    def pass_embedded(self, site: int, receiver: int, formal: int, function: int) -> None:
        """A promoted method in Go: its receiver is the part of the object that is embedded under its type's name."""
        owner = self.fn_owner[function]
        if owner == NONE or self.language_of(formal) != "go":
            return
        classes = [s >> 3 for s in self.states.get(self.reps[receiver], ()) if s & 7 == INSTANCE_OF]
        if any(each != owner and owner in self.lineage(each) for each in classes):
            name = int(self.program.tables["owners"]["name"][owner])
            self.r.bindings.append(Binding(site, receiver, formal, NO_KEY, name))

    def pass_argument(self, site: int, argument: int, parameter: int, key: int = NO_KEY, element: int = WHOLE) -> None:
        """``argument`` (a row) arrives at ``parameter`` (a row)."""
        value, formal = self.arg_value[argument], self.param_value[parameter]
        if element == WHOLE and self.arg_flags[argument]:
            element = UNKNOWN_KEY
        self.r.bindings.append(Binding(site, value, formal, key, element))
        if key == NO_KEY and element == WHOLE:
            if not self.only_tested(value, formal):
                self.edge(self.reps[value], self.reps[formal])
            post = self.arg_post[argument]
            out = self.param_out[parameter]
            if post != NONE and out != NONE:
                self.r.returns.append(Return(site, out, post))
        elif key != NO_KEY and element == WHOLE:
            self.edge(self.reps[value], self.cell(self.reps[formal] << 3 | OBJECT, max(key, UNKNOWN_KEY)))
            self.add(self.reps[formal], self.reps[formal] << 3 | OBJECT)

    def bind_arguments(self, site: int, arguments: Sequence[int], parameters: Sequence[int], shift: int) -> None:
        """Match arguments with parameters by position, keyword and spread."""
        by_position: dict[int, int] = {}
        by_name: dict[int, int] = {}
        vararg = keywords = NONE
        for parameter in parameters:
            kind = self.param_kind[parameter]
            if kind == ParameterKind.VARARG:
                vararg = parameter
            elif kind == ParameterKind.KEYWORDS:
                keywords = parameter
            else:
                if kind == ParameterKind.NORMAL:
                    by_position[self.param_position[parameter]] = parameter
                if self.param_name[parameter] != NONE:
                    by_name[self.param_name[parameter]] = parameter
        first_extra = max(by_position, default=-1) + 1
        for argument in arguments:
            flags = self.arg_flags[argument]
            position = self.arg_position[argument] - shift
            keyword = self.arg_keyword[argument]
            if flags & ArgumentFlag.SPREAD:
                for at, parameter in by_position.items():
                    if at >= position:
                        self.pass_argument(site, argument, parameter, element=self.number(at - position))
                if vararg != NONE:
                    self.r.bindings.append(
                        Binding(site, self.arg_value[argument], self.param_value[vararg], NO_KEY, WHOLE)
                    )
            elif flags & ArgumentFlag.SPREAD_KEYWORDS:
                for name, parameter in by_name.items():
                    self.pass_argument(site, argument, parameter, element=name)
                if keywords != NONE:
                    self.r.bindings.append(
                        Binding(site, self.arg_value[argument], self.param_value[keywords], NO_KEY, WHOLE)
                    )
            elif keyword != NONE:
                if keyword in by_name:
                    self.pass_argument(site, argument, by_name[keyword])
                elif keywords != NONE:
                    self.pass_argument(site, argument, keywords, key=keyword)
            elif position in by_position:
                self.pass_argument(site, argument, by_position[position])
            elif vararg != NONE and position >= first_extra:
                self.pass_argument(site, argument, vararg, key=self.number(position - first_extra))

    def number(self, index: int) -> int:
        return self.program.intern(str(index))

    # -- calls of APIs
    # -----------------------------------------------------------------------------------------------------------

    def call_api(self, row: int, node: int, *, made: bool = True, guessed: bool = False) -> None:
        result = self.call_result[row]
        if node == EXTERNAL:
            self.r.external.add(row)
            if self.call_flags[row] & CallFlag.DECORATOR:
                self.decorate(row)
            return
        apis = self.apis[self.language_of(result)]
        call = ApiCall(row, node)
        if call in self.seen_api:
            return
        self.seen_api.add(call)
        self.r.api_calls.append(call)
        if guessed:
            self.r.guessed_calls.add(call)
        if made:
            for each in apis.step(node, CALL):
                self.arise(result, each)
                if apis.keeps(each):
                    self.add(self.reps[result], result << 3 | OBJECT)
        roles = apis.roles.get(node)
        if self.call_flags[row] & CallFlag.DECORATOR:
            self.decorate(row)
            plain = node
            if apis.paths[node][-1] == CALL:
                plain = apis.node(apis.paths[node][:-1])
            for each in (node, plain):
                for entry in apis.roles[each].functions if each in apis.roles else ():
                    for argument in self.args_of.get(row, ()):
                        value = self.arg_value[argument]
                        if self.op[self.reps[value]] == Op.PARAMETER:
                            self.decorate_parameter(self.reps[value], entry, row)
                        self.watch_function(value, entry, row)
                        original = self.original(value)
                        if original != value:
                            self.r.originals[row] = self.data[original]
                            self.watch_function(original, entry, row)
        if roles is None:
            return
        for entry in roles.functions:
            parameters = entry.parameters if isinstance(entry, ParameterType) else entry.target
            if isinstance(parameters, tuple) or parameters.by != "callback" or parameters.port is None:
                continue
            for value in self.port_values(row, parameters.port):
                if parameters.port.path:
                    self.watch_part(row, value, parameters.port.path, entry)
                else:
                    self.watch_function(value, entry, row)
        for propagator in roles.propagators:
            for flow in propagator.flows:
                if isinstance(flow, CallFlow):
                    for value in self.port_values(row, flow.callee):
                        if flow.callee.path:
                            self.watch_part(row, value, flow.callee.path, flow)
                        else:
                            self.watch_function(value, flow, row)
                elif isinstance(flow, Drop):
                    continue
                elif flow.same and not flow.origin.path and not flow.target.path:
                    for origin in self.port_values(row, flow.origin):
                        for target in self.target_values(row, flow.target):
                            self.edge(self.reps[origin], self.reps[target])
                elif flow.same and not flow.origin.path and len(flow.target.path) == 1:
                    self.put(row, flow)

    def original(self, value: int) -> int:
        """The function under the decorators that ``value`` is the result of, or ``value`` itself."""
        found = value
        for _ in range(MAX_DECORATORS):
            if self.op[found] != Op.CALL or not self.call_flags[self.data[found]] & CallFlag.DECORATOR:
                break
            found = next((self.arg_value[a] for a in self.args_of.get(self.data[found], ())), value)
        return found if self.op[found] == Op.FUNCTION else value

    def put(self, row: int, flow: Flow) -> None:
        """A library object keeps a value: what it is travels with it, as in an object of the program."""
        for origin in self.port_values(row, flow.origin):
            for holder in self.port_values(row, flow.target):
                for state in tuple(self.states.get(self.reps[holder], ())):
                    if state & 7 == OBJECT:
                        self.edge(self.reps[origin], self.cell(state, self.element(row, flow.target.path[0])))

    def decorate_parameter(self, value: int, entry: Source | Sink | ParameterType, row: int) -> None:
        if isinstance(entry, ParameterType):
            apis = self.apis[self.language_of(value)]
            for node in apis.expand(apis.node((*entry.type, INSTANCE))):
                self.arise(value, node)
        else:
            self.r.decorated.append((entry, value, row))

    def decorate(self, row: int) -> None:
        """A decorator whose code is not seen returns what it decorates."""
        for argument in self.args_of.get(row, ()):
            origin, target = self.arg_value[argument], self.call_result[row]
            if (origin, target) not in self.r.same:
                self.r.same.append((origin, target))
                self.edge(self.reps[origin], self.reps[target])

    def port_rows(self, row: int, port: Port) -> list[int]:
        """The argument rows that a port of the call ``row`` names."""
        arguments = self.args_of.get(row, [])
        if port.kind == "this":
            return [a for a in arguments if self.arg_position[a] == RECEIVER]
        own = [a for a in arguments if self.arg_position[a] != RECEIVER]
        if port.kind == "all":
            return own
        names = {self.program.string_ids.get(name, NONE - 1) for name in port.names}
        named = [a for a in own if self.arg_keyword[a] in names]
        if port.kind == "keyword":
            return named
        positional = [a for a in own if self.arg_position[a] != NONE]
        spread = [a for a in positional if self.arg_flags[a] & ArgumentFlag.SPREAD]
        if port.kind == "position":
            return (
                named
                + [a for a in positional if self.arg_position[a] == port.position]
                + [a for a in spread if self.arg_position[a] < port.position]
            )
        if port.kind == "from":
            return named + [a for a in positional if self.arg_position[a] >= port.position]
        if port.kind == "end":
            last = max((self.arg_position[a] for a in positional), default=-1) + 1 - port.position
            return [a for a in positional if self.arg_position[a] == last]
        return []

    def port_values(self, row: int, port: Port) -> list[int]:
        if port.kind == "ret":
            return [self.call_result[row]]
        rows = self.port_rows(row, port)
        if port.kind == "this" and not rows and self.call_receiver[row] != NONE:
            return [self.call_receiver[row]]
        return [self.arg_value[a] for a in rows]

    def target_values(self, row: int, port: Port) -> list[int]:
        """Where data that a model sends to ``port`` arrives: the result, or an argument's state after the call."""
        if port.kind == "ret":
            return [self.call_result[row]]
        return [self.arg_post[a] for a in self.port_rows(row, port) if self.arg_post[a] != NONE]

    def call_back(self, row: int, flow: CallFlow, function: int) -> None:
        """A library function calls ``function``, its argument."""
        key = (id(flow), row, function)
        if key in self.seen_callbacks:
            return
        self.seen_callbacks.add(key)
        site = self.r.num_sites
        self.r.num_sites += 1
        self.r.targets.append(Target(row, function))
        parameters = [p for p in self.params_of.get(function, ()) if self.param_kind[p] != ParameterKind.RECEIVER]
        by_position = {self.param_position[p]: p for p in parameters}
        position = 0
        for port in flow.arguments:
            values = self.port_values(row, port)
            if port.kind == "from":
                pairs = [(position + i, v) for i, v in enumerate(values)]
            else:
                pairs = [(position, v) for v in values]
            for at, value in pairs:
                parameter = by_position.get(at)
                key_ = NO_KEY
                if parameter is None and parameters and self.param_kind[parameters[-1]] == ParameterKind.VARARG:
                    parameter, key_ = parameters[-1], self.number(at - self.param_position[parameters[-1]])
                if parameter is None:
                    continue
                if self.param_kind[parameter] == ParameterKind.VARARG and key_ == NO_KEY:
                    key_ = self.number(0)
                element = WHOLE if not port.path else self.element(row, port.path[0])
                formal = self.param_value[parameter]
                self.r.bindings.append(Binding(site, value, formal, key_, element))
                if flow.where:
                    self.keep_where(row, site, flow, parameter)
                if element != WHOLE and key_ == NO_KEY:
                    self.read_from(formal, value, element)
                if element == WHOLE and key_ == NO_KEY:
                    self.edge(self.reps[value], self.reps[formal])
                    out = self.param_out[parameter]
                    for argument in self.args_of.get(row, ()):
                        if self.arg_value[argument] == value and self.arg_post[argument] != NONE and out != NONE:
                            self.r.returns.append(Return(site, out, self.arg_post[argument]))
            position += len(values) if port.kind == "from" else 1
        if flow.receiver is not None and (formal := self.receiver(function)) != NONE:
            for value in self.port_values(row, flow.receiver):
                self.r.bindings.append(Binding(site, value, formal, NO_KEY, WHOLE))
                self.edge(self.reps[value], self.reps[formal])
                out = self.receiver_out(function)
                for argument in self.args_of.get(row, ()):
                    if self.arg_value[argument] == value and self.arg_post[argument] != NONE and out != NONE:
                        self.r.returns.append(Return(site, out, self.arg_post[argument]))
        if flow.target is not None and not flow.where:
            result = self.fn_result[function]
            for target in self.target_values(row, flow.target):
                if flow.target.path:
                    self.r.element_returns.append((site, result, target, self.element(row, flow.target.path[0])))
                else:
                    self.r.returns.append(Return(site, result, target))
                    self.edge(self.reps[result], self.reps[target])

    def keep_where(self, row: int, site: int, flow: CallFlow, parameter: int) -> None:
        """What a predicate is asked about goes on in the state that it has where the predicate returns true."""
        state = self.param_true[parameter]
        if state == NONE:
            state = self.param_value[parameter]
        assert flow.target is not None
        for target in self.target_values(row, flow.target):
            if flow.target.path:
                self.r.element_returns.append((site, state, target, self.element(row, flow.target.path[0])))
            else:
                self.r.returns.append(Return(site, state, target))
                self.edge(self.reps[state], self.reps[target])

    def element(self, row: int, key: str) -> int:
        """The key that a port's path names at this call."""
        if key == "":
            return UNKNOWN_KEY
        if key in HIDDEN_PARTS:
            return self.program.intern(HIDDEN_PARTS[key])
        if key[0] == "$" and key[1:].isdigit():
            constants = [self.constant(v) for v in self.port_values(row, Port("position", int(key[1:])))]
            text = constants[0] if constants else None
            return UNKNOWN_KEY if text is None else self.program.intern(text)
        return self.program.intern(key)

    def constant(self, value: int) -> str | None:
        """The text of a constant value, as a key."""
        value = int(value)
        if self.op[value] != Op.CONST:
            return None
        text: str = self.strings[self.data[value]]
        return text[1:] if text[:1] == "'" else text

    # -- fallbacks
    # ---------------------------------------------------------------------------------------------------------------

    def retry_missed(self) -> None:
        """Class members that were asked for before a base class was known."""
        if self.changes == self.retried:
            return  # no class has learnt anything since
        self.retried = self.changes
        for row, state in sorted(self.done_loads) if self.outside else ():
            if self.load_key[row] in self.outside and state & 7 in (CLASS, INSTANCE_OF):
                self.class_member(row, state, self.load_key[row])
        self.outside.clear()
        missed, self.missed = self.missed, []
        for row, state in missed:
            if row <= -2:
                self.construct(-2 - row, state >> 3)
            elif not self.look_up(row, state):
                self.missed.append((row, state))

    def fall_back(self, round_: int) -> None:
        """Calls that nothing resolved: decorators pass on, methods of built-in types and then of classes match by
        name.
        """
        resolved = (
            {row for row, _ in self.seen_bindings if row >= 0} | {c.call for c in self.seen_api} | self.r.external
        )
        registering = self.registering
        by_name = self.methods_by_name() if round_ == 0 else {}
        external = self.r.external
        self.open_calls = [row for row in self.open_calls if row not in resolved or row in external]
        for row in self.open_calls:
            if self.call_flags[row] & CallFlag.DECORATOR:
                self.decorate(row)
                continue
            name = self.call_name[row]
            if name == NONE:
                continue
            text = self.strings[name]
            apis = self.apis.get(self.language_of(self.call_result[row]))
            nodes = apis.builtin_methods.get(text, ()) if apis is not None else ()
            if apis is not None and row in registering and text in apis.registrations:
                imported = self.imported_roots(self.file_of[self.call_result[row]])
                for node in apis.registrations[text]:
                    if apis.paths[node][0] in imported:
                        self.call_api(row, node, guessed=True)
            if row in self.r.external:
                receiver = self.call_receiver[row]
                states = self.states.get(self.reps[receiver], ()) if receiver != NONE else ()
                if not nodes or any(s & 7 == MODULE or s == EXTERNAL << 3 | API for s in states):
                    continue
            if nodes:
                for node in nodes:
                    self.call_api(row, node, made=False, guessed=True)
            elif row not in self.r.external:
                if text.startswith("__"):
                    continue  # every class may have it
                for function in self.by_name(row, name, by_name.get(name, ()), round_):
                    self.bind(row, function, self.call_receiver[row])

    def by_name(self, row: int, name: int, candidates: Sequence[int], round_: int) -> list[int]:
        """The methods that the call ``row`` may mean, going by what is known of its receiver.

        Of an interface, those of the types that have all its methods. Of a class of the program, those of its
        relatives (its own were found before). Of a library's object, none. Of anything else, all of that name, if they
        are few.
        """
        receiver = self.call_receiver[row]
        states = self.states.get(self.reps[receiver], ()) if receiver != NONE else ()
        classes = [s >> 3 for s in states if s & 7 == INSTANCE_OF]
        interfaces = [owner for owner in classes if self.is_interface(owner)]
        arity = sum(1 for a in self.args_of.get(row, ()) if self.arg_position[a] >= 0)
        file = int(self.file_of[self.call_result[row]])
        found: list[int]
        if interfaces:
            found = [f for owner in interfaces for f in self.implementations(owner, name)]
            found = [f for f in dict.fromkeys(found) if self.accepts(f, arity) and self.sees(file, f, name)]
            if len(found) > MAX_IMPLEMENTATIONS:
                self.undecided.add(row)
                return []
            return found
        if round_ or not 0 < len(candidates) <= 2 * MAX_CANDIDATES:
            return []
        if classes:
            relatives = {each for owner in classes for each in self.relatives(owner)}
            candidates = [f for f in candidates if self.fn_owner[f] in relatives]
        elif any(s & 7 == API for s in states) or (receiver != NONE and self.from_library(receiver)):
            return []
        found = [f for f in candidates if self.accepts(f, arity) and self.sees(file, f, name)]
        return found if len(found) <= MAX_CANDIDATES else []

    def is_interface(self, owner: int) -> bool:
        return self.interface_mark in self.class_members.get(owner, ())

    def implementations(self, owner: int, name: int) -> list[int]:
        """The methods ``name`` of the types that have all methods of an interface."""
        known = self.implementing.get((owner, name))
        if known is not None:
            return known
        if not self.method_sets:
            self.collect_methods()
        wanted = {member for base in self.lineage(owner) for member in self.class_members.get(base, ())}
        wanted.discard(self.interface_mark)
        having = self.method_sets.get(name, {})
        types = set(having)
        for member in wanted:
            types &= self.method_sets.get(member, {}).keys()
        known = list(dict.fromkeys(function for each in sorted(types) for function in having[each]))
        self.implementing[owner, name] = known
        return known

    def collect_methods(self) -> None:
        """By name, the types that have a method, with its functions; embedded ones are promoted."""
        for each in self.class_members.keys() | self.class_bases.keys():
            if self.is_interface(each):
                continue
            methods: dict[int, list[int]] = {}
            for base in reversed(self.lineage(each)):
                for member, values in self.class_members.get(base, {}).items():
                    states = [state for value in values for state in self.states.get(self.reps[value], ())]
                    functions = [state >> 3 for state in states if state & 7 == FUNCTION]
                    if functions:
                        methods[member] = functions
            for member, functions in methods.items():
                self.method_sets.setdefault(member, {})[each] = functions

    def relatives(self, owner: int) -> set[int]:
        """The classes that some class has together with ``owner`` among itself and its bases."""
        known = self.related.get(owner)
        if known is None:
            known = self.related[owner] = set()
            for each in self.class_members.keys() | self.class_bases.keys():
                lineage = self.lineage(each)
                if owner in lineage:
                    known.update(lineage)
        return known

    def sees(self, file: int, function: int, name: int) -> bool:
        """Whether code of ``file`` may call the method. In Go: not what only tests have, nor another package's own.
        In JavaScript: one of the two files imports the other, directly or not.
        """
        if self.languages[file] == "javascript":
            other_file = int(self.file_of[self.fn_result[function]])
            return other_file in self.imported_from(file) or file in self.imported_from(other_file)
        if self.languages[file] != "go":
            return True
        path = self.program.files[file].path
        other = self.program.files[int(self.file_of[self.fn_result[function]])].path
        if other.endswith("_test.go") and not path.endswith("_test.go"):
            return False
        exported = self.strings[name][:1].isupper()
        return exported or path.rpartition("/")[0] == other.rpartition("/")[0]

    def imported_from(self, file: int) -> set[int]:
        """The files that ``file`` imports, directly or not, and itself. Linear in these, once a file."""
        known = self.closures.get(file)
        if known is not None:
            return known
        if self.files_imported is None:
            self.files_imported = {}
            imports = self.program.tables["imports"]
            for value in self.pending_imports:
                row = self.data[value]
                here = int(self.file_of[value])
                module = self.program.modules.resolve(here, self.strings[imports["module"][row]], imports["level"][row])
                if module is not None:
                    members = self.program.modules.members(module, self.languages[here])
                    self.files_imported.setdefault(here, set()).update(members)
        known = {file}
        work = [file]
        while work:
            for other in self.files_imported.get(work.pop(), ()):
                if other not in known:
                    known.add(other)
                    work.append(other)
        self.closures[file] = known
        return known

    closures: dict[int, set[int]]
    files_imported: dict[int, set[int]] | None = None

    def from_library(self, value: int, depth: int = 0) -> bool:
        """Whether a value is declared to be a library's object, or comes from a call or member of one."""
        rep = self.reps[value]
        if rep in self.of_library:
            return True
        states = self.states.get(rep, ())
        if depth > 6 or any(s & 7 in (INSTANCE_OF, CLASS, OBJECT, FUNCTION) for s in states):
            return False
        if any(s & 7 == API for s in states):
            return True
        if self.op[rep] == Op.LOAD:
            return self.from_library(self.load_object[self.data[rep]], depth + 1)
        if self.op[rep] == Op.CALL:
            row = self.data[rep]
            if row in self.r.external:
                return True
            receiver = self.call_receiver[row]
            return receiver != NONE and self.from_library(receiver, depth + 1)
        return False

    def registrations(self) -> set[int]:
        """Calls that decorate, or whose result does, or that are passed a function: a framework may be at work."""
        tables = self.program.tables
        calls, arguments = tables["calls"], tables["arguments"]
        decorators = calls["callee"][calls["flags"] & CallFlag.DECORATOR != 0]
        functions = tables["values"]["op"][self.rep[arguments["value"]]] == Op.FUNCTION
        found = np.isin(calls["result"], decorators)
        found[arguments["call"][functions]] = True
        return set(np.flatnonzero(found).tolist())

    def imported_roots(self, file: int) -> set[str]:
        """The libraries that a file imports."""
        known = self.roots_of_file.get(file)
        if known is None:
            imports = self.program.tables["imports"]
            rows = [self.data[v] for v in self.pending_imports if self.file_of[v] == file]
            modules = [self.strings[imports["module"][row]].removeprefix("node:") for row in rows]
            known = {m for m in modules} | {m.partition(".")[0] for m in modules}
            self.roots_of_file[file] = known
        return known

    def methods_by_name(self) -> dict[int, list[int]]:
        methods: dict[int, list[int]] = {}
        for members in self.class_members.values():
            for name, values in members.items():
                for value in values:
                    for state in self.states.get(self.reps[value], ()):
                        if state & 7 == FUNCTION and self.fn_flags[state >> 3] & FunctionFlag.METHOD:
                            found = methods.setdefault(name, [])
                            if state >> 3 not in found:
                                found.append(state >> 3)
        return methods

    def accepts(self, function: int, arity: int) -> bool:
        most = self.most_arguments.get(function)
        if most is None:
            kinds = [self.param_kind[p] for p in self.params_of.get(function, ())]
            most = 1 << 30 if ParameterKind.VARARG in kinds else kinds.count(ParameterKind.NORMAL)
            self.most_arguments[function] = most
        if self.language_of(self.fn_result[function]) == "go" and arity != 1:  # f(g()) may be several arguments
            return arity == most or most == 1 << 30
        return arity <= most

    # -- the end
    # -----------------------------------------------------------------------------------------------------------------

    def conventions(self) -> bool:
        """Functions that nothing but the names of their parameters tells: handlers that something unseen registers.

        A function whose first parameter is known to come from a library is left alone.
        """
        found = False
        strings = self.program.string_ids
        wanted: dict[tuple[str, int], list[tuple[list[int], str, Source | Sink | ParameterType]]] = {}
        for language, apis in self.apis.items():
            for names, entries in apis.by_names.items():
                ids = [strings.get(name, NONE) for name in names]
                if NONE not in ids:
                    wanted.setdefault((language, ids[0]), []).extend((ids, module, entry) for module, entry in entries)
        for function, rows in self.params_of.items() if wanted else ():
            parameters = [row for row in rows if self.param_kind[row] != ParameterKind.RECEIVER]
            if not parameters:
                continue
            first = self.param_value[parameters[0]]
            possible = wanted.get((self.language_of(first), self.param_name[parameters[0]]))
            if possible is None or any(
                s & 7 == API and s >> 3 != EXTERNAL for s in self.states.get(self.reps[first], ())
            ):
                continue
            for ids, module, entry in possible:
                if (
                    [self.param_name[row] for row in parameters[: len(ids)]] == ids
                    and (not module or module in self.imported_roots(int(self.file_of[first])))
                    and (not parameters_of(entry).outermost or self.is_outermost(function))
                ):
                    found = True
                    self.use(entry, function, NONE)
        return found

    def is_outermost(self, function: int) -> bool:
        """Whether a function stands in its module's own code: no method, and in no other function."""
        parent = self.fn_parent[function]
        return (
            parent != NONE
            and bool(self.fn_flags[parent] & FunctionFlag.MODULE)
            and not self.fn_flags[function] & FunctionFlag.METHOD
        )

    def override(self, members: dict[int, list[int]], method: str, entry: Source | Sink | ParameterType) -> None:
        """The class's own methods of this name, or with this prefix ("resolve_*"), are used as the entry says."""
        if method.endswith("*"):
            names = [name for name in members if self.strings[name].startswith(method[:-1])]
        else:
            names = [self.program.string_ids.get(method, NONE)]
        for name in names:
            for member in members.get(name, ()):
                for state in tuple(self.states.get(self.reps[member], ())):
                    if state & 7 == FUNCTION:
                        self.use(entry, state >> 3, NONE)

    def base_names(self) -> dict[int, list[str]]:
        """The last name of each base of a class, whether its code is seen or not."""
        found: dict[int, list[str]] = {}
        bases = self.program.tables["bases"]
        imports = self.program.tables["imports"]
        for owner, base in zip(bases["owner"].tolist(), bases["base"].tolist(), strict=True):
            base = int(self.reps[base])
            op, data = self.op[base], int(self.data[base])
            if op == Op.LOAD:
                name = int(self.load_key[data])
            elif op == Op.CLASS:
                name = int(self.program.tables["owners"]["name"][data])
            elif op == Op.IMPORT:
                name = int(imports["name"][data])
            else:
                name = data if op == Op.GLOBAL else NONE
            if name >= 0:
                found.setdefault(owner, []).append(self.strings[name])
        return found

    def freeze(self) -> None:
        """Overriding methods become uses, sites of properties get numbers, calls with known targets are marked."""
        base_names = self.base_names() if any(apis.bases for apis in self.apis.values()) else {}
        for owner, members in self.class_members.items():
            value = int(self.program.tables["owners"]["value"][owner])
            apis = self.apis.get(self.language_of(value))
            if apis is None:
                continue
            for each in self.lineage(owner) if apis.overrides else ():
                for base in self.class_apis.get(each, ()):
                    for method, entries in apis.overrides.get(base, {}).items():
                        for entry in entries:
                            self.override(members, method, entry)
            for base_name in base_names.get(owner, ()) if apis.bases else ():
                for entry in apis.bases:
                    parameters = parameters_of(entry)
                    if fnmatchcase(base_name, parameters.api[0]):
                        self.override(members, parameters.method, entry)
        self.drain()
        self.forget_overfull()
        self.raise_through()
        sites: dict[int, int] = {}

        def site(number: int) -> int:
            if number >= 0:
                return number
            if number not in sites:
                sites[number] = self.r.num_sites
                self.r.num_sites += 1
            return sites[number]

        self.r.bindings = [b if b.site >= 0 else b._replace(site=site(b.site)) for b in self.r.bindings]
        self.r.returns = [r if r.site >= 0 else r._replace(site=site(r.site)) for r in self.r.returns]
        api = {c.call for c in self.seen_api}
        bound = {row for row, _ in self.seen_bindings if row >= 0}
        self.r.exact = bound - api - self.r.external
        self.r.undecided = len(self.undecided - bound)

    def forget_overfull(self) -> None:
        """A call of a value with more states than are kept could mean anything: it means nothing that is known."""
        overfull = {row for row, _ in self.seen_bindings if row >= 0 and self.reps[self.call_callee[row]] in self.full}
        if not overfull:
            return
        r = self.r
        self.seen_bindings = {pair for pair in self.seen_bindings if pair[0] not in overfull}
        r.targets = [each for each in r.targets if each.site not in overfull]
        r.bindings = [each for each in r.bindings if each.site not in overfull]
        r.returns = [each for each in r.returns if each.site not in overfull]
        r.element_returns = [each for each in r.element_returns if each[0] not in overfull]

    def raise_through(self) -> None:
        """What a function raises, its callers raise too, up to a call that a handler is around.

        Only below such calls, and only above functions that raise something: elsewhere nobody would see it.
        """
        flows = self.program.tables["flows"]["target"]
        op, data = self.program.tables["values"]["op"], self.program.tables["values"]["data"]
        raising = set(data[flows[op[flows] == Op.RAISED]].tolist())
        called: dict[int, list[tuple[int, int]]] = {}  # caller -> (call, callee), where no handler is around
        callers: dict[int, list[tuple[int, int]]] = {}
        handled: list[int] = []
        for call, function in dict.fromkeys(self.r.targets):
            if call in self.handlers_of:
                handled.append(function)
            else:
                caller = self.function_of[self.call_result[call]]
                called.setdefault(caller, []).append((call, function))
                callers.setdefault(function, []).append((call, caller))
        below = set(handled)
        work = list(below)
        while work:
            for _, function in called.get(work.pop(), ()):
                if function not in below:
                    below.add(function)
                    work.append(function)
        work = sorted(raising & below)
        while work:
            function = work.pop()
            for call, caller in callers.get(function, ()):
                if caller not in below:
                    continue
                self.r.returns.append(Return(call, self.fn_raised[function], self.fn_raised[caller]))
                if caller not in raising:
                    raising.add(caller)
                    work.append(caller)


@cache
def file_pattern(glob: str) -> re.Pattern[str]:
    """``*`` is anything within a name, ``**/`` any folders; the pattern may begin below any folder.

    >>> bool(file_pattern("api/**/route.ts").fullmatch("src/api/a/b/route.ts"))
    True
    """
    pieces = re.split(r"(\*\*/|\*\*|\*)", glob)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("(?:.*/)?" + "".join(words.get(piece, re.escape(piece)) for piece in pieces))


def chosen_parameters(tables: _Resolver, function: int, which: int | str) -> list[int]:
    """Rows of the parameters that ``which`` names: a position, a name, or "*"; the receiver is not counted."""
    rows = [p for p in tables.params_of.get(function, ()) if tables.param_kind[p] != ParameterKind.RECEIVER]
    if which == "*":
        return rows
    if isinstance(which, int):
        return [p for p in rows if tables.param_position[p] == which]
    name = tables.program.string_ids.get(which, NONE)
    return [p for p in rows if tables.param_name[p] == name and name != NONE]


def _grouped(keys: npt.NDArray[np.int32]) -> dict[int, list[int]]:
    """Row numbers by key, in order; negative keys are left out."""
    if not len(keys):
        return {}
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.append(starts[1:], len(ordered))
    rows = order.tolist()
    return {
        key: rows[start:end]
        for key, start, end in zip(ordered[starts].tolist(), starts.tolist(), ends.tolist(), strict=True)
        if key >= 0
    }


def _representatives(program: Program) -> npt.NDArray[np.int32]:
    """For each value, the value that it always is another state or version of.

    A state after a store or a call stands for the object's state before; a version under a condition for the version;
    a phi whose
    inputs have one representative for that one. Pointer jumping, O(n log n).
    """
    tables = program.tables
    n = program.num_values
    op = tables["values"]["op"]
    parent = np.arange(n, dtype=np.int32)
    stores, pis, arguments = tables["stores"], tables["pis"], tables["arguments"]
    parent[stores["result"]] = stores["object"]
    parent[pis["value"]] = pis["input"]
    posts = arguments["post"] >= 0
    parent[arguments["post"][posts]] = arguments["value"][posts]
    flows = tables["flows"]
    joins = np.isin(op, [Op.PHI, Op.CARRY, Op.OUT, Op.RESULT])
    chosen = (flows["kind"] == 0) & joins[flows["target"]]
    origin, target = flows["origin"][chosen], flows["target"][chosen]
    function = tables["values"]["function"]
    for _ in range(MAX_JOINS):
        while True:
            jumped = parent[parent]
            if np.array_equal(jumped, parent):
                break
            parent = jumped
        root = parent[origin]
        other = root != target
        if not other.any():
            break
        ends, roots = target[other], root[other]
        low = np.full(n, n, np.int32)
        high = np.full(n, -1, np.int32)
        np.minimum.at(low, ends, roots)
        np.maximum.at(high, ends, roots)
        single = np.flatnonzero((low == high) & (parent == np.arange(n)) & joins)
        single = single[function[low[single]] == function[single]]
        if not len(single):
            break
        parent[single] = low[single]
    while True:
        jumped = parent[parent]
        if np.array_equal(jumped, parent):
            return parent
        parent = jumped
