"""The models of APIs, sorted by what resolution does with them, and the calls they were applied to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.rules.entries import (
    CallFlow,
    Chain,
    Drop,
    Execute,
    Flow,
    Handle,
    Keep,
    ParameterType,
    Port,
    Recall,
    Send,
)
from pyrograph.scanner.analysis.api_roles import Entry, Roles
from pyrograph.scanner.analysis.link import Program

# Kinds of flows of a model: the library calls an argument; a value is passed on as it is, stored in an object, loaded
# from one; the content of one object goes to another; the result is a function with bound arguments.
CALLS_BACK: Final = 0
PASSES: Final = 1
PUTS: Final = 2
TAKES: Final = 3
MOVES: Final = 4
BINDS: Final = 5
HANDLES: Final = 6  # the argument gets messages
SENDS: Final = 7
CHAINS: Final = 8  # the elements of the argument are called one after another
RECORDS: Final = 9  # a record is kept in a table, or recalled from there
READS: Final = 10  # the result is what lies under keys of the receiver

FIRST: Final = Port("position", 0)
RESULT: Final = Port("ret")

Row = tuple[int, ...]


class Partial(NamedTuple):
    """A function or a class with bound arguments."""

    state: int  # what is called
    given: int  # how many arguments are bound, by position
    dropped: int = 0  # how many of the first arguments of a call it does not get


class ApiModel:
    """The packs' models of arguments and results of calls of one API."""

    def __init__(self) -> None:
        self.entry_points: list[tuple[Port, Entry]] = []  # functions at a port are entry points
        self.flows: list[tuple[int, Any]] = []  # (kind of flow, the flow), in the packs' order
        self.extends = False  # it returns its first argument: a list that it extends
        self.returns_receiver = False  # the result is the receiver, whatever the arguments are
        self.is_injected = False  # it calls a function that is no argument: see ``api_calls.injected_types``


class Statements:
    """The calls that run statements of SQL, and what packs say of each."""

    def __init__(self) -> None:
        # with the key, which ends with the text
        self.known: dict[tuple[int, Execute, tuple[str, ...]], None] = {}
        # with the value that is the text, where that is none that is known there
        self.handed: dict[tuple[int, Execute, tuple[str, ...], int], None] = {}
        # with the value that is the text, where its table is not constant: see ``handed_tables``
        self.open_tables: dict[tuple[int, Execute, tuple[str, ...], int], None] = {}


class Models:
    """Which models were applied to which calls: each once. Only grows."""

    def __init__(self, program: Program, rep: npt.NDArray[np.int32]) -> None:
        self.by_roles: dict[int, ApiModel] = {}  # by the identity of an API's ``Roles``
        self.seen_calls: set[Row] = set()  # (call, API node)
        self.seen_callbacks: set[tuple[int, int, int]] = set()  # (identity of the flow, call, function)
        # (identity of a flow, number of arguments) -> the flow with so many: see ``api_calls.with_arguments``
        self.cut_flows: dict[tuple[int, int], CallFlow] = {}
        self.partials: dict[int, list[Partial]] = {}  # result of a call with a ``bind`` flow -> what it calls
        # the same -> calls of it (None), of libraries that call it, and calls that bind further arguments to it
        self.partial_users: dict[int, list[tuple[int, CallFlow | None]]] = {}
        self.passed_on: set[tuple[int, int]] = set()  # pairs in ``Flows.copy_edges``
        self.entry_points: dict[tuple[int, int], list[Entry]] = {}  # (function, call) -> entries
        # (API node, key) -> values stored there, results of loads from there
        self.shared_fields: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
        # (topic, key) -> states of what handles its messages; calls that send some
        self.topics: dict[tuple[str, ...], tuple[dict[int, None], dict[tuple[int, CallFlow], None]]] = {}
        # calls that send or handle messages, the parts of the key that are known, and the value that is the next part,
        # where that is none that is known there
        self.handed_keys: dict[tuple[int, Handle | Send, tuple[str, ...], int], None] = {}
        # such a call and the function around it -> what calls of the function do; None if the call in it does
        self.moved_flows: dict[tuple[int, Handle | Send, int], Handle | Send | None] = {}
        # table and key -> calls that keep records in it; calls that recall some
        self.records: dict[tuple[str, ...], tuple[dict[tuple[int, Keep], None], dict[tuple[int, Recall], None]]] = {}
        # class -> calls on an instance of it that keep or recall records of the class that holds this instance, and the
        # parts of their keys that are known
        self.managers: dict[int, dict[tuple[int, Keep | Recall, tuple[str, ...]], None]] = {}
        self.rooted: set[tuple[int, Keep | Recall, tuple[str, ...]]] = set()  # calls whose receiver names a class
        # table and key -> calls that declare its columns
        self.declared: dict[tuple[str, ...], dict[tuple[int, Recall], None]] = {}
        self.statements = Statements()
        self.file_calls: dict[tuple[int, Keep | Recall], None] = {}  # calls that write or read a file: ``kept_files``
        self.lasting_cells: dict[int, int] = {}  # class -> cell of its objects that outlive a request
        self.apis_called: dict[int, list[int]] = {}  # call -> APIs, once the call graph is frozen
        self.cells: Iterator[int] = iter(())  # values that become cells of tables
        self.cell_of: dict[tuple[str, ...], int] = {}  # table and key -> its cell
        self.table_of: dict[int, tuple[str, ...]] = {}  # the reverse
        self.decorating: dict[int, list[int]] = {}  # parameter -> calls that made its decorators
        self.tables_of_handlers: set[int] = set()  # results of calls that make one: see ``handler_lists``
        # (type or package variable, field or NONE) -> what is the list there: see ``containers.list_extended_by``
        self.lists: dict[tuple[str, int], int] = {}
        self.classes_named: dict[str, list[int]] = {}  # once one is asked for by a text: see ``topics``
        # language -> type -> methods that register functions, by what packs say of them
        self.families: dict[str, dict[int, dict[frozenset[Any], list[int]]]] = {}
        self.alike: dict[str, dict[int, int]] = {}  # by language and node: the member of ``alike_sinks``
        self.registering = registrations(program, rep)

    def table_cell(self, table: tuple[str, ...]) -> int:
        """The cell of a table; NONE where too many tables have one."""
        if table not in self.cell_of:
            cell = self.cell_of[table] = next(self.cells, NONE)
            self.table_of[cell] = table
        return self.cell_of[table]


def registrations(program: Program, rep: npt.NDArray[np.int32]) -> set[int]:
    """Calls that may register a function at a framework: decorators, calls whose result is one, and calls that get a
    function as an argument.
    """
    calls, arguments = program.tables["calls"], program.tables["arguments"]
    decorators = calls["callee"][calls["flags"] & CallFlag.DECORATOR != 0]
    functions = program.tables["values"]["op"][rep[arguments["value"]]] == Op.FUNCTION
    decorating = np.zeros(program.num_values, bool)
    decorating[decorators] = True
    found = decorating[calls["result"]]
    found[arguments["call"][functions]] = True
    return set(np.flatnonzero(found).tolist())


def model_of(roles: Roles) -> ApiModel:
    """Sort the entries of one API."""
    found = ApiModel()
    for entry in roles.functions:
        parameters = entry.parameters if isinstance(entry, ParameterType) else entry.target
        if not isinstance(parameters, tuple) and parameters.by == "callback" and parameters.port is not None:
            found.entry_points.append((parameters.port, entry))
    for propagator in roles.propagators:
        for flow in propagator.flows:
            if isinstance(flow, CallFlow) and flow.later:
                found.flows.append((BINDS, flow))
            elif isinstance(flow, CallFlow):
                found.flows.append((CALLS_BACK, flow))
                found.is_injected = found.is_injected or (flow.target is not None and flow.target.kind == "ret")
            elif isinstance(flow, Handle | Send):
                found.flows.append((HANDLES if isinstance(flow, Handle) else SENDS, flow))
            elif isinstance(flow, Keep | Recall | Execute):
                found.flows.append((RECORDS, flow))
            elif isinstance(flow, Chain):
                found.flows.append((CHAINS, flow))
            elif isinstance(flow, Drop) or not flow.same:
                continue
            elif not flow.origin.path and not flow.target.path:
                found.flows.append((PASSES, flow))
                found.extends = found.extends or (flow.origin == FIRST and flow.target == RESULT)
                is_same = flow.origin.kind == "this" and flow.target == RESULT and not propagator.conditions
                found.returns_receiver = found.returns_receiver or is_same
            elif not flow.origin.path and len(flow.target.path) == 1:
                found.flows.append((PUTS, flow))
            elif len(flow.origin.path) == 1 and not flow.target.path:
                found.flows.append((TAKES, flow))
                if flow.origin.kind == "this" and flow.target == RESULT and flow.origin.path[0].isidentifier():
                    found.flows.append((READS, flow))  # what a class declares, too
            elif flow.origin.kind == "this" and flow.target == RESULT:
                found.flows.append((READS, flow))
            elif is_move(flow):
                found.flows.append((MOVES, flow))
    return found


def is_move(flow: Flow) -> bool:
    """Whether what an argument holds, or what stands in pairs there, lies in the result."""
    from_argument = flow.origin.kind != "ret" and flow.target.kind == "ret" and bool(flow.target.path)
    return from_argument and len(flow.origin.path) in (1, 2)
