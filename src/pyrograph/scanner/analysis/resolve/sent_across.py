"""Messages that a function of another language handles: a server sends an event to the scripts of its pages.

A binding joins an argument and a parameter of one language. Between two, data alone goes on: what the call is given
moves to the parameters of the handler, under the names that it has there.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import CallFlow
from pyrograph.scanner.analysis.resolve.callbacks import CallbackListener
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, Move
from pyrograph.scanner.analysis.resolve.solver import Solver


def deliver(solver: Solver, row: int, flow: CallFlow, state: int) -> None:
    """The call ``row`` sends a message to what handles it."""
    if state & KIND == FUNCTION and is_abroad(solver, row, state >> KIND_BITS):
        send_across(solver, row, flow, state >> KIND_BITS)
    else:
        CallbackListener(flow).on_state(solver, row, state)


def is_abroad(solver: Solver, row: int, function: int) -> bool:
    """Whether a function is written in another language than the call ``row``."""
    own = int(solver.program.tables["functions"]["result"][function])
    return solver.files.language_of(solver.calls.result[row]) != solver.files.language_of(own)


def send_across(solver: Solver, row: int, flow: CallFlow, function: int) -> None:
    """Let data flow from the arguments of the call ``row`` to the parameters of ``function``. Linear in both."""
    key = (id(flow), row, function)
    if key in solver.models.seen_callbacks:
        return
    solver.models.seen_callbacks.add(key)
    signature = solver.functions.signature(function)
    position = 0
    for port in flow.arguments:
        values = port_values(solver, row, port)
        for at, value in enumerate(values):
            parameter = signature.by_position.get(position + at if port.kind == "from" else position, NONE)
            if parameter != NONE and not port.under:
                take = tuple([key_at(solver, row, each) for each in port.path])
                solver.resolution.flows.moves.append(Move(value, solver.functions.param_value[parameter], take))
        position += len(values) if port.kind == "from" else 1
