"""Fields of records that a method of their class converts: ``@validates("title")``, ``def clean(self, key, value)``.

The library calls such a method whenever something is stored in the field of an instance, and keeps what it returns. So
what a table gets in this field goes through the method: into the parameter behind the field's name, from its result.
Rows that a statement writes, ``query.update({...})``, are no instances, and no method is called for them.

Methods that call no sanitizer, also in the functions that they call, are left out: what they return is as untrusted as
what they get, and the path through them is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_CALLS_INTO, MAX_EXCLUDED_NAMES
from pyrograph.scanner.analysis.apis import CALL
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF, Move
from pyrograph.scanner.analysis.resolve.solver import Solver

Converters = dict[int, list[int]]  # the functions that convert a field, by its name


class Kept(NamedTuple):
    """A value that a table keeps."""

    value: int
    take: tuple[int, ...] = ()  # path of what is taken out of it
    put: tuple[int, ...] = ()  # path in the record
    excluded: tuple[int, ...] = ()  # keys of the value that do not count: the call is given them by name
    tested: bool = False  # a method of the form checks it
    declared: tuple[int, ...] = ()  # the calls that declare the field of a form, and may say what it admits
    stored: bool = False  # it is stored in fields of an instance
    checking: tuple[int, ...] = ()  # the classes of forms, a method of each of which checks all fields together


class FieldKept(NamedTuple):
    """A field of a form that a table keeps."""

    tested: bool  # as in ``Kept``
    declared: tuple[int, ...]
    checking: tuple[int, ...]


def converters(solver: Solver) -> dict[int, Converters]:
    """The methods that convert fields, by the class that has them. O(calls) if a decorator is one for it."""
    converting = {
        node for apis in solver.apis.values() for each in apis.checks.converting for node in apis.expand(each)
    }
    named = {row for row, node in solver.resolution.api_calls if node in converting} if converting else set()
    if not named:
        return {}
    calls, functions = solver.program.tables["calls"], solver.program.tables["functions"]
    results = {int(calls["result"][row]): row for row in named}
    found: dict[int, Converters] = {}
    for row, callee in enumerate(calls["callee"].tolist()):
        if callee not in results:
            continue
        decorator = results[callee]
        texts = [constant(solver, solver.calls.args.value[each]) for each in solver.calls.args.of(decorator)]
        names = [solver.program.intern(text) for text in texts if text is not None]
        for each in solver.calls.args.of(row):
            given = solver.points.reps[solver.calls.args.value[each]]
            for function in subjects(solver.points.states[given], FUNCTION):
                if not sanitizes(solver, function):
                    continue
                by_name = found.setdefault(int(functions["owner"][function]), {})
                for name in names:
                    by_name.setdefault(name, []).append(function)
    found.pop(NONE, None)
    return found


def sanitizes(solver: Solver, function: int) -> bool:
    """Whether a function calls a sanitizer, or one that does, through at most ``MAX_CALLS_INTO`` calls."""
    calls, functions = solver.program.tables["calls"], solver.program.tables["values"]["function"]
    within = functions[calls["result"]]
    work, seen = [function], {function}
    for _ in range(MAX_CALLS_INTO + 1):
        rows = np.flatnonzero(among(within, work)).tolist()
        for row in rows:
            apis = solver.apis[solver.files.language_of(int(calls["result"][row]))]
            for node in solver.models.apis_called.get(row, ()):
                roles = [apis.roles[each] for each in (node, *apis.step(node, CALL)) if each in apis.roles]
                if any(each.vulnerability != "any" for role in roles for each in role.sanitizers):  # "any": len(value)
                    return True
        callees = {int(calls["callee"][row]) for row in rows} - {NONE}
        called = {each for at in callees for each in subjects(solver.points.states[solver.points.reps[at]], FUNCTION)}
        work = sorted(called - seen)
        seen |= called
    return False


def converted(solver: Solver, cell: int, owner: int, moves: Sequence[Kept], known: dict[int, Converters]) -> list[Kept]:
    """What the table of a class gets besides what goes through methods that convert it, for which flow is added."""
    by_name: Converters = {}
    for each in reversed(solver.classes.lineage(owner) if owner != NONE and known else ()):
        by_name.update(known.get(each, {}))
    if not by_name:
        return list(moves)
    names = sorted(by_name)[:MAX_EXCLUDED_NAMES]
    found: list[Kept] = []
    for move in moves:
        if not move.put and (move.stored or is_instance(solver, move.value, owner)):
            found.append(move._replace(excluded=(*move.excluded, *names)[:MAX_EXCLUDED_NAMES]))
            for name in found[-1].excluded:
                if name in by_name:
                    convert(solver, move.value, (*move.take, name), by_name[name])
        elif move.put[:1] and move.put[0] in names and move.stored:
            convert(solver, move.value, move.take, by_name[move.put[0]])
        else:
            found.append(move)
    for name in names:
        for function in by_name[name]:
            result = int(solver.program.tables["functions"]["result"][function])
            solver.resolution.flows.moves.append(Move(result, cell, put=(name,)))
    return found


def convert(solver: Solver, value: int, take: tuple[int, ...], functions: Sequence[int]) -> None:
    """Let what is stored in a field flow into the third parameter of the methods that convert it."""
    parameters = solver.program.tables["parameters"]
    for function in functions:
        given = parameters["value"][parameters["function"] == function].tolist()[2:3]
        solver.resolution.flows.moves += [Move(value, each, take) for each in given]


def is_instance(solver: Solver, value: int, owner: int) -> bool:
    """Whether a value is nothing but instances of a class and of those that extend it."""
    states = solver.points.states[solver.points.reps[value]]
    made = subjects(states, INSTANCE_OF)
    return bool(made) and all(owner in solver.classes.lineage(each) for each in made)
