"""Objects that a call takes out of a container and that are changed then: ``user = users.get(id)``, ``user.bio = bio``.

What is taken out lies in the container still, and who takes it out next gets what was stored in it. The builder knows
this of elements that are read, ``users[id].bio = bio``. Here, the states of a call's result flow back: to the variable
of a module that holds the container, or to the cell of the class in whose object it lies (``lasting``). Packs say with
``this[...] => ret`` which calls take out; functions of the program are looked through, ``find(id)``.

Linear in the changes of such results, times the calls that one goes through (``MAX_TAKEN_OUT`` at most).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_MEMBERS_TAKEN, MAX_TAKEN_OUT
from pyrograph.policy.names.functions import CHANGING_METHODS
from pyrograph.rules import entries
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CELL_OP,
    GLOBAL_OP,
    LOAD_OP,
    PARAMETER_OP,
    PHI_OP,
    RECEIVER_KIND,
    RESULT_OP,
)
from pyrograph.scanner.analysis.resolve.computed_imports import same_values
from pyrograph.scanner.analysis.resolve.module_states import Exported
from pyrograph.scanner.analysis.resolve.ports import key_at
from pyrograph.scanner.analysis.resolve.resolution import Move
from pyrograph.scanner.analysis.resolve.solver import Solver

Path = tuple[int, ...]
RESULT: Final = entries.Port("ret")
READING: Final = (int(Op.CALL), int(Op.LOAD))


def link_taken_out(solver: Solver, exported: Exported) -> None:
    """Let data flow from what is stored in the results of calls to the containers that they were taken out of."""
    tables = solver.program.tables
    op = tables["values"]["op"]
    stores = tables["stores"]["result"]
    arguments, calls = tables["arguments"], tables["calls"]
    ids = [solver.program.string_ids[name] for name in CHANGING_METHODS if name in solver.program.string_ids]
    changing = (arguments["position"] == 0) | among(calls["name"][arguments["call"]], ids)
    states = np.concatenate([stores, arguments["post"][changing & (arguments["post"] >= 0)]])
    roots = solver.resolution.representative[states]
    read = among(op[roots], READING)
    states, roots = states[read], roots[read]
    if not len(states):
        return
    taken = TakenOut(solver, exported)
    read = taken.may_be(roots)
    for state, root in zip(states[read].tolist(), roots[read].tolist(), strict=True):
        for target, put in taken.holders(root):
            solver.resolution.flows.moves.append(Move(state, target, put=put))


def path_taken(flow: object) -> tuple[str, ...]:
    """What of its receiver a call returns as it is, by what a pack says; () for nothing."""
    if isinstance(flow, entries.Flow):
        is_taken = flow.same and flow.target == RESULT and flow.origin.kind == "this"
        return flow.origin.path if is_taken else ()
    if isinstance(flow, entries.CallFlow) and flow.where and flow.target == RESULT:
        return next((port.path for port in flow.arguments if port.kind == "this"), ())
    return ()


class TakenOut:
    """Where the results of calls lie."""

    def __init__(self, solver: Solver, exported: Exported) -> None:
        self.solver = solver
        self.exported = exported
        self.same = same_values(solver)
        self.taking: dict[int, list[Path]] = {}  # call -> what of its receiver it returns
        paths: dict[tuple[str, int], list[tuple[str, ...]]] = {}  # by language and API
        for row, node in solver.resolution.api_calls:
            language = solver.files.language_of(solver.calls.result[row])
            if (language, node) not in paths:
                roles = solver.apis[language].roles.get(node)
                flows = [flow for each in roles.propagators for flow in each.flows] if roles is not None else []
                paths[language, node] = [path for path in map(path_taken, flows) if path]
            for path in paths[language, node]:
                self.taking.setdefault(row, []).append(tuple(key_at(solver, row, key) for key in path))
        self.returning: dict[int, list[int]] = {}  # call -> the functions that it runs
        for row, function in solver.calls.targets.array()[:, :2].tolist():
            if row >= 0:
                self.returning.setdefault(row, []).append(function)
        self.known: dict[int, list[tuple[int, Path]]] = {}

    def may_be(self, roots: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which of these are read, by a few members at most, from the result of a call that takes something out."""
        solver = self.solver
        tables = solver.program.tables
        op = tables["values"]["op"]
        fields = [
            value for value, origins in self.exported.origins.items() if any(op[each] in READING for each in origins)
        ]
        calls = [solver.points.reps[solver.calls.result[row]] for row in {*self.taking, *self.returning}]
        wanted = np.array([*calls, *fields], np.int32)
        found = among(roots, wanted)
        here = roots.copy()
        for _ in range(MAX_MEMBERS_TAKEN):
            loads = np.flatnonzero(op[here] == LOAD_OP)
            here[loads] = solver.points.rep[tables["loads"]["object"][tables["values"]["data"][here[loads]]]]
            found |= among(here, wanted)
        return found

    def holders(self, root: int) -> list[tuple[int, Path]]:
        """What holds a value that is read from the result of a call, and where in it."""
        if root not in self.known:
            found = dict[tuple[int, Path], None]()
            work: list[tuple[int, Path, bool]] = [(root, (), False)]
            for value, put, out in work:  # grows by what is read on the way, to a bound
                if out and put:
                    found.update(dict.fromkeys([(each, put) for each in self.kept_at(value)]))
                work += [each for each in self.before(value, put, out) if each not in work][: MAX_TAKEN_OUT - len(work)]
            self.known[root] = list(found)
        return self.known[root]

    def kept_at(self, value: int) -> list[int]:
        """The variables of modules, and the cells of classes, that a value is, where requests find it again."""
        op = self.solver.op[value]
        if op == GLOBAL_OP:
            return [*self.exported.own(value), *self.exported.made(value)]
        if op == LOAD_OP:
            return self.exported.made(value)
        return [value] if op == CELL_OP else []

    def before(self, value: int, put: Path, out: bool) -> Iterator[tuple[int, Path, bool]]:
        """What a value is read from, the path of what is read there, and whether a call takes it out."""
        solver = self.solver
        op, data = solver.op[value], solver.data[value]
        if op == LOAD_OP:
            key = max(solver.accesses.load_key[data], UNKNOWN_KEY)
            yield solver.points.reps[solver.accesses.load_object[data]], (key, *put), out
            for each in self.exported.origins.get(value, ()):  # what a field holds, of requests, too
                if solver.op[each] in READING:
                    yield solver.points.reps[each], put, out
        elif op == CALL_OP:
            receiver = solver.calls.receiver[data]
            for path in self.taking.get(data, ()) if receiver != NONE else ():
                yield solver.points.reps[receiver], (*path, *put), True
            for function in self.returning.get(data, ()):
                yield solver.points.reps[solver.functions.result[function]], put, True
        elif op == PARAMETER_OP:
            if value in self.same.outer:
                yield solver.points.reps[self.same.outer[value]], put, out
            elif data != NONE and solver.functions.param_kind[data] == RECEIVER_KIND:
                owner = solver.functions.owner[solver.functions.param_function[data]]
                if owner in solver.models.lasting_cells:
                    yield solver.models.lasting_cells[owner], put, out
        elif op in (PHI_OP, RESULT_OP):
            for each in self.same.before(value):
                yield solver.points.reps[each], put, out
