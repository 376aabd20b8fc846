"""The part of a function to which control comes before some checks of a text have passed."""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import EXCEPTIONAL, NONE, FunctionFlag
from pyrograph.policy.limits.labels import MAX_MADE_BEFORE
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.passing_checks import Passing
from pyrograph.scanner.analysis.label.value_uses import MADE, Use
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    EXPRESSION_OP,
    LOAD_OP,
    PARAMETER_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    RESULT_OP,
)

# What stays a local value
FOLLOWED: Final = (CALL_OP, CARRY_OP, EXPRESSION_OP, LOAD_OP, PHI_OP, PI_OP, POST_OP)


class Region:
    """The part of a function to which control comes from the definition of a text without passing some checks."""

    def __init__(self, facts: Facts, blocks: Blocks, root: int, passing: list[Passing]) -> None:
        self.facts, self.blocks = facts, blocks
        self.function = int(facts.function_of[root])
        self.start = blocks.place_of(self.function, root)
        self.sides = {(each.condition, each.side) for each in passing if each.condition != NONE}
        loops = facts.tables["loops"]
        numbers = [each.loop for each in passing if each.loop != NONE]
        self.exits = {(int(loops["header"][each]), int(loops["exit"][each])) for each in numbers}
        self.calls: dict[int, int] = {}  # block -> the result of the first call in it that raises where a check fails
        for each in passing:
            if each.call != NONE:
                result = facts.call_result[each.call]
                block = blocks.block_of(self.function, result)
                self.calls[block] = min(self.calls.get(block, result), result)
        self.outside = self.reached(self.start, NONE) if self.start != NONE else set()
        self.joining: dict[int, bool] = {}  # block -> ``joins_rounds``

    def reached(self, start: int, without: int) -> set[int]:
        """The blocks that control may come to from ``start``; by any side, if a block is left out instead."""
        control = self.facts.tables["control"]
        ended = self.blocks.ended_in(self.function)
        seen = {start}
        work = [start]
        for at in work:  # grows, each block once
            is_left = at in ended or (without == NONE and at in self.calls)
            for row in self.blocks.rows("control", "origin", at):
                target, condition, side = (int(control[name][row]) for name in ("target", "condition", "side"))
                if target in seen or target == without or (is_left and side != EXCEPTIONAL):
                    continue
                if without == NONE and (at, target) in self.exits:
                    continue
                is_raised = side == EXCEPTIONAL
                if is_raised or without != NONE or not self.passes(condition, side):
                    seen.add(target)
                    work.append(target)
        return seen

    def is_outside(self, value: int) -> bool:
        """Whether a value stands where no check has passed; so does one of which it is not known where it stands."""
        if value == NONE or int(self.facts.function_of[value]) != self.function:
            return True
        block = self.blocks.place_of(self.function, value)
        if block == NONE or block in self.outside:
            first = self.calls.get(block, NONE)
            return first == NONE or value <= first or self.facts.op[value] in (PHI_OP, CARRY_OP)
        return False

    def is_used(self, use: Use, value: int) -> bool:
        """Whether a use of ``value`` may take place where no check has passed."""
        if use.kind == MADE and self.facts.op[use.target] == RESULT_OP:
            return not self.returns_others(value)
        return self.is_outside(use.at)

    def is_local(self, target: int) -> bool:
        """Whether a value stays in the function, so that all of its uses are known."""
        return self.facts.op[target] in FOLLOWED and int(self.facts.function_of[target]) == self.function

    def joins_rounds(self, target: int) -> bool:
        """Whether what a phi joins may have been made of the text of an earlier round."""
        facts = self.facts
        if facts.op[target] not in (PHI_OP, CARRY_OP):
            return False
        if facts.op[target] == PHI_OP and len(facts.flows.origins_of(target)) == 1:
            return False  # the other ways leave the function
        block = self.blocks.place_of(self.function, target)
        if block in (NONE, self.start):
            return True
        known = self.joining.get(block)
        if known is None:
            entry = self.blocks.rows("blocks", "function", self.function)[0]
            known = self.joining[block] = entry != self.start and block in self.reached(entry, self.start)
        return known

    def passes(self, condition: int, side: int, depth: int = 0) -> bool:
        """Whether the checks have passed where a condition has this side: one of its parts, or each alternative."""
        if condition == NONE or depth == MAX_MADE_BEFORE:
            return False
        parts = self.facts.guards.conjunctions.get(condition)
        if parts is None:
            return (condition, side) in self.sides
        if side:
            return any([self.passes(*part, depth + 1) for part in parts])
        return all([self.passes(part, 1 - wanted, depth + 1) for part, wanted in parts])

    def returns_others(self, value: int) -> bool:
        """Whether all blocks outside that leave the function are known to return, or to raise, others than ``value``.

        A flow into a function's result does not say where it returns. A block that nothing follows returns the value
        that is made in it, if that is one that the function returns.
        """
        flags = int(self.facts.tables["functions"]["flags"][self.function])
        return not flags & FunctionFlag.GENERATOR and self.leaves_with(("result", "raised"), value)

    def leaves_by_raising(self) -> bool:
        """Whether all blocks outside that leave the function are known to raise something."""
        return self.leaves_with(("raised",), NONE)

    def leaves_with(self, names: tuple[str, ...], value: int) -> bool:
        """Whether each block outside that leaves the function makes another result or exception than ``value``."""
        facts, function = self.facts, self.function
        functions = facts.tables["functions"]
        made: set[int] = set()
        for name in names:
            for origin, _ in facts.flows.origins_of(int(functions[name][function])):
                if origin != value and facts.op[origin] not in (PARAMETER_OP, PHI_OP, CARRY_OP, PI_OP):
                    made.add(self.blocks.block_of(function, origin))
        ended = self.blocks.ended_in(function)
        for block in self.outside:
            ways = self.blocks.edges(block) if block not in ended else ()
            if not ways and block not in ended and block not in made and block not in self.calls:
                return False
        return True
