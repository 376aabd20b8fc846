"""Methods of subclasses, where the receiver of a call is only known to be of their base.

``task.run(name)`` with ``task: Task`` runs the method of a subclass if ``Task`` declares the method only, or defines it
as something that is there to be overridden: it always raises, or it uses none of its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.resolution import MAX_OVERRIDES
from pyrograph.scanner.analysis.resolve.binding import bind
from pyrograph.scanner.analysis.resolve.numbers import CONSTRUCTOR, METHOD, RECEIVER_KIND
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver


def overriding_methods(solver: Solver, row: int, classes: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """Those of ``candidates`` that subclasses of ``classes`` define; those of tests only for calls of tests. None where
    a base is only a part of the object.
    """
    if solver.files.traits_of(solver.calls.result[row]).bases_are_parts:
        return []
    bases = set(classes)
    tests, file_of = solver.files.tests, solver.files.file_of
    in_test = tests[file_of[solver.calls.result[row]]]
    return [
        f
        for f in candidates
        if solver.functions.owner[f] not in bases
        and not bases.isdisjoint(solver.classes.lineage(solver.functions.owner[f]))
        and (in_test or not tests[file_of[solver.functions.result[f]]])
    ]


def resolve_overridden(solver: Solver, by_name: Mapping[tuple[str, int], Sequence[int]]) -> None:
    """Let calls whose targets are all there to be overridden reach the methods that override them.

    ``by_name``: the methods of the program by language and name.
    """
    idle = idle_methods(solver)
    if not idle:
        return
    only_idle: dict[int, bool] = {}
    for row, function in solver.calls.targets:
        only_idle[row] = function in idle and only_idle.get(row, True)
    for row in [row for row, is_idle in only_idle.items() if is_idle]:
        receiver, name = solver.calls.receiver[row], solver.calls.name[row]
        if receiver == NONE or name == NONE or solver.op[receiver] == Op.SUPER:
            continue
        classes = subjects(solver.points.states[solver.points.reps[receiver]], INSTANCE_OF)
        named = by_name.get((solver.files.language_of(receiver), name), ())
        found = overriding_methods(solver, row, classes, named) if classes else []
        if len(found) <= MAX_OVERRIDES:
            for function in found:
                bind(solver, row, function, receiver)


def idle_methods(solver: Solver) -> set[int]:
    """Methods with parameters that always raise, or that use none of their parameters. Linear in the tables."""
    t = solver.program.tables
    used = np.zeros(solver.program.num_values, bool)
    for table, column in (
        ("flows", "origin"),
        ("arguments", "value"),
        ("loads", "object"),
        ("slices", "object"),
        ("stores", "object"),
        ("stores", "value"),
        ("calls", "callee"),
        ("calls", "receiver"),
        ("captures", "outer"),
        ("pis", "input"),
    ):
        values = t[table][column]
        used[values[values != NONE]] = True
    parameters = t["parameters"]
    given = parameters["kind"] != RECEIVER_KIND
    functions = len(solver.functions.owner)
    takes, uses, returns = (np.zeros(functions, bool) for _ in range(3))
    takes[parameters["function"][given]] = True
    uses[parameters["function"][given & used[parameters["value"]]]] = True
    returns[parameters["function"][parameters["out"] != NONE]] = True
    flags = np.array(solver.functions.flags, np.int64)
    is_method = (flags & METHOD != 0) & (flags & CONSTRUCTOR == 0)
    found: list[int] = np.flatnonzero(takes & is_method & (~uses | ~returns)).tolist()
    return set(found)
