"""Checks of hosts as they are written: ``if host in ("localhost", "127.0.0.1") or is_private(host): raise``.

They refuse what leads inside by its name or by digits, and nobody looks the name up: any other name may lead there, if
it is that of a server whose owner says so. Such a function is no check of where a request goes. It counts as one if it,
or a function that it calls, looks names up, asks a function that the program does not have about the value, or lets
only hosts of a list through.

What a function refuses is told by its text and the texts of the functions that it calls: ``NAMED_HOSTS``. Where these
tell of hosts that are allowed (``LISTED_HOSTS``), the function is read: an answer of the program is taken for no, which
it is for a name that nobody listed, and the function has to come back.

Time linear in the texts of the functions, at most ``MAX_NAMED_HOSTS`` for a check, each asked once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_NAMED_HOSTS
from pyrograph.policy.names.functions import CHECKING_NAMES
from pyrograph.policy.names.hosts import ADDRESSES_ONLY, HANDLED, LISTED_HOSTS, LOOKED_UP, NAMED_HOSTS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.texts import Texts

MADE: Final = [int(op) for op in (Op.CALL, Op.LOAD, Op.NEW, Op.EXPRESSION, Op.CONST)]  # what stands where it is made


class NamedHosts:
    """Answers for one program, kept by function."""

    def __init__(self, control_flow: ControlFlow, texts: Texts) -> None:
        self.control_flow = control_flow
        self.program = control_flow.program
        self.reps = control_flow.resolution.reps
        self.texts = texts
        self.known: dict[int, bool] = {}

    def asked_by(self, call: int) -> bool:
        """Whether all functions that a call may run refuse hosts by their names alone."""
        functions = self.control_flow.functions_of(call)
        return bool(functions) and all(map(self.refuses_by_name, functions))

    def refuses_by_name(self, function: int) -> bool:
        """Whether a function refuses hosts by their names, or digits, and by nothing else."""
        if function not in self.known:
            self.known[function] = self._refuses_by_name(function)
        return self.known[function]

    def _refuses_by_name(self, function: int) -> bool:
        around = self.called_from(function)
        if len(around) > MAX_NAMED_HOSTS or any(map(self.asks_others, around)):
            return False
        texts = [self.text(each) for each in around]
        if not any(NAMED_HOSTS.search(each) for each in texts) or any(LOOKED_UP.search(each) for each in texts):
            return False
        if any(ADDRESSES_ONLY.search(each) and not HANDLED.search(each) for each in texts):
            return False
        return not any(LISTED_HOSTS.search(each) for each in texts) or self.comes_back(function)

    def called_from(self, function: int) -> list[int]:
        """A function and those that it calls, to one more than the bound."""
        found = [function]
        for each in found:  # grows, to the bound
            if len(found) > MAX_NAMED_HOSTS:
                break
            called = (
                target for call in self.control_flow.calls_in(each) for target in self.control_flow.functions_of(call)
            )
            found += [target for target in dict.fromkeys(called) if target not in found]
        return found

    def text(self, function: int) -> bytes:
        """From the name of a function to the end of the last value that it makes."""
        table = self.program.tables["values"]
        value, own = int(self.program.tables["functions"]["value"][function]), self.values.of(function)
        if value == NONE or not len(own):
            return b""
        file, start, end = self.control_flow.span(value)
        return self.texts.piece(file, start, max(end, int(table["end"][own].max())))

    @cached_property
    def values(self) -> RowsByKey:
        """Values by the function that makes them."""
        table = self.program.tables["values"]
        return RowsByKey(np.where(among(table["op"], MADE), table["function"], NONE))

    def asks_others(self, function: int) -> bool:
        """Whether a function calls one that the program does not have, and that is named after checking."""
        return any(
            CHECKING_NAMES.search(self.name_of(call))
            for call in self.control_flow.calls_in(function)
            if not self.control_flow.functions_of(call)
        )

    def name_of(self, call: int) -> str:
        """The last part of what is called."""
        callee = int(self.program.tables["calls"]["callee"][call])
        called = self.texts.piece(*self.control_flow.span(callee)) if callee != NONE else b""
        return called.rpartition(b".")[2].decode("utf-8", "replace")

    def comes_back(self, function: int) -> bool:
        """Whether a function raises something, and comes back where the program's functions answer no."""
        flow = self.control_flow
        if function not in flow.blocks:
            return False
        raising = flow.raising.get(function, set())
        ends = {each for each in flow.blocks[function][0] if flow.is_exit(each)} - raising
        reached = flow.reach(function, {}, self.is_yes)
        return bool(raising) and not ends.isdisjoint(reached)

    def is_yes(self, condition: int, side: int) -> bool:
        """Whether a condition has a side only if a function of the program says yes."""
        answer = self.answer(condition)
        return answer is not None and answer != side

    def answer(self, condition: int) -> int | None:
        """The side that a condition has where functions of the program say no; None if that does not decide."""
        parts = self.control_flow.conjunctions.get(condition)
        if parts is not None:  # of conditions before this one
            found = [(self.answer(part), wanted) for part, wanted in parts]
            if any(side is not None and side != wanted for side, wanted in found):
                return 0
            return 1 if all(side == wanted for side, wanted in found) else None
        return 0 if self.asks_program(condition) else None

    def asks_program(self, condition: int) -> bool:
        table = self.program.tables["conditions"]
        left = int(table["left"][condition])
        made = self.reps[left] if left != NONE and int(table["test"][condition]) == Test.TRUTH else NONE
        is_call = made != NONE and self.control_flow.op[made] == Op.CALL
        return is_call and bool(self.control_flow.functions_of(self.control_flow.data[made]))
