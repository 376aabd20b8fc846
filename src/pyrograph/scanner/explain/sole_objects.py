"""Objects of which a running program has one: their class is made at one place, in code that runs once.

    func NewServer() *Server { return &Server{Options: &Options{}} }  // main alone calls it

A field of such an object holds the same value whoever sends a request.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.policy.limits.explanation import MAX_GUARD_CALLERS, MAX_GUARD_USES
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF, OBJECT
from pyrograph.scanner.explain.callers import Callers

MADE: Final = (INSTANCE_OF, OBJECT)


class SoleObjects:
    """Answers for one program. Linear in its values and calls, once."""

    def __init__(self, callers: Callers, is_own: npt.NDArray[np.bool_]) -> None:
        """``is_own``: whether each value stands in a file that is no test."""
        self.callers = callers
        self.program = callers.program
        self.is_own = is_own
        # by function: ``runs_once``; requests reach some as often as they come
        self.once = {int(each.function): False for each in callers.resolution.entry_points}

    def is_sole(self, value: int) -> bool:
        """Whether a value is an object of which there is one."""
        states = self.callers.resolution.states_of(value)
        if not states or any(each & KIND not in MADE for each in states):
            return False
        made = {each >> KIND_BITS for each in states if each & KIND == OBJECT}
        for owner in subjects(states, INSTANCE_OF):
            made.update(each for each in self.callers.makers.get(owner, ()) if self.is_own[each])
        return len(made) == 1 and self.is_made_once(min(made))

    def is_made_once(self, value: int) -> bool:
        return (
            value < self.program.num_values
            and bool(self.is_own[value])
            and self.runs_once(int(self.callers.function[value]))
        )

    def runs_once(self, function: int, depth: int = 0) -> bool:
        """Whether the code of a function runs once: it is a module's, or one call that runs once calls it."""
        known = self.once.get(function)
        if known is None:
            if depth == MAX_GUARD_CALLERS:
                return False
            self.once[function] = False  # a function that calls itself
            known = self.once[function] = self._runs_once(function, depth)
        return known

    def _runs_once(self, function: int, depth: int) -> bool:
        callers, functions = self.callers, self.program.tables["functions"]
        if int(functions["parent"][function]) == NONE:
            return True
        if callers.uses_of(function) or function in callers.listed:
            return False
        results = self.program.tables["calls"]["result"]
        rows = callers.resolution.rows("targets")[callers.callers.of(function), 0].tolist()
        sites = [int(results[row]) for row in rows if row < len(results)]
        sites = [each for each in dict.fromkeys(sites) if self.is_own[each]]
        if len(sites) > MAX_GUARD_USES or len(rows) > len(sites) + MAX_GUARD_USES:
            return False
        if not sites:  # where the program begins; a method may be called by a framework
            return int(functions["owner"][function]) == NONE
        return len(sites) == 1 and self.runs_once(int(callers.function[sites[0]]), depth + 1)
