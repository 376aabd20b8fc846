"""Paths that leave one request and go on in another: a handler sets ``req.user``, and the handler of another route
reads the ``req.user`` of its own request.

Resolution has one field for all requests, since middleware sets what a handler reads. A handler that answers does not
run before another one: it has a route of its own, stands before no other handler of a route, calls nothing that goes on
(``next()``), and is not called by the program. What it keeps on the object that a framework gave it ends with its
request.

Asked of what is read of a parameter of the handler itself, or of a member for what handlers leave there
(``res.locals``), not of sessions and other objects that last longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.limits.explanation import MAX_ENTRY_CALLERS, MAX_GUARD_DEPTH
from pyrograph.policy.names.requests import CONTEXT_FIELDS, REQUEST_FIELDS
from pyrograph.scanner.analysis.assemble import Context, FlowGraph
from pyrograph.scanner.explain.callbacks import Row
from pyrograph.scanner.explain.entries import Entries

FIELDS: Final = CONTEXT_FIELDS | REQUEST_FIELDS


class RequestsApart:
    """Answers for one program, kept by function."""

    def __init__(self, entries: Entries, flow: FlowGraph) -> None:
        self.entries = entries
        self.callers = entries.callers
        self.tables = entries.tables
        self.value, self.context = flow.value, flow.context.data
        self.answering: dict[int, frozenset[str]] = {}  # ``routes``
        self.known: dict[int, frozenset[int]] = {}  # ``handlers``

    def is_possible(self, edges: Sequence[Row], start: int) -> bool:
        """Whether one request can take a path from the value ``start`` on, as far as its handlers show it."""
        before, function = start, self.callers.function
        for edge in edges:
            target = self.value[edge.target]
            is_leaving = self.context[edge.row] == Context.HEAP and self.is_of_request(target)
            if is_leaving and self.are_apart(int(function[before]), int(function[target])):
                return False
            before = target
        return True

    def is_of_request(self, value: int) -> bool:
        """Whether a value is read of what a framework gave to the function around it."""
        holder = self.holder(value)
        for _ in range(MAX_GUARD_DEPTH):
            rep = self.callers.reps[holder]
            if self.callers.op[rep] != Op.LOAD:
                break
            load = self.callers.data[rep]
            key = int(self.tables["loads"]["key"][load])
            if key < 0 or self.callers.strings[key] not in FIELDS:
                return False
            holder = int(self.tables["loads"]["object"][load])
        rep = self.callers.reps[holder] if holder != NONE else NONE
        if rep == NONE or self.callers.op[rep] != Op.PARAMETER or self.callers.data[rep] == NONE:
            return False
        is_given = int(self.tables["parameters"]["position"][self.callers.data[rep]]) != RECEIVER
        return is_given and int(self.callers.function[rep]) in self.handlers(int(self.callers.function[value]))

    def holder(self, value: int) -> int:
        """What a value is read of, as a member or by a method; NONE for other values."""
        op, row = self.callers.op[value], self.callers.data[value]
        if op == Op.LOAD:
            return int(self.tables["loads"]["object"][row])
        return int(self.tables["calls"]["receiver"][row]) if op == Op.CALL else NONE

    def are_apart(self, first: int, then: int) -> bool:
        """Whether the handlers by which requests reach two functions answer different routes, and none goes on."""
        before, behind = self.handlers(first), self.handlers(then)
        if not before or not behind or not before.isdisjoint(behind):
            return False
        ways = [[self.routes(each) for each in side] for side in (before, behind)]
        if not all(routes for side in ways for routes in side):
            return False
        return frozenset[str]().union(*ways[0]).isdisjoint(frozenset[str]().union(*ways[1]))

    def handlers(self, function: int) -> frozenset[int]:
        """The handlers by which requests reach a function; none where not all are known."""
        known = self.known.get(function)
        if known is None:
            known = self.known[function] = self._handlers(function)
        return known

    def _handlers(self, function: int) -> frozenset[int]:
        found = set()
        for count, each in enumerate(self.entries.outwards(function)):
            if count == MAX_ENTRY_CALLERS:
                return frozenset()
            if self.entries.of_function(each):
                found.add(each)
            elif not self.entries.reaching(each):
                return frozenset()
        return frozenset(found)

    def routes(self, function: int) -> frozenset[str]:
        """The routes that a handler answers; none if it may go on to another handler, or if it states none."""
        known = self.answering.get(function)
        if known is None:
            known = self.answering[function] = self._routes(function)
        return known

    def _routes(self, function: int) -> frozenset[str]:
        own, callers = self.entries.of_function(function), self.callers
        if not all(each.route.startswith("/") for each in own) or self.entries.is_middleware(function):
            return frozenset()
        inside = [call for each in callers.nest(function) for call in callers.regions.calls_in(each)]
        if callers.direct_sites(function) or any(callers.continues(call) for call in inside):
            return frozenset()
        return frozenset(" ".join((each.route, *each.methods)) for each in own)
