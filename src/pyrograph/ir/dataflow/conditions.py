"""The control stream of each loop, and the truth values by which control flow becomes data.

A loop continues while its header's condition holds and no other exit (``break``, ``return``, ``raise``, a jump to an
outer loop) was taken: the truth value of that is carried to the header. A loop that counts to a bound is a
``dataflow.stream``. What the unit does not say exactly is ``?``.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Final

from pyrograph.ir.codes import NONE, Test
from pyrograph.ir.dataflow.control import NO_EDGE
from pyrograph.ir.dataflow.decisions import ALWAYS, NEVER
from pyrograph.ir.dataflow.graph import UNKNOWN, Literal, Operand
from pyrograph.ir.dataflow.nodes import FALSE, TRUE
from pyrograph.ir.dataflow.regions import LoopRegions
from pyrograph.ir.dataflow.tables import AFTER, BEFORE, OUTSIDE, Region
from pyrograph.ir.dataflow.types import I1, INDEX

_TESTS: Final = {Test.EQUAL: "equal", Test.IN: "in", Test.LESS: "less", Test.IS: "is", Test.PREFIX: "prefix"}


class LoopConditions(LoopRegions):
    """Control streams and decisions."""

    # -- the control stream

    def control(self, loop: int) -> int:
        """The control stream of ``loop``: true for each iteration, then false."""
        found = self.control_of.get(loop)
        if found is None:
            found = self.control_of[loop] = self.reserve(I1)
            operand = self.control_stream(loop)
            before = (loop, BEFORE)
            self.replaced_by[found] = self.as_value(operand, before) if isinstance(operand, Literal) else operand
        return found

    def control_stream(self, loop: int) -> Operand:
        before, after = (loop, BEFORE), (loop, AFTER)
        outer = self.enclosing(before)
        on = self.when_continued(loop)
        reached = ALWAYS if outer == OUTSIDE else self.when_reached(loop, outer)
        simple = on == ALWAYS and reached == ALWAYS
        if simple and (counting := self.induction_range(loop)) is not None:
            node = self.emit_node("dataflow.stream", [], INDEX, I1)
            self.index_of[loop] = node.results[0]
            node.operands += [self.as_value(self.use_bound(each, outer), outer, INDEX) for each in counting]
            return node.results[1]
        condition = self.condition(loop, before, outer)
        if simple and condition is not TRUE:
            return condition
        entered = self.as_value(self.decision(reached, outer), outer, I1)
        if on == ALWAYS and condition is not TRUE:
            going: Operand = self.emit("dataflow.invariant", [self.control_of[loop], entered], I1)
        else:
            fed = self.as_value(self.decision(on, after), after, I1)
            going = self.emit("dataflow.carry", [self.control_of[loop], entered, fed], I1)
        return going if condition is TRUE else self.emit("flow.both", [going, condition], I1)

    def condition(self, loop: int, before: Region, outer: Region) -> Operand:
        """The condition that the header of ``loop`` tests; TRUE where it tests none."""
        t = self.t
        after = (loop, AFTER)
        over = t.loops[loop].over
        if loop in t.streams:
            stream = t.streams[loop]
            node = self.emit_node("dataflow.carry", [self.control_of[loop], UNKNOWN, UNKNOWN], INDEX)
            self.index_of[loop] = node.results[0]
            node.operands[1] = self.as_value(self.use(stream.start, outer), outer, INDEX)
            index = self.moved(("emitted", node.results[0]), before, after)
            node.operands[2] = self.emit("flow.add", [index, self.use(stream.step, after)])
            return self.is_before_bound(node.results[0], self.use(stream.step, before), self.use(stream.bound, before))
        if over != NONE:
            node = self.emit_node("dataflow.carry", [self.control_of[loop], UNKNOWN, UNKNOWN], INDEX)
            self.iterator_of[loop] = node.results[0]
            node.operands[1] = self.as_value(self.use(over, outer), outer, INDEX)
            rest = self.moved(("emitted", node.results[0]), before, after)
            node.operands[2] = self.emit("flow.rest", [rest])
            return self.emit("flow.more", [node.results[0]], I1)
        tested = self.header_test(loop)
        if tested == NO_EDGE:
            return TRUE
        return self.decision(self.holds(*tested), before)

    def use_bound(self, bound: int | Literal | tuple[int, int], outer: Region) -> Operand:
        if isinstance(bound, Literal):
            return bound
        if isinstance(bound, int):
            return self.use(bound, outer)
        operand = self.use(bound[0], outer)
        if bound[1] == 0:
            return operand
        if isinstance(operand, Literal):
            whole = re.fullmatch(r"-?\d+", operand.text)
            return Literal(str(int(operand.text) + bound[1])) if whole else UNKNOWN
        return self.emit("flow.add", [operand, Literal(str(bound[1]))])

    # -- decisions

    def decision(self, when: int, region: Region) -> Operand:
        """A truth value that holds ``when``."""
        if when <= ALWAYS:
            return TRUE if when == ALWAYS else FALSE
        found = self.decided.get((when, region))
        if found is None:
            number, high, low = self.decisions.nodes[when]
            atom = self.atom(self.decisions.atoms[number], region)
            found = self.decided[when, region] = self.combined(atom, high, low, region)
        return found

    def combined(self, atom: Operand, high: int, low: int, region: Region) -> Operand:
        if (high, low) == (ALWAYS, NEVER):
            return atom
        if NEVER in (high, low) or ALWAYS in (high, low):
            name = "flow.both" if NEVER in (high, low) else "flow.either"
            direct = high not in (NEVER, ALWAYS) if name == "flow.both" else low not in (NEVER, ALWAYS)
            if (high, low) == (NEVER, ALWAYS):
                return self.emit_folded("flow.not", [atom], I1)
            if not direct:
                atom = self.emit_folded("flow.not", [atom], I1)
            rest = low if high in (NEVER, ALWAYS) else high
            return self.emit_folded(name, [atom, self.decision(rest, region)], I1)
        return self.emit_folded("flow.select", [atom, self.decision(high, region), self.decision(low, region)], I1)

    def atom(self, name: Hashable, region: Region) -> Operand:
        assert isinstance(name, tuple)
        if name[0] == "condition":
            return self.tested(name[1], region)
        if name[0] == "left":
            _, loop, at = name
            operand = self.decision(list(self.extra_exits(loop).values())[at], (loop, AFTER))
            value = self.as_value(operand, (loop, AFTER), I1)
            return self.moved(("emitted", value), (loop, AFTER), region)
        return UNKNOWN

    def tested(self, condition: int, region: Region) -> Operand:
        condition_row = self.t.rows.conditions[condition]
        test, left, right = condition_row.test, condition_row.left, condition_row.right
        if test == Test.TRUTH:
            return self.emit_folded("flow.truth", [self.use(left, region)], I1)
        return self.emit_folded(f"flow.{_TESTS[Test(test)]}", [self.use(left, region), self.use(right, region)], I1)
