"""Moves values between the regions of a loop, and keeps each that was moved.

``dataflow.invariant`` brings a value from the region around a loop before it, ``dataflow.gate`` from before to after,
and ``flow.leave`` from before to the region around. A value that is asked for in a region twice is one operation.
"""

from __future__ import annotations

from collections.abc import Hashable

from pyrograph.ir.codes import Op
from pyrograph.ir.dataflow.control import LoopControl
from pyrograph.ir.dataflow.decisions import ALWAYS
from pyrograph.ir.dataflow.graph import UNKNOWN, Literal, Operand
from pyrograph.ir.dataflow.nodes import FALSE, TRUE
from pyrograph.ir.dataflow.tables import AFTER, BEFORE, OUTSIDE, Region
from pyrograph.ir.dataflow.types import I1, Type


class LoopRegions(LoopControl):
    """Values of the unit as each region sees them."""

    # -- what the modules after this one give

    def control(self, loop: int) -> int:
        """The control stream of ``loop``: true for each iteration, then false."""
        raise NotImplementedError

    def decision(self, when: int, region: Region) -> Operand:
        """A truth value that holds ``when``."""
        raise NotImplementedError

    def definition(self, value: int) -> Operand:
        """The operation that computes ``value`` in its own region."""
        raise NotImplementedError

    # -- values, where they are asked for

    def as_value(self, operand: Operand, region: Region, type_: Type | None = None) -> int:
        """``operand``, where only a value may stand: a constant becomes one token each time control is there."""
        if not isinstance(operand, Literal):
            return operand
        key = (("constant", operand, type_), region)
        found = self.operand_at.get(key)
        if found is None:
            trigger = [] if region == OUTSIDE else [self.trigger(region)]
            found = self.operand_at[key] = self.emit(
                "flow.constant", [operand, *trigger], type_ or self.type_of(operand)
            )
        assert isinstance(found, int)
        return found

    def trigger(self, region: Region) -> int:
        """Some value with one token each time control is in ``region``, which is no region outside."""
        loop, part = region
        control = self.control(loop)
        found = self.operand_at.get(("trigger", region))
        if found is None:
            if part == BEFORE:  # not the control stream itself, which may depend on what is triggered
                here = self.as_value(TRUE, self.enclosing(region), I1)
                found = self.emit("dataflow.invariant", [control, here], I1)
            else:
                found = self.emit_node("dataflow.gate", [control, control], I1, I1).results[0]
            self.operand_at["trigger", region] = found
        assert isinstance(found, int)
        return found

    def use(self, value: int, region: Region) -> Operand:
        """``value`` as ``region`` sees it."""
        value = self.alias(value)
        if self.t.values[value].op == Op.CONST:
            return self.literal(value)
        return self.moved(value, self.local_region(value), region)

    def moved(self, what: Hashable, home: Region, region: Region) -> Operand:
        """The operand ``what`` of ``home`` (a unit's value, or ``("emitted", operand)``), as ``region`` sees it."""
        if region != OUTSIDE:
            self.control(region[0])  # first, since it may need the same
        key = (what, region)
        found = self.operand_at.get(key)
        if found is None:
            if region == home:
                found = self.emitted(what)
            elif home in self.enclosing_regions(region):
                found = self.inwards(self.moved(what, home, self.enclosing(region)), region)
            else:
                outer = self.enclosing(home)
                found = self.moved(("emitted", self.outward(self.moved(what, home, home), home)), outer, region)
            self.operand_at[key] = found
        return found

    def emitted(self, what: Hashable) -> Operand:
        if isinstance(what, tuple):
            operand: Operand = what[1]
            return operand
        assert isinstance(what, int)
        return self.definition(what)

    def inwards(self, operand: Operand, region: Region) -> Operand:
        """A value of the region around ``region``, in it."""
        if isinstance(operand, Literal):
            return operand
        loop, part = region
        control = self.control(loop)
        if part == BEFORE:
            return self.emit("dataflow.invariant", [control, operand], self.types[operand])
        return self.emit_node("dataflow.gate", [operand, control], self.types[operand], I1).results[0]

    def outward(self, operand: Operand, region: Region) -> Operand:
        """A value of ``region``, in the region around it: that of the last time."""
        if isinstance(operand, Literal):
            return operand
        loop, part = region
        control, type_ = self.control(loop), self.types[operand]
        outer = self.enclosing((loop, BEFORE))
        if part == BEFORE:
            last = self.emit("flow.leave", [control, operand], type_)
            if operand in self.from_last_iteration or self.when_continued(loop) == ALWAYS:
                return last
            if operand in self.carry_of:
                if operand not in self.latched:
                    self.latched.add(operand)
                    self.to_latch.append(operand)
                return last
            # the header was not reached again: its version of the last iteration counts
            again = self.as_value(self.decision(self.when_continued(loop), (loop, AFTER)), (loop, AFTER), I1)
            before = self.in_previous_iteration(control, self.as_value(TRUE, outer, I1), again)
            ended_there = self.outward(before, region)
            in_last_iteration = self.outward(self.inwards(operand, (loop, AFTER)), (loop, AFTER))
            in_last_iteration = self.outward(in_last_iteration, region)
            return self.emit("flow.select", [ended_there, last, in_last_iteration], type_)
        nothing = FALSE if type_ == I1 else UNKNOWN
        return self.in_previous_iteration(control, self.as_value(nothing, outer, type_), operand)

    def latch(self, carry: int) -> None:
        """Let ``carry`` keep its value in an iteration that does not reach the header again."""
        loop = self.carry_of[carry]
        after = (loop, AFTER)
        on = self.decision(self.when_continued(loop), after)
        kept = self.moved(("emitted", carry), (loop, BEFORE), after)
        node = self.made_by[carry]
        node.operands[2] = self.emit("flow.select", [on, node.operands[2], kept])
