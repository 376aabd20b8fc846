"""Calls of APIs: what the packs say of the functions and values that a library's function is given and returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, FunctionFlag
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import CallFlow, Drop, Flow, ParameterType, Port
from pyrograph.scanner.analysis.apis import CALL, EXTERNAL, INSTANCE, Roles
from pyrograph.scanner.analysis.resolve.members import carry, read_from, take_any
from pyrograph.scanner.analysis.resolve.numbers import (
    CONST_OP,
    DECORATOR,
    PARAMETER_OP,
    RECEIVER_KIND,
    VARARG_KIND,
)
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, HIDDEN_PARTS, INSTANCE_OF, OBJECT, Entry
from pyrograph.scanner.analysis.resolve.solver import (
    CALLS_BACK,
    HANDS_ON,
    PASSES,
    PUTS,
    TAKES,
    Deeds,
    Part,
    Row,
    Solver,
    Watcher,
)
from pyrograph.scanner.analysis.resolve.uses import Used, undecorated
from pyrograph.scanner.analysis.schema import NO_KEY, WHOLE, Callback

MEMBERED: Final = (FUNCTION, CLASS, INSTANCE_OF, OBJECT, API)  # states that something can be called of


@dataclass(frozen=True, slots=True)
class CalledBack(Watcher):
    """A function that a library calls, as ``flow`` says."""

    flow: CallFlow

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == FUNCTION:
            call_back(solver, call, self.flow, state >> KIND_BITS)
        elif state & KIND == CLASS and self.flow.target is not None and not self.flow.target.path:
            make_instance(solver, call, self.flow.target, state >> KIND_BITS)


class Kept(Watcher):
    """An object that a library puts what ``origin``, a node, is into, under ``key``."""

    def __init__(self, origin: int, key: int) -> None:
        self.origin = origin
        self.key = key

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT:
            solver.edge(self.origin, solver.cell(state, self.key))


class Taken(Watcher):
    """An object that a library takes ``target``, a node, out of, from under ``key``: ``handlers.get(name)``."""

    def __init__(self, target: int, key: int) -> None:
        self.target = target
        self.key = key

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != OBJECT:
            return
        if self.key == UNKNOWN_KEY:
            take_any(solver, state, self.target)
        else:
            solver.edge(solver.cell(state, self.key), self.target)
            solver.loose.append((state, self.key, self.target))


class Source(Watcher):
    """An object that a library makes a collection of: asks on for what lies in it under ``key``."""

    def __init__(self, key: int, made: Made) -> None:
        self.key = key
        self.made = made

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT:
            Part((self.key,), self.made).told(solver, call, state)


class Hung(Watcher):
    """A request, or its context, in which ``value`` is put under ``key``, or of which ``result`` is what lies there."""

    def __init__(self, key: int, value: int, result: int) -> None:
        self.key = key
        self.value = value
        self.result = result

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == API and state >> KIND_BITS != EXTERNAL:
            apis = solver.apis[solver.language_of(solver.call_result[call])]
            if not apis.is_static(state >> KIND_BITS) and apis.carries(state >> KIND_BITS):
                carry(solver, state >> KIND_BITS, self.key, self.value, self.result)


@dataclass(frozen=True, slots=True)
class Made(Watcher):
    """What lies in an object that a library makes a collection of: it lies in the call's result, too.

    The result is an object only once something lies in it that can be called: most collections hold texts and numbers.
    """

    state: int  # the result
    outer: tuple[int, ...]  # keys under which it also lies in itself
    key: int

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND not in MEMBERED:
            return
        solver.add(solver.reps[self.state >> KIND_BITS], self.state)
        for key in self.outer:
            solver.add(solver.cell(self.state, key), self.state)
        solver.add(solver.cell(self.state, self.key), state)


def call_api(solver: Solver, row: int, node: int, *, made: bool = True, guessed: bool = False) -> None:
    result = solver.call_result[row]
    if node == EXTERNAL:
        solver.resolution.external.add(row)
        if solver.call_flags[row] & DECORATOR:
            decorate(solver, row)
        return
    apis = solver.apis[solver.language_of(result)]
    call: Row = (row, node)
    before = len(solver.seen_api)
    solver.seen_api.add(call)
    if len(solver.seen_api) == before:
        return
    solver.known_calls.add(row)
    solver.resolution.api_calls.append(call)
    if guessed:
        solver.resolution.guessed_calls.add(call)
    if made:
        for each in apis.step(node, CALL):
            solver.arise(result, each)
            if apis.keeps(each, node):
                solver.add(solver.reps[result], result << KIND_BITS | OBJECT)
    roles = apis.roles.get(node)
    if solver.call_flags[row] & DECORATOR:
        decorate(solver, row)
        plain = node
        if apis.paths[node][-1] == CALL:
            plain = apis.node(apis.paths[node][:-1])
        for each in (node, plain):
            for entry in apis.roles[each].functions if each in apis.roles else ():
                for argument in solver.args.of(row):
                    value = solver.arg_value[argument]
                    if solver.op[solver.reps[value]] == PARAMETER_OP:
                        decorate_parameter(solver, solver.reps[value], entry, row)
                    solver.watch_value(value, Used(entry), row)
                    original = undecorated(solver, value)
                    if original != value:
                        solver.resolution.originals[row] = solver.data[original]
                        solver.watch_value(original, Used(entry), row)
    if roles is not None:
        deeds = solver.deeds.get(id(roles))
        if deeds is None:
            deeds = solver.deeds[id(roles)] = deeds_of(roles)
        do(solver, row, deeds)


def deeds_of(roles: Roles) -> Deeds:
    found = Deeds()
    for entry in roles.functions:
        parameters = entry.parameters if isinstance(entry, ParameterType) else entry.target
        if not isinstance(parameters, tuple) and parameters.by == "callback" and parameters.port is not None:
            found.used.append((parameters.port, entry))
    for propagator in roles.propagators:
        for flow in propagator.flows:
            if isinstance(flow, CallFlow):
                found.flows.append((CALLS_BACK, flow))
                found.is_injected = found.is_injected or (flow.target is not None and flow.target.kind == "ret")
            elif isinstance(flow, Drop) or not flow.same:
                continue
            elif not flow.origin.path and not flow.target.path:
                found.flows.append((PASSES, flow))
            elif not flow.origin.path and len(flow.target.path) == 1:
                found.flows.append((PUTS, flow))
            elif len(flow.origin.path) == 1 and not flow.target.path:
                found.flows.append((TAKES, flow))
            elif len(flow.origin.path) == 1 and flow.target.kind == "ret" and flow.origin.kind != "ret":
                found.flows.append((HANDS_ON, flow))
    return found


def do(solver: Solver, row: int, deeds: Deeds) -> None:
    """What the packs say that the call ``row`` does with what it is given."""
    injected = called_for(solver, row) if deeds.is_injected else []
    for port, entry in deeds.used:
        for value in injected or port_values(solver, row, port):
            watch_part(solver, row, value, port.path, Used(entry))
    for kind, flow in deeds.flows:
        if kind == CALLS_BACK:
            for value in injected or port_values(solver, row, flow.callee):
                watch_part(solver, row, value, flow.callee.path, CalledBack(flow))
        elif kind == PASSES:
            for origin in port_values(solver, row, flow.origin):
                for target in target_values(solver, row, flow.target):
                    solver.edge(solver.reps[origin], solver.reps[target])
        elif kind == PUTS:
            put(solver, row, flow)
            hang(solver, row, flow.target, [(value, NONE) for value in port_values(solver, row, flow.origin)])
        elif kind == TAKES:
            key = key_at(solver, row, flow.origin.path[0])
            targets = target_values(solver, row, flow.target)
            for target in targets:
                for origin in port_values(solver, row, flow.origin):
                    solver.watch_value(origin, Taken(solver.reps[target], key), row)
            hang(solver, row, flow.origin, [(NONE, target) for target in targets])
        else:
            hand_on(solver, row, flow)


def put(solver: Solver, row: int, flow: Flow) -> None:
    """A library object keeps a value: what it is travels with it, as in an object of the program."""
    kept = [
        Kept(solver.reps[origin], key_at(solver, row, flow.target.path[0]))
        for origin in port_values(solver, row, flow.origin)
    ]
    for holder in port_values(solver, row, flow.target) if kept else ():
        for watcher in kept:
            solver.watch_value(holder, watcher, row)


def hang(solver: Solver, row: int, port: Port, ends: Sequence[tuple[int, int]]) -> None:
    """``context.Set("user", name)`` of one handler and ``context.Get("user")`` of another: one request, by its type."""
    key = key_at(solver, row, port.path[0]) if port.path[0].startswith("$") else NONE
    if key < 0:
        return
    for holder in port_values(solver, row, port):
        for value, result in ends:
            solver.watch_value(holder, Hung(key, value, result), row)


def hand_on(solver: Solver, row: int, flow: Flow) -> None:
    """A library makes a collection of what lies in another: ``handlers.values()``, or of pairs: ``handlers.items()``.

    The pairs are told from each other no more than the elements are: the collection stands for each of them, too.
    """
    if flow.target.path == ("0",):  # the first of several results
        hang(solver, row, flow.origin, [(NONE, solver.call_result[row])])
    *outer, last = (key_at(solver, row, key) for key in flow.target.path)
    made = Made(solver.call_result[row] << KIND_BITS | OBJECT, tuple(outer), last)
    source = Source(key_at(solver, row, flow.origin.path[0]), made)
    for origin in port_values(solver, row, flow.origin):
        solver.watch_value(origin, source, row)


def decorate_parameter(solver: Solver, value: int, entry: Entry, row: int) -> None:
    if isinstance(entry, ParameterType):
        apis = solver.apis[solver.language_of(value)]
        for node in apis.expand(apis.node((*entry.type, INSTANCE))):
            solver.arise(value, node)
    else:
        solver.resolution.decorated.append((entry, value, row))


def decorate(solver: Solver, row: int) -> None:
    """A decorator whose code is not seen returns what it decorates."""
    for argument in solver.args.of(row):
        origin, target = solver.arg_value[argument], solver.call_result[row]
        if (origin, target) not in solver.passed_on:
            solver.passed_on.add((origin, target))
            solver.resolution.same.append((origin, target))
            solver.edge(solver.reps[origin], solver.reps[target])


def called_for(solver: Solver, row: int) -> list[int]:
    """What a library calls that is told so, but not what: where the call without arguments is a parameter's default or
    annotation, and its result what the library makes, the classes that the parameter is declared with.
    """
    for argument in solver.args.of(row):
        if solver.arg_position[argument] != RECEIVER:
            return []
    return solver.declared_beside(solver.call_result[row])


def port_values(solver: Solver, row: int, port: Port) -> list[int]:
    if port.kind == "ret":
        return [solver.call_result[row]]
    rows = solver.args.at(row, port)
    if port.kind == "this" and not rows and solver.call_receiver[row] != NONE:
        return [solver.call_receiver[row]]
    return [solver.arg_value[a] for a in rows]


def target_values(solver: Solver, row: int, port: Port) -> list[int]:
    """Where data that a model sends to ``port`` arrives: the result, or an argument's state after the call."""
    if port.kind == "ret":
        return [solver.call_result[row]]
    return [solver.arg_post[a] for a in solver.args.at(row, port) if solver.arg_post[a] != NONE]


def make_instance(solver: Solver, row: int, target: Port, owner: int) -> None:
    """A library calls a class of the program: an instance of it goes to ``target``, as its constructor leaves it."""
    state = owner << KIND_BITS | INSTANCE_OF
    values = [value for value in target_values(solver, row, target) if state not in solver.states_of(value)]
    for value in values:
        solver.add(solver.reps[value], state)
    for out in solver.constructed(owner) if values else ():
        site = solver.resolution.num_sites
        solver.resolution.num_sites += 1
        solver.resolution.returns += [(site, out, value) for value in values]


def call_back(solver: Solver, row: int, flow: CallFlow, function: int) -> None:
    """A library function calls ``function``, its argument."""
    key = (id(flow), row, function)
    if key in solver.seen_callbacks:
        return
    solver.seen_callbacks.add(key)
    site = solver.resolution.num_sites
    solver.resolution.num_sites += 1
    solver.targets.append((row, function))
    for value in (NONE,) if flow.callee.path else port_values(solver, row, flow.callee):
        solver.resolution.callbacks.append(Callback(site, row, function, value))
    parameters = [p for p in solver.params_of.get(function, ()) if solver.param_kind[p] != RECEIVER_KIND]
    by_position = {solver.param_position[p]: p for p in parameters}
    position = 0
    for port in flow.arguments:
        values = port_values(solver, row, port)
        if port.kind == "from":
            pairs = [(position + i, v) for i, v in enumerate(values)]
        else:
            pairs = [(position, v) for v in values]
        for at, value in pairs:
            parameter = by_position.get(at)
            key_ = NO_KEY
            if parameter is None and parameters and solver.param_kind[parameters[-1]] == VARARG_KIND:
                parameter, key_ = parameters[-1], solver.number(at - solver.param_position[parameters[-1]])
            if parameter is None:
                continue
            if solver.param_kind[parameter] == VARARG_KIND and key_ == NO_KEY:
                key_ = solver.number(0)
            element = WHOLE if not port.path else key_at(solver, row, port.path[0])
            formal = solver.param_value[parameter]
            solver.bindings.append((site, value, formal, key_, element))
            if flow.where:
                keep_where(solver, row, site, flow, parameter)
            if element != WHOLE and key_ == NO_KEY:
                read_from(solver, formal, value, element)
            if element == WHOLE and key_ == NO_KEY:
                solver.edge(solver.reps[value], solver.reps[formal])
                out = solver.param_out[parameter]
                for argument in solver.args.of(row):
                    if solver.arg_value[argument] == value and solver.arg_post[argument] != NONE and out != NONE:
                        solver.resolution.returns.append((site, out, solver.arg_post[argument]))
        position += len(values) if port.kind == "from" else 1
    if flow.receiver is not None and (formal := solver.receiver(function)) != NONE:
        for value in port_values(solver, row, flow.receiver):
            solver.bindings.append((site, value, formal, NO_KEY, WHOLE))
            solver.edge(solver.reps[value], solver.reps[formal])
            out = solver.receiver_out(function)
            for argument in solver.args.of(row):
                if solver.arg_value[argument] == value and solver.arg_post[argument] != NONE and out != NONE:
                    solver.resolution.returns.append((site, out, solver.arg_post[argument]))
    if flow.target is not None and not flow.where:
        result = solver.fn_result[function]
        for target in target_values(solver, row, flow.target):
            if flow.target.path:
                solver.resolution.element_returns.append(
                    (site, result, target, key_at(solver, row, flow.target.path[0]))
                )
            else:
                solver.resolution.returns.append((site, result, target))
                solver.edge(solver.reps[result], solver.reps[target])
                if (
                    solver.fn_flags[function] & FunctionFlag.GENERATOR
                ):  # who asks a generator for one takes what it yields
                    read_from(solver, target, result, UNKNOWN_KEY)


def keep_where(solver: Solver, row: int, site: int, flow: CallFlow, parameter: int) -> None:
    """What a predicate is asked about goes on in the state that it has where the predicate returns true."""
    state = solver.param_true[parameter]
    if state == NONE:
        state = solver.param_value[parameter]
    assert flow.target is not None
    for target in target_values(solver, row, flow.target):
        if flow.target.path:
            solver.resolution.element_returns.append((site, state, target, key_at(solver, row, flow.target.path[0])))
        else:
            solver.resolution.returns.append((site, state, target))
            solver.edge(solver.reps[state], solver.reps[target])


def key_at(solver: Solver, row: int, key: str) -> int:
    """The key that a port's path names at this call."""
    if key == "":
        return UNKNOWN_KEY
    if key in HIDDEN_PARTS:
        return solver.program.intern(HIDDEN_PARTS[key])
    if key[0] == "$" and key[1:].isdigit():
        constants = [constant(solver, v) for v in port_values(solver, row, Port("position", int(key[1:])))]
        text = constants[0] if constants else None
        return UNKNOWN_KEY if text is None else solver.program.intern(text)
    return solver.program.intern(key)


def constant(solver: Solver, value: int) -> str | None:
    """The text of a constant value, as a key."""
    value = int(value)
    if solver.op[value] != CONST_OP:
        return None
    text: str = solver.strings[solver.data[value]]
    return text[1:] if text[:1] == "'" else text


def watch_part(solver: Solver, row: int, value: int, path: Sequence[str], watcher: Watcher) -> None:
    """Tell ``watcher`` of all that lies in ``value`` under the ``path`` of a port of the call ``row``."""
    keys = tuple(key_at(solver, row, key) for key in path)
    solver.watch_value(value, Part(keys, watcher) if keys else watcher, row)
