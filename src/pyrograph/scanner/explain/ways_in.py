"""Whether each way that is known into a function is of one kind: the calls that register it, and those that call it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.explanation import MAX_GUARD_CALLERS, MAX_GUARD_USES
from pyrograph.scanner.explain.callers import Callers


class WaysIn(ABC):
    """Answers for one program, kept by function. Subclasses say which registrations are of the kind."""

    def __init__(self, callers: Callers) -> None:
        self.callers = callers
        self.program = callers.program
        self.tables = callers.tables
        self.known: dict[int, bool] = {}

    @abstractmethod
    def of_registration(self, call: int) -> bool:
        """Whether a call registers the function that it is given in such a way."""

    def decided(self, function: int, *, is_used: bool) -> bool | None:
        """The answer for a function by itself; None where its uses decide. ``is_used``: whether there are any."""
        return None

    def counts(self, value: int) -> bool:
        """Whether a use counts that computes ``value``."""
        return True

    def of_function(self, function: int, depth: int = 0) -> bool:
        """Whether each way that is known into a function is such a one; at least one has to be."""
        known = self.known.get(function)
        if known is None:
            if depth == MAX_GUARD_CALLERS:
                return False
            self.known[function] = False  # a function that calls itself
            known = self.known[function] = self._of_function(function, depth)
        return known

    def _of_function(self, function: int, depth: int) -> bool:
        callers, results = self.callers, self.tables["calls"]["result"]
        if int(self.tables["functions"]["parent"][function]) == NONE:
            return False
        given, called = callers.uses_of(function), callers.direct_sites(function)
        own = self.decided(function, is_used=bool(given or called))
        if own is not None:
            return own
        registrations = [call for call, _ in given if self.counts(int(results[call]))]
        sites = [site for site in called if self.counts(site)]
        if not 0 < len(registrations) + len(sites) <= MAX_GUARD_USES or callers.holding(function):
            return False
        if not all(map(self.of_registration, registrations)):
            return False
        return all(self.of_function(int(callers.function[site]), depth + 1) for site in sites)
