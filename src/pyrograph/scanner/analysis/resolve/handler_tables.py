"""Tables of handlers: values that are taken out of a container by a computed key and then called.

`TABLE[command](request)` may run any handler of the table, and a server has dozens of commands. So these nodes
hold more states than others (``MAX_HANDLERS``). Between the look-up and the call, the handler may be merged with a
default, be taken out of a tuple or an object (`TABLE[command][0]`), be given to a function that makes a wrapper around
it (`guarded(TABLE[command])`), be captured by a closure, or be a class of which an instance is made. A callback that a
library gives each element of a table is such a look-up, too.

`for path, handler in ROUTES: app.add_route(path, handler)` registers each handler of a table. These nodes hold even
more (``MAX_REGISTERED``): nothing is chosen from the table, all of it is meant. So do variables that a wrapper captures
and calls, if the wrapper itself is registered: it is registered once for each function that it was made around.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import RECEIVER, Op, ParameterKind
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_NAMESAKES, MAX_TABLE_STEPS
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.handler_lists import passed_elements

Rows = npt.NDArray[np.int64]


def handler_nodes(program: Program, rep: npt.NDArray[np.int32], apis: Collection[Apis]) -> tuple[set[int], set[int]]:
    """The nodes on a chain from a look-up by a computed key to a callee, and to what registers functions. Linear in the
    tables.
    """
    t = program.tables
    loads, calls, flows, arguments = t["loads"], t["calls"], t["flows"], t["arguments"]
    op, data = t["values"]["op"], t["values"]["data"]
    names = [program.string_ids[name] for name in look_ups(apis) if name in program.string_ids]
    callee = rep[calls["callee"]]
    named = among(calls["name"], names) | ((op[callee] == Op.GLOBAL) & among(data[callee], names))
    computed = loads["key"] < 0
    reached = np.zeros(program.num_values, bool)
    reached[rep[loads["result"][computed]]] = True
    reached[rep[calls["result"][named]]] = True
    meant, meaning = called_by_name(program, rep)
    given, taken = passed_by_name(program, rep, meant, meaning)
    elements, _ = passed_elements(program, rep)
    # `table.forEach((handler) => handler(x))`, `(route) => route.handler(x)`, `([name, f]) => [name, guarded(f)]`
    used = np.concatenate([callee, given])
    reached[
        elements[
            among(elements, used) | among(elements, rep[loads["object"][~computed & among(rep[loads["result"]], used)]])
        ]
    ] = True
    same = (flows["kind"] == 0) & (op[flows["target"]] != Op.SUPER)
    captures = t["captures"]
    inside, outside = rep[captures["inner"]], rep[captures["outer"]]  # `handler = TABLE[x]`, called in a closure
    returned, results = returned_by_name(program, rep, meant, meaning)  # `def handler_of(name): return TABLE[name]`
    origins = np.concatenate(
        [rep[flows["origin"][same]], rep[loads["object"][~computed]], callee, outside, returned, given]
    )
    targets = np.concatenate(
        [rep[flows["target"][same]], rep[loads["result"][~computed]], rep[calls["result"]], inside, results, taken]
    )
    for _ in range(MAX_TABLE_STEPS):
        reached[targets[reached[origins]]] = True
    inner = np.flatnonzero(reached[origins] & reached[targets])
    origins, targets = origins[inner], targets[inner]

    def before(ends: npt.NDArray[np.int32]) -> set[int]:
        kept = np.zeros(program.num_values, bool)
        kept[ends] = True
        kept &= reached
        for _ in range(MAX_TABLE_STEPS):
            kept[origins[kept[targets]]] = True
        found: list[int] = np.flatnonzero(kept).tolist()
        return set(found)

    # `app.add_route(path, handler)`, and `app.route(path)(handler)`
    texts = {name for each in apis for name in each.registrations}
    registering = among(calls["name"], [program.string_ids[text] for text in texts if text in program.string_ids])
    registering |= among(callee, rep[calls["result"][registering]])
    registered = arguments["value"][registering[arguments["call"]] & (arguments["position"] != RECEIVER)]
    return before(callee), before(rep[registered])


def called_by_name(program: Program, rep: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], Rows]:
    """Functions, and the calls that may mean them by their names, at most ``MAX_NAMESAKES`` of one name. Linear in the
    calls, but for sorting.
    """
    calls, functions = program.tables["calls"], program.tables["functions"]
    op, data = program.tables["values"]["op"], program.tables["values"]["data"]
    rows = np.flatnonzero(calls["callee"] >= 0)
    callee = rep[calls["callee"][rows]]
    direct = op[callee] == Op.FUNCTION
    name = np.where(op[callee] == Op.GLOBAL, data[callee], calls["name"][rows])
    order = np.argsort(functions["name"], kind="stable")
    ordered = functions["name"][order]
    first, last = (np.searchsorted(ordered, name, side) for side in ("left", "right"))
    fits = (name >= 0) & (last - first <= MAX_NAMESAKES) & ~direct
    meant, meaning = [data[callee[direct]]], [rows[direct]]
    for number in range(MAX_NAMESAKES):
        chosen = fits & (first + number < last)
        meant.append(order[first[chosen] + number])
        meaning.append(rows[chosen])
    return np.concatenate(meant), np.concatenate(meaning)


def returned_by_name(
    program: Program, rep: npt.NDArray[np.int32], meant: npt.NDArray[np.int32], meaning: Rows
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The results of functions, and of the calls that mean them."""
    result = program.tables["functions"]["result"][meant]
    results = program.tables["calls"]["result"][meaning][result >= 0]
    return rep[result[result >= 0]], rep[results]


def passed_by_name(
    program: Program, rep: npt.NDArray[np.int32], meant: npt.NDArray[np.int32], meaning: Rows
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """What calls give to parameters that a closure captures, and these parameters. Linear in the arguments, but for
    sorting.
    """
    parameters, arguments = program.tables["parameters"], program.tables["arguments"]
    captured = np.zeros(program.num_values, bool)
    captured[rep[program.tables["captures"]["outer"]]] = True
    wanted = captured[rep[parameters["value"]]] & (parameters["position"] >= 0)
    if not wanted.any() or not len(meant):
        return rep[:0], rep[:0]
    width = int(parameters["position"][wanted].max()) + 1
    places = parameters["function"][wanted].astype(np.int64) * width + parameters["position"][wanted]
    values = parameters["value"][wanted]
    order = np.argsort(places, kind="stable")
    places, values = places[order], values[order]
    first = np.searchsorted(arguments["call"], meaning)
    count = np.searchsorted(arguments["call"], meaning, "right") - first
    rows = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    position = arguments["position"][rows]
    place = np.repeat(meant.astype(np.int64), count) * width + position
    at = np.minimum(np.searchsorted(places, place), len(places) - 1)
    fits = (position >= 0) & (position < width) & (places[at] == place) & (arguments["value"][rows] >= 0)
    return rep[arguments["value"][rows[fits]]], rep[values[at[fits]]]


def captured_callees(program: Program, rep: npt.NDArray[np.int32]) -> dict[int, list[int]]:
    """By function, the nodes of captured variables that it calls, or of which it calls a member, with those of the
    members: ``handle``, ``methods[request.method]``; and of what they capture. Linear in the tables.

    What a closure calls counts for the functions around it that capture it, too.
    """
    captures, calls, loads, flows = (program.tables[name] for name in ("captures", "calls", "loads", "flows"))
    op = program.tables["values"]["op"]
    called = np.zeros(program.num_values, bool)
    called[rep[calls["callee"]]] = True
    nodes, outer = rep[captures["inner"]], rep[captures["outer"]]
    around = dict(zip(nodes.tolist(), outer.tolist(), strict=True))
    capturing = dict(zip(nodes.tolist(), captures["function"].tolist(), strict=True))
    same = (flows["kind"] == 0) & (op[flows["target"]] != Op.SUPER)
    origins, targets = rep[flows["origin"][same]], rep[flows["target"][same]]
    handlers = called.copy()  # `const handle = methods[name]; if (handle) handle(request)`
    for _ in range(MAX_TABLE_STEPS):
        handlers[origins[handlers[targets]]] = True
    held, holder = rep[loads["result"]], rep[loads["object"]]
    captured = np.zeros(program.num_values, bool)
    captured[nodes] = True
    parameters = program.tables["parameters"]
    is_given = np.zeros(program.num_values, bool)
    is_given[rep[parameters["value"][parameters["kind"] != ParameterKind.RECEIVER]]] = True
    members: dict[int, list[int]] = {}  # captured variable -> members that are called
    for row in np.flatnonzero(handlers[held] & captured[holder]).tolist():
        members.setdefault(int(holder[row]), []).append(int(held[row]))
    found: dict[int, dict[int, None]] = {}
    for node in dict.fromkeys(nodes.tolist()):
        if called[node] or node in members:
            chain, functions = {node: None}, [capturing[node]]
            last = around[node]
            while last not in chain:  # grows by a node each time
                chain[last] = None
                if last in around:
                    functions.append(capturing[last])
                    last = around[last]
            given = bool(is_given[last])  # an object that the function around it gets
            if called[node] or given:
                chain.update(dict.fromkeys(members.get(node, ()) if given else ()))
                for function in functions if given else functions[:1]:
                    found.setdefault(function, {}).update(chain)
    return {function: list(known) for function, known in found.items()}


def given_functions(program: Program, rep: npt.NDArray[np.int32], wrappers: Iterable[int]) -> dict[int, list[int]]:
    """By function, the nodes of the parameters of the function around it: what a decorator is given."""
    parameters, parents = program.tables["parameters"], program.tables["functions"]["parent"]
    of_parent: dict[int, list[int]] = {}
    for function, value in zip(parameters["function"].tolist(), rep[parameters["value"]].tolist(), strict=True):
        of_parent.setdefault(function, []).append(value)
    return {each: of_parent.get(int(parents[each]), []) for each in wrappers}


def look_ups(apis: Collection[Apis]) -> list[str]:
    """The names of APIs that return what an object holds under a key that they are given, or under any, or the module
    that they are given the name of.
    """
    modules = {each.paths[node][-1] for each in apis for node in each.index.modules}
    return sorted(modules.union(*[each.index.looked_up for each in apis]))
