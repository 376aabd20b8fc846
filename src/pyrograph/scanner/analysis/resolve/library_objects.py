"""Values that may be objects of a library's types, in languages whose types are closed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS, PAIR_BITS, PAIR_LOW, subjects
from pyrograph.kernels.arrays import stable_order
from pyrograph.policy.limits.resolution import MAX_LIBRARY_STEPS
from pyrograph.scanner.analysis.apis import EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.numbers import CALL_OP, LOAD_OP, METHOD, PHI_OP
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver


def mark_own_objects(solver: Solver, language: str) -> None:
    """Mark parameters of methods without a known call as trusted objects, by the calls of that name.

    Such a method implements an interface with too many implementations. Example: the request that a program sends has
    the type of the one that it receives. Calls in tests do not count: they make what a server receives. Linear in the
    calls of methods and their arguments.
    """
    apis = solver.apis[language]
    wanted = {apis.node((*each, INSTANCE)) << KIND_BITS | API for each in apis.own_objects}
    holding = (
        {node for node, states in enumerate(solver.points.states) if states and not wanted.isdisjoint(states)}
        if wanted
        else set()
    )
    if not holding:
        return
    tests, file_of, result = solver.files.tests, solver.files.file_of, solver.calls.result
    called = called_functions(solver)
    methods: dict[int, list[int]] = {}
    for function, name in enumerate(solver.functions.name):
        if function not in called and solver.functions.flags[function] & METHOD and name != NONE:
            methods.setdefault(name, []).append(function)
    for row, name in enumerate(solver.calls.name):
        if name not in methods or tests[int(file_of[result[row]])]:
            continue
        given = [a for a in solver.calls.args.of(row) if solver.points.reps[solver.calls.arg_value[a]] in holding]
        for function in methods[name] if given else ():
            formals = {
                solver.functions.param_position[p]: solver.functions.param_value[p]
                for p in solver.functions.parameters_of.get(function, ())
            }
            for argument in given:
                formal = formals.get(solver.calls.arg_position[argument], NONE)
                if formal == NONE or solver.files.language_of(formal) != language:
                    continue
                for state in wanted.intersection(
                    solver.points.states[solver.points.reps[solver.calls.arg_value[argument]]]
                ):
                    solver.points.add(solver.points.reps[formal], state)


def from_library(solver: Solver, value: int, depth: int = 0) -> bool:
    """Whether a value is declared to be a library's object, or comes from a call or member of one; of a join, whether
    all its inputs do: ``async with library.open(path) as file``.
    """
    rep = solver.points.reps[value]
    if rep in solver.guesses.library_objects:
        return True
    states = solver.points.states[rep]
    if depth > MAX_LIBRARY_STEPS or any(s & KIND in (INSTANCE_OF, CLASS, OBJECT, FUNCTION) for s in states):
        return False
    if any(s & KIND == API for s in states):
        return True
    if solver.op[rep] == LOAD_OP:
        return from_library(solver, solver.accesses.load_object[solver.data[rep]], depth + 1)
    if solver.op[rep] == CALL_OP:
        row = solver.data[rep]
        if row in solver.resolution.external:
            return True
        receiver = solver.calls.receiver[row]
        return receiver != NONE and from_library(solver, receiver, depth + 1)
    if solver.op[rep] == PHI_OP:
        further = depth + MAX_LIBRARY_STEPS // 2  # joins of joins of joins would have too many inputs
        inputs = {solver.points.reps[each] for each in inputs_of_join(solver, rep)} - {rep}
        return bool(inputs) and all(from_library(solver, each, further) for each in sorted(inputs))
    return False


def inputs_of_join(solver: Solver, value: int) -> list[int]:
    """The inputs of a phi. Linear in the flows when first called, then a search."""
    if solver.guesses.joins is None:
        flows = solver.program.tables["flows"]
        into = np.flatnonzero((flows["kind"] == 0) & (solver.program.tables["values"]["op"][flows["target"]] == PHI_OP))
        into = into[stable_order(flows["target"][into])]
        solver.guesses.joins = flows["origin"][into], flows["target"][into]
    origins, targets = solver.guesses.joins
    first, last = np.searchsorted(targets, (value, value + 1))
    return origins[first:last].tolist()  # type: ignore[no-any-return]


def propagate_library_objects(solver: Solver, languages: Sequence[str]) -> None:
    """Collect the nodes that may be an object of a library, in languages with ``Traits.library_types_are_foreign``.

    A value that is taken out of ``any`` has the type that the text states. Linear in the calls of these languages and
    in the edges that such objects travel along.
    """
    called = {each >> PAIR_BITS for each in solver.calls.seen_bindings}
    work = list(solver.guesses.library_objects)
    for (state, _key), member in solver.classes.found.items():
        if not member.found and any(
            owner in solver.classes.unknown_bases for owner in solver.classes.lineage(state >> KIND_BITS)
        ):
            work.append(member.node)  # an embedded type of a library has it
    of_receiver: dict[int, list[int]] = {}  # receiver -> results of what is called on it
    for row, result in enumerate(solver.calls.result):
        if row in called or solver.files.language_of(result) not in languages:
            continue
        if calls_library_function(solver, row):
            work.append(solver.points.reps[result])
        elif solver.calls.receiver[row] != NONE:
            of_receiver.setdefault(solver.points.reps[solver.calls.receiver[row]], []).append(
                solver.points.reps[result]
            )
    reached = solver.guesses.library_objects
    reached.clear()
    while work:  # ends: a node is in ``reached`` once, and only then its successors are waiting
        node = work.pop()
        if node in reached or any(state & KIND == INSTANCE_OF for state in solver.points.states[node]):
            continue
        reached.add(node)
        work += solver.points.successors[node]
        work += of_receiver.get(node, ())
        work += [solver.points.reps[solver.accesses.load_result[row]] for row in solver.accesses.loads_of.get(node, ())]


def calls_library_function(solver: Solver, row: int) -> bool:
    """Whether the callee is a function of a library, or a method that a type of the program inherits from one."""
    callee = solver.points.reps[solver.calls.callee[row]]
    language = solver.files.language_of(solver.calls.result[row])
    apis = solver.apis[language]
    called = solver.points.states[callee]
    nodes = subjects(called, API) if called else []
    if nodes:
        builtins = solver.files.builtins[language]
        return any(node == EXTERNAL or apis.paths[node][0] != builtins for node in nodes)
    receiver, name = solver.calls.receiver[row], solver.calls.name[row]
    states = solver.points.states[solver.points.reps[receiver]] if receiver != NONE else ()
    if not states:
        return False
    owners = subjects(states, INSTANCE_OF)
    lineage = [each for owner in owners for each in solver.classes.lineage(owner)]
    if any(name in solver.classes.members.get(each, ()) for each in lineage):
        return False
    return any(each in solver.classes.unknown_bases or solver.classes.apis.get(each) for each in lineage)


def called_functions(solver: Solver) -> set[int]:
    """The functions that code of the program calls, except for its tests."""
    tests, file_of, result = solver.files.tests, solver.files.file_of, solver.calls.result
    return {
        each & PAIR_LOW
        for each in solver.calls.seen_bindings
        if each < 0 or not tests[int(file_of[result[each >> PAIR_BITS]])]
    }
