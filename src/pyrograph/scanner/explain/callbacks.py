"""Callbacks: whether a path enters a callback by the call that passed it.

The two layers match calls with returns for data. Functions that are passed as data, ``each(rows, row => ...)``, are
known to resolution, which has no calling contexts: inside ``each``, the callback may be the function of any call.
Cloning separates a few such calls. If there are more, a path may enter ``each`` by one call and continue in the
callback of another, or end at the API that another one passed. Such a path cannot happen; this can be seen only once
the path is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Flow, Op
from pyrograph.kernels.arrays import stable_order
from pyrograph.policy.limits.explanation import MAX_CALLEE_VERSIONS, MAX_OPEN
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.assemble import Context, FlowGraph
from pyrograph.scanner.analysis.captures import captured_as
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution

Ints = npt.NDArray[np.int32]

LAST_NAME: Final = re.compile(r"[.#]")  # what divides the names of an API


class Row(Protocol):
    """An edge of a path."""

    @property
    def target(self) -> int: ...  # node of the flow graph

    @property
    def row(self) -> int: ...  # of the flow graph


class CallbackCheck:
    def __init__(self, program: Program, resolution: Resolution, flow: FlowGraph, args: Arguments) -> None:
        self.program = program
        self.resolution = resolution
        self.rep = resolution.reps
        self.captured = captured_as(program, self.rep)
        self.args = args
        self.flow = flow
        self.context, self.site = flow.context.data, flow.site.data
        self.op = program.numbers("values", "op")
        self.data = program.numbers("values", "data")
        self.function = program.tables["values"]["function"]
        self.known: dict[int, tuple[frozenset[int], frozenset[int]] | None] = {}  # by callee
        self.same: tuple[Ints, Ints] | None = None  # SAME flow, sorted by target: targets, origins

    def is_consistent(self, edges: Sequence[Row], sink: SinkRole) -> bool:
        """Whether each function that is entered through a parameter is the one that the call on the path passed, and
        so is the API of the sink.

        True if that is unknown: the argument is no function literal and no member, the call is a library's, or the path
        went through a variable that forgets the calling context.
        """
        flow = self.flow
        entered: list[tuple[int, int]] = []  # (call, function), outermost first
        for edge in edges:
            context = self.context[edge.row]
            if context == Context.CALL:
                call, function = self.site[edge.row], int(self.function[flow.value[edge.target]])
                if not self.may_call(call, function, entered):
                    return False
                entered.append((call, function))
            elif context == Context.RETURN and entered:
                entered.pop()
            elif context == Context.HEAP:
                entered.clear()
        return self.may_end(sink, entered)

    def may_end(self, sink: SinkRole, entered: Sequence[tuple[int, int]]) -> bool:
        """Whether the sink, if the function around it was given its API, may be the one that the path's call passed:
        ``run(client.volumes.get, name)`` is no ``containers.create``, which another call passes to ``run``.
        """
        calls = self.program.tables["calls"]["callee"]
        if not 0 <= sink.call < len(calls) or not entered:
            return True
        outer, inside = entered[-1]
        given = self.rep[sink.given if sink.given != NONE else int(calls[sink.call])]
        is_own = self.op[given] == Op.PARAMETER and int(self.function[given]) == inside and self.data[given] != NONE
        passed = self.passed_member(outer, self.data[given]) if is_own else ""
        return passed in ("", LAST_NAME.split(sink.api)[-1])

    def passed_member(self, call: int, parameter: int) -> str:
        """The name of the member that ``call`` passes for a row of ``parameters``, of an object that the program stores
        nothing under this name in; or "".
        """
        if not 0 <= call < len(self.program.tables["calls"]["callee"]):
            return ""
        position = int(self.program.tables["parameters"]["position"][parameter])
        rows = self.args.of(call)
        before = [row for row in rows if 0 <= self.args.position[row] < position]
        if any(self.args.flags[row] for row in before):
            return ""
        for row in rows:
            if self.args.position[row] == position >= 0 and not self.args.flags[row]:
                value = self.rep[self.args.value[row]]
                key = int(self.program.tables["loads"]["key"][self.data[value]]) if self.op[value] == Op.LOAD else NONE
                return self.program.strings[key] if key >= 0 and key not in self.stored_keys else ""
        return ""

    def may_call(self, call: int, function: int, entered: Sequence[tuple[int, int]]) -> bool:
        """Whether ``call``, inside the calls that were entered, may call ``function``."""
        calls = self.program.tables["calls"]["callee"]
        if call >= len(calls) or not entered:
            return True
        meant = self.parameters_of(int(calls[call]))
        if meant is None:
            return True
        parameters, functions = meant
        own = self.text(function)
        if own in map(self.text, functions):
            return True
        owner = self.program.tables["parameters"]["function"]
        for parameter in parameters:
            outer = next((site for site, inside in reversed(entered[-MAX_OPEN:]) if inside == owner[parameter]), NONE)
            given = self.passed_function(outer, parameter) if 0 <= outer < len(calls) else NONE
            if given == NONE or self.text(given) == own:
                return True
        return False

    def text(self, function: int) -> int:
        """The same number for a function and its copies."""
        return int(self.program.original[self.program.tables["functions"]["result"][function]])

    def passed_function(self, call: int, parameter: int) -> int:
        """The function that ``call`` passes for a row of ``parameters``; NONE if it is no function literal."""
        args, position = self.args, int(self.program.tables["parameters"]["position"][parameter])
        rows = args.of(call)
        if any(args.flags[row] for row in rows):
            return NONE
        for row in rows:
            if args.position[row] == position >= 0:
                value = self.rep[args.value[row]]
                return self.data[value] if self.op[value] == Op.FUNCTION else NONE
        return NONE

    @cached_property
    def stored_keys(self) -> frozenset[int]:
        """The names under which the program stores something in objects, their parts behind a call left out."""
        stores, ops = self.program.tables["stores"], self.program.tables["values"]["op"]
        written = (stores["value"] >= 0) & ~np.isin(ops[stores["value"]], (Op.POST, Op.STORE))
        return frozenset(stores["key"][written].tolist())

    def parameters_of(self, callee: int) -> tuple[frozenset[int], frozenset[int]] | None:
        """The parameters (rows) and functions that a callee may be; None if it may be anything else."""
        if callee not in self.known:
            self.known[callee] = self._parameters_of(callee)
        return self.known[callee]

    def same_into(self, value: int) -> list[int]:
        """The origins of SAME flow into a value; the flows are sorted at the first call."""
        if self.same is None:
            flows = self.program.tables["flows"]
            rows = np.flatnonzero(flows["kind"] == Flow.SAME)
            rows = rows[stable_order(flows["target"][rows])]
            self.same = flows["target"][rows], flows["origin"][rows]
        targets, origins = self.same
        first, last = np.searchsorted(targets, (value, value + 1))
        found: list[int] = origins[first:last].tolist()
        return found

    def _parameters_of(self, callee: int) -> tuple[frozenset[int], frozenset[int]] | None:
        calls = self.program.tables["calls"]
        parameters: set[int] = set()
        functions: set[int] = set()
        made: list[int] = []  # calls whose result it may be
        work = [self.rep[callee]]
        seen = set(work)
        while work:
            value = work.pop()
            op = self.op[value]
            origins: list[int] = []
            if op == Op.PARAMETER and value in self.captured:
                origins = [self.captured[value]]
            elif op == Op.PARAMETER and self.data[value] != NONE:
                parameters.add(self.data[value])
            elif op == Op.FUNCTION:
                functions.add(self.data[value])
            elif op == Op.CALL:
                made.append(self.data[value])
            elif op in (Op.PHI, Op.CARRY, Op.EXPRESSION):
                origins = self.same_into(value)
                if not origins:
                    return None
            elif op != Op.CONST:
                return None
            for each in map(self.rep.__getitem__, origins):
                if each not in seen:
                    seen.add(each)
                    work.append(each)
            if len(seen) > MAX_CALLEE_VERSIONS:
                return None
        of_parameter = {self.rep[int(v)] for v in self.program.tables["parameters"]["value"][list(parameters)]}
        for call in made:  # of the function itself: in the form of another library's callbacks, say
            if not any(self.rep[self.args.value[row]] in seen | of_parameter for row in self.args.of(call)):
                return None
            if self.op[self.rep[int(calls["callee"][call])]] == Op.FUNCTION:
                return None  # a wrapper of the program's own: it calls what it makes
        return (frozenset(parameters), frozenset(functions)) if parameters else None
