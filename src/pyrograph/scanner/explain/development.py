"""Branches that run where the program is developed or tested only: ``if (process.env.NODE_ENV === "development")``."""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_ALTERNATIONS, MAX_GUARD_STEPS, MAX_GUARD_USES
from pyrograph.policy.names.settings import DEVELOPING, ENVIRONMENT, PRODUCING, UNDER_DEVELOPMENT, UNDER_PRODUCTION
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.uses import Uses

TEXT: Final = "'"  # the first character of a constant text


class Development:
    """Answers for one program, kept by function. O(blocks and conditions of a function, and its uses)."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.regions: Regions = uses.regions
        self.strings = uses.program.strings
        self.registered: dict[int, bool] = {}  # by function: ``is_registered_only``
        self.used: dict[int, dict[int, int] | None] = {}  # by function: the blocks that users reach; None: all

    def is_only(self, value: int) -> bool:
        """Whether ``value`` is computed in such a branch, or in a function that is made, or registered, in one."""
        made = self.regions.program.tables["functions"]["value"]
        while value != NONE:  # a function is made in the one around it
            function = int(self.regions.function[value])
            if function not in self.used:
                self.used[function] = self.blocks(function)
            reached = self.used[function]
            if reached is not None and self.regions.block_of(value) not in reached:
                return True
            if self.is_registered_only(function):
                return True
            value = int(made[function])
        return False

    def is_registered_only(self, function: int) -> bool:
        """Whether all that a function is used for is to be given to calls in such branches."""
        known = self.registered.get(function)
        if known is None:
            self.registered[function] = False  # while that is being asked
            given = self.uses.uses_of(function)
            known = 0 < len(given) <= MAX_GUARD_USES
            if known and not self.uses.direct_sites(function) and not self.uses.holding(function):
                results = self.regions.program.tables["calls"]["result"]
                known = all(self.is_only(int(results[call])) for call, _ in given)
            else:
                known = False
            self.registered[function] = known
        return known

    def blocks(self, function: int) -> dict[int, int] | None:
        regions = self.regions
        if function not in regions.blocks or not any(
            self.side_of(each) != NONE for each in regions.conditions_in(function)
        ):
            return None
        return regions.reach(function, {}, self.implies)

    def implies(self, condition: int, side: int, depth: int = 0) -> bool:
        """Whether a condition has ``side`` under development only; ``depth``: of alternations in conjunctions."""
        if self.side_of(condition) == side:
            return True
        if depth == MAX_ALTERNATIONS or condition not in self.regions.conjunctions:
            return False
        parts = self.regions.conjuncts(condition)
        if side:
            return any(self.implies(part, wanted, depth + 1) for part, wanted in parts)
        return all(self.implies(part, 1 - wanted, depth + 1) for part, wanted in parts)

    def side_of(self, condition: int) -> int:
        """The side that a condition has under development only, or NONE."""
        table = self.regions.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = int(table["left"][condition]), int(table["right"][condition])
        if test == Test.TRUTH:
            name = self.code(left)
            return 1 if UNDER_DEVELOPMENT.search(name) else 0 if UNDER_PRODUCTION.search(name) else self.stated(left)
        if test != Test.EQUAL or NONE in (left, right):
            return NONE
        for value, other in ((left, right), (right, left)):
            text = self.constant(value)
            if text and ENVIRONMENT.search(self.code(other)):
                return 1 if DEVELOPING.search(text) else 0 if PRODUCING.search(text) else NONE
        return NONE

    def stated(self, value: int) -> int:
        """``side_of`` of the one comparison that a variable was made of, in whatever file: ``const isLocal = ...``."""
        for _ in range(MAX_GUARD_STEPS):
            if value == NONE or self.regions.op[value] == Op.EXPRESSION:
                break
            value = self.uses.before(value)
        else:
            return NONE
        if value == NONE:
            return NONE
        _, start, end = self.regions.span(value)
        table = self.regions.program.tables["conditions"]
        found = [
            each
            for each in self.regions.conditions_in(int(self.regions.function[value]))
            if start <= table["start"][each] and table["end"][each] <= end
        ]
        is_one = len(found) == 1 and table["test"][found[0]] == Test.EQUAL
        return self.side_of(found[0]) if is_one else NONE

    def code(self, value: int) -> str:
        return self.regions.texts.text(*self.regions.span(value), 80) if value != NONE else ""

    def constant(self, value: int) -> str:
        rep = self.regions.resolution.reps[value]
        text = self.strings[self.regions.data[rep]] if self.regions.op[rep] == Op.CONST else ""
        return text.removeprefix(TEXT) if text.startswith(TEXT) else ""
