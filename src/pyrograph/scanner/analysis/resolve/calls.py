"""Calls of functions of the program: which arguments arrive at which parameters, and what comes back."""

from __future__ import annotations

from pyrograph.ir.codes import NONE, RAISED, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_CONSTRUCTION, KIND, KIND_BITS, subjects
from pyrograph.scanner.analysis.resolve.models import call_api
from pyrograph.scanner.analysis.resolve.numbers import (
    ASYNC,
    CLASS_METHOD,
    CONSTRUCTOR,
    FIELD_OP,
    LOAD_OP,
    METHOD,
    NEW,
    NORMAL_KIND,
    PROPERTY,
    SPREAD,
    SPREAD_KEYWORDS,
    VARARG_KIND,
)
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    EXTERNAL_API,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
)
from pyrograph.scanner.analysis.resolve.solver import Row, Signature, Solver
from pyrograph.scanner.analysis.schema import NO_KEY, WHOLE


def resolve_call(solver: Solver, row: int, state: int) -> None:
    kind = state & KIND
    result = solver.call_result[row]
    if kind == FUNCTION:
        function = state >> KIND_BITS
        if solver.fn_flags[function] & PROPERTY:
            return  # a getter runs where its attribute is read; what is called is what it returns
        if solver.call_flags[row] & NEW:
            solver.add(solver.reps[result], function << KIND_BITS | MADE_BY)
            if (receiver := solver.receiver(function)) != NONE:
                solver.add(solver.reps[receiver], function << KIND_BITS | MADE_BY)
            bind(solver, row, function, result, constructed=True)
        else:
            bind(solver, row, function, receiver_of(solver, row, function))
    elif kind == CLASS:
        construct(solver, row, state >> KIND_BITS)
    elif kind == INSTANCE_OF:
        for name in solver.traits_of(result).call_methods:
            key = solver.program.string_ids.get(name, NONE)
            for owner in solver.lineage(state >> KIND_BITS) if key != NONE else ():
                for value in solver.class_members.get(owner, {}).get(key, ()):
                    for member in solver.states[solver.reps[value]]:
                        if member & KIND == FUNCTION:
                            bind(solver, row, member >> KIND_BITS, solver.call_callee[row])
    elif kind == API:
        call_api(solver, row, state >> KIND_BITS)


def receiver_of(solver: Solver, row: int, function: int) -> int:
    """The value that the callee's receiver is at this call, or NONE."""
    receiver = solver.call_receiver[row]
    if receiver == NONE and solver.op[solver.call_callee[row]] == LOAD_OP:
        receiver = solver.load_object[solver.data[solver.call_callee[row]]]
    return int(receiver)


def construct(solver: Solver, row: int, owner: int) -> None:
    result = solver.call_result[row]
    solver.add(solver.reps[result], owner << KIND_BITS | INSTANCE_OF)
    apis = solver.apis.get(solver.language_of(result))
    traits = solver.traits_of(result)
    for name in traits.allocators:
        run_nearest(solver, row, owner, name, NONE, constructed=False)
    for name in traits.constructors:
        if run_nearest(solver, row, owner, name, result, constructed=True):
            return
    fill_fields(solver, row, owner)
    if apis is not None:
        for each in solver.lineage(owner):
            for base in solver.class_apis.get(each, ()):
                call_api(solver, row, base, made=False)
    solver.missed.append((FIRST_CONSTRUCTION - row, owner << KIND_BITS | CLASS))


def run_nearest(solver: Solver, row: int, owner: int, name: str, receiver: int, *, constructed: bool) -> bool:
    """Bind the call ``row`` to the method ``name`` of a class, or of the nearest base that has one; whether one has."""
    key = solver.program.string_ids.get(name, NONE)
    for each in solver.lineage(owner) if key != NONE else ():
        values = solver.class_members.get(each, {}).get(key, ())
        for value in values:
            for member in solver.states[solver.reps[value]]:
                if member & KIND == FUNCTION:
                    bind(solver, row, member >> KIND_BITS, receiver, constructed=constructed)
        if values:
            return True
    return False


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
        if any(solver.op[value] == FIELD_OP for value in values)
    ]
    for argument in solver.args.of(row):
        position, key = solver.arg_position[argument], solver.arg_keyword[argument]
        if key == NONE and 0 <= position < len(declared) and not solver.arg_flags[argument]:
            key = declared[position]
        field = (row, solver.arg_value[argument], result, key)
        if key != NONE and field not in solver.filled:
            solver.filled.add(field)
            solver.resolution.fields.append(field)
            solver.edge(solver.reps[field[1]], solver.cell(owner << KIND_BITS | INSTANCE_OF, key))


def bind(solver: Solver, row: int, function: int, receiver: int, *, constructed: bool = False) -> None:
    """The call ``row`` may run ``function``, or the copy of it that was made for the call."""
    is_bound = is_bound_member(solver, row, function, receiver)
    original, function = function, solver.copies.of.get((row, function), function)
    target: Row = (row, function)
    before = len(solver.seen_bindings)
    solver.seen_bindings.add(target)
    if len(solver.seen_bindings) == before:
        return
    solver.known_calls.add(row)
    solver.bound_calls.add(row)
    solver.targets.append(target)
    result = solver.call_result[row]
    flags = solver.fn_flags[function]
    signature = solver.signature(function)
    first, last = solver.args.first[row], solver.args.first[row + 1]
    actual = NONE
    if first < last and solver.arg_position[first] == RECEIVER:
        actual = first
        first += 1
    shift = 0
    if signature.receiver != NONE:
        formal = solver.param_value[signature.receiver]
        if constructed:
            out = solver.param_out[signature.receiver]
            if out != NONE:  # a constructor that never returns leaves no object
                solver.resolution.returns.append((row, out, result))
        elif (
            first < last
            and solver.traits_of(formal).receiver_is_first_parameter
            and (
                is_through_class(solver, function, receiver)
                or (receiver == NONE and takes_receiver(solver, original, function, range(first, last)))
            )
        ):
            shift = 1  # Class.method(instance, ...): the first argument is the receiver
            if solver.arg_flags[first] & SPREAD:
                pass_argument(solver, row, first, signature.receiver, element=solver.number(0))
            else:
                pass_argument(solver, row, first, signature.receiver)
                first += 1
        elif is_method_value(solver, row, function):
            pass  # bound to its receiver where it was taken
        elif actual != NONE and not flags & CLASS_METHOD:
            pass_argument(solver, row, actual, signature.receiver)
            pass_embedded(solver, row, solver.arg_value[actual], formal, function)
        elif receiver != NONE and not flags & CLASS_METHOD:
            solver.bindings.append((row, receiver, formal, NO_KEY, WHOLE))
            if not only_tested(solver, receiver, formal):
                solver.edge(solver.reps[receiver], solver.reps[formal])
    elif is_bound:  # the receiver is the first argument, and the others move up
        shift = -1
        place = signature.by_position.get(0, signature.vararg)
        if place != NONE and actual != NONE:
            pass_argument(solver, row, actual, place, NO_KEY if 0 in signature.by_position else solver.number(0))
        elif 0 in signature.by_position:
            solver.bindings.append((row, receiver, solver.param_value[place], NO_KEY, WHOLE))
            solver.edge(solver.reps[receiver], solver.reps[solver.param_value[place]])
    for argument in range(first, last):
        bind_argument(solver, row, argument, signature, shift)
    if not constructed or not flags & CONSTRUCTOR:
        solver.resolution.returns.append((row, solver.fn_result[function], result))
        solver.edge(solver.reps[solver.fn_result[function]], solver.reps[result])
    if flags & ASYNC and solver.traits_of(result).failures_stay_in_results:
        raised = solver.program.intern(RAISED)
        solver.resolution.element_returns.append((row, solver.fn_raised[function], result, raised))
    for handler in solver.handlers_of.get(row, ()):
        solver.resolution.returns.append((row, solver.fn_raised[function], solver.handler_value[handler]))
        solver.edge(solver.reps[solver.fn_raised[function]], solver.reps[solver.handler_value[handler]])


def is_bound_member(solver: Solver, row: int, function: int, receiver: int) -> bool:
    """Whether a function that is bound late (``Solver.is_bound_late``) lies in the class of ``receiver``, not in the
    instance.
    """
    callee = solver.call_callee[row]
    if receiver == NONE or solver.op[callee] != LOAD_OP or not solver.is_bound_late(function):
        return False
    key = solver.load_key[solver.data[callee]]
    for state in solver.states[solver.reps[receiver]]:
        if state & KIND == INSTANCE_OF:
            for owner in solver.lineage(state >> KIND_BITS):
                values = solver.class_members.get(owner, {}).get(key, ())
                if any(function << KIND_BITS | FUNCTION in solver.states[solver.reps[value]] for value in values):
                    return True
    return False


def is_through_class(solver: Solver, function: int, receiver: int) -> bool:
    """Whether a method is called as what it is in its class, ``Class.method(instance)``, and not of an instance."""
    if receiver == NONE or solver.fn_flags[function] & (METHOD | CLASS_METHOD | CONSTRUCTOR) != METHOD:
        return False
    found = False
    for state in solver.states[solver.reps[receiver]]:
        if state & KIND == INSTANCE_OF:
            return False
        found = found or state & KIND in (CLASS, MODULE) or state == EXTERNAL_API
    return found


def only_tested(solver: Solver, value: int, formal: int) -> bool:
    """Whether a test hands ``value`` to what it tests: what that is made of, tests do not decide."""
    return bool(solver.tests[int(solver.file_of[value])]) and not solver.tests[int(solver.file_of[formal])]


def takes_receiver(solver: Solver, original: int, function: int, given: range) -> bool:
    """Whether a method that is called by itself is given its receiver: it gets one argument more than it takes, or as
    many as there are (``*args``) where a decorator has it. ``original``: what ``function`` is a copy of, or itself.

    Otherwise it was bound to its receiver where it was taken (``run(self.handle)``).
    """
    if not solver.fn_flags[function] & METHOD:
        return False
    if original in solver.decorated and any(solver.arg_flags[row] & SPREAD for row in given):
        return True
    kinds = [solver.param_kind[p] for p in solver.params_of.get(function, ())]
    return len(given) > kinds.count(NORMAL_KIND) and VARARG_KIND not in kinds


def is_method_value(solver: Solver, row: int, function: int) -> bool:
    """Whether ``x.run(y)`` calls what lies in a field, where methods are only called by their own names."""
    return (
        solver.fn_flags[function] & METHOD != 0
        and solver.fn_name[function] != solver.call_name[row]
        and solver.traits_of(solver.call_result[row]).methods_keep_names
    )


def pass_embedded(solver: Solver, site: int, receiver: int, formal: int, function: int) -> None:
    """A promoted method: its receiver is the part of the object that is embedded under its type's name, where bases
    are such parts.
    """
    owner = solver.fn_owner[function]
    if owner == NONE or not solver.traits_of(formal).bases_are_parts:
        return
    classes = subjects(solver.states[solver.reps[receiver]], INSTANCE_OF)
    if any(each != owner and owner in solver.lineage(each) for each in classes):
        name = int(solver.program.tables["owners"]["name"][owner])
        solver.bindings.append((site, receiver, formal, NO_KEY, name))


def pass_argument(
    solver: Solver, site: int, argument: int, parameter: int, key: int = NO_KEY, element: int = WHOLE
) -> None:
    """``argument`` (a row) arrives at ``parameter`` (a row)."""
    value, formal = solver.arg_value[argument], solver.param_value[parameter]
    if element == WHOLE and solver.arg_flags[argument]:
        element = UNKNOWN_KEY
    solver.bindings.append((site, value, formal, key, element))
    if key == NO_KEY and element == WHOLE:
        if not only_tested(solver, value, formal):
            solver.edge(solver.reps[value], solver.reps[formal])
        post = solver.arg_post[argument]
        out = solver.param_out[parameter]
        if post != NONE and out != NONE:
            solver.resolution.returns.append((site, out, post))
    elif key != NO_KEY and element == WHOLE:
        solver.edge(solver.reps[value], solver.cell(solver.reps[formal] << KIND_BITS | OBJECT, max(key, UNKNOWN_KEY)))
        solver.add(solver.reps[formal], solver.reps[formal] << KIND_BITS | OBJECT)


def bind_argument(solver: Solver, site: int, argument: int, signature: Signature, shift: int) -> None:
    """Match an argument (a row) with parameters by position, keyword or spread; positions count from ``shift``."""
    flags = solver.arg_flags[argument]
    position = solver.arg_position[argument] - shift
    keyword = solver.arg_keyword[argument]
    if flags & SPREAD:
        for at, parameter in signature.by_position.items():
            if at >= position:
                pass_argument(solver, site, argument, parameter, element=solver.number(at - position))
        if signature.vararg != NONE:
            vararg = solver.param_value[signature.vararg]
            solver.bindings.append((site, solver.arg_value[argument], vararg, NO_KEY, WHOLE))
    elif flags & SPREAD_KEYWORDS:
        for name, parameter in signature.by_name.items():
            pass_argument(solver, site, argument, parameter, element=name)
        if signature.keywords != NONE:
            keywords = solver.param_value[signature.keywords]
            solver.bindings.append((site, solver.arg_value[argument], keywords, NO_KEY, WHOLE))
    elif keyword != NONE:
        parameter = signature.by_name.get(keyword, NONE)
        if parameter != NONE:
            pass_argument(solver, site, argument, parameter)
        elif signature.keywords != NONE:
            pass_argument(solver, site, argument, signature.keywords, key=keyword)
    else:
        parameter = signature.by_position.get(position, NONE)
        if parameter != NONE:
            pass_argument(solver, site, argument, parameter)
        elif signature.vararg != NONE and position >= signature.end:
            pass_argument(solver, site, argument, signature.vararg, key=solver.number(position - signature.end))
