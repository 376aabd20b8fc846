"""Calls of APIs: applies the packs' models to the values that a call passes and returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import CallFlow, EntryCondition, Flow, ParameterType, Port
from pyrograph.scanner.analysis.api_roles import Entry, parameters_of
from pyrograph.scanner.analysis.apis import CALL, EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.numbers import CALL_OP, DECORATOR, PARAMETER_OP, SUPER_OP
from pyrograph.scanner.analysis.resolve.callbacks import CallbackListener, injected_types
from pyrograph.scanner.analysis.resolve.calls import Row
from pyrograph.scanner.analysis.resolve.chains import ChainListener
from pyrograph.scanner.analysis.resolve.computed_imports import import_computed
from pyrograph.scanner.analysis.resolve.computed_names import ComputedListener, begins
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.containers import (
    TakeListener,
    listen_for_shared_field,
    merge_content,
    move_content,
    put_into,
    share_fields_of,
)
from pyrograph.scanner.analysis.resolve.entry_points import EntryPointListener
from pyrograph.scanner.analysis.resolve.models import (
    BINDS,
    CALLS_BACK,
    CHAINS,
    HANDLES,
    PASSES,
    PUTS,
    READS,
    RECORDS,
    RESULT,
    SENDS,
    TAKES,
    ApiModel,
    model_of,
)
from pyrograph.scanner.analysis.resolve.partials import BindListener, PartialListener
from pyrograph.scanner.analysis.resolve.ports import (
    key_at,
    key_values,
    keys_named,
    listen_at,
    port_values,
    target_values,
)
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import KeyPath, Listener, Solver
from pyrograph.scanner.analysis.resolve.topics import find_key, handle, send

RECEIVER_PORT: Final = Port("this")


def call_api(
    solver: Solver, row: int, node: int, *, made: bool = True, guessed: bool = False, most: int | None = None
) -> None:
    """The call ``row`` calls ``node``.

    Args:
        made: Whether the packs say what the result is.
        guessed: Whether the name alone says that ``node`` is called.
        most: The most arguments that the callbacks of the call get; None: as many as packs say.
    """
    result = solver.calls.result[row]
    if node == EXTERNAL:
        solver.resolution.external.add(row)
        if solver.calls.flags[row] & DECORATOR:
            decorate(solver, row)
        return
    apis = solver.apis[solver.files.language_of(result)]
    call: Row = (row, node)
    before = len(solver.models.seen_calls)
    solver.models.seen_calls.add(call)
    if len(solver.models.seen_calls) == before:
        return
    solver.calls.known.add(row)
    solver.resolution.api_calls.append(call)
    if guessed:
        solver.resolution.guessed_calls.add(call)
    roles = apis.roles.get(node)
    model = None
    if roles is not None:
        model = solver.models.by_roles.get(id(roles))
        if model is None:
            model = solver.models.by_roles[id(roles)] = model_of(roles)
    if made:
        is_receiver = model is not None and returns_object(solver, row, model)
        chained = model is not None and model.returns_receiver
        for each in apis.results(node) if chained else apis.step(node, CALL):
            solver.arise(result, each)
            if not is_receiver and apis.keeps(each, node):
                solver.points.add(solver.points.reps[result], result << KIND_BITS | OBJECT)
        for conditions, each in apis.chosen_results.get(node, ()):
            if all(is_given(solver, row, condition) for condition in conditions):
                solver.arise(result, each)
    if solver.calls.flags[row] & DECORATOR or calls_decorator(solver, row, node):
        decorate(solver, row)
        plain = node
        if apis.paths[node][-1] == CALL:
            plain = apis.node(apis.paths[node][:-1])
        for each in (node, plain):
            for entry in apis.roles[each].functions if each in apis.roles else ():
                for argument in solver.calls.args.of(row):
                    value = solver.calls.arg_value[argument]
                    if solver.op[solver.points.reps[value]] == PARAMETER_OP:
                        decorate_parameter(solver, solver.points.reps[value], entry, row)
                    solver.listen(value, EntryPointListener(entry), row)
                    original = solver.undecorated(value)
                    if original != value:
                        solver.resolution.originals[row] = solver.data[original]
                        solver.listen(original, EntryPointListener(entry), row)
    if roles is not None and model is not None:
        apply_model(solver, row, model, most)
        if apis.paths[node][-1] in apis.callers and apis.paths[node][-2:-1] == (INSTANCE,):
            for value in port_values(solver, row, RECEIVER_PORT):
                solver.listen(value, CallerListener(apis.paths[node][-1]), row)
        for port in roles.modules:
            for value in port_values(solver, row, port):
                import_computed(solver, row, value)


def returns_object(solver: Solver, row: int, model: ApiModel) -> bool:
    """Whether a call gives its receiver back, and this is an object already: ``select(Note).where(...).limit(3)``.

    It needs no object of its own. One for each call of a chain would fill the points-to set of a long chain.
    """
    if not model.returns_receiver:
        return False
    states = solver.points.states
    return any(
        state & KIND == OBJECT
        for value in port_values(solver, row, RECEIVER_PORT)
        for state in states[solver.points.reps[value]]
    )


@dataclass(frozen=True, slots=True)
class CallerListener(Listener):
    """A library's function that the call ``call`` calls by its method ``name``, which stands elsewhere:
    ``Function.prototype.call.bind(Array.prototype.forEach)``.
    """

    name: str

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == API and state != EXTERNAL_API:
            apis = solver.apis[solver.files.language_of(solver.calls.result[call])]
            for node in apis.step(state >> KIND_BITS, self.name):
                call_api(solver, call, node)


def calls_decorator(solver: Solver, row: int, node: int) -> bool:
    """Whether the call applies a decorator without the syntax of one: ``app.route("/")(view)``, ``expose(view)``.

    A decorator that is called by itself has one argument, and its result is no decorator: ``@expose(check)`` registers
    what follows it, and not ``check``.
    """
    apis = solver.apis[solver.files.language_of(solver.calls.result[row])]
    path = apis.paths[node]
    applied = path[-1] == CALL
    roles = apis.roles.get(apis.node(path[:-1]) if applied else node)
    if roles is None or not any(parameters_of(entry).by == "decorator" for entry in roles.functions):
        return False
    given = [each for each in solver.calls.args.of(row) if solver.calls.arg_position[each] != RECEIVER]
    return len(given) == 1 and (applied or solver.points.reps[solver.calls.result[row]] not in solver.calls.of_callee)


def is_given(solver: Solver, row: int, condition: EntryCondition) -> bool:
    """Whether a condition on constants, or on arguments that are there, holds for the call ``row``."""
    for test in condition.tests:
        values = port_values(solver, row, test.port)
        if test.operator in ("present", "absent"):
            holds = bool(values) == (test.operator == "present")
        else:
            holds = any(constant(solver, value) in test.values for value in values)
        if not holds:
            return condition.unless
    return not condition.unless


def shared_arguments(solver: Solver, language: str, nodes: Sequence[int]) -> int | None:
    """How many arguments all of these APIs give to a callback; None where fewer than two of them call one.

    An unknown object may be an array or a map: ``rows.forEach((row, at) => ...)``. What only some of them pass, as a
    map does its keys, is not passed by name alone.
    """
    counts = []
    for node in nodes:
        roles = solver.apis[language].roles.get(node)
        flows = [flow for entry in roles.propagators for flow in entry.flows] if roles is not None else []
        given = [len(flow.arguments) for flow in flows if isinstance(flow, CallFlow) and not flow.later]
        if given:
            counts.append(max(given))
    return min(counts) if len(counts) > 1 else None


def with_arguments(solver: Solver, flow: CallFlow, most: int | None) -> CallFlow:
    """A flow whose callback gets at most so many arguments: the same object for the same flow and number."""
    if most is None or len(flow.arguments) <= most:
        return flow
    known = solver.models.cut_flows.get((id(flow), most))
    if known is None:
        known = solver.models.cut_flows[id(flow), most] = replace(flow, arguments=flow.arguments[:most])
    return known


def apply_model(solver: Solver, row: int, model: ApiModel, most: int | None = None) -> None:
    """Apply the model of an API to the call ``row``; ``most``: see ``call_api``."""
    injected = injected_types(solver, row) if model.is_injected else []
    for port, entry in model.entry_points:
        if isinstance(entry, ParameterType) and not all(is_given(solver, row, each) for each in entry.conditions):
            continue
        for value in injected or port_values(solver, row, port):
            listen_at(solver, row, value, port.path, EntryPointListener(entry, model.is_injected))
    for kind, flow in model.flows:
        if kind == CALLS_BACK:
            flow = with_arguments(solver, flow, most)
            for value in injected or port_values(solver, row, flow.callee):
                listen_at(solver, row, value, flow.callee.path, CallbackListener(flow))
                listen_at(solver, row, value, flow.callee.path, PartialListener(flow))
        elif kind == BINDS:
            made = solver.points.reps[solver.calls.result[row]]
            solver.models.partials.setdefault(made, [])
            solver.points.add(made, made << KIND_BITS | OBJECT)
            for value in port_values(solver, row, flow.callee):
                solver.listen(value, BindListener(flow), row)
        elif kind == HANDLES:
            handle(solver, row, flow)
        elif kind == SENDS:
            send(solver, row, flow)
        elif kind == RECORDS:
            find_key(solver, row, flow)
        elif kind == CHAINS:
            for value in port_values(solver, row, flow.steps):
                solver.listen(value, ChainListener(flow), row)
        elif kind == PASSES:
            for origin in port_values(solver, row, flow.origin):
                for target in target_values(solver, row, flow.target):
                    solver.points.edge(solver.points.reps[origin], solver.points.reps[target])
            if flow.schema is not None and flow.target == RESULT:
                listen_for_class(solver, row, flow)
            if flow.target.kind == "this":
                share_fields_of(solver, row, flow)
            if flow.target.kind != "ret":
                merge_content(solver, row, flow)
        elif kind == PUTS:
            put_into(solver, row, flow, extends=model.extends)
            listen_for_shared_field(
                solver, row, flow.target, [(value, NONE) for value in port_values(solver, row, flow.origin)]
            )
        elif kind == READS:
            for origin in port_values(solver, row, flow.origin):
                for target in target_values(solver, row, flow.target):
                    listener = ArriveListener(target)
                    listen_at(solver, row, origin, flow.origin.path, listener)
                    if solver.op[origin] == SUPER_OP:  # the members are those of the receiver
                        keys = tuple(key_at(solver, row, key) for key in flow.origin.path)
                        state = solver.data[origin] << KIND_BITS | INSTANCE_OF
                        KeyPath(keys, listener).on_state(solver, row, state)
        elif kind == TAKES and flow.origin.path[0][-1:] == ".":
            take_by_path(solver, row, flow)
        elif kind == TAKES:
            key = key_at(solver, row, flow.origin.path[0])
            targets = target_values(solver, row, flow.target)
            computed = key == UNKNOWN_KEY and flow.origin.kind == "position"  # ``getattr(x, name)``
            names = key_values(solver, row, flow.origin.path[0]) if computed else []
            # all fields of an object would be more than one value can hold, and hide the methods of the name
            chosen = any(begins(solver, name) for name in names)
            for target in targets:
                for origin in port_values(solver, row, flow.origin):
                    solver.listen(origin, TakeListener(solver.points.reps[target], key, chosen), row)
                    for name in names:
                        solver.listen(origin, ComputedListener(target, origin, name), row)
            listen_for_shared_field(solver, row, flow.origin, [(NONE, target) for target in targets])
        else:
            move_content(solver, row, flow)


def listen_for_class(solver: Solver, row: int, flow: Flow) -> None:
    """A call whose schema is a class of the program makes an instance of it: ``Job.model_validate(data)``,
    ``structure(data, Job)``.
    """
    assert flow.schema is not None
    if not flow.schema_made:
        for value in port_values(solver, row, flow.schema):
            solver.listen(value, MadeListener(solver.calls.result[row]), row)


@dataclass(frozen=True, slots=True)
class MadeListener(Listener):
    """A class of which ``result`` is an instance."""

    result: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == CLASS:
            solver.points.add(solver.points.reps[self.result], state - CLASS + INSTANCE_OF)


@dataclass(frozen=True, slots=True)
class ArriveListener(Listener):
    """A value that ``target`` may be, too: what a library reads from a field that a class declares."""

    target: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        solver.points.add(solver.points.reps[self.target], state)


def take_by_path(solver: Solver, row: int, flow: Flow) -> None:
    """A library loads what several keys name, one in the other: ``get(request, "body.name")``."""
    keys = keys_named(solver, row, flow.origin.path[0])
    for target in target_values(solver, row, flow.target):
        listener: Listener = TakeListener(solver.points.reps[target], keys[-1])
        listener = KeyPath(tuple(keys[:-1]), listener) if keys[1:] else listener
        for origin in port_values(solver, row, flow.origin):
            solver.listen(origin, listener, row)
            if UNKNOWN_KEY not in keys:
                solver.listen(origin, MemberListener(target, tuple(keys)), row)


@dataclass(frozen=True, slots=True)
class MemberListener(Listener):
    """A library's object of which ``target`` is the member, of a member and so on, that ``keys`` name; or a part of a
    member that is a source as a whole.
    """

    target: int
    keys: tuple[int, ...]

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND != API or state == EXTERNAL_API:
            return
        apis = solver.apis[solver.files.language_of(self.target)]
        nodes = [state >> KIND_BITS]
        for key in self.keys:
            inner = [each for node in nodes for each in apis.member(node, solver.strings[key])]
            if not inner:
                nodes = [node for node in nodes if node in apis.roles and apis.roles[node].sources]
                break
            nodes = inner
        for node in nodes if nodes != [state >> KIND_BITS] else ():
            solver.arise(self.target, node)


def decorate_parameter(solver: Solver, value: int, entry: Entry, row: int) -> None:
    if not isinstance(entry, ParameterType):
        solver.resolution.decorated.append((entry, value, row))
        return
    callee = solver.calls.callee[row]
    if callee != NONE and solver.op[callee] == CALL_OP:
        solver.models.decorating.setdefault(value, []).append(solver.data[callee])
    apis = solver.apis[solver.files.language_of(value)]
    for node in apis.expand(apis.node((*entry.type, INSTANCE))):
        solver.arise(value, node)
        if apis.keeps(node, node):
            solver.points.add(value, value << KIND_BITS | OBJECT)


def decorate(solver: Solver, row: int) -> None:
    """Pass the argument of an unknown decorator to its result."""
    return_given(solver, row, [solver.calls.arg_value[argument] for argument in solver.calls.args.of(row)])


def return_given(solver: Solver, row: int, given: Sequence[int]) -> None:
    """Let the call return these of its arguments."""
    target = solver.calls.result[row]
    for origin in given:
        if (origin, target) not in solver.models.passed_on:
            solver.models.passed_on.add((origin, target))
            solver.resolution.flows.copy_edges.append((origin, target))
            solver.points.edge(solver.points.reps[origin], solver.points.reps[target])
