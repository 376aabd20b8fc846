"""Handlers of the program that put what a schema lets through into the request, for the handlers behind them.

``const valid = (schema) => (req, res, next) => { req.body = schema.parse(req.body); next(); }`` and ``app.post("/",
valid(A), save)``: the fields of ``request.body`` in ``save`` are what ``A`` declares. So are those of ``req.checked``,
and of ``res.locals.data``. Each call of ``valid`` has a schema of its own, which no join of all calls tells, so what the
schema says is marked where the handlers behind read it (``route_schemas``). Such a handler must not go on where the
store was passed by: ``next()`` is reached through the store only; ``next(error)`` is no way on. A handler that is given
to several routes is left alone.

Time O(calls that check + arguments of the calls that register handlers); for each handler that stores, O(its blocks).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, UNKNOWN_KEY, Op, Test
from pyrograph.ir.packed import key_value, subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_ROUTE_DEPTH
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.json_words import members_of
from pyrograph.scanner.analysis.label.patterns import compiling_call
from pyrograph.scanner.analysis.label.schemas import checking_calls
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


class Stored(NamedTuple):
    """A handler stores the result of a check in one of its parameters."""

    parameter: int  # its position
    key: int  # of the member of the parameter, or of the value that is the name
    path: tuple[int, ...]  # from that member to what is stored
    schema: int
    value: int  # what is stored


class Declared(NamedTuple):
    """What a schema says of a member of a parameter of the handlers behind one registration's."""

    parameter: int
    key: int
    path: tuple[int, ...]
    schema: int


class Root(NamedTuple):
    """Where a value comes from within a function: a value, and the members that are read of it."""

    value: int
    names: tuple[int, ...]


class StoringChecks:
    """Finds such handlers; kept while one program is labelled."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = Blocks(facts)
        self.going_on = self.calls_that_go_on()
        self.stored = self.find_stored()  # by function
        self.bound: dict[tuple[int, int], int] = {}  # (call, representative of a parameter) -> argument
        bindings = facts.resolution.rows("bindings")
        if self.stored and len(bindings):
            parameters = facts.resolution.representative[bindings[:, 2]].tolist()
            for site, argument, parameter in zip(
                bindings[:, 0].tolist(), bindings[:, 1].tolist(), parameters, strict=True
            ):
                self.bound.setdefault((site, parameter), argument)

    def calls_that_go_on(self) -> dict[int, list[int]]:
        """By function: the results of calls, without an argument, of what it was given."""
        facts = self.facts
        callees = facts.tables["calls"]["callee"]
        found: dict[int, list[int]] = {}
        for call in np.flatnonzero(callees != NONE).tolist():
            callee = facts.rep[int(callees[call])]
            if facts.op[callee] == Op.PARAMETER and all(facts.arg_position[row] < 0 for row in facts.args.of(call)):
                result = facts.call_result[call]
                found.setdefault(int(facts.function_of[result]), []).append(result)
        return found

    def find_stored(self) -> dict[int, list[Stored]]:
        """By handler: what it stores on each way to the next one."""
        facts = self.facts
        results = self.results() if self.going_on else {}
        stores = facts.tables["stores"]
        found: dict[int, list[Stored]] = {}
        values = facts.resolution.representative[np.maximum(stores["value"], 0)]
        for row in np.flatnonzero((stores["value"] >= 0) & among(values, results)).tolist() if results else ():
            value, key = int(stores["value"][row]), int(stores["key"][row])
            schema = self.schema_of(*results[facts.rep[value]])
            held, path = first_version(facts, int(stores["object"][row])), ()
            if facts.op[held] == Op.LOAD and key >= 0:
                path, key = (key,), facts.load_key[facts.data[held]]
                held = first_version(facts, facts.load_object[facts.data[held]])
            if schema == NONE or facts.op[held] != Op.PARAMETER or key == UNKNOWN_KEY:
                continue
            function, result = int(facts.function_of[held]), int(stores["result"][row])
            if function == int(facts.function_of[result]) and self.goes_on_behind(function, result, schema):
                at = position(facts, held)
                found.setdefault(function, []).append(Stored(at, key, path, schema, value))
        return found

    def results(self) -> dict[int, tuple[int, Flow]]:
        """By representative: what was checked, as the calls that check return it."""
        facts = self.facts
        found: dict[int, tuple[int, Flow]] = {}
        below: dict[tuple[int, int], tuple[int, Flow]] = {}
        for call, flow in checking_calls(facts):
            path = facts.keys(call, flow.target.path)
            result = facts.rep[facts.call_result[call]]
            if flow.target.kind != "ret" or len(path) > 1:
                continue
            if path:
                below[result, path[0]] = call, flow
            else:
                found[result] = call, flow
        loads = facts.tables["loads"]
        objects = facts.resolution.representative[loads["object"]]
        for row in np.flatnonzero(among(objects, {result for result, _ in below})).tolist() if below else ():
            place = int(objects[row]), int(loads["key"][row])
            if place in below:
                found[facts.rep[int(loads["result"][row])]] = below[place]
        return found

    def schema_of(self, call: int, flow: Flow) -> int:
        facts = self.facts
        rows = facts.args.at(call, flow.schema) if flow.schema is not None else []
        if rows:
            return facts.arg_value[rows[0]]
        return facts.call_receiver[call] if flow.schema == Port("this") else NONE

    def goes_on_behind(self, function: int, store: int, schema: int) -> bool:
        """Whether a function goes on, and only where it has stored; a way on which there is no schema does not count."""
        blocks = self.blocks
        place = blocks.place_of(function, store)
        first = blocks.rows("blocks", "function", function)
        if place == NONE or not first:
            return False
        calls = self.going_on.get(function, [])
        going_on = {blocks.place_of(function, each) for each in calls if each < store}
        going_on |= {blocks.place_of(function, each) for each in calls} - {place}
        root = self.root(schema)
        seen, work = {first[0]}, [first[0]]
        while work:  # each block once
            block = work.pop()
            if block in going_on:
                return False
            for target, condition, side in self.edges(block):
                if block == place and side != EXCEPTIONAL:
                    continue
                if side == 0 and condition != NONE and self.asks_for(condition, root):
                    continue
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return bool(calls)

    def edges(self, block: int) -> list[tuple[int, int, int]]:
        """(target, condition, side) of the ways on from a block, those to handlers of exceptions as well."""
        control = self.facts.tables["control"]
        rows = self.blocks.rows("control", "origin", block)
        return [tuple(int(control[name][row]) for name in ("target", "condition", "side")) for row in rows]

    def asks_for(self, condition: int, root: Root) -> bool:
        """Whether a condition asks whether there is a schema."""
        conditions = self.facts.tables["conditions"]
        return int(conditions["test"][condition]) == Test.TRUTH and self.root(int(conditions["left"][condition])) == root

    def root(self, value: int) -> Root:
        facts = self.facts
        names: list[int] = []
        at = first_version(facts, value)
        while facts.op[at] == Op.LOAD and facts.load_key[facts.data[at]] >= 0 and len(names) < MAX_ROUTE_DEPTH:
            names.append(facts.load_key[facts.data[at]])
            at = first_version(facts, facts.load_object[facts.data[at]])
        return Root(facts.rep[at], tuple(reversed(names)))

    # -- One registration

    def behind(self, call: int) -> list[tuple[int, Declared]]:
        """(position of the argument, what stands in the request behind it) for the arguments of a registration."""
        facts = self.facts
        found: list[tuple[int, Declared]] = []
        for row in facts.args.of(call) if self.stored else ():
            if facts.arg_position[row] < 0:
                continue
            value = facts.arg_value[row]
            functions = subjects(facts.resolution.states_of(value), FUNCTION)
            if len(functions) != 1:
                continue
            for each in self.stored.get(functions[0], ()):
                maker = compiling_call(facts, value)
                key = each.key if each.key >= 0 else self.named(key_value(each.key), maker)
                schema = self.given(self.root(each.schema), maker)
                if key != NONE and schema != NONE:
                    found.append((facts.arg_position[row], Declared(each.parameter, key, each.path, schema)))
        return found

    def given(self, root: Root, maker: int) -> int:
        """The schema for one call ``maker`` that makes the handler; NONE if it is not known."""
        facts = self.facts
        if facts.op[root.value] != Op.PARAMETER:
            return root.value if not root.names else NONE
        value = self.bound.get((maker, root.value), NONE) if maker != NONE else NONE
        for name in root.names if value != NONE else ():
            held = members_of(facts, value).get(name, [])
            value = held[0] if len(held) == 1 else NONE
            if value == NONE:
                break
        return value

    def named(self, value: int, maker: int) -> int:
        """The member that a value names for one call ``maker``."""
        facts = self.facts
        at = first_version(facts, value)
        if facts.op[at] == Op.PARAMETER:
            at = self.bound.get((maker, facts.rep[at]), NONE)
            defaults = facts.flows.same_as(facts.rep[first_version(facts, value)]) if at == NONE else ()
            at = next(iter(defaults), NONE) if len(defaults) == 1 else at
        text = facts.constant(at) if at != NONE else None
        return facts.program.string_ids.get(text[1:], NONE) if text is not None and text[:1] == "'" else NONE


def position(facts: Facts, parameter: int) -> int:
    """Which parameter of its function a value is."""
    rows = facts.functions.parameters_of(int(facts.function_of[parameter]))
    values = facts.tables["parameters"]["value"]
    return next((at for at, row in enumerate(rows) if facts.rep[int(values[row])] == facts.rep[parameter]), NONE)


def first_version(facts: Facts, value: int) -> int:
    """``value`` before the conditions, stores and calls that it went through, and outside of closures."""
    for _ in range(MAX_DEFINITIONS):
        op = facts.op[value]
        if op == Op.POST:
            value = facts.arg_value[facts.data[value]]
        elif op == Op.STORE:
            value = int(facts.tables["stores"]["object"][facts.data[value]])
        elif op == Op.PI:
            value = int(facts.tables["pis"]["input"][facts.data[value]])
        elif facts.rep[value] in facts.flows.captured:
            value = facts.flows.captured[facts.rep[value]]
        elif facts.rep[value] != value:
            value = facts.rep[value]
        else:
            break
    return value
