"""Members that are read by a computed name: ``getattr(self, "do_" + name)``, ``this["do" + name]``; and functions of a
module, ``getattr(jobs, name)``, or of a library, ``getattr(requests, method)``.

The constant beginning of the name chooses the members. Without one it may be any method, as in a table of handlers, if
a value can hold them all. Those of subclasses: ``overrides.read_unseen``.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_SPELLINGS
from pyrograph.scanner.analysis.numbers import CLASS_OP, CONSTRUCTOR, FUNCTION_OP, IMPORT_OP, METHOD
from pyrograph.scanner.analysis.resolve.api_members import alike_sinks, builtin_members
from pyrograph.scanner.analysis.resolve.concerns import CALLS
from pyrograph.scanner.analysis.resolve.modules import members_of
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, INSTANCE_OF, MODULE
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver

HOLE = "\0"  # in the text of a row of ``texts``
DEFINED: Final = (FUNCTION_OP, CLASS_OP, IMPORT_OP)  # what a module has that code may call; imports are of the program


class ComputedListener(Listener):
    """An object of which ``result`` is the member whose name is the value ``name``."""

    def __init__(self, result: int, obj: int, name: int) -> None:
        self.result = result
        self.obj = obj
        self.name = name

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND in (CLASS, INSTANCE_OF):
            read_computed(solver, self.result, self.obj, state >> KIND_BITS, self.name)
        elif state & KIND == MODULE:
            read_of_module(solver, self.result, self.obj, state >> KIND_BITS, self.name)
        elif state & KIND == API and is_called(solver, self.result):
            for each in alike_sinks(solver, self.result, state >> KIND_BITS):
                solver.arise(self.result, each)


def read_computed(solver: Solver, result: int, obj: int, owner: int, name: int) -> None:
    """``result`` is a member of ``obj``, of the class ``owner``, whose name is the value ``name``."""
    solver.accesses.computed_reads[result, obj, name] = None
    for key in computed_names(solver, result, owner, name):
        row = (result, obj, key)
        if row not in solver.accesses.added_loads:
            solver.accesses.added_loads.add(row)
            solver.read_from(result, obj, key)


def read_of_module(solver: Solver, result: int, obj: int, module: int, name: int) -> None:
    """``result`` is a function or a class that a module has, and whose name is the value ``name``."""
    beginning = beginnings(solver).get(int(solver.points.reps[name]), "")
    if not beginning and not is_called(solver, result):
        return
    found = [
        key
        for key, values in members_of(solver, module).items()
        if solver.strings[key].startswith(beginning)
        and (beginning or solver.strings[key][:1] != "_")
        and any([solver.op[solver.undecorated(each)] in DEFINED for each in values])
    ]
    for key in found if len(found) <= MAX_HANDLERS else ():
        if (result, obj, key) not in solver.accesses.added_loads:
            solver.accesses.added_loads.add((result, obj, key))
            solver.read_from(result, obj, key)


def computed_names(solver: Solver, result: int, owner: int, name: int) -> list[int]:
    """The names of the methods that the value ``name`` may be; none where the code calls nothing that it reads."""
    beginning = begins(solver, name)
    if not beginning and not is_called(solver, result):
        return []
    found: dict[int, None] = {}
    for each in solver.classes.lineage(owner):
        for key, values in solver.classes.members.get(each, {}).items():
            text = solver.strings[key]
            if (text.startswith(beginning) if beginning else text[:1] != "_") and any(
                is_method(solver, value) for value in values
            ):
                found[key] = None
    return list(found) if beginning or len(found) <= MAX_HANDLERS else []


def is_called(solver: Solver, result: int) -> bool:
    """Whether code calls ``result``, or a value that it is passed on to, itself or by a method of functions:
    ``handler.call(this, x)``, ``handler.bind(this)``. At most ``MAX_SPELLINGS`` values.
    """
    work = [solver.points.reps[result]]
    for node in work:  # grows by successors, to the bound
        if solver.points.concerned[node] & CALLS:
            return True
        for row in solver.accesses.loads_of.get(node, ()):
            key, read = solver.accesses.load_key[row], solver.accesses.load_result[row]
            is_callee = solver.points.concerned[solver.points.reps[read]] & CALLS
            if key >= 0 and is_callee and builtin_members(solver, result, key, "Function"):
                return True
        following = [other for other in solver.points.successors[node] if other not in work]
        work += following[: MAX_SPELLINGS - len(work)]
    return False


def is_method(solver: Solver, value: int) -> bool:
    """Whether a member of a class is a method, decorated or not."""
    original = solver.undecorated(value)
    if solver.op[original] != FUNCTION_OP:
        return False
    flags = solver.functions.flags[solver.data[original]]
    return bool(flags & METHOD) and not flags & CONSTRUCTOR


def begins(solver: Solver, name: int) -> str:
    """The constant beginning of a name that is computed: "do_" of ``"do_" + x``; empty where there is none."""
    return beginnings(solver).get(int(solver.points.reps[name]), "")


def beginnings(solver: Solver) -> dict[int, str]:
    """The constant beginnings of texts that are put together, by node. Linear in the texts, once."""
    known = solver.accesses.beginnings
    if known is None:
        known = solver.accesses.beginnings = {}
        values, texts = solver.program.numbers("texts", "value"), solver.program.numbers("texts", "text")
        for row in range(len(values)):
            beginning = solver.strings[texts[row]].partition(HOLE)[0]
            if beginning and values[row] != NONE:
                known[int(solver.points.reps[values[row]])] = beginning
    return known
