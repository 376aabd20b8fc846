"""Handlers of the program that check the request against a schema, for the handlers behind them.

``const valid = (schema) => (req, res, next) => { req.body = schema.parse(req.body); next(); }`` and ``app.post("/",
valid(A), save)``: the fields of ``request.body`` in ``save`` are what ``A`` declares. So are those of ``req.checked``,
and of ``res.locals.data``, where such a handler stores them; and where it only checks, what it checked. Each call of
``valid`` has a schema of its own, which no join of all calls tells, so what the schema says is marked where the
handlers behind read it (``route_schemas``). Such a handler goes on only where the check passed (``handler_ways``).

Time O(calls that check + conditions + arguments of the calls that register handlers); for each handler that checks,
O(its blocks).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, CallFlag, Op, Test
from pyrograph.ir.packed import key_value, subjects
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import Flow, Guard, Port
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.handler_ways import HandlerWays, Root, root_of
from pyrograph.scanner.analysis.label.json_words import members_of
from pyrograph.scanner.analysis.label.patterns import compiling_call
from pyrograph.scanner.analysis.label.schemas import checking_calls
from pyrograph.scanner.analysis.label.versions import first_version
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


class Checked(NamedTuple):
    """What a handler checked, or stored of that, in a member of one of its parameters."""

    parameter: int  # its position
    key: int  # of the member of the parameter, or of the value that is the name
    path: tuple[int, ...]  # from that member to what is checked
    schema: int
    within: tuple[int, ...] = ()  # from what the schema declares to that
    is_given: bool = False  # it was only checked: what the schema makes of it is not there


class Result(NamedTuple):
    """A value that a check returned, or a member of it."""

    call: int
    flow: Flow
    within: tuple[int, ...]


class HandlerChecks:
    """Finds such handlers; kept while one program is labelled."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.ways = HandlerWays(facts)
        self.checked: dict[int, list[Checked]] = {}  # by function
        self.bound: dict[tuple[int, int], int] = {}  # (call, representative of a parameter) -> argument
        if self.ways.going_on:
            self.find_stored()
            self.find_given()
        bindings = facts.resolution.rows("bindings")
        if self.checked and len(bindings):
            parameters = facts.resolution.representative[bindings[:, 2]].tolist()
            columns = bindings[:, 0].tolist(), bindings[:, 1].tolist(), parameters
            for site, argument, parameter in zip(*columns, strict=True):
                self.bound.setdefault((site, parameter), argument)

    # -- What handlers store

    def find_stored(self) -> None:
        facts = self.facts
        results = self.results()
        stores = facts.tables["stores"]
        values = facts.resolution.representative[np.maximum(stores["value"], 0)]
        for row in np.flatnonzero((stores["value"] >= 0) & among(values, results)).tolist() if results else ():
            made, key = results[int(values[row])], int(stores["key"][row])
            held = first_version(facts, int(stores["object"][row]), before_stores=True)
            path: tuple[int, ...] = ()
            if facts.op[held] == Op.LOAD and key >= 0:
                path, key = (key,), facts.load_key[facts.data[held]]
                held = first_version(facts, facts.load_object[facts.data[held]], before_stores=True)
            schema = stands_at(facts, made.call, made.flow.schema)
            if schema == NONE or facts.op[held] != Op.PARAMETER or key == UNKNOWN_KEY:
                continue
            function, result = int(facts.function_of[held]), int(stores["result"][row])
            if function == int(facts.function_of[result]) and self.ways.lead_through(function, result, (), schema):
                self.add(function, Checked(place_of(facts, held), key, path, schema, made.within))

    def add(self, function: int, checked: Checked) -> None:
        self.checked.setdefault(function, []).append(checked)

    def results(self) -> dict[int, Result]:
        """By representative: what calls that check return, and its members."""
        facts = self.facts
        found: dict[int, Result] = {}
        below: dict[tuple[int, int], Result] = {}
        for call, flow in checking_calls(facts):
            path = facts.keys(call, flow.target.path)
            result = facts.rep[facts.call_result[call]]
            if flow.target.kind == "ret" and len(path) <= 1:
                made = Result(call, flow, ())
                if path:
                    below[result, path[0]] = made
                else:
                    found[result] = made
        loads = facts.tables["loads"]
        objects = facts.resolution.representative[loads["object"]]
        for row in np.flatnonzero(among(objects, {result for result, _ in below})).tolist() if below else ():
            place = int(objects[row]), int(loads["key"][row])
            if place in below:
                found[facts.rep[int(loads["result"][row])]] = below[place]
        for row in np.flatnonzero(among(objects, dict(found)) & (loads["key"] >= 0)).tolist() if found else ():
            made, result = found[int(objects[row])], facts.rep[int(loads["result"][row])]
            if not made.within and result not in found:
                found[result] = made._replace(within=(int(loads["key"][row]),))
        return found

    # -- What handlers only check

    def find_given(self) -> None:
        facts = self.facts
        asked: dict[int, list[tuple[int, Guard]]] = {}  # representative of what a condition may ask -> checks
        for call, guard in self.guarded_calls():
            if guard.test == "valid":
                asked.setdefault(facts.rep[facts.call_result[call]], []).append((call, guard))
            elif guard.test == "raises" or int(facts.tables["calls"]["flags"][call]) & CallFlag.AWAIT:
                self.add_given(call, guard, ())
        conditions = facts.tables["conditions"]
        sides: dict[tuple[int, int], list[tuple[int, int]]] = {}  # (call, number of the guard) -> where it passed
        guards: dict[tuple[int, int], Guard] = {}
        for row in np.flatnonzero(conditions["test"] == Test.TRUTH).tolist() if asked else ():
            root = root_of(facts, int(conditions["left"][row]))
            for call, guard in asked.get(root.value, ()):
                if root.names == tuple(facts.keys(call, guard.steps)):
                    place = call, id(guard)
                    sides.setdefault(place, []).append((row, 0 if guard.when_false else 1))
                    guards[place] = guard
        for place, passed in sides.items():
            self.add_given(place[0], guards[place], passed)

    def guarded_calls(self) -> Iterator[tuple[int, Guard]]:
        """The calls that check an argument, and either fail or say whether it passed."""
        facts = self.facts
        known: dict[str, dict[int, list[Guard]]] = {}
        for language, apis in facts.apis.items():
            of_nodes = known.setdefault(language, {})
            for guard, _ in apis.guards:
                plain = not (guard.schema_made or guard.port_made or guard.also or guard.port == guard.schema)
                if guard.test in ("valid", "raises", "rejects") and guard.schema is not None and plain:
                    of_nodes.setdefault(apis.node(guard.api), []).append(guard)
        for call, node in dict.fromkeys(facts.resolution.api_calls):
            for guard in known[facts.language(facts.call_result[call])].get(node, ()):
                if holds(facts, guard.conditions, call):
                    yield call, guard

    def add_given(self, call: int, guard: Guard, passed: list[tuple[int, int]] | tuple[()]) -> None:
        facts = self.facts
        rows = facts.args.at(call, guard.port) if guard.port is not None else []
        schema = stands_at(facts, call, guard.schema)
        if len(rows) != 1 or schema == NONE:
            return
        function, value = int(facts.function_of[facts.call_result[call]]), facts.arg_value[rows[0]]
        parts = [
            (each, within) for each, within in self.parts_of(value) if int(facts.function_of[each.value]) == function
        ]
        if parts and self.ways.lead_through(function, facts.call_result[call], passed, schema):
            for part, within in parts:
                if facts.op[part.value] == Op.PARAMETER and part.names:
                    at = place_of(facts, part.value)
                    self.add(function, Checked(at, part.names[0], part.names[1:], schema, within, is_given=True))

    def parts_of(self, value: int) -> list[tuple[Root, tuple[int, ...]]]:
        """What is checked: members of a parameter, each with the field of the schema that it is."""
        facts = self.facts
        literal = facts.rep[first_version(facts, value, before_stores=True)]
        if facts.op[literal] != Op.NEW:
            return [(root_of(facts, value), ())]
        held = members_of(facts, literal)
        if any([key < 0 for key in held]):
            return []
        return [(root_of(facts, each[0]), (key,)) for key, each in held.items() if len(each) == 1]

    # -- One registration

    def behind(self, call: int) -> list[tuple[int, Checked]]:
        """(position of the argument, what it checked) for the arguments of a registration, with its own schemas."""
        facts = self.facts
        found: list[tuple[int, Checked]] = []
        for row in facts.args.of(call) if self.checked else ():
            value = facts.arg_value[row]
            functions = subjects(facts.resolution.states_of(value), FUNCTION)
            if facts.arg_position[row] == RECEIVER or len(functions) != 1:
                continue
            for each in self.checked.get(functions[0], ()):
                maker = compiling_call(facts, value)
                key = each.key if each.key >= 0 else self.named(key_value(each.key), maker)
                schema = self.given(root_of(facts, each.schema), maker)
                if key != NONE and schema != NONE:
                    found.append((facts.arg_position[row], each._replace(key=key, schema=schema)))
        return found

    def given(self, root: Root, maker: int) -> int:
        """The schema for one call ``maker`` that makes the handler; NONE if it is not known."""
        facts = self.facts
        if facts.op[root.value] != Op.PARAMETER:
            return root.value if not root.names else NONE
        value = self.bound.get((maker, root.value), NONE) if maker != NONE else NONE
        for name in root.names:
            held = members_of(facts, value).get(name, []) if value != NONE else []
            value = held[0] if len(held) == 1 else NONE
        return value

    def named(self, value: int, maker: int) -> int:
        """The member that a value names for one call ``maker``: the argument, or else the default."""
        facts = self.facts
        at = first_version(facts, value, before_stores=True)
        if facts.op[at] == Op.PARAMETER:
            parameter = facts.rep[at]
            defaults = facts.flows.same_as(parameter)
            at = self.bound.get((maker, parameter), defaults[0] if len(defaults) == 1 else NONE)
        text = facts.constant(at) if at != NONE else None
        return facts.program.string_ids.get(text[1:], NONE) if text is not None and text[:1] == "'" else NONE


def stands_at(facts: Facts, call: int, port: Port | None) -> int:
    """What stands at a port of a call, its receiver as well; or NONE."""
    rows = facts.args.at(call, port) if port is not None else []
    if rows:
        return facts.arg_value[rows[0]]
    return facts.call_receiver[call] if port == Port("this") else NONE


def place_of(facts: Facts, parameter: int) -> int:
    """Which parameter of its function a value is."""
    rows = facts.functions.parameters_of(int(facts.function_of[parameter]))
    values = facts.tables["parameters"]["value"]
    return next((at for at, row in enumerate(rows) if facts.rep[int(values[row])] == facts.rep[parameter]), NONE)
