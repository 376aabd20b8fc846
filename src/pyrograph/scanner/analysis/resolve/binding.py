"""Binding: which arguments of a call arrive at which parameters of a function, and what comes back."""

from __future__ import annotations

from typing import NamedTuple

from pyrograph.ir.codes import NONE, RAISED, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.policy.limits.languages import MAX_SPREAD
from pyrograph.scanner.analysis.numbers import (
    ASYNC,
    CALL_OP,
    CLASS_METHOD,
    CONSTRUCTOR,
    FUNCTION_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    METHOD,
    NORMAL_KIND,
    PARAMETER_OP,
    SPREAD,
    SPREAD_KEYWORDS,
    VARARG_KIND,
)
from pyrograph.scanner.analysis.resolve.calls import Row
from pyrograph.scanner.analysis.resolve.functions import Signature
from pyrograph.scanner.analysis.resolve.resolution import CLASS, EXTERNAL_API, FUNCTION, INSTANCE_OF, MODULE, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


class Receivers(NamedTuple):
    """What may be the receiver in a call of a function."""

    original: int  # the function, or what it is a copy of
    receiver: int  # the value that the function was read from, or NONE
    actual: int  # the argument (a row) that the call passes as the receiver, or NONE
    given: int  # how many arguments were bound to the function before, or NONE


def bind(
    solver: Solver,
    row: int,
    function: int,
    receiver: int,
    *,
    constructed: bool = False,
    given: int = NONE,
    dropped: int = 0,
) -> None:
    """The call ``row`` may run ``function``, or the copy of it that was made for the call.

    ``given``: how many arguments were bound to the function before, or NONE if it is no function with bound arguments.
    ``dropped``: how many of the call's first arguments it does not get.
    """
    original, function = function, solver.calls.copies.of.get((row, function), function)
    if not solver.calls.mark_bound(row, function):
        return
    is_read_from_owner = is_bound_member(solver, row, original, receiver)
    is_bound = is_read_from_owner or is_bound_value(solver, row, original, receiver, given)
    target: Row = (row, function)
    solver.calls.known.add(row)
    solver.calls.bound.add(row)
    solver.calls.targets.append(target)
    first_binding = len(solver.calls.bindings)
    flags = solver.functions.flags[function]
    signature = solver.functions.signature(function)
    first, last = solver.calls.args.first[row], solver.calls.args.first[row + 1]
    actual = NONE
    if first < last and solver.calls.arg_position[first] == RECEIVER:
        actual = first
        first += 1
    shift = 0
    if signature.receiver != NONE:
        given_as = Receivers(original, receiver, actual, given)
        if pass_receiver(solver, target, given_as, signature.receiver, range(first, last), constructed=constructed):
            shift = 1
            if not solver.calls.arg_flags[first] & SPREAD:
                first += 1
    elif is_bound:  # the receiver is the first argument, and the others move up
        shift = -1
        if is_read_from_owner:
            pass_first(solver, row, receiver, actual, signature)
    elif given_by_decorator(solver, original):
        shift = -1
    shift += dropped - max(given, 0)
    for argument in range(min(first + dropped, last), last):
        if solver.calls.arg_flags[argument] & SPREAD_KEYWORDS:
            bind_keywords(solver, row, argument, signature, filled(solver, range(first, last), signature, shift))
        else:
            bind_argument(solver, row, argument, signature, shift)
    if not constructed or not flags & CONSTRUCTOR:
        bind_result(solver, target, first_binding)
    bind_failures(solver, target)


def pass_receiver(
    solver: Solver, target: Row, receivers: Receivers, parameter: int, arguments: range, *, constructed: bool
) -> bool:
    """Bind the receiver of a function that has a ``parameter`` (a row) for it; whether it is the first argument.

    ``arguments``: of the call, without the receiver; ``constructed``: the call makes an instance, its receiver.
    """
    row, function = target
    original, receiver, actual, given = receivers
    flags = solver.functions.flags[function]
    formal = solver.functions.param_value[parameter]
    if function != original and flags & CLASS_METHOD:  # the class is known where the method is, not at the call
        solver.points.edge(solver.points.reps[solver.functions.receiver(original)], solver.points.reps[formal])
    if constructed:
        out = solver.functions.param_out[parameter]
        if out != NONE:  # a constructor that never returns leaves no object
            solver.resolution.returns.append((row, out, solver.calls.result[row]))
    elif (
        arguments
        and solver.files.traits_of(formal).dispatch.receiver_is_first_parameter
        and gives_receiver_first(solver, target, original, receiver, arguments, given=given)
    ):
        first = arguments.start  # Class.method(instance, ...)
        if solver.calls.arg_flags[first] & SPREAD:
            pass_argument(solver, row, first, parameter, element=solver.number(0))
        else:
            pass_argument(solver, row, first, parameter)
        return True
    elif is_method_value(solver, row, function):
        pass  # bound to its receiver where it was taken
    elif actual != NONE and not flags & CLASS_METHOD:
        pass_argument(solver, row, actual, parameter)
        pass_embedded(solver, row, solver.calls.arg_value[actual], formal, function)
    elif receiver != NONE and not flags & CLASS_METHOD:
        solver.calls.bindings.append((row, receiver, formal, NO_KEY, ENTIRE_ARGUMENT))
        if not only_tested(solver, receiver, formal):
            solver.points.edge(solver.points.reps[receiver], solver.points.reps[formal])
    return False


def pass_first(solver: Solver, row: int, receiver: int, actual: int, signature: Signature) -> None:
    """Pass the receiver as the first argument of a function that has no parameter for it.

    ``actual``: see ``Receivers``.
    """
    place = signature.by_position.get(0, signature.vararg)
    if place != NONE and actual != NONE:
        pass_argument(solver, row, actual, place, NO_KEY if 0 in signature.by_position else solver.number(0))
    elif 0 in signature.by_position:
        solver.calls.bindings.append((row, receiver, solver.functions.param_value[place], NO_KEY, ENTIRE_ARGUMENT))
        solver.points.edge(solver.points.reps[receiver], solver.points.reps[solver.functions.param_value[place]])


def bind_failures(solver: Solver, target: Row) -> None:
    """What a function raises arrives at the handlers around the call, or lies in the call's result."""
    row, function = target
    result, raised = solver.calls.result[row], solver.functions.raised[function]
    if solver.functions.flags[function] & ASYNC and solver.files.traits_of(result).failures_stay_in_results:
        key = solver.program.intern(RAISED)
        solver.resolution.flows.element_returns.append((row, raised, result, key))
    for handler in solver.calls.handlers_of.get(row, ()):
        caught = solver.calls.handler_value[handler]
        solver.resolution.returns.append((row, raised, caught))
        solver.points.edge(solver.points.reps[raised], solver.points.reps[caught])


def gives_receiver_first(
    solver: Solver, target: Row, original: int, receiver: int, arguments: range, *, given: int
) -> bool:
    """Whether a call passes the receiver as its first argument, in a language whose methods have it as a parameter."""
    row, function = target
    return (
        (is_through_class(solver, function, receiver) and not is_module_value(solver, row, function, receiver))
        or is_named_allocator(solver, row, function)
        or (receiver == NONE and given == NONE and takes_receiver(solver, original, function, arguments))
    )


def bind_result(solver: Solver, target: Row, first_binding: int) -> None:
    """The call's result may be the function's; of a parameter that the function hands back, it is the argument.

    ``first_binding``: the first row of ``calls.bindings`` for this call and function.
    """
    row, function = target
    result = solver.calls.result[row]
    solver.resolution.returns.append((row, solver.functions.result[function], result))
    back = solver.functions.handed_back.get(function, NONE)
    bound = solver.calls.bindings[first_binding:] if back != NONE else ()
    passed = [each[1] for each in bound if each[2] == back and each[3] == NO_KEY and each[4] == ENTIRE_ARGUMENT]
    for value in passed or (solver.functions.result[function],):
        solver.points.edge(solver.points.reps[value], solver.points.reps[result])


def given_by_decorator(solver: Solver, function: int) -> bool:
    """Whether a library's decorator gives a plain function its first argument, so that calls leave it out."""
    binding = solver.calls.binding_decorators
    return (
        bool(binding)
        and solver.functions.owner[function] == NONE
        and any(row in binding and row not in solver.calls.bound for row in solver.calls.decorated.get(function, ()))
    )


def is_bound_member(solver: Solver, row: int, function: int, receiver: int) -> bool:
    """Whether the class of ``receiver``, not the instance, holds a function that is bound late
    (``Solver.is_bound_late``).
    """
    callee = solver.calls.callee[row]
    if receiver == NONE or solver.op[callee] != LOAD_OP or not solver.is_bound_late(function):
        return False
    key = solver.accesses.load_key[solver.data[callee]]
    for state in solver.points.states[solver.points.reps[receiver]]:
        is_instance = state & KIND == INSTANCE_OF
        if (is_instance and function in solver.classes.bound_to_instances) or (
            (is_instance or state & KIND == CLASS) and function in solver.classes.bound_to_classes
        ):
            for owner in solver.classes.lineage(state >> KIND_BITS):
                values = solver.classes.members.get(owner, {}).get(key, ())
                if any(
                    function << KIND_BITS | FUNCTION in solver.points.states[solver.points.reps[value]]
                    for value in values
                ):
                    return True
    return False


def is_bound_value(solver: Solver, row: int, function: int, receiver: int, given: int) -> bool:
    """Whether a function that is bound late was read from an instance before, and is called as a value now:
    ``run = unit.run; run(x)``. What is called by a plain name, or read from a module or a class, was not.
    """
    if function not in solver.classes.bound_to_instances and function not in solver.classes.bound_to_classes:
        return False
    callee = solver.points.reps[solver.calls.callee[row]]
    if given == NONE and (
        solver.op[callee] in (FUNCTION_OP, GLOBAL_OP, IMPORT_OP)
        or (solver.op[callee] == CALL_OP and solver.data[callee] in solver.calls.bound)
    ):
        return False
    if receiver == NONE:
        return True
    states = solver.points.states[solver.points.reps[receiver]]
    return not any(state & KIND in (CLASS, MODULE) or state == EXTERNAL_API for state in states)


def is_through_class(solver: Solver, function: int, receiver: int) -> bool:
    """Whether a method is called on its class, ``Class.method(instance)``, and not on an instance."""
    if receiver == NONE or solver.functions.flags[function] & (METHOD | CLASS_METHOD) != METHOD:
        return False
    found = False
    for state in solver.points.states[solver.points.reps[receiver]]:
        if state & KIND == INSTANCE_OF:
            return False
        found = found or state & KIND in (CLASS, MODULE) or state == EXTERNAL_API
    return found


def is_named_allocator(solver: Solver, row: int, function: int) -> bool:
    """Whether a call names the method that makes an instance, which is given the class whatever it is called on:
    ``super().__new__(cls, x)``.
    """
    named = int(solver.functions.name[function])
    allocators = solver.files.traits_of(solver.calls.result[row]).construction.allocators
    return named >= 0 and solver.calls.name[row] == named and solver.program.strings[named] in allocators


def is_module_value(solver: Solver, row: int, function: int, receiver: int) -> bool:
    """Whether ``module.run(x)`` calls a method value that a module's variable holds (``is_method_value``)."""
    states = solver.points.states[solver.points.reps[receiver]]
    return is_method_value(solver, row, function) and all(state & KIND == MODULE for state in states)


def only_tested(solver: Solver, value: int, formal: int) -> bool:
    """Whether a test passes ``value`` to code that is no test: its states stay out of that code."""
    return (
        bool(solver.files.testing[int(solver.files.file_of[value])])
        and not solver.files.testing[int(solver.files.file_of[formal])]
    )


def takes_receiver(solver: Solver, original: int, function: int, given: range) -> bool:
    """Whether a method that is called by itself is given its receiver: it gets one argument more than it takes, or as
    many as there are (``*args``) where a decorator of the program has it. ``original``: what ``function`` is a copy of,
    or itself.

    Otherwise it was bound to its receiver where it was taken (``run(self.handle)``).
    """
    if not solver.functions.flags[function] & METHOD:
        return False
    if any(row in solver.calls.bound for row in solver.calls.decorated.get(original, ())) and any(
        solver.calls.arg_flags[row] & SPREAD for row in given
    ):
        return True
    kinds = [solver.functions.param_kind[p] for p in solver.functions.parameters_of.get(function, ())]
    # ``**options`` fills parameters that nothing else fills, or none: it is no argument that is one too many
    single = sum(not solver.calls.arg_flags[row] & SPREAD_KEYWORDS for row in given)
    return single > kinds.count(NORMAL_KIND) and VARARG_KIND not in kinds


def is_method_value(solver: Solver, row: int, function: int) -> bool:
    """Whether ``x.run(y)`` calls a method value in a field, in languages that call methods only by their own names."""
    return (
        solver.functions.flags[function] & METHOD != 0
        and solver.functions.name[function] != solver.calls.name[row]
        and solver.files.traits_of(solver.calls.result[row]).dispatch.methods_keep_names
    )


def pass_embedded(solver: Solver, site: int, receiver: int, formal: int, function: int) -> None:
    """A promoted method: its receiver is the part of the object that is embedded under its type's name, where bases
    are such parts.
    """
    owner = solver.functions.owner[function]
    if owner == NONE or not solver.files.traits_of(formal).dispatch.bases_are_parts:
        return
    classes = subjects(solver.points.states[solver.points.reps[receiver]], INSTANCE_OF)
    if any(each != owner and owner in solver.classes.lineage(each) for each in classes):
        name = int(solver.program.tables["owners"]["name"][owner])
        solver.calls.bindings.append((site, receiver, formal, NO_KEY, name))


def pass_argument(
    solver: Solver, site: int, argument: int, parameter: int, key: int = NO_KEY, element: int = ENTIRE_ARGUMENT
) -> None:
    """``argument`` (a row) arrives at ``parameter`` (a row)."""
    value, formal = solver.calls.arg_value[argument], solver.functions.param_value[parameter]
    if element == ENTIRE_ARGUMENT and solver.calls.arg_flags[argument]:
        element = UNKNOWN_KEY
    solver.calls.bindings.append((site, value, formal, key, element))
    if key == NO_KEY and element >= 0 and not only_tested(solver, value, formal):
        solver.read_from(formal, value, element)
    if key == NO_KEY and element == ENTIRE_ARGUMENT:
        if not only_tested(solver, value, formal):
            given, target = solver.points.reps[value], solver.points.reps[formal]
            if target in solver.points.capacity.kept and solver.op[given] == PARAMETER_OP:
                solver.points.keep_handlers(given)
            solver.points.edge(given, target)
        post = solver.calls.arg_post[argument]
        out = solver.functions.param_out[parameter]
        if post != NONE and out != NONE:
            solver.resolution.returns.append((site, out, post))
    elif key != NO_KEY and element == ENTIRE_ARGUMENT:
        solver.points.edge(
            solver.points.reps[value],
            solver.cell(solver.points.reps[formal] << KIND_BITS | OBJECT, max(key, UNKNOWN_KEY)),
        )
        solver.points.add(solver.points.reps[formal], solver.points.reps[formal] << KIND_BITS | OBJECT)


def bind_argument(solver: Solver, site: int, argument: int, signature: Signature, shift: int) -> None:
    """Match an argument (a row) with parameters by position, keyword or spread; positions count from ``shift``.

    Not for keywords that are spread: see ``bind_keywords``.
    """
    position = solver.calls.arg_position[argument] - shift
    keyword = solver.calls.arg_keyword[argument]
    if solver.calls.arg_flags[argument] & SPREAD:
        for at, parameter in signature.by_position.items():
            if at >= position:
                pass_argument(solver, site, argument, parameter, element=solver.number(at - position))
        if signature.vararg != NONE and position == signature.end:
            vararg = solver.functions.param_value[signature.vararg]
            solver.calls.bindings.append((site, solver.calls.arg_value[argument], vararg, NO_KEY, ENTIRE_ARGUMENT))
            solver.points.edge(solver.points.reps[solver.calls.arg_value[argument]], solver.points.reps[vararg])
        elif signature.vararg != NONE:
            for at in range(MAX_SPREAD):  # of the first elements, positions stay known
                key, element = at + max(position - signature.end, 0), at + max(signature.end - position, 0)
                pass_argument(solver, site, argument, signature.vararg, solver.number(key), solver.number(element))
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


def bind_keywords(solver: Solver, site: int, argument: int, signature: Signature, taken: set[int]) -> None:
    """Match keywords that are spread, ``**options``, with all parameters but those that are ``taken``."""
    for name, parameter in signature.by_name.items():
        if parameter not in taken:
            pass_argument(solver, site, argument, parameter, element=name)
    if signature.keywords != NONE:
        keywords = solver.functions.param_value[signature.keywords]
        solver.calls.bindings.append((site, solver.calls.arg_value[argument], keywords, NO_KEY, ENTIRE_ARGUMENT))
        solver.points.edge(solver.points.reps[solver.calls.arg_value[argument]], solver.points.reps[keywords])


def filled(solver: Solver, arguments: range, signature: Signature, shift: int) -> set[int]:
    """The parameters (rows) that single arguments of a call fill: a call that fills them twice raises."""
    found: set[int] = set()
    for argument in arguments:
        if solver.calls.arg_flags[argument] & (SPREAD | SPREAD_KEYWORDS):
            continue
        keyword = solver.calls.arg_keyword[argument]
        if keyword != NONE:
            found.add(signature.by_name.get(keyword, NONE))
        else:
            found.add(signature.by_position.get(solver.calls.arg_position[argument] - shift, NONE))
    return found
