"""A unit's rows, by what the loops of a function ask for; and in which region of which loop each value is."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Final

from pyrograph.ir.codes import NONE, FunctionFlag, Op, Operator
from pyrograph.ir.dataflow.scc import strong_components
from pyrograph.ir.rows import Rows
from pyrograph.ir.schema import ArgumentRow
from pyrograph.ir.unit import Unit

Region = tuple[int, int]  # (loop, BEFORE or AFTER)
OUTSIDE: Final[Region] = (NONE, 0)
BEFORE: Final = 0
AFTER: Final = 1


class Tables:
    """A unit's rows, by what they are asked for."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.rows = Rows(unit)
        self.values = self.rows.values
        self.loops = self.rows.loops
        self.blocks = self.rows.blocks
        self.carries = {row.value: row for row in self.rows.carries}
        self.streams = {row.loop: row for row in self.rows.streams}
        self.texts = {row.value: row.text for row in self.rows.texts}
        self.slices = {row.result: row for row in self.rows.slices}
        self.conjunctions = {row.condition: row for row in self.rows.conjunctions}
        self.computed: dict[int, tuple[Operator, list[int]]] = {}
        for value, operator, operand in self.rows.computed:
            self.computed.setdefault(value, (Operator(operator), []))[1].append(operand)
        self.flows_into: dict[int, list[int]] = {}
        for origin, target, _ in self.rows.flows:
            self.flows_into.setdefault(target, []).append(origin)
        self.arguments_of: dict[int, list[ArgumentRow]] = {}
        for row in self.rows.arguments:
            self.arguments_of.setdefault(row.call, []).append(row)
        self.joins: dict[int, list[tuple[int, int]]] = {}
        for value, version, block in self.rows.joins:
            self.joins.setdefault(value, []).append((version, block))
        self.edges_out: dict[int, list[tuple[int, int, int]]] = {}  # block -> (target, condition, side)
        for origin, target, condition, side in self.rows.control:
            self.edges_out.setdefault(origin, []).append((target, condition, side))
        self._firsts: dict[int, tuple[list[int], list[int]]] = {}
        for number, (owner, first) in enumerate(self.blocks):
            firsts, numbers = self._firsts.setdefault(owner, ([], []))
            firsts.append(first)
            numbers.append(number)
        self._regions: dict[tuple[int, int], Region] = {}  # by ``region_of_block``
        self.loops_of: dict[int, list[int]] = {}  # function -> its loops that repeat, outer ones first
        for number, loop in enumerate(self.loops):
            if loop.header < loop.exit:
                self.loops_of.setdefault(loop.function, []).append(number)

    @cached_property
    def outermost(self) -> list[int]:
        return [
            loop
            for loops in self.loops_of.values()
            for loop in loops
            if self.region_of_block(self.loops[loop].header, within=loop) == OUTSIDE
        ]

    def function_name(self, function: int) -> str:
        row = self.rows.functions[function]
        return "module" if row.flags & FunctionFlag.MODULE else self.string(row.name)

    def string(self, index: int) -> str:
        return self.unit.strings[index] if index != NONE else ""

    def key(self, key: int) -> str | None:
        return self.string(key) if key >= 0 else None

    def block_of(self, value: int) -> int:
        firsts, numbers = self._firsts[self.values[value].function]
        return numbers[max(bisect_right(firsts, value) - 1, 0)]

    @cached_property
    def aliases(self) -> list[int]:
        """For each value the one it is another name of: pis, phis of one value, carries that nothing feeds.

        Phis and carries that are fed by each other and by one value besides are that value.
        """
        alias = list(range(len(self.values)))

        def last(value: int) -> int:
            while alias[value] != value:
                value = alias[value]
            return value

        inputs: dict[int, list[int]] = {}
        for value, row in enumerate(self.values):
            op, data = row.op, row.data
            if op == Op.PI:
                alias[value] = self.rows.pis[data].input
            elif op == Op.PHI:
                inputs[value] = self.flows_into.get(value, [])
            elif op == Op.CARRY and self.carries[value].initial != NONE:
                inputs[value] = [
                    each for each in (self.carries[value].initial, self.carries[value].fed) if each != NONE
                ]
        work = [list(inputs)]
        while work:
            for component in strong_components({value: [last(each) for each in inputs[value]] for value in work.pop()}):
                members = set(component)
                origins = {last(each) for value in component for each in inputs[value]} - members
                if len(origins) == 1:
                    origin = origins.pop()
                    for value in component:
                        alias[value] = origin
                elif len(component) > 1:
                    inner = [value for value in component if {last(each) for each in inputs[value]} <= members]
                    if inner:
                        work.append(inner)
        return [last(value) for value in range(len(alias))]

    def region_of_block(self, block: int, within: int = NONE) -> Region:
        """The innermost region of ``block``; ``within``: of those around this loop. Each is looked up once."""
        asked = block, within
        found = self._regions.get(asked)
        if found is None:
            found = OUTSIDE
            for loop in self.loops_of.get(self.blocks[block].function, ()):
                loop_row = self.loops[loop]
                header, body, leave = loop_row.header, loop_row.body, loop_row.exit
                if header <= block < leave and loop != within:
                    found = (loop, AFTER if block >= body > header else BEFORE)
            self._regions[asked] = found
        return found

    def region_of(self, value: int) -> Region:
        value_row = self.values[value]
        op, function, data = value_row.op, value_row.function, value_row.data
        if op == Op.CARRY:
            return (data, BEFORE)
        if op in (Op.GLOBAL, Op.PARAMETER, Op.RESULT, Op.RAISED, Op.OUT, Op.CELL) or function not in self.loops_of:
            return OUTSIDE
        return self.region_of_block(self.block_of(value))

    def enclosing(self, region: Region) -> Region:
        """The region directly around this one."""
        loop, part = region
        if part == AFTER:
            return (loop, BEFORE)
        return self.region_of_block(self.loops[loop].header, within=loop)
