"""Control flow of loops: the region of each value, and when each block is reached in an iteration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op, Operator, Test
from pyrograph.ir.dataflow.decisions import ALWAYS, NEVER, TooManyDecisions
from pyrograph.ir.dataflow.graph import Literal, Operand
from pyrograph.ir.dataflow.nodes import Control, Nodes
from pyrograph.ir.dataflow.tables import AFTER, BEFORE, OUTSIDE, Region
from pyrograph.ir.dataflow.types import I1

_NO_BLOCK: Final = -2  # no block: the target of ``return`` and ``raise``
NO_EDGE = (NONE, 1)  # a condition and its side: always


class LoopControl(Nodes):
    """Regions, blocks and edges of the loop that is lowered; conditions are Boolean functions (``decisions``)."""

    def region_of(self, value: int) -> Region:
        """The region in which ``value`` is computed."""
        return self.t.region_of(value)

    def local_region(self, value: int) -> Region:
        """The region of ``value``; ``OUTSIDE`` for values before or after the loop that is lowered."""
        home = self.region_of(value)
        return home if self.is_inside(home) else OUTSIDE

    def is_inside(self, region: Region) -> bool:
        while region != OUTSIDE:
            if region[0] == self.loop:
                return True
            region = self.t.enclosing(region)
        return False

    def enclosing(self, region: Region) -> Region:
        outer = self.t.enclosing(region)
        return outer if self.is_inside(outer) else OUTSIDE

    def enclosing_regions(self, region: Region) -> list[Region]:
        found = []
        while region != OUTSIDE:
            region = self.enclosing(region)
            found.append(region)
        return found

    def is_inside_block(self, block: int) -> bool:
        loop_row = self.t.loops[self.loop]
        header, leave = loop_row.header, loop_row.exit
        return header <= block < leave

    def when_reached(self, loop: int, outer: Region) -> int:
        return self.within(outer).reached.get(self.t.loops[loop].header, ALWAYS)

    def within(self, region: Region) -> Control:
        """Control in one iteration of ``region``, which must lie inside a loop.

        Where conditions are too many to decide, only the edge back to the header is known.
        """
        found = self.controls.get(region)
        if found is None:
            try:
                found = self._control_of(region)
            except TooManyDecisions:
                found = Control({}, [(NONE, self.t.loops[region[0]].header, self.decisions.atom(("?", region)))])
            self.controls[region] = found
        return found

    def _control_of(self, region: Region) -> Control:
        t, decide = self.t, self.decisions
        loop, part = region
        loop_row = t.loops[loop]
        header, body, leave = loop_row.header, loop_row.body, loop_row.exit
        first, last = (body, leave) if part == AFTER else (header, max(body, header + 1))
        reached = {first: ALWAYS}
        edges: list[tuple[int, int, int]] = []
        inner = self.loops_in(region)
        block = first
        while block < last:
            when = reached.get(block, NEVER)
            if when == NEVER and block not in inner:
                block += 1
                continue
            if block in inner:
                out = self.exits_of(inner[block], when)
                following = t.loops[inner[block]].exit
            else:
                out = [(block, *edge) for edge in self.edges_from(block, when)]
                following = block + 1
            for origin, target, taken in out:
                edges.append((origin, target, taken))
                if first < target < last:
                    reached[target] = decide.either(reached.get(target, NEVER), taken)
            block = following
        return Control(reached, edges)

    def loops_in(self, region: Region) -> dict[int, int]:
        """The loops that stand directly in ``region``, by header."""
        t = self.t
        found = {}
        for loop in t.loops_of[t.loops[region[0]].function]:
            if loop != region[0] and t.region_of_block(t.loops[loop].header, within=loop) == region:
                found[t.loops[loop].header] = loop
        return found

    def edges_from(self, block: int, when: int) -> list[tuple[int, int]]:
        decide = self.decisions
        out = self.t.edges_out.get(block, [])
        if len(out) < 2:
            return [(out[0][0] if out else _NO_BLOCK, when)]
        conditions = {condition for _, condition, _ in out}
        exact = len(out) == 2 and len(conditions) == 1 and NONE not in conditions and out[0][2] != out[1][2]
        if exact and EXCEPTIONAL not in (out[0][2], out[1][2]):
            return [(target, decide.both(when, self.holds(condition, side))) for target, condition, side in out]
        return [(target, decide.both(when, decide.atom(("?", block, at)))) for at, (target, _, _) in enumerate(out)]

    def exits_of(self, loop: int, when: int) -> list[tuple[int, int, int]]:
        """The exits of an inner loop, ``(origin, target, when)``, as the region around it sees them."""
        decide = self.decisions
        loop_row = self.t.loops[loop]
        header, body, leave = loop_row.header, loop_row.body, loop_row.exit
        edges = [(origin, target, at) for at, (origin, target) in enumerate(self.extra_exits(loop))]
        edges += [
            (block, leave, NONE)
            for block in range(header, max(body, header + 1))
            if any(target == leave for target, _, _ in self.t.edges_out.get(block, ()))
        ]
        others = ALWAYS
        found = []
        for origin, target, at in edges[:-1]:
            left_so = decide.atom(("left", loop, at))
            found.append((origin, target, decide.both(when, decide.both(others, left_so))))
            others = decide.both(others, decide.negation(left_so))
        return found + [(origin, target, decide.both(when, others)) for origin, target, _ in edges[-1:]]

    def extra_exits(self, loop: int) -> dict[tuple[int, int], int]:
        """The edges that leave the body of ``loop``, and when each is taken."""
        loop_row = self.t.loops[loop]
        header, leave = loop_row.header, loop_row.exit
        found: dict[tuple[int, int], int] = {}
        for origin, target, when in self.within((loop, AFTER)).edges:
            if not header <= target < leave:
                found[origin, target] = self.decisions.either(found.get((origin, target), NEVER), when)
        return found

    def holds(self, condition: int, side: int) -> int:
        if condition == NONE:
            return ALWAYS
        decide = self.decisions
        if condition in self.t.conjunctions:
            both = self.t.conjunctions[condition]
            found = decide.both(self.holds(both.left, both.left_side), self.holds(both.right, both.right_side))
        else:
            found = decide.atom(("condition", condition))
        return found if side else decide.negation(found)

    def any_of(self, functions: Iterable[int]) -> int:
        found = NEVER
        for function in functions:
            found = self.decisions.either(found, function)
        return found

    def when_continued(self, loop: int) -> int:
        """When the body of ``loop`` reaches its header again."""
        found = self.continued.get(loop)
        if found is None:
            header = self.t.loops[loop].header
            found = NEVER
            for _, target, when in self.within((loop, AFTER)).edges:
                if target == header:
                    found = self.decisions.either(found, when)
            self.continued[loop] = found
        return found

    def header_test(self, loop: int) -> tuple[int, int]:
        """The condition, and its side, under which the header of ``loop`` continues to its body."""
        loop_row = self.t.loops[loop]
        header, body = loop_row.header, loop_row.body
        for block in range(header, max(body, header + 1)):
            for target, condition, side in self.t.edges_out.get(block, ()):
                if target == body and condition != NONE:
                    return condition, side
        return NO_EDGE

    def increment_of(self, carry: int) -> int | None:
        """The constant that each iteration adds to ``carry``; None where there is none."""
        t = self.t
        fed = self.alias(t.carries[carry].fed)
        operator, operands = t.computed.get(fed, (None, []))
        if operator not in (Operator.ADD, Operator.SUBTRACT) or len(operands) != 2:
            return None
        first, second = (self.without_posts(each) for each in operands)
        if operator == Operator.ADD and t.values[first].op == Op.CONST:
            first, second = second, first
        if first != carry or t.values[second].op != Op.CONST:
            return None
        text = self.literal(second).text
        if not re.fullmatch(r"-?\d+", text) or int(text) == 0:
            return None
        return int(text) if operator == Operator.ADD else -int(text)

    def induction_range(self, loop: int) -> tuple[int, int | Literal, int | tuple[int, int]] | None:
        """Start, step and bound of a counting loop, None for any other; the bound may be ``(value, number to add)``."""
        t = self.t
        if loop in t.streams:
            stream = t.streams[loop]
            return stream.start, stream.step, stream.bound
        condition, side = self.header_test(loop)
        if condition == NONE or t.rows.conditions[condition].test != Test.LESS:
            return None
        condition_row = t.rows.conditions[condition]
        left, right = condition_row.left, condition_row.right
        for index, bound, up in ((left, right, bool(side)), (right, left, not side)):
            carry, bound = self.alias(index), self.alias(bound)
            if t.values[carry].op != Op.CARRY or t.values[carry].data != loop:
                continue
            if t.values[bound].op != Op.CONST and self.local_region(bound) not in self.enclosing_regions(
                (loop, BEFORE)
            ):
                continue
            step = self.increment_of(carry)
            if step is None or (step > 0) != up or t.carries[carry].initial == NONE:
                continue
            self.induction_carries[carry] = loop
            beyond = 0 if side else step // abs(step)  # a bound that is reached
            return t.carries[carry].initial, Literal(str(step)), (bound, beyond)
        return None

    def without_posts(self, value: int) -> int:
        """``value`` before calls that take it as an argument: a number is the same after them."""
        value = self.alias(value)
        while self.t.values[value].op == Op.POST:
            value = self.alias(self.t.rows.arguments[self.t.values[value].data].value)
        return value

    def in_previous_iteration(self, control: int, first: int, value: int) -> int:
        """A value of the body in the previous iteration; ``first`` in the first one."""
        result = self.emit("dataflow.carry", [control, first, value], self.types[value])
        self.from_last_iteration.add(result)
        return result

    def is_before_bound(self, index: int, step: Operand, bound: Operand) -> Operand:
        """Whether ``index`` has not reached ``bound``, with the comparison that the sign of ``step`` asks for."""
        up, down = self.emit("flow.less", [index, bound], I1), self.emit("flow.less", [bound, index], I1)
        if isinstance(step, Literal):
            return down if step.text.startswith("-") else up
        return self.emit("flow.select", [self.emit("flow.less", [Literal("0"), step], I1), up, down], I1)
