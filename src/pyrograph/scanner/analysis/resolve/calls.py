"""The calls of the program, and the call graph that is being built."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.ir.packed import pack_pair
from pyrograph.kernels.arrays import among
from pyrograph.policy.names.functions import BINDING_KEYWORDS
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import Rows
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.clone_rows import Copies
from pyrograph.scanner.analysis.resolve.tables import grouped
from pyrograph.scanner.analysis.schema import Binding, Target

Row = tuple[int, ...]


class Calls:
    """The tables of calls, arguments and handlers as lists, and the targets and bindings found so far.

    Targets and bindings only grow until ``freeze`` takes those of overflown callees away. A site is the row of a call,
    a number past the rows (callbacks), or at most FIRST_GETTER_SITE (a load that is a call).
    """

    def __init__(self, program: Program, rep: npt.NDArray[np.int32], copies: Copies) -> None:
        tables, numbers = program.tables, program.numbers
        self.result = numbers("calls", "result")
        self.callee = numbers("calls", "callee")
        self.receiver = numbers("calls", "receiver")
        self.name = numbers("calls", "name")
        self.flags = numbers("calls", "flags")
        self.of_callee = grouped(program, rep[tables["calls"]["callee"]])  # node -> rows
        self.called_members = called_members(program)
        self.args = Arguments(program)
        self.arg_value, self.arg_post = self.args.value, self.args.post
        self.arg_position, self.arg_keyword, self.arg_flags = self.args.position, self.args.keyword, self.args.flags
        self.handlers_of = grouped(program, tables["handlers"]["call"])  # call -> rows of handlers around it
        self.handler_value = numbers("handlers", "value")
        self.copies = copies
        self.decorated = decorated_functions(program, rep)
        self.binding_decorators = binding_decorators(program)
        self.targets = Rows(Target, 2)
        self.bindings = Rows(Binding, 5)
        self.seen_bindings: set[int] = set()  # pairs of a site and a function: see ``mark_bound``
        self.known: set[int] = set()  # calls with a target, a function or an API
        self.bound: set[int] = set()  # calls that may run a function of the program
        self.filled_fields: set[tuple[int, int, int, int]] = set()  # rows of ``Resolution.fields``
        self.ambiguous: set[int] = set()  # calls of methods with too many implementations

    def mark_bound(self, site: int, function: int) -> bool:
        """Remember that arguments at ``site`` are bound to the parameters of ``function``; whether that is new."""
        pair = pack_pair(site, function)
        if pair in self.seen_bindings:
            return False
        self.seen_bindings.add(pair)
        return True


def called_members(program: Program) -> frozenset[int]:
    """Loads of members that are called by their names where they are read, ``job.start()``. Linear in the calls."""
    calls, loads, values = (program.tables[name] for name in ("calls", "loads", "values"))
    callees, names = calls["callee"], calls["name"]
    rows = np.flatnonzero((callees >= 0) & (values["op"][callees] == Op.LOAD))
    keys = loads["key"][values["data"][callees[rows]]]
    return frozenset(callees[rows[keys == names[rows]]].tolist())


def decorated_functions(program: Program, rep: npt.NDArray[np.int32]) -> dict[int, list[int]]:
    """The calls of decorators of a function: they get it before any instance exists. Linear in these calls."""
    calls, arguments, values = program.tables["calls"], program.tables["arguments"], program.tables["values"]
    rows = np.flatnonzero((calls["flags"] & CallFlag.DECORATOR != 0)[arguments["call"]])
    given = rep[arguments["value"][rows]]
    call = arguments["call"][rows]
    op, data = values["op"][given], values["data"][given]
    under: dict[int, int] = {}  # call of a decorator -> the function that it decorates
    found: dict[int, list[int]] = {}
    for row, kind, what in zip(call.tolist(), op.tolist(), data.tolist(), strict=True):  # inner ones come first
        function = what if kind == Op.FUNCTION else under.get(what, NONE) if kind == Op.CALL else NONE
        if function != NONE:
            under[row] = function
            found.setdefault(function, []).append(row)
    return found


def binding_decorators(program: Program) -> frozenset[int]:
    """The calls of decorators that are asked, by a keyword, to give the function an object of theirs as its first
    argument (``@app.task(bind=True)``). Linear in the arguments of this name.
    """
    tables = program.tables
    calls, arguments, values = tables["calls"], tables["arguments"], tables["values"]
    keywords = [program.string_ids[name] for name in sorted(BINDING_KEYWORDS) if name in program.string_ids]
    rows = np.flatnonzero(among(arguments["keyword"], keywords)) if keywords else ()
    made = [
        calls["result"][arguments["call"][row]]
        for row in rows
        if values["op"][given := arguments["value"][row]] == Op.CONST
        and program.strings[values["data"][given]] == "true"
    ]
    decorating = among(calls["callee"], made) & (calls["flags"] & CallFlag.DECORATOR != 0)
    return frozenset(np.flatnonzero(decorating).tolist())
