"""Handlers in containers of containers: `handlers[event].append(f)`, later `for f in handlers[event]`.

Resolution follows what few literals hold: those that code stores in by a key or a name. A list that is only filled by
calls of methods (`append`, `setdefault`) is one of them if what is taken out of it is called. Such lists are found
backwards from the calls.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Flow, Op
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.resolution import MAX_TABLE_STEPS
from pyrograph.scanner.analysis.link import Program

Numbers = npt.NDArray[np.int32]
POSITIONS: Final = tuple("0123")  # in tuples that are taken apart: `for path, handler in routes`


def containers_of_handlers(
    program: Program, rep: Numbers, handlers: set[int], registered: set[int]
) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    """Nodes of literals and of results of calls that may hold handlers, or containers of them; and the operands of what
    joins such containers, ``routes() + more()``, with what each becomes a part of.

    ``handlers``: nodes on a chain from a look-up to a callee; ``registered``: to what registers functions. Linear in
    the tables.
    """
    t = program.tables
    loads, stores, calls, flows = t["loads"], t["stores"], t["calls"], t["flows"]
    op, data = t["values"]["op"], t["values"]["data"]
    # containers around what is called itself; a method of an element is found by its name
    around = np.zeros(program.num_values, bool)
    around[np.fromiter(handlers, np.int32, len(handlers))] = True
    callees = np.zeros(program.num_values, bool)
    callees[rep[calls["callee"]]] = True
    positions = among(loads["key"], [program.string_ids[each] for each in POSITIONS if each in program.string_ids])
    callees[rep[loads["result"][(loads["key"] >= 0) & ~positions]]] = False
    around &= callees
    around[np.fromiter(registered, np.int32, len(registered))] = True
    elements, walked = passed_elements(program, rep)
    around[elements[callees[elements]]] = True
    inner, first = opened(program, rep)
    computed = (loads["key"] < 0) | positions
    same = flows["kind"] == Flow.SAME
    joining = (flows["kind"] == Flow.DERIVED) & (op[flows["target"]] == Op.EXPRESSION)
    parts, joins = rep[flows["origin"][joining]], rep[flows["target"][joining]]
    origins = np.concatenate([rep[loads["object"][computed]], first, walked, rep[flows["origin"][same]], parts])
    targets = np.concatenate([rep[loads["result"][computed]], inner, elements, rep[flows["target"][same]], joins])
    for _ in range(MAX_TABLE_STEPS):
        around[origins[around[targets]]] = True
        around[returned_by_name(program, rep, around)] = True
    captures = t["captures"]
    around[rep[captures["outer"][around[rep[captures["inner"]]]]]] = True
    nodes = np.flatnonzero(around)
    named = np.concatenate(
        [data[nodes[op[nodes] == Op.GLOBAL]], loads["key"][~computed & around[rep[loads["result"]]]]]
    )
    names = distinct(named[named >= 0])
    around |= (op == Op.GLOBAL) & among(data, names)
    around[rep[loads["result"][~computed & among(loads["key"], names)]]] = True
    put = stores["value"][around[rep[stores["object"]]] & (stores["value"] >= 0)]
    arguments = t["arguments"]
    receivers = calls["receiver"][arguments["call"]]
    given = arguments["value"][(receivers != NONE) & around[rep[receivers]]]
    exports = t["exports"]
    called = [
        exports["value"][among(exports["name"], names)],
        stores["value"][among(stores["key"], names) & (stores["value"] >= 0)],
    ]
    found = distinct(np.concatenate([nodes, *(rep[values] for values in (put, given, *called))]))
    made = np.zeros(program.num_values, bool)
    made[found] = True
    origin, target = rep[flows["origin"][same]], rep[flows["target"][same]]
    for _ in range(MAX_TABLE_STEPS):  # `self.handlers = self.handlers or []`
        made[origin[made[target]]] = True
    found = np.flatnonzero(made)
    containers: Numbers = found[(op[found] == Op.NEW) | (op[found] == Op.CALL)]
    joined = around[joins]
    return containers, (parts[joined], joins[joined])


def opened(program: Program, rep: Numbers) -> tuple[Numbers, Numbers]:
    """Results of calls, and what each may take its content from: the receiver, or the first argument."""
    calls, arguments = program.tables["calls"], program.tables["arguments"]
    first = np.full(len(calls["result"]), NONE, np.int32)
    beginning = arguments["position"] == 0
    first[arguments["call"][beginning]] = arguments["value"][beginning]
    first = np.where(calls["receiver"] != NONE, calls["receiver"], first)
    known = first != NONE
    return rep[calls["result"][known]], rep[first[known]]


def passed_elements(program: Program, rep: Numbers) -> tuple[Numbers, Numbers]:
    """First parameters of functions that a method gets, and its object: `handlers.forEach((f) => f(x))`."""
    t = program.tables
    calls, arguments, parameters = t["calls"], t["arguments"], t["parameters"]
    op, data = t["values"]["op"], t["values"]["data"]
    given = rep[arguments["value"]]
    receivers = calls["receiver"][arguments["call"]]
    rows = np.flatnonzero((op[given] == Op.FUNCTION) & (arguments["value"] >= 0) & (receivers != NONE))
    walked = np.full(len(t["functions"]["result"]), NONE, np.int32)
    walked[data[given[rows]]] = rep[receivers[rows]]
    first = (parameters["position"] == 0) & (walked[parameters["function"]] != NONE)
    return rep[parameters["value"][first]], walked[parameters["function"][first]]


def returned_by_name(program: Program, rep: Numbers, around: npt.NDArray[np.bool_]) -> Numbers:
    """The results of the functions that the calls ``around`` may mean by their names: a function fills and returns the
    list over which ``for path, handler in routes():`` walks.
    """
    calls, functions = program.tables["calls"], program.tables["functions"]
    op, data = program.tables["values"]["op"], program.tables["values"]["data"]
    rows = np.flatnonzero(around[rep[calls["result"]]])
    callees = rep[calls["callee"][rows[calls["callee"][rows] != NONE]]]
    names = np.concatenate([calls["name"][rows], data[callees[op[callees] == Op.GLOBAL]]])
    meant = among(functions["name"], distinct(names[names >= 0]))
    meant[data[callees[op[callees] == Op.FUNCTION]]] = True
    meant &= functions["result"] >= 0
    results: Numbers = rep[functions["result"][meant]]
    return results
