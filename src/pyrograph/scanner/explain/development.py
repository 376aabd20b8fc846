"""Branches that run where the program is developed or tested only: ``if (process.env.NODE_ENV === "development")``."""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_ALTERNATIONS
from pyrograph.policy.names.settings import DEVELOPING, ENVIRONMENT, PRODUCING, UNDER_DEVELOPMENT, UNDER_PRODUCTION
from pyrograph.scanner.explain.regions import Regions

TEXT: Final = "'"  # the first character of a constant text


class Development:
    """Answers for one program, kept by function. O(blocks and conditions of a function)."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.strings = regions.program.strings
        self.used: dict[int, dict[int, int] | None] = {}  # by function: the blocks that users reach; None: all

    def is_only(self, value: int) -> bool:
        """Whether ``value`` is computed in such a branch, or in a function that is made in one."""
        made = self.regions.program.tables["functions"]["value"]
        while value != NONE:  # a function is made in the one around it
            function = int(self.regions.function[value])
            if function not in self.used:
                self.used[function] = self.blocks(function)
            reached = self.used[function]
            if reached is not None and self.regions.block_of(value) not in reached:
                return True
            value = int(made[function])
        return False

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
            return 1 if UNDER_DEVELOPMENT.search(name) else 0 if UNDER_PRODUCTION.search(name) else NONE
        if test != Test.EQUAL or NONE in (left, right):
            return NONE
        for value, other in ((left, right), (right, left)):
            text = self.constant(value)
            if text and ENVIRONMENT.search(self.code(other)):
                return 1 if DEVELOPING.search(text) else 0 if PRODUCING.search(text) else NONE
        return NONE

    def code(self, value: int) -> str:
        return self.regions.texts.text(*self.regions.span(value), 80) if value != NONE else ""

    def constant(self, value: int) -> str:
        rep = self.regions.resolution.reps[value]
        text = self.strings[self.regions.data[rep]] if self.regions.op[rep] == Op.CONST else ""
        return text.removeprefix(TEXT) if text.startswith(TEXT) else ""
