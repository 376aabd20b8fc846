"""Which members of an object a function of the program looks at.

``is_valid(form)`` that asks which keys a form has, or tests ``form["kind"]``, says nothing of ``form["text"]``. A
function that does anything else with the object, or reads of it what has no constant name, may look at all of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Flow, Op
from pyrograph.policy.limits.explanation import MAX_LOOKED_AT
from pyrograph.policy.names.functions import KEY_QUESTIONS, MEMBER_READS
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Ints, Program
from pyrograph.scanner.analysis.resolve import Resolution

# Versions of an object in one function, and its copy where objects are passed by value.
VERSIONS: Final = frozenset({int(Op.PHI), int(Op.PI), int(Op.POST), int(Op.STORE), int(Op.EXPRESSION)})


class LookedAt:
    """Members that functions read of what they are given. Each function is looked through once."""

    def __init__(self, program: Program, resolution: Resolution, args: Arguments) -> None:
        self.program, self.resolution, self.args = program, resolution, args
        self.reps = resolution.reps
        self.op, self.data = program.numbers("values", "op"), program.numbers("values", "data")
        self.known: dict[int, frozenset[int] | None] = {}  # by representative of a parameter

    def by_call(self, call: int, value: int) -> frozenset[int] | None:
        """The names of the members that the functions that ``call`` may call read of its argument ``value``; None: they
        may look at all of it.
        """
        rows = [row for row in self.args.of(call) if self.reps[self.args.value[row]] == self.reps[value]]
        return self._together([self._asked(call, row) for row in rows]) if rows else None

    def _members(self, parameter: int) -> frozenset[int] | None:
        """The names of the members that a function reads of its parameter."""
        rep = self.reps[parameter]
        if rep not in self.known:
            self.known[rep] = None  # of a function that calls itself
            self.known[rep] = self._look(rep)
        return self.known[rep]

    def _look(self, first: int) -> frozenset[int] | None:
        tables, reps = self.program.tables, self.reps
        found: list[frozenset[int] | None] = []
        seen, work = {first}, [first]
        while work:
            rep = work.pop()
            if rep in self.kept or len(seen) > MAX_LOOKED_AT:
                return None
            for row in self.uses.of(rep).tolist():
                found.append(self._asked(int(tables["arguments"]["call"][row]), row))
            for row in self.reads.of(rep).tolist():
                key = int(tables["loads"]["key"][row])
                if int(tables["loads"]["result"][row]) not in self.callees:
                    found.append(frozenset((key,)) if key >= 0 else None)
            for row in self.moves.of(rep).tolist():
                target = int(tables["flows"]["target"][row])
                if reps[target] in seen or target in self.results:
                    continue
                if tables["flows"]["kind"][row] != Flow.SAME or self.op[target] not in VERSIONS:
                    return None
                seen.add(reps[target])
                work.append(reps[target])
            if None in found:
                return None
        return self._together(found)

    def _asked(self, call: int, row: int) -> frozenset[int] | None:
        """The members that a call looks at of its argument ``row``."""
        name = self._name(call)
        if KEY_QUESTIONS.fullmatch(name):
            return frozenset()
        if self.args.position[row] == RECEIVER and name in MEMBER_READS:
            first = [self.args.value[each] for each in self.args.of(call) if self.args.position[each] == 0]
            constant = self.reps[first[0]] if first else NONE
            if constant == NONE or self.op[constant] != Op.CONST:
                return None
            key = self.program.string_ids.get(self.program.strings[self.data[constant]].removeprefix("'"))
            return None if key is None else frozenset((key,))
        rows = self.bindings[self.by_site.of(call)]
        value = self.reps[self.args.value[row]]
        given = [parameter for argument, parameter in rows[:, 1:3].tolist() if self.reps[argument] == value]
        return self._together([self._members(parameter) for parameter in given]) if given else None

    def _together(self, found: list[frozenset[int] | None]) -> frozenset[int] | None:
        known = [each for each in found if each is not None]
        return frozenset[int]().union(*known) if len(known) == len(found) else None

    def _name(self, call: int) -> str:
        """The name of the method, or of the global function, that is called; ""."""
        calls = self.program.tables["calls"]
        name, callee = int(calls["name"][call]), int(calls["callee"][call])
        if name == NONE and callee != NONE and self.op[callee] == Op.GLOBAL:
            name = self.data[callee]
        return self.program.strings[name] if name != NONE else ""

    @cached_property
    def bindings(self) -> Ints:
        return self.resolution.rows("bindings")

    @cached_property
    def by_site(self) -> RowsByKey:
        return RowsByKey(self.bindings[:, 0])

    @cached_property
    def uses(self) -> RowsByKey:
        values = self.program.tables["arguments"]["value"]
        return RowsByKey(np.where(values >= 0, self.resolution.representative[values], NONE))

    @cached_property
    def reads(self) -> RowsByKey:
        return RowsByKey(self.resolution.representative[self.program.tables["loads"]["object"]])

    @cached_property
    def moves(self) -> RowsByKey:
        return RowsByKey(self.resolution.representative[self.program.tables["flows"]["origin"]])

    @cached_property
    def callees(self) -> frozenset[int]:
        return frozenset(self.program.tables["calls"]["callee"].tolist())

    @cached_property
    def results(self) -> frozenset[int]:
        return frozenset(self.program.tables["functions"]["result"].tolist())

    @cached_property
    def kept(self) -> frozenset[int]:
        """Representatives of what is stored, or captured by a closure: others may look at it."""
        tables, reps = self.program.tables, self.resolution.representative
        stored, captured = tables["stores"]["value"], tables["captures"]["outer"]
        return frozenset(reps[np.concatenate([stored[stored >= 0], captured[captured >= 0]])].tolist())
