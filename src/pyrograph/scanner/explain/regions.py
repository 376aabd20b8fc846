"""Code of a function that runs only for an administrator: what no way through its basic blocks reaches without passing
a condition that asks for one, on the side where the user is one.

A call of a function that comes back only for an administrator is such a condition, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op, Test
from pyrograph.policy.limits import MAX_GUARD_DEPTH, MAX_GUARD_TEXT
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.explain.administrators import asks, demands
from pyrograph.scanner.explain.texts import Texts

NOTHING: Final = re.compile(r"\b(?:nil|null|None|undefined)\b")
ABSENT: Final = frozenset({"null", "false", "0", "'", "nil", "undefined"})  # constants that an administrator is not


class Edge(NamedTuple):
    target: int  # block
    condition: int  # or NONE
    side: int


class Regions:
    def __init__(self, program: Program, resolution: Resolution, non_returning: set[int], texts: Texts) -> None:
        self.program = program
        self.resolution = resolution
        self.non_returning = non_returning
        self.texts = texts
        self.op = program.numbers("values", "op")
        self.data = program.numbers("values", "data")
        self.function = program.tables["values"]["function"]
        self.sides: dict[int, int] = {}  # by condition: the administrators' side, or NONE
        self.reachable: dict[tuple[int, int], dict[int, int] | None] = {}  # by function and depth: ``open_blocks``

    # -- Conditions

    def side_of(self, condition: int) -> int:
        """The side of a single condition on which the user is an administrator; NONE where it does not ask."""
        known = self.sides.get(condition)
        if known is None:
            known = self.sides[condition] = self._side_of(condition)
        return known

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        operands = [int(table[side][condition]) for side in ("left", "right")]
        if test == Test.BOTH:
            return NONE
        code = self.condition_text(condition)
        calls = [self.call_text(each) for each in operands if each != NONE]
        if not asks(code) and not any(map(asks, filter(None, calls))):
            return NONE
        if test == Test.TRUTH and not asks(code) and NOTHING.search(code):  # a comparison with nothing
            return int(not any(demands(call) for call in calls if call))
        if test == Test.LESS:  # roles in the order of what they may do
            return 0
        if test == Test.EQUAL and any(each != NONE and self.is_absent(each) for each in operands):
            return int(any(demands(call) for call in calls if call))
        return 1

    def condition_text(self, condition: int) -> str:
        table = self.program.tables["conditions"]
        function = int(table["function"][condition])
        file = int(self.program.file_of_value[self.program.tables["functions"]["result"][function]])
        return self.texts.text(file, int(table["start"][condition]), int(table["end"][condition]), MAX_GUARD_TEXT)

    def call_text(self, value: int) -> str:
        """The code of the call that ``value`` is a result of, or one of several results; "" where it is none."""
        value = self.resolution.reps[value]
        if self.op[value] == Op.LOAD:
            value = self.resolution.reps[int(self.program.tables["loads"]["object"][self.data[value]])]
        if self.op[value] != Op.CALL:
            return ""
        return self.texts.text(*self.span(value), MAX_GUARD_TEXT)

    def span(self, value: int) -> tuple[int, int, int]:
        values = self.program.tables["values"]
        return int(self.program.file_of_value[value]), int(values["start"][value]), int(values["end"][value])

    def is_absent(self, value: int) -> bool:
        value = self.resolution.reps[value]
        if self.op[value] in (Op.CONST, Op.GLOBAL):
            return self.program.strings[self.data[value]] in ABSENT
        return False

    def implies(self, condition: int, side: int) -> bool:
        """Whether the user is an administrator where ``condition`` has ``side``."""
        work = [(condition, side)]
        while work:  # conjunctions are made of conditions before them
            at, side = work.pop()
            parts = self.conjunctions.get(at)
            if parts is None:
                if self.side_of(at) == side:
                    return True
            elif side:
                work += parts
        return False

    @cached_property
    def conjunctions(self) -> dict[int, list[tuple[int, int]]]:
        """By conjunction: its two conditions and the sides that they must have."""
        table = self.program.tables["conjunctions"]
        names = ("condition", "left", "left_side", "right", "right_side")
        rows = zip(*(table[name].tolist() for name in names), strict=True)
        return {at: [(left, left_side), (right, right_side)] for at, left, left_side, right, right_side in rows}

    # -- Blocks

    @cached_property
    def blocks(self) -> dict[int, tuple[list[int], list[int]]]:
        """By function: its blocks, and the first value of each."""
        found: dict[int, tuple[list[int], list[int]]] = {}
        table = self.program.tables["blocks"]
        for block, (function, first) in enumerate(
            zip(table["function"].tolist(), table["first"].tolist(), strict=True)
        ):
            blocks, firsts = found.setdefault(function, ([], []))
            blocks.append(block)
            firsts.append(first)
        return found

    @cached_property
    def control(self) -> RowsByKey:
        """Control edges by origin."""
        return RowsByKey(self.program.tables["control"]["origin"])

    def edges(self, block: int) -> list[Edge]:
        table = self.program.tables["control"]
        return [
            Edge(int(table["target"][row]), int(table["condition"][row]), int(table["side"][row]))
            for row in self.control.of(block).tolist()
        ]

    @cached_property
    def calls(self) -> RowsByKey:
        """Calls by the function around them."""
        return RowsByKey(self.function[self.program.tables["calls"]["result"]])

    def calls_in(self, function: int) -> list[int]:
        found: list[int] = self.calls.of(function).tolist()
        return found

    @cached_property
    def conditions(self) -> RowsByKey:
        """Conditions by function."""
        return RowsByKey(self.program.tables["conditions"]["function"])

    def conditions_in(self, function: int) -> list[int]:
        found: list[int] = self.conditions.of(function).tolist()
        return found

    @cached_property
    def targets(self) -> RowsByKey:
        """The call graph by site."""
        return RowsByKey(self.resolution.rows("targets")[:, 0])

    def functions_of(self, call: int) -> list[int]:
        found: list[int] = self.resolution.rows("targets")[self.targets.of(call), 1].tolist()
        return found

    def block_of(self, value: int) -> int:
        """The basic block of a value, but for phis."""
        blocks, firsts = self.blocks[int(self.function[value])]
        return blocks[max(0, bisect_right(firsts, value) - 1)]

    # -- Regions

    def is_protected(self, value: int) -> bool:
        """Whether ``value`` is computed for an administrator only, by what its own function asks."""
        function = int(self.function[value])
        opened = self.open_blocks(function, 0)
        if opened is None:
            return False
        stop = opened.get(self.block_of(value))
        return stop is None or value > stop

    def open_blocks(self, function: int, depth: int) -> dict[int, int] | None:
        """The blocks that anybody reaches, with the last value of each that anybody reaches; None where nothing in
        ``function`` asks who the user is.
        """
        name = (function, depth)
        if name not in self.reachable:
            self.reachable[name] = None  # a function that calls itself does not ask by that
            self.reachable[name] = self._open_blocks(function, depth)
        return self.reachable[name]

    def _open_blocks(self, function: int, depth: int) -> dict[int, int] | None:
        if function not in self.blocks or self.program.tables["functions"]["parent"][function] == NONE:
            return None  # a module's own code runs for nobody in particular
        asking = any(self.side_of(each) != NONE for each in self.conditions_in(function))
        results = self.program.tables["calls"]["result"]
        stops: dict[int, int] = {}  # block -> the first call in it that does not come back
        for call in self.calls_in(function):
            result = int(results[call])
            ensures = depth < MAX_GUARD_DEPTH and any(
                self.ensures(each, depth + 1) for each in self.functions_of(call)[:MAX_GUARD_DEPTH]
            )
            if ensures or call in self.non_returning:
                asking = asking or ensures
                block = self.block_of(result)
                stops[block] = min(result, stops.get(block, result))
        return self.reach(function, stops) if asking else None

    def reach(
        self, function: int, stops: dict[int, int], leave_out: Callable[[int, int], bool] | None = None
    ) -> dict[int, int]:
        """The blocks on ways from the entry that take no edge of an administrators' side, or none for which
        ``leave_out`` holds; for each the last value that is reached. O(blocks and edges of the function).
        """
        leave_out = leave_out or self.implies
        blocks, _ = self.blocks[function]
        found: dict[int, int] = {}
        work = [blocks[0]]
        while work:  # each block once
            block = work.pop()
            if block in found:
                continue
            found[block] = stops.get(block, len(self.op))
            for edge in self.edges(block):
                if edge.condition != NONE and edge.side != EXCEPTIONAL and leave_out(edge.condition, edge.side):
                    continue
                if block not in stops or edge.side == EXCEPTIONAL:
                    work.append(edge.target)
        return found

    def ensures(self, function: int, depth: int) -> bool:
        """Whether a function comes back only for an administrator: all others end in an exception, or the like."""
        opened = self.open_blocks(function, depth)
        if opened is None:
            return False
        raising = self.raising.get(function, ())
        for block, stop in opened.items():
            if stop == len(self.op) and block not in raising and self.is_exit(block):
                return False
        return True

    def is_exit(self, block: int) -> bool:
        return all(edge.side == EXCEPTIONAL for edge in self.edges(block))

    @cached_property
    def raising(self) -> dict[int, set[int]]:
        """By function: the blocks in which it raises something."""
        tables = self.program.tables
        raised = tables["functions"]["raised"]
        is_raised = np.zeros(len(self.op), np.bool_)
        is_raised[raised] = True
        rows = np.flatnonzero(is_raised[tables["flows"]["target"]])
        found: dict[int, set[int]] = {}
        for origin in tables["flows"]["origin"][rows].tolist():
            function = int(self.function[origin])
            if function in self.blocks:
                found.setdefault(function, set()).add(self.block_of(origin))
        return found

    def refusals(self, function: int) -> Sequence[int]:
        """The calls of a function that run only where the user is no administrator."""
        asking = [each for each in self.conditions_in(function) if self.side_of(each) != NONE]
        if not asking or function not in self.blocks:
            return ()

        def refuses(condition: int, side: int) -> bool:
            return self.implies_not(condition, side)

        others = self.reach(function, {}, refuses)
        results = self.program.tables["calls"]["result"]
        return [call for call in self.calls_in(function) if self.block_of(int(results[call])) not in others]

    def implies_not(self, condition: int, side: int) -> bool:
        """Whether the user may be no administrator where ``condition`` has ``side``, which asks for one."""
        parts = self.conjunctions.get(condition)
        if parts is None:
            known = self.side_of(condition)
            return known != NONE and known != side
        return not side and any(self.side_of(part) == wanted for part, wanted in parts)
