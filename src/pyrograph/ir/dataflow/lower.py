"""The loops of a unit, each with the loops inside it, as graphs of the dialect.

Every value of a unit has a *region*, in which it has one token each time control is there:

* *outside* all loops, once an activation;
* *before* (the header of a loop, where the condition is tested): once an iteration, and once more;
* *after* (the body of a loop): once an iteration.

``dataflow.invariant`` brings a value from the region around a loop before it, ``dataflow.gate`` from before to after,
``flow.leave`` from before to the region around (the value with which the loop ends), and a carry that starts with
nothing from after to before (the last iteration's value). A loop-header phi is a ``dataflow.carry``; one that nothing
feeds is the value itself. An induction variable is a ``dataflow.stream``: the index of ``range``, or a carry to which a
constant is added, if the loop's only exit compares it with a value that the loop does not change.

Control inside a body becomes data: where edges merge, ``flow.select`` takes the version of the edge that was taken.
Another exit (``break``, ``return``, ``raise``, a jump to an outer loop) ends the iteration: a truth value that is
carried to the header becomes false, and the loop continues only while it holds. After the loop it says which exit was
taken, so that further exits merge there. An inner loop that is not reached in an iteration has no iteration of its own.

What the unit does not say exactly (which handler, which case of a switch, the arm of a conjunction that a constant
decides) is ``?`` where it decides, and ``flow.merge`` where versions meet: such a graph shows where data goes and
cannot be run. Every value is an ``index``: a number, or something that stands for an object.

The lowering is one class in chapters, each in a module: ``nodes`` (the graph while it grows), ``control`` (control flow
of a loop), ``regions`` (values moved between regions), ``conditions`` (control streams), ``operations`` (the operation
of each value), and this module, which asks for what the loop computes. ``tables`` has the rows of the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.dataflow.graph import Operand
from pyrograph.ir.dataflow.nodes import LoopGraph
from pyrograph.ir.dataflow.operations import LoopOperations
from pyrograph.ir.dataflow.tables import OUTSIDE, Tables
from pyrograph.ir.dataflow.types import INDEX
from pyrograph.ir.unit import Unit


def loop_graphs(unit: Unit, function: str | None = None) -> list[LoopGraph]:
    """The outermost loops of ``unit``, or of its functions called ``function``, in source order.

    Loops that never run, and those that run exactly once, are no loops. Time linear in the unit, and for each loop in
    its values times the depth of its loops, but for control: see ``decisions``.
    """
    tables = Tables(unit)
    found = []
    counts: dict[int, int] = {}
    for loop in tables.outermost:
        owner = tables.loops[loop].function
        counts[owner] = counts.get(owner, 0) + 1
        name = tables.function_name(owner)
        if function is None or name == function:
            found.append(_Lowering(tables, loop, f"{_plain(name)}.{counts[owner]}").lowered())
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^\w$<>]", "_", name) or "_"


class _Lowering(LoopOperations):
    """One outermost loop: asks for what it computes and what is used after it, and writes the graph down."""

    def lowered(self) -> LoopGraph:
        t = self.t
        function = t.loops[self.loop].function
        inside = [v for v in self.values_inside() if self.region_of(v)[0] != NONE]
        members = set(inside)
        for value in inside:  # in this order operands come first, and nothing recurses deeply
            self.use(value, self.region_of(value))
        results: list[tuple[int, Operand]] = []
        for value in self.live_after(members):
            if t.values[value].op == Op.CONST:
                continue
            operand = self.as_value(self.use(value, OUTSIDE), OUTSIDE, INDEX)
            if self.canonical(operand) not in self.arguments.values():
                results.append((value, operand))
        counts = {t.loops[loop].over for loop in t.streams}  # ``range`` itself: the stream stands for it
        effects = [self.use(v, self.region_of(v)) for v in inside if t.values[v].op == Op.CALL and v not in counts]
        self.control(self.loop)
        roots: list[Operand] = [*effects, *(operand for _, operand in results), self.control(self.loop)]
        while self.pending or self.to_latch:
            if self.pending:
                node, at, value, region = self.pending.pop()
                node.operands[at] = self.as_value(self.use(value, region), region, INDEX)
            else:
                self.latch(self.to_latch.pop())
        return self.written(function, roots, results)

    def values_inside(self) -> Iterable[int]:
        """The values between the loop's header and its exit, and the carries of the loops there."""
        loop_row = self.t.loops[self.loop]
        header, leave = loop_row.header, loop_row.exit
        return range(self.t.blocks[header].first, self.t.blocks[leave].first)

    def live_after(self, members: set[int]) -> list[int]:
        """Values of the loop that something outside uses, and phis outside that an exit of the loop leads to."""
        t = self.t
        loop_row = t.loops[self.loop]
        header, leave = loop_row.header, loop_row.exit
        found: dict[int, None] = {}
        phis = {
            value
            for value, joins in t.joins.items()
            if any(header <= block < leave for _, block in joins) and value not in members
        }
        for origin, target, _ in t.rows.flows:
            if origin in members and target not in members:
                found[target if target in phis else origin] = None
        used: list[int] = [row.object for row in t.rows.loads if row.result not in members]
        used += [v for row in t.rows.stores if row.result not in members for v in (row.object, row.value)]
        used += [v for row in t.rows.calls if row.result not in members for v in (row.callee, row.receiver)]
        used += [row.value for row in t.rows.arguments if t.rows.calls[row.call].result not in members]
        used += [row.input for row in t.rows.pis if row.value not in members]
        used += [v for row in t.rows.parameters for v in (row.out, row.true, row.false)]
        used += [v for row in t.rows.captures for v in (row.outer, row.out)]
        for value in used:
            if value in members:
                found[value] = None
        wanted = {*used, *(origin for origin, _, _ in t.rows.flows)}
        return sorted(value for value in found if value in wanted)


__all__ = ["LoopGraph", "loop_graphs"]
