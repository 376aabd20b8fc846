"""Propagation: each state that arrives at a node is sent along its edges and to the rules that concern the node."""

from __future__ import annotations

from typing import Any

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND
from pyrograph.policy.limits.resolution import MAX_DELIVERED, MAX_REGISTERED, MAX_STATES
from pyrograph.scanner.analysis.resolve.concerns import BASES, CALLS, LISTENERS, LOADS, MEMBERS, STORES, TYPES
from pyrograph.scanner.analysis.resolve.dispatch import resolve_call
from pyrograph.scanner.analysis.resolve.loads import load
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.stores import declare, inherit, own_members, store


def run_to_fixpoint(solver: Solver) -> None:
    """Propagate states in the order of their arrival, and run pending listeners, until none is left."""
    propagate(solver)
    while solver.pending:  # each state is new to its listener: there are finitely many
        deferred, solver.pending = solver.pending, []
        for listener, call, state in deferred:
            listener.on_state(solver, call, state)
        propagate(solver)


def propagate(solver: Solver) -> None:
    """Propagate the states in the queue, and those that this adds.

    Ends: a state is queued when it arrives at a node for the first time, and a node has ``MAX_ALIKE`` at most.
    """
    points, accesses, calls, classes = solver.points, solver.accesses, solver.calls, solver.classes
    # Numbers that only pass through are typed Any: compiled code would make each of them anew, and what looks for them
    # in a set would then have to compare them by value. ``at`` and ``place`` are the same numbers as indices.
    queue: list[Any] = points.queue
    nodes: list[Any] = points.queue_nodes
    state: Any
    node: Any
    target: Any
    successors: list[Any] = points.successors
    states: list[tuple[Any, ...]] = points.states
    loads_of, stores_of, calls_of = accesses.loads_of, accesses.stores_of, calls.of_callee
    typed_by, member_rows, base_rows = classes.types.rows, classes.member_rows, classes.base_rows
    concerned, unread = points.concerned, accesses.unread
    closed, full, refused = points.closed, points.full, points.refused
    open_targets, receivers = points.open_targets, points.receivers
    done = 0
    while True:
        while unread:
            row, state = unread.popleft()
            load(solver, row, state)
        if done == len(queue):
            break
        if done == MAX_DELIVERED:
            del nodes[:done], queue[:done]
            done = 0
        node, state = nodes[done], queue[done]
        done += 1
        alone: tuple[Any, ...] = (state,)
        number: int = state
        may_be_full = number & KIND > INSTANCE_OF
        place: int = node
        following = successors[place]
        is_wide = isinstance(following, dict)
        if is_wide and place in open_targets:
            following = open_targets[place]
        shut = 0  # closed nodes among them
        for target in following:
            at: int = target
            known = states[at]
            if not known:
                points.num_known += 1
                states[at] = alone
                nodes.append(target)
                queue.append(state)
            elif len(known) < MAX_STATES:  # as in ``extend``, without a call
                if state in known:
                    continue
                if target in receivers:
                    points.extend(target, known, state)
                else:
                    states[at] = (*known, state)
                    nodes.append(target)
                    queue.append(state)
            elif target in closed:  # before the states are looked through, which takes long where they are many
                shut += 1
            elif may_be_full and target in full:  # as in ``extend``, without a call
                further = refused.get(target)
                if further is not None and state not in further and state not in known:
                    if len(further) < MAX_REGISTERED:
                        further[state] = NONE
                    else:
                        points.extend(target, known, state)
            elif state not in known:
                points.extend(target, known, state)
        if is_wide and shut * 2 > len(following):  # each time leaves at most half: linear in what was looked at so far
            points.forget_closed(place)
        if concerned[place] & LISTENERS:
            for call, listener in tuple(solver.listeners[node]):
                listener.on_state(solver, call, state)
        what = concerned[place]
        if not what:
            continue
        if what & MEMBERS:  # a member of a class hides inherited ones: known before anyone looks it up
            own_members(solver, member_rows[node], state)
        if what & BASES:
            for row in base_rows[node]:
                inherit(solver, row, state)
        if what & LOADS:
            for row in loads_of[node]:
                load(solver, row, state)
        if what & CALLS:
            for row in calls_of[node]:
                resolve_call(solver, row, state)
        if what & STORES:
            store(solver, stores_of[node], state)
        if what & TYPES:
            for row in typed_by[node]:
                declare(solver, classes.types.values[row], state)
    nodes.clear()
    queue.clear()
