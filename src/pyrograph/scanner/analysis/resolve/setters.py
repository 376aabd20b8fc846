"""Functions of a library that set what the same call gave beside them: ``const [text, setText] = useState("")``.

``setText(found)`` in an effect or a handler stores what the component reads as ``text`` when it runs again. A pack says
which member of a result is such a function, and which one it sets (``[type] setters``). Data flows from its argument,
and from what a function returns that it is given, ``setList((list) => [...list, found])``, to where the other member
is read of the result of the same call, in every calling context. A setter that is captured by an inner function is
followed, one that is passed on is not.

Linear in the calls of setters, times the members that are read of one result.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_SETTER_NAMES
from pyrograph.scanner.analysis.numbers import LOAD_OP
from pyrograph.scanner.analysis.resolve.computed_imports import same_values
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION
from pyrograph.scanner.analysis.resolve.solver import Solver


def link_setters(solver: Solver) -> None:
    """Let data flow from what a setter is given to where a program reads what it sets."""
    edges = solver.resolution.flows.context_free_edges
    for row, node in solver.resolution.api_calls:
        roles = solver.apis[solver.files.language_of(solver.calls.result[row])].roles.get(node)
        for port, key in roles.setters if roles is not None else ():
            results = [
                each for load in loads_before(solver, solver.calls.callee[row]) for each in beside(solver, load, key)
            ]
            for value in port_values(solver, row, port) if results else ():
                for each in (value, *returned(solver, value)):
                    for result in results:
                        edges.append((each, result))


def beside(solver: Solver, load: int, key: str) -> list[int]:
    """Where the member with this key is read of the same object."""
    accesses = solver.accesses
    number = solver.program.string_ids.get(key, NONE)
    made = solver.points.reps[accesses.load_object[load]]
    return [
        accesses.load_result[other] for other in accesses.loads_of.get(made, ()) if accesses.load_key[other] == number
    ]


def returned(solver: Solver, value: int) -> Iterator[int]:
    """What the functions return that a value may be."""
    for state in solver.points.states[solver.points.reps[value]]:
        if state & KIND == FUNCTION:
            result = solver.functions.result[state >> KIND_BITS]
            if result != NONE:
                yield result


def loads_before(solver: Solver, value: int) -> Iterator[int]:
    """The rows of the loads that a value is another name for, also where an inner function captured it."""
    known = same_values(solver)
    work = [value] if value != NONE else []
    for each in work:  # grows by what flows into it, to the bound
        if solver.op[each] == LOAD_OP:
            yield solver.data[each]
            continue
        before = known.before(solver.points.reps[each])
        if each in known.outer:
            before = [*before, known.outer[each]]
        work += [other for other in before if other not in work][: MAX_SETTER_NAMES - len(work)]
