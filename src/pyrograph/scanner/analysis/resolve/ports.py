"""Ports of models at a call: the values that they name, and the keys of their paths."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.rules.entries import ARGUMENT_NAME, Port
from pyrograph.scanner.analysis.key_paths import keys_of_path
from pyrograph.scanner.analysis.numbers import LOAD_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.key_texts import text_of_key
from pyrograph.scanner.analysis.resolve.resolution import HIDDEN_PARTS
from pyrograph.scanner.analysis.resolve.solver import KeyPath, Listener, Solver


def port_values(solver: Solver, row: int, port: Port) -> list[int]:
    if port.kind == "ret":
        return [solver.calls.result[row]]
    rows = solver.calls.args.at(row, port)
    if port.kind == "this" and not rows and solver.calls.receiver[row] != NONE:
        return [solver.calls.receiver[row]]
    callee = solver.calls.callee[row]
    if port.kind == "this" and not rows and callee != NONE and solver.op[callee] == LOAD_OP:
        return [solver.accesses.load_object[solver.data[callee]]]  # a decorator: ``@signal.connect``
    return [solver.calls.arg_value[a] for a in rows]


def with_viewed(solver: Solver, values: list[int]) -> list[int]:
    """The values, and the receivers that those of ``super`` are: these have the class that the object was made with."""
    return [*values, *(solver.classes.viewed[each] for each in values if each in solver.classes.viewed)]


def target_values(solver: Solver, row: int, port: Port) -> list[int]:
    """Where data that a model sends to ``port`` arrives: the result, or an argument's state after the call."""
    if port.kind == "ret":
        return [solver.calls.result[row]]
    return [solver.calls.arg_post[a] for a in solver.calls.args.at(row, port) if solver.calls.arg_post[a] != NONE]


def key_at(solver: Solver, row: int, key: str) -> int:
    """The key that a port's path names at this call."""
    if key in ("", ARGUMENT_NAME) or (key[0] == "$" and key[-1] == "+"):
        return UNKNOWN_KEY
    if key in HIDDEN_PARTS:
        return solver.program.intern(HIDDEN_PARTS[key])
    if key[0] == "$" and key[1:].isdigit():
        values = port_values(solver, row, Port("position", int(key[1:])))
        text = text_of_key(solver, values[0]) if values else None
        if text is None:
            return UNKNOWN_KEY
        solver.resolution.keys[values[0]] = text
        return solver.program.intern(text)
    return solver.program.intern(("\0" if key[0] == "<" else "") + key)  # as labels name encoded text


def keys_named(solver: Solver, row: int, key: str) -> list[int]:
    """The keys that an argument names one in the other, as one text or a list of texts: the port's path ``[$1.]``."""
    values = port_values(solver, row, Port("position", int(key[1:-1])))
    if not values:
        return [UNKNOWN_KEY]
    node = solver.points.reps[values[0]]
    if solver.op[node] == NEW_OP:
        stores = solver.accesses.stores_of.get(node, ())
        texts = [text_of_key(solver, solver.accesses.store_value[store]) for store in stores]
    else:
        text = text_of_key(solver, values[0])
        texts = [] if text is None else [*keys_of_path(text)]
    return [UNKNOWN_KEY if each is None else solver.program.intern(each) for each in texts] or [UNKNOWN_KEY]


def key_values(solver: Solver, row: int, key: str) -> list[int]:
    """The values of the argument that a port's path names as its key: ``[$1]``."""
    return port_values(solver, row, Port("position", int(key[1:]))) if key[:1] == "$" and key[1:].isdigit() else []


def listen_at(solver: Solver, row: int, value: int, path: Sequence[str], listener: Listener) -> None:
    """Run ``listener`` for all states that ``value`` holds under the ``path`` of a port of the call ``row``."""
    keys = tuple(key_at(solver, row, key) for key in path)
    solver.listen(value, KeyPath(keys, listener) if keys else listener, row)
