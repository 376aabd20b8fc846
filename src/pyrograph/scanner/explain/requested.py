"""Code that requests get to: what a script, a build or a command reads is mostly what its own author gives it.

A function is requested if it, or one of those that call it, reads something of a request or handles a route. What a
callee reads of a request does not count. A library that only helps to read requests answers none.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pyrograph.policy.limits.explanation import MAX_ENTRY_CALLERS
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.explain.entries import Entries


class Requested:
    """Answers for one program, kept by function."""

    def __init__(self, entries: Entries, sources: Iterable[SourceRole]) -> None:
        self.entries = entries
        function = entries.callers.function
        self.reading = {int(function[each.value]) for each in sources if each.kind in REQUEST_KINDS}
        self.known: dict[int, bool] = {}

    def is_left_alone(self, value: int) -> bool:
        """Whether the program answers requests, and none of them is seen to lead to the code of a value.

        Time O(callers of its function), up to the bound; the first time, O(functions of the program) more.
        """
        if not self.reading or not self.answers:
            return False
        start = int(self.entries.callers.function[value])
        if start not in self.known:
            self.known[start] = not self.is_requested(start)
        return self.known[start]

    @cached_property
    def answers(self) -> bool:
        """Whether requests get to any function of the program; tests do not count."""
        return bool(self.entries.all())

    def is_requested(self, start: int) -> bool:
        count = 0
        for function in self.entries.outwards(start):
            if function in self.reading or self.entries.of_function(function):
                return True
            count += 1
        return count >= MAX_ENTRY_CALLERS
