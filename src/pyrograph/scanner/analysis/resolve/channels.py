"""Channels that are found by what holds them: a field of a worker, a variable of a package.

``queue.jobs <- job`` and ``for job := range queue.jobs`` mostly stand in functions that no call joins: a request
sends, a goroutine that was started before receives. A channel holds a cell from where it is made (``SENT``). Points-to
sets decide which sends and receives concern it. Data flows from each value that is sent into the cell, and from
there to each receive, in every calling context. Channels that are only local variables, arguments and results are
left out: their flow between functions is known with its context.

Queues of libraries (``[type] channels`` of the packs) are channels, too: ``self.jobs.put(job)`` in a handler and
``self.jobs.get()`` in a thread. They are told apart by where they were made.

Linear in the sends and receives of the program, times the channels that each may mean (``MAX_STATES`` at most).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, SENT, UNKNOWN_KEY, Op
from pyrograph.ir.packed import KIND
from pyrograph.policy.limits.resolution import MAX_QUEUE_EDGES
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.numbers import GLOBAL_OP, LOAD_OP
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver

QUEUE: Final = Port("this")


def link_channels(solver: Solver) -> None:
    """Let data flow through channels that a field or a variable of a package holds."""
    solver.resolution.stored.channels = {language: apis.channels for language, apis in solver.apis.items()}
    link_queues(solver)
    name = solver.program.string_ids.get(SENT, NONE)
    if name == NONE:
        return
    tables, reps, states = solver.program.tables, solver.points.reps, solver.points.states
    op, data = tables["values"]["op"], tables["values"]["data"]
    stores, loads = tables["stores"], tables["loads"]
    put = np.flatnonzero((stores["key"] == UNKNOWN_KEY) & (stores["value"] >= 0))
    held = stores["value"][put]
    made = (op[held] == Op.CELL) & (data[held] == name)
    cells: dict[int, int] = {}  # state of a channel -> its cell
    for obj, cell in zip(stores["object"][put[made]].tolist(), held[made].tolist(), strict=True):
        for state in states[reps[obj]]:
            cells[state] = cell
    taken = np.flatnonzero(loads["key"] == UNKNOWN_KEY)
    sends = zip(stores["object"][put[~made]].tolist(), held[~made].tolist(), strict=True)
    receives = zip(loads["object"][taken].tolist(), loads["result"][taken].tolist(), strict=True)
    sent = [(cell, channel, value) for channel, value in sends for cell in _meant(states[reps[channel]], cells)]
    received = [(cell, channel, value) for channel, value in receives for cell in _meant(states[reps[channel]], cells)]
    shared = {cell for cell, channel, _ in (*sent, *received) if solver.op[channel] in (LOAD_OP, GLOBAL_OP)}
    for cell, _, value in sent:
        if cell in shared:
            solver.resolution.flows.context_free_edges.append((value, cell))
    for cell, _, value in received:
        if cell in shared:
            solver.resolution.flows.context_free_edges.append((cell, value))


def link_queues(solver: Solver) -> None:
    """Let data flow from what is put into a library's queue to what is taken out of it, by the call that made it."""
    put: dict[int, list[tuple[int, int]]] = {}  # state of a queue -> (queue, what is put into it)
    taken: dict[int, list[tuple[int, int]]] = {}
    for row, node in solver.resolution.api_calls:
        apis = solver.apis[solver.files.language_of(solver.calls.result[row])]
        roles = apis.roles.get(node)
        if roles is None or apis.node(apis.paths[node][:-1]) not in apis.channels:
            continue
        for queue in port_values(solver, row, QUEUE):
            for flow in (flow for propagator in roles.propagators for flow in propagator.flows):
                if not isinstance(flow, Flow):
                    continue
                is_put = flow.target.kind == "this"
                values = port_values(solver, row, flow.origin if is_put else flow.target)
                for state in solver.points.states[solver.points.reps[queue]]:
                    if state & KIND == OBJECT:
                        held = (put if is_put else taken).setdefault(state, [])
                        held += [(queue, value) for value in values]
    for state, sent in put.items():
        received = taken.get(state, [])
        shared = any(solver.op[queue] in (LOAD_OP, GLOBAL_OP) for queue, _ in (*sent, *received))
        if shared and len(sent) * len(received) <= MAX_QUEUE_EDGES:
            for _, value in sent:
                for _, result in received:
                    solver.resolution.flows.context_free_edges.append((value, result))


def _meant(held: tuple[int, ...], cells: dict[int, int]) -> list[int]:
    return [cells[state] for state in held if state in cells]
