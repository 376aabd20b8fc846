"""Callbacks: functions and classes of the program that a library calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, FunctionFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import DECORATED_PART, CallFlow, Port
from pyrograph.scanner.analysis.apis import CALL
from pyrograph.scanner.analysis.numbers import CLASS_METHOD, METHOD, SPREAD, SPREAD_KEYWORDS
from pyrograph.scanner.analysis.resolve.binding import given_by_decorator
from pyrograph.scanner.analysis.resolve.class_members import (
    allocators,
    call_methods,
    constructed,
    constructors,
    finishers,
)
from pyrograph.scanner.analysis.resolve.containers import ContentListener
from pyrograph.scanner.analysis.resolve.functions import Signature
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values, target_values
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY, Callback

NAMED_ARGUMENTS: Final = ("**",)  # path of a port: what the value holds under names are arguments with these names


@dataclass(frozen=True, slots=True)
class CallbackListener(Listener):
    """A function that a library calls, as ``flow`` says."""

    flow: CallFlow

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == FUNCTION:
            call_back(solver, call, self.flow, state >> KIND_BITS)
        elif state & KIND == CLASS:
            make_by_library(solver, call, self.flow, state >> KIND_BITS)
            if self.flow.target is not None and not self.flow.target.path:
                make_instance(solver, call, self.flow.target, state >> KIND_BITS)
        elif state & KIND == INSTANCE_OF:
            for function in call_methods(solver, state >> KIND_BITS):
                call_back(solver, call, self.flow, function)
        elif state & KIND == API and self.flow.target is not None:
            make_known(solver, call, self.flow.target, state >> KIND_BITS)
        if self.flow.target is not None and self.flow.target.path and self.flow.target.kind == "ret":
            hold_made(solver, call, self.flow.target)


def make_by_library(solver: Solver, row: int, flow: CallFlow, owner: int, *, given: int = 0) -> None:
    """A library calls a class, after ``given`` arguments that were bound to it before: what makes an instance of it
    runs, as at a call of the program (``dispatch.construct``).
    """
    for function in allocators(solver, owner):
        call_back(solver, row, flow, function, given=given)
    made = constructors(solver, owner)
    for function in made:
        call_back(solver, row, flow, function, given=given, constructs=True)
    if made:
        return
    for function in finishers(solver, owner):
        finish_by_library(solver, row, flow, owner, function, given=given)


def finish_by_library(solver: Solver, row: int, flow: CallFlow, owner: int, function: int, *, given: int) -> None:
    """A library's call fills the fields of a new instance in the order of their declaration, and then ``function`` runs
    on the instance.
    """
    formal, key = solver.functions.receiver(function), (id(flow), row, function)
    if formal == NONE or key in solver.models.seen_callbacks:
        return
    solver.models.seen_callbacks.add(key)
    site = solver.resolution.num_sites
    solver.resolution.num_sites += 1
    solver.calls.targets.append((row, function))
    for value in (NONE,) if flow.callee.path else port_values(solver, row, flow.callee):
        solver.resolution.callbacks.append(Callback(site, row, function, value))
    state = owner << KIND_BITS | INSTANCE_OF
    for value, field, element in filled_fields(solver, row, flow, solver.classes.declared_fields(owner), given):
        solver.calls.bindings.append((site, value, formal, field, element))
        if element == ENTIRE_ARGUMENT:
            solver.points.edge(solver.points.reps[value], solver.cell(state, field))
    solver.points.add(solver.points.reps[formal], state)
    out = solver.functions.receiver_out(function)
    out = formal if out == NONE else out
    for target in target_values(solver, row, flow.target) if flow.target is not None and not flow.later else ():
        if flow.target is not None and flow.target.path:
            element = key_at(solver, row, flow.target.path[0])
            solver.resolution.flows.element_returns.append((site, out, target, element))
        else:
            solver.resolution.returns.append((site, out, target))


def filled_fields(
    solver: Solver, row: int, flow: CallFlow, declared: Sequence[int], given: int
) -> list[tuple[int, int, int]]:
    """(value, the field that it fills, which part of it) of the arguments that a library passes to a class."""
    found: list[tuple[int, int, int]] = []
    position = given
    for port in flow.arguments:
        values = port_values(solver, row, port)
        element = ENTIRE_ARGUMENT if not port.path else key_at(solver, row, port.path[0])
        for at, value in enumerate(values):
            place = position + at if port.kind == "from" else position
            if 0 <= place < len(declared):
                found.append((value, declared[place], element))
        position += len(values) if port.kind == "from" else 1
        for argument in solver.calls.args.of(row) if port.kind == "from" and not port.path else ():
            if solver.calls.arg_keyword[argument] != NONE:
                found.append((solver.calls.arg_value[argument], solver.calls.arg_keyword[argument], ENTIRE_ARGUMENT))
    return found


def receivers_passed(solver: Solver, row: int, flow: CallFlow, function: int) -> int:
    """1 if the first argument is the receiver: the method that a call passes is read from its class, ``map(Job.run,
    jobs)``, and not from an instance; otherwise 0.
    """
    if flow.receiver is not None:  # ``Job.prototype.run.call(job, name)``
        return 0
    flags = solver.functions.flags[function]
    if flags & (METHOD | CLASS_METHOD) != METHOD and function not in solver.classes.bound_to_instances:
        return 0
    values = [] if flow.callee.path else port_values(solver, row, flow.callee)
    if not values or any(solver.op[value] != Op.LOAD for value in values):
        return 0
    holders = [solver.points.reps[solver.accesses.load_object[solver.data[value]]] for value in values]
    kinds = {state & KIND for holder in holders for state in solver.points.states[holder]}
    return int(CLASS in kinds and INSTANCE_OF not in kinds)


class LibraryCall(NamedTuple):
    """A library's call of a function of the program, its argument."""

    row: int  # the call of the library
    flow: CallFlow  # which arguments the library passes, and where the result goes
    site: int  # the number of the library's call
    signature: Signature  # of the function


def call_back(
    solver: Solver, row: int, flow: CallFlow, function: int, *, given: int = 0, constructs: bool = False
) -> None:
    """A library function calls ``function``, its argument, after ``given`` arguments that were bound to it before."""
    key = (id(flow), row, function)
    if key in solver.models.seen_callbacks:
        return
    solver.models.seen_callbacks.add(key)
    site = solver.resolution.num_sites
    solver.resolution.num_sites += 1
    solver.calls.targets.append((row, function))
    for value in (NONE,) if flow.callee.path else port_values(solver, row, flow.callee):
        solver.resolution.callbacks.append(Callback(site, row, function, value))
    # a function that is bound late was read from an instance before it was passed
    is_bound = (
        function in solver.classes.bound_to_instances
        or function in solver.classes.bound_to_classes
        or given_by_decorator(solver, function)
    )
    made = LibraryCall(row, flow, site, solver.functions.signature(function))
    position = given + int(is_bound) - receivers_passed(solver, row, flow, function)
    for port in flow.arguments:
        values = port_values(solver, row, port)
        if port.path == NAMED_ARGUMENTS:
            for value in values:
                pass_named(solver, made, value)
            continue
        pass_port(solver, made, port, values, position)
        if port.kind == "from" and not port.path:
            pass_spread_and_named(solver, made, port, position)
        position += len(values) if port.kind == "from" else 1
    if flow.receiver is not None and (formal := solver.functions.receiver(function)) != NONE:
        for value in port_values(solver, row, flow.receiver):
            solver.calls.bindings.append((site, value, formal, NO_KEY, ENTIRE_ARGUMENT))
            solver.points.edge(solver.points.reps[value], solver.points.reps[formal])
            return_argument(solver, row, site, value, solver.functions.receiver_out(function))
    if flow.target is not None and not flow.where and not flow.later and not constructs:
        return_result(solver, made, flow.target, function)


def pass_port(solver: Solver, made: LibraryCall, port: Port, values: Sequence[int], position: int) -> None:
    """Pass ``values``, those at one port of the library's call, to the parameter at ``position``, or from there on."""
    signature = made.signature
    element = ENTIRE_ARGUMENT if not port.path else key_at(solver, made.row, port.path[0])
    for at, value in enumerate(values):
        place = position + at if port.kind == "from" else position
        parameter = signature.by_position.get(place, NONE) if place >= 0 else signature.receiver
        if parameter != NONE and port.under:
            put_in_argument(solver, made.site, value, solver.functions.param_value[parameter], port.under)
        elif parameter != NONE:
            pass_value(solver, made, value, parameter, element)
        elif signature.vararg != NONE and place >= signature.end:
            key = solver.number(place - signature.end)
            vararg = solver.functions.param_value[signature.vararg]
            solver.calls.bindings.append((made.site, value, vararg, key, element))
            if made.flow.where:
                return_tested(solver, made, signature.vararg)
            if element == ENTIRE_ARGUMENT:
                gathered = solver.points.reps[vararg] << KIND_BITS | OBJECT
                solver.points.edge(solver.points.reps[value], solver.cell(gathered, key))
                solver.points.add(solver.points.reps[vararg], gathered)


def pass_spread_and_named(solver: Solver, made: LibraryCall, port: Port, position: int) -> None:
    """Pass those arguments of the library's call that have no position: what is spread, and what is named."""
    calls, signature = solver.calls, made.signature
    for argument in calls.args.of(made.row):
        value, keyword = calls.arg_value[argument], calls.arg_keyword[argument]
        if calls.arg_flags[argument] & SPREAD:
            first = calls.arg_position[argument] - (port.position if port.position else 0)
            for at, parameter in signature.by_position.items():
                if at >= position + first >= position:
                    pass_value(solver, made, value, parameter, solver.number(at - position - first))
        if calls.arg_flags[argument] & SPREAD_KEYWORDS:
            pass_named(solver, made, value)
        if keyword == NONE:
            continue
        named = signature.by_name.get(keyword, NONE)
        if named != NONE:
            pass_value(solver, made, value, named, ENTIRE_ARGUMENT)
        elif signature.keywords != NONE:
            keywords = solver.functions.param_value[signature.keywords]
            calls.bindings.append((made.site, value, keywords, keyword, ENTIRE_ARGUMENT))


def return_result(solver: Solver, made: LibraryCall, port: Port, function: int) -> None:
    """What ``function`` returns goes to ``port`` of the library's call, or below it."""
    result = solver.functions.result[function]
    if port.path == (DECORATED_PART,):
        for parameter in decorated_parameters(solver, made.row):
            solver.resolution.returns.append((made.site, result, parameter))
            solver.points.edge(solver.points.reps[result], solver.points.reps[parameter])
            solver.resolution.flows.made_by_decorators[parameter] = solver.calls.result[made.row]
        return
    for target in target_values(solver, made.row, port):
        if port.path:
            key = key_at(solver, made.row, port.path[0])
            solver.resolution.flows.element_returns.append((made.site, result, target, key))
            if port.kind == "ret":
                hold_returned(solver, made.row, port, result)
        else:
            solver.resolution.returns.append((made.site, result, target))
            solver.points.edge(solver.points.reps[result], solver.points.reps[target])
            if solver.functions.flags[function] & FunctionFlag.GENERATOR:
                solver.read_from(target, result, UNKNOWN_KEY)  # its elements are the values that it yields


def decorated_parameters(solver: Solver, row: int) -> list[int]:
    """The parameters that carry the decorator which the call ``row`` makes."""
    made = solver.calls.result[row]
    applied = [each for each in solver.calls.of_callee.get(solver.points.reps[made], ())]
    given = [solver.calls.arg_value[each] for call in applied for each in solver.calls.args.of(call)]
    return [value for value in given if solver.op[value] == Op.PARAMETER]


def pass_value(solver: Solver, made: LibraryCall, value: int, parameter: int, element: int) -> None:
    """``value``, or what lies in it under the key ``element``, arrives at ``parameter`` (a row) of a callback."""
    formal = solver.functions.param_value[parameter]
    solver.calls.bindings.append((made.site, value, formal, NO_KEY, element))
    if made.flow.where:
        return_tested(solver, made, parameter)
    if element != ENTIRE_ARGUMENT:
        solver.read_from(formal, value, element)
    else:
        solver.points.edge(solver.points.reps[value], solver.points.reps[formal])
        return_argument(solver, made.row, made.site, value, solver.functions.param_out[parameter])


def pass_named(solver: Solver, made: LibraryCall, value: int) -> None:
    """Pass what a value holds under names to the parameters with these names: ``run(**fields)``."""
    for name, parameter in made.signature.by_name.items():
        pass_value(solver, made, value, parameter, name)
    if made.signature.keywords != NONE:
        keywords = solver.functions.param_value[made.signature.keywords]
        solver.calls.bindings.append((made.site, value, keywords, NO_KEY, ENTIRE_ARGUMENT))


def put_in_argument(solver: Solver, site: int, value: int, formal: int, name: str) -> None:
    """A callback gets an object that holds ``value`` under a key."""
    key = solver.program.intern(name)
    solver.calls.bindings.append((site, value, formal, key, ENTIRE_ARGUMENT))
    made = solver.points.reps[formal] << KIND_BITS | OBJECT
    solver.points.edge(solver.points.reps[value], solver.cell(made, key))
    solver.points.add(solver.points.reps[formal], made)


def return_argument(solver: Solver, row: int, site: int, value: int, out: int) -> None:
    """The arguments of a call that are ``value`` come back from a callback as ``out``, which may be NONE."""
    if out == NONE:
        return
    for argument in solver.calls.args.of(row):
        post = solver.calls.arg_post[argument]
        if solver.calls.arg_value[argument] == value and post != NONE:
            solver.resolution.returns.append((site, out, post))


def return_tested(solver: Solver, made: LibraryCall, parameter: int) -> None:
    """The argument of a predicate reaches the target as the version that it has where the predicate returns true."""
    state = solver.functions.param_true[parameter]
    if state == NONE:
        state = solver.functions.param_value[parameter]
    port = made.flow.target
    assert port is not None
    for target in target_values(solver, made.row, port):
        if port.path:
            key = key_at(solver, made.row, port.path[0])
            solver.resolution.flows.element_returns.append((made.site, state, target, key))
        else:
            solver.resolution.returns.append((made.site, state, target))
            solver.points.edge(solver.points.reps[state], solver.points.reps[target])


def make_instance(solver: Solver, row: int, target: Port, owner: int) -> None:
    """A library calls a class of the program: an instance of it goes to ``target``, as its constructor leaves it."""
    state = owner << KIND_BITS | INSTANCE_OF
    values = [value for value in target_values(solver, row, target) if state not in solver.points.states_of(value)]
    for value in values:
        solver.points.add(solver.points.reps[value], state)
    for out in constructed(solver, owner) if values else ():
        site = solver.resolution.num_sites
        solver.resolution.num_sites += 1
        for value in values:
            solver.resolution.returns.append((site, out, value))


def make_known(solver: Solver, row: int, target: Port, node: int) -> None:
    """A library calls another one, ``map(Path, names)``: what that makes goes to ``target``."""
    result = solver.calls.result[row]
    if target.kind != "ret" or len(target.path) > 1:
        return
    for made in solver.apis[solver.files.language_of(result)].step(node, CALL):
        if target.path:
            state = solver.points.reps[result] << KIND_BITS | OBJECT
            solver.points.add(solver.points.reps[result], state)
            solver.points.add(solver.cell(state, key_at(solver, row, target.path[0])), made << KIND_BITS | API)
        else:
            solver.arise(result, made)


def hold_returned(solver: Solver, row: int, target: Port, result: int) -> None:
    """A library makes a collection of what a callback returns: ``names.map((name) => new Job(name))``."""
    *outer, last = (key_at(solver, row, key) for key in target.path)
    made = ContentListener(solver.calls.result[row] << KIND_BITS | OBJECT, tuple(outer), last)
    solver.listen_node(solver.points.reps[result], made, row)


def hold_made(solver: Solver, row: int, target: Port) -> None:
    """A library fills a table of handlers with what it makes: ``defaultdict(list)``.

    The table stands for the containers in it, too, as a collection does for its pairs.
    """
    made = solver.points.reps[solver.calls.result[row]]
    if made in solver.models.tables_of_handlers:
        state = made << KIND_BITS | OBJECT
        solver.points.add(solver.cell(state, key_at(solver, row, target.path[0])), state)
        solver.points.add(made, state)


def injected_types(solver: Solver, row: int) -> list[int]:
    """The classes that a parameter is declared with, if the call has no arguments and is the parameter's default or
    annotation: the library calls one of these and passes its result.
    """
    for argument in solver.calls.args.of(row):
        if solver.calls.arg_position[argument] != RECEIVER:
            return []
    return declared_beside(solver, solver.calls.result[row])


def declared_beside(solver: Solver, result: int) -> list[int]:
    """The types of the parameters whose default, or one of whose types, a call's result is.

    Linear in the flows and types of the program: for the few calls that ask a framework to look there.
    """
    flows, types = solver.program.tables["flows"], solver.program.tables["types"]
    beside = flows["target"][flows["origin"] == result].tolist() + types["value"][types["type"] == result].tolist()
    parameters = {value for value in beside if solver.op[value] == Op.PARAMETER}
    rows = [row for row, value in enumerate(solver.classes.types.values) if value in parameters] if parameters else []
    return [each for each in types["type"][rows].tolist() if each != result]
