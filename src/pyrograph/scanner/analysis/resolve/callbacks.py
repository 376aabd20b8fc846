"""Callbacks: functions and classes of the program that a library calls."""

from __future__ import annotations

from dataclasses import dataclass

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, FunctionFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import CallFlow, Port
from pyrograph.scanner.analysis.resolve.class_members import constructed
from pyrograph.scanner.analysis.resolve.numbers import RECEIVER_KIND, VARARG_KIND
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values, target_values
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY, Callback


@dataclass(frozen=True, slots=True)
class CallbackListener(Listener):
    """A function that a library calls, as ``flow`` says."""

    flow: CallFlow

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == FUNCTION:
            call_back(solver, call, self.flow, state >> KIND_BITS)
        elif state & KIND == CLASS and self.flow.target is not None and not self.flow.target.path:
            make_instance(solver, call, self.flow.target, state >> KIND_BITS)


def call_back(solver: Solver, row: int, flow: CallFlow, function: int) -> None:
    """A library function calls ``function``, its argument."""
    key = (id(flow), row, function)
    if key in solver.models.seen_callbacks:
        return
    solver.models.seen_callbacks.add(key)
    site = solver.resolution.num_sites
    solver.resolution.num_sites += 1
    solver.calls.targets.append((row, function))
    for value in (NONE,) if flow.callee.path else port_values(solver, row, flow.callee):
        solver.resolution.callbacks.append(Callback(site, row, function, value))
    parameters = [
        p for p in solver.functions.parameters_of.get(function, ()) if solver.functions.param_kind[p] != RECEIVER_KIND
    ]
    by_position = {solver.functions.param_position[p]: p for p in parameters}
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
            if parameter is None and parameters and solver.functions.param_kind[parameters[-1]] == VARARG_KIND:
                parameter, key_ = parameters[-1], solver.number(at - solver.functions.param_position[parameters[-1]])
            if parameter is None:
                continue
            if solver.functions.param_kind[parameter] == VARARG_KIND and key_ == NO_KEY:
                key_ = solver.number(0)
            element = ENTIRE_ARGUMENT if not port.path else key_at(solver, row, port.path[0])
            formal = solver.functions.param_value[parameter]
            solver.calls.bindings.append((site, value, formal, key_, element))
            if flow.where:
                return_tested(solver, row, site, flow, parameter)
            if element != ENTIRE_ARGUMENT and key_ == NO_KEY:
                solver.read_from(formal, value, element)
            if element == ENTIRE_ARGUMENT and key_ == NO_KEY:
                solver.points.edge(solver.points.reps[value], solver.points.reps[formal])
                return_argument(solver, row, site, value, solver.functions.param_out[parameter])
        position += len(values) if port.kind == "from" else 1
    if flow.receiver is not None and (formal := solver.functions.receiver(function)) != NONE:
        for value in port_values(solver, row, flow.receiver):
            solver.calls.bindings.append((site, value, formal, NO_KEY, ENTIRE_ARGUMENT))
            solver.points.edge(solver.points.reps[value], solver.points.reps[formal])
            return_argument(solver, row, site, value, solver.functions.receiver_out(function))
    if flow.target is not None and not flow.where:
        result = solver.functions.result[function]
        for target in target_values(solver, row, flow.target):
            if flow.target.path:
                solver.resolution.element_returns.append(
                    (site, result, target, key_at(solver, row, flow.target.path[0]))
                )
            else:
                solver.resolution.returns.append((site, result, target))
                solver.points.edge(solver.points.reps[result], solver.points.reps[target])
                if (
                    solver.functions.flags[function] & FunctionFlag.GENERATOR
                ):  # its elements are the values that it yields
                    solver.read_from(target, result, UNKNOWN_KEY)


def return_argument(solver: Solver, row: int, site: int, value: int, out: int) -> None:
    """The arguments of a call that are ``value`` come back from a callback as ``out``, which may be NONE."""
    if out == NONE:
        return
    for argument in solver.calls.args.of(row):
        post = solver.calls.arg_post[argument]
        if solver.calls.arg_value[argument] == value and post != NONE:
            solver.resolution.returns.append((site, out, post))


def return_tested(solver: Solver, row: int, site: int, flow: CallFlow, parameter: int) -> None:
    """The argument of a predicate reaches the target as the version that it has where the predicate returns true."""
    state = solver.functions.param_true[parameter]
    if state == NONE:
        state = solver.functions.param_value[parameter]
    assert flow.target is not None
    for target in target_values(solver, row, flow.target):
        if flow.target.path:
            solver.resolution.element_returns.append((site, state, target, key_at(solver, row, flow.target.path[0])))
        else:
            solver.resolution.returns.append((site, state, target))
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
        solver.resolution.returns += [(site, out, value) for value in values]


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
    rows = [row for row, value in enumerate(solver.classes.typed_value) if value in parameters] if parameters else []
    return [each for each in types["type"][rows].tolist() if each != result]
