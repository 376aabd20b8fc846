"""Calls of functions of the program: which arguments arrive at which parameters, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.unit import (
    NONE,
    RAISED,
    RECEIVER,
    UNKNOWN_KEY,
    ArgumentFlag,
    CallFlag,
    FunctionFlag,
    Op,
    ParameterKind,
)
from pyrograph.scanner.apis import EXTERNAL
from pyrograph.scanner.resolve.models import call_api
from pyrograph.scanner.resolve.resolution import (
    API,
    CLASS,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    NO_KEY,
    OBJECT,
    WHOLE,
    Binding,
    Return,
    Target,
)
from pyrograph.scanner.resolve.solver import Solver


def resolve_call(solver: Solver, row: int, state: int) -> None:
    done = (row, state)
    if done in solver.done_calls:
        return
    solver.done_calls.add(done)
    kind = state & 7
    result = solver.call_result[row]
    if kind == FUNCTION:
        function = state >> 3
        if solver.fn_flags[function] & FunctionFlag.PROPERTY:
            return  # a getter runs where its attribute is read; what is called is what it returns
        if solver.call_flags[row] & CallFlag.NEW:
            solver.add(solver.reps[result], function << 3 | MADE_BY)
            if (receiver := solver.receiver(function)) != NONE:
                solver.add(solver.reps[receiver], function << 3 | MADE_BY)
            bind(solver, row, function, result, constructed=True)
        else:
            bind(solver, row, function, receiver_of(solver, row, function))
    elif kind == CLASS:
        construct(solver, row, state >> 3)
    elif kind == INSTANCE_OF:
        key = solver.program.string_ids.get("__call__")
        for owner in solver.lineage(state >> 3) if key is not None else ():
            for value in solver.class_members.get(owner, {}).get(key, ()):  # type: ignore[arg-type]
                for member in solver.states.get(solver.reps[value], ()):
                    if member & 7 == FUNCTION:
                        bind(solver, row, member >> 3, solver.call_callee[row])
    elif kind == API:
        call_api(solver, row, state >> 3)


def receiver_of(solver: Solver, row: int, function: int) -> int:
    """The value that the callee's receiver is at this call, or NONE."""
    receiver = solver.call_receiver[row]
    if receiver == NONE and solver.op[solver.call_callee[row]] == Op.LOAD:
        receiver = solver.load_object[solver.data[solver.call_callee[row]]]
    return int(receiver)


def construct(solver: Solver, row: int, owner: int) -> None:
    result = solver.call_result[row]
    solver.add(solver.reps[result], owner << 3 | INSTANCE_OF)
    apis = solver.apis.get(solver.language_of(result))
    for name in ("__new__", "__init__", "constructor"):
        key = solver.program.string_ids.get(name)
        if key is None:
            continue
        for each in solver.lineage(owner):
            values = solver.class_members.get(each, {}).get(key, ())
            for value in values:
                for member in tuple(solver.states.get(solver.reps[value], ())):
                    if member & 7 == FUNCTION and name == "__new__":
                        bind(solver, row, member >> 3, NONE)
                    elif member & 7 == FUNCTION:
                        bind(solver, row, member >> 3, result, constructed=True)
            if values and name == "__new__":
                break
            if values:
                return
    fill_fields(solver, row, owner)
    if apis is not None:
        for each in solver.lineage(owner):
            for base in solver.class_apis.get(each, ()):
                call_api(solver, row, base, made=False)
    solver.missed.append((-2 - row, owner << 3 | CLASS))


def fill_fields(solver: Solver, row: int, owner: int) -> None:
    """A class without a constructor of its own, or of a library: keywords are fields, positions are the declared
    fields in their order (records, data classes, models).
    """
    result = solver.call_result[row]
    lineage = solver.lineage(owner)
    declared = [
        name
        for each in reversed(lineage)
        for name, values in solver.class_members.get(each, {}).items()
        if any(solver.op[value] == Op.FIELD for value in values)
    ]
    for argument in solver.args.of(row):
        position, key = solver.arg_position[argument], solver.arg_keyword[argument]
        if key == NONE and 0 <= position < len(declared) and not solver.arg_flags[argument]:
            key = declared[position]
        field = (row, solver.arg_value[argument], result, key)
        if key != NONE and field not in solver.filled:
            solver.filled.add(field)
            solver.resolution.fields.append(field)
            solver.edge(solver.reps[field[1]], solver.cell(owner << 3 | INSTANCE_OF, key))


def bind(solver: Solver, row: int, function: int, receiver: int, *, constructed: bool = False) -> None:
    """The call ``row`` may run ``function``, or the copy of it that was made for the call."""
    function = solver.copies.of.get((row, function), function)
    if (row, function) in solver.seen_bindings:
        return
    solver.seen_bindings.add((row, function))
    solver.known_calls.add(row)
    solver.resolution.targets.append(Target(row, function))
    result = solver.call_result[row]
    flags = solver.fn_flags[function]
    parameters = solver.params_of.get(function, [])
    arguments = solver.args.of(row)
    own = [a for a in arguments if solver.arg_position[a] != RECEIVER]
    receiver_row = next((p for p in parameters if solver.param_kind[p] == ParameterKind.RECEIVER), NONE)
    shift = 0
    if receiver_row != NONE:
        formal = solver.param_value[receiver_row]
        actual = next((a for a in arguments if solver.arg_position[a] == RECEIVER), NONE)
        callee_states = solver.states.get(solver.reps[receiver], ()) if receiver != NONE else ()
        through_class = (
            not constructed
            and flags & FunctionFlag.METHOD
            and not flags & FunctionFlag.CLASS_METHOD
            and any(s & 7 in (CLASS, MODULE) or s == EXTERNAL << 3 | API for s in callee_states)
            and not any(s & 7 == INSTANCE_OF for s in callee_states)
            and not flags & FunctionFlag.CONSTRUCTOR
        )
        if constructed:
            out = solver.param_out[receiver_row]
            if out != formal:
                solver.resolution.returns.append(Return(row, out, result))
            else:
                solver.resolution.returns.append(Return(row, formal, result))
        elif own and (through_class or (receiver == NONE and takes_receiver(solver, function, own))):
            shift = 1  # Class.method(instance, ...): the first argument is the receiver
            pass_argument(solver, row, own[0], receiver_row)
            own = own[1:]
        elif is_method_value(solver, row, function):
            pass  # bound to its receiver where it was taken
        elif actual != NONE and not flags & FunctionFlag.CLASS_METHOD:
            pass_argument(solver, row, actual, receiver_row)
            pass_embedded(solver, row, solver.arg_value[actual], formal, function)
        elif receiver != NONE and not flags & FunctionFlag.CLASS_METHOD:
            solver.resolution.bindings.append(Binding(row, receiver, formal, NO_KEY, WHOLE))
            if not only_tested(solver, receiver, formal):
                solver.edge(solver.reps[receiver], solver.reps[formal])
    bind_arguments(solver, row, own, [p for p in parameters if p != receiver_row], shift)
    if not constructed or not flags & FunctionFlag.CONSTRUCTOR:
        solver.resolution.returns.append(Return(row, solver.fn_result[function], result))
        solver.edge(solver.reps[solver.fn_result[function]], solver.reps[result])
    if flags & FunctionFlag.ASYNC and solver.language_of(result) == "javascript":
        raised = solver.program.intern(RAISED)
        solver.resolution.element_returns.append((row, solver.fn_raised[function], result, raised))
    for handler in solver.handlers_of.get(row, ()):
        solver.resolution.returns.append(Return(row, solver.fn_raised[function], solver.handler_value[handler]))
        solver.edge(solver.reps[solver.fn_raised[function]], solver.reps[solver.handler_value[handler]])


def only_tested(solver: Solver, value: int, formal: int) -> bool:
    """Whether a test hands ``value`` to what it tests: what that is made of, tests do not decide."""
    return bool(solver.tests[int(solver.file_of[value])]) and not solver.tests[int(solver.file_of[formal])]


def takes_receiver(solver: Solver, function: int, own: Sequence[int]) -> bool:
    """Whether a method that is called by itself is given its receiver: it gets one argument more than it takes.

    Otherwise it was bound to its receiver where it was taken (``run(self.handle)``).
    """
    if not solver.fn_flags[function] & FunctionFlag.METHOD:
        return False
    kinds = [solver.param_kind[p] for p in solver.params_of.get(function, ())]
    return len(own) > kinds.count(ParameterKind.NORMAL) and ParameterKind.VARARG not in kinds


def is_method_value(solver: Solver, row: int, function: int) -> bool:
    """Whether ``x.run(y)`` calls what lies in a field: Go's methods go by their own names only."""
    return (
        solver.fn_flags[function] & FunctionFlag.METHOD != 0
        and solver.fn_name[function] != solver.call_name[row]
        and solver.language_of(solver.call_result[row]) == "go"
    )


def pass_embedded(solver: Solver, site: int, receiver: int, formal: int, function: int) -> None:
    """A promoted method in Go: its receiver is the part of the object that is embedded under its type's name."""
    owner = solver.fn_owner[function]
    if owner == NONE or solver.language_of(formal) != "go":
        return
    classes = [s >> 3 for s in solver.states.get(solver.reps[receiver], ()) if s & 7 == INSTANCE_OF]
    if any(each != owner and owner in solver.lineage(each) for each in classes):
        name = int(solver.program.tables["owners"]["name"][owner])
        solver.resolution.bindings.append(Binding(site, receiver, formal, NO_KEY, name))


def pass_argument(
    solver: Solver, site: int, argument: int, parameter: int, key: int = NO_KEY, element: int = WHOLE
) -> None:
    """``argument`` (a row) arrives at ``parameter`` (a row)."""
    value, formal = solver.arg_value[argument], solver.param_value[parameter]
    if element == WHOLE and solver.arg_flags[argument]:
        element = UNKNOWN_KEY
    solver.resolution.bindings.append(Binding(site, value, formal, key, element))
    if key == NO_KEY and element == WHOLE:
        if not only_tested(solver, value, formal):
            solver.edge(solver.reps[value], solver.reps[formal])
        post = solver.arg_post[argument]
        out = solver.param_out[parameter]
        if post != NONE and out != NONE:
            solver.resolution.returns.append(Return(site, out, post))
    elif key != NO_KEY and element == WHOLE:
        solver.edge(solver.reps[value], solver.cell(solver.reps[formal] << 3 | OBJECT, max(key, UNKNOWN_KEY)))
        solver.add(solver.reps[formal], solver.reps[formal] << 3 | OBJECT)


def bind_arguments(solver: Solver, site: int, arguments: Sequence[int], parameters: Sequence[int], shift: int) -> None:
    """Match arguments with parameters by position, keyword and spread."""
    by_position: dict[int, int] = {}
    by_name: dict[int, int] = {}
    vararg = keywords = NONE
    for parameter in parameters:
        kind = solver.param_kind[parameter]
        if kind == ParameterKind.VARARG:
            vararg = parameter
        elif kind == ParameterKind.KEYWORDS:
            keywords = parameter
        else:
            if kind == ParameterKind.NORMAL:
                by_position[solver.param_position[parameter]] = parameter
            if solver.param_name[parameter] != NONE:
                by_name[solver.param_name[parameter]] = parameter
    first_extra = max(by_position, default=-1) + 1
    for argument in arguments:
        flags = solver.arg_flags[argument]
        position = solver.arg_position[argument] - shift
        keyword = solver.arg_keyword[argument]
        if flags & ArgumentFlag.SPREAD:
            for at, parameter in by_position.items():
                if at >= position:
                    pass_argument(solver, site, argument, parameter, element=solver.number(at - position))
            if vararg != NONE:
                solver.resolution.bindings.append(
                    Binding(site, solver.arg_value[argument], solver.param_value[vararg], NO_KEY, WHOLE)
                )
        elif flags & ArgumentFlag.SPREAD_KEYWORDS:
            for name, parameter in by_name.items():
                pass_argument(solver, site, argument, parameter, element=name)
            if keywords != NONE:
                solver.resolution.bindings.append(
                    Binding(site, solver.arg_value[argument], solver.param_value[keywords], NO_KEY, WHOLE)
                )
        elif keyword != NONE:
            if keyword in by_name:
                pass_argument(solver, site, argument, by_name[keyword])
            elif keywords != NONE:
                pass_argument(solver, site, argument, keywords, key=keyword)
        elif position in by_position:
            pass_argument(solver, site, argument, by_position[position])
        elif vararg != NONE and position >= first_extra:
            pass_argument(solver, site, argument, vararg, key=solver.number(position - first_extra))
