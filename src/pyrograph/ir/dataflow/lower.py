"""The loops of a unit, each with the loops inside it, as graphs of the dialect.

Every value of a unit has a *region*, in which it has one token each time control is there:

* *outside* all loops, once an activation;
* *before* (the head of a loop, where the condition is tested): once a round, and once more;
* *after* (the body of a loop): once a round.

``dataflow.invariant`` brings a value from the region around a loop before it, ``dataflow.gate`` from before to after,
``flow.leave`` from before to the region around (the value with which the loop ends), and a carry that starts with
nothing from after to before (the last round's value). A loop-header phi is a ``dataflow.carry``; one that nothing feeds
is the value itself. What counts is a ``dataflow.stream``: the index of ``range``, or a carry that a constant is added
to and that the only way out compares with something the loop does not change.

Control inside a body becomes data: where edges merge, ``flow.select`` takes the version of the edge that was taken.
Another exit (``break``, ``return``, ``raise``, a jump to an outer loop) ends the iteration: a truth value that is
carried to the header becomes false, and the loop continues only while it holds. After the loop it says which exit was
taken, so that further exits merge there. An inner loop that is not reached in an iteration has no iteration of its own.

What the unit does not say exactly (which handler, which case of a switch, which arm a constant tells of inside a
conjunction) is ``?`` where it decides, and ``flow.merge`` where versions meet: such a graph shows where data goes and
cannot be run. Every value is an ``index``: a number, or something that stands for an object.

``tables`` says where values are, ``nodes`` holds the graph while it grows, ``control`` follows control flow. This
module makes a value where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Final

from pyrograph.ir.codes import ANY_BOUND, NONE, OPEN, RECEIVER, UNKNOWN_KEY, Op, Test
from pyrograph.ir.dataflow.control import NO_EDGE, LoopControl
from pyrograph.ir.dataflow.decisions import ALWAYS, NEVER, TooManyDecisions
from pyrograph.ir.dataflow.graph import UNKNOWN, Literal, Operand
from pyrograph.ir.dataflow.nodes import FALSE, TRUE, LoopGraph, Node
from pyrograph.ir.dataflow.tables import AFTER, BEFORE, OUTSIDE, Region, Tables
from pyrograph.ir.dataflow.types import I1, INDEX, Type
from pyrograph.ir.packed import key_value
from pyrograph.ir.unit import Unit

_TESTS: Final = {Test.EQUAL: "equal", Test.IN: "in", Test.LESS: "less", Test.IS: "is", Test.PREFIX: "prefix"}


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


class _Lowering(LoopControl):
    """From the loop's values, each asked for where it is used, to the operations that give them."""

    def lowered(self) -> LoopGraph:
        t = self.t
        function = t.loops[self.loop].function
        inside = [v for v in self.values_inside() if self.home(v)[0] != NONE]
        members = set(inside)
        for value in inside:  # in this order operands come first, and nothing recurses deeply
            self.use(value, self.home(value))
        results: list[tuple[int, Operand]] = []
        for value in self.live_after(members):
            if t.values[value].op == Op.CONST:
                continue
            operand = self.as_value(self.use(value, OUTSIDE), OUTSIDE, INDEX)
            if self.final(operand) not in self.arguments.values():
                results.append((value, operand))
        counts = {t.loops[loop].over for loop in t.streams}  # ``range`` itself: the stream stands for it
        effects = [self.use(v, self.home(v)) for v in inside if t.values[v].op == Op.CALL and v not in counts]
        self.control(self.loop)
        roots: list[Operand] = [*effects, *(operand for _, operand in results), self.control(self.loop)]
        while self.pending or self.held:
            if self.pending:
                node, at, value, region = self.pending.pop()
                node.operands[at] = self.as_value(self.use(value, region), region, INDEX)
            else:
                self.hold(self.held.pop())
        return self.finished(function, roots, results)

    def values_inside(self) -> Iterable[int]:
        """The values between the loop's head and its exit, and the carries of the loops there."""
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

    # -- values, where they are asked for

    def as_value(self, operand: Operand, region: Region, type_: Type | None = None) -> int:
        """``operand``, where only a value may stand: a constant becomes one token each time control is there."""
        if not isinstance(operand, Literal):
            return operand
        key = (("constant", operand, type_), region)
        found = self.at.get(key)
        if found is None:
            trigger = [] if region == OUTSIDE else [self.trigger(region)]
            found = self.at[key] = self.one("flow.constant", [operand, *trigger], type_ or self.type_of(operand))
        assert isinstance(found, int)
        return found

    def trigger(self, region: Region) -> int:
        """Some value with one token each time control is in ``region``, which is no region outside."""
        loop, part = region
        control = self.control(loop)
        found = self.at.get(("trigger", region))
        if found is None:
            if part == BEFORE:  # not the control stream itself, which may depend on what is triggered
                here = self.as_value(TRUE, self.around(region), I1)
                found = self.one("dataflow.invariant", [control, here], I1)
            else:
                found = self.add("dataflow.gate", [control, control], I1, I1).results[0]
            self.at["trigger", region] = found
        assert isinstance(found, int)
        return found

    def use(self, value: int, region: Region) -> Operand:
        """``value`` as ``region`` sees it."""
        value = self.alias(value)
        if self.t.values[value].op == Op.CONST:
            return self.literal(value)
        return self.moved(value, self.known_home(value), region)

    def moved(self, what: Hashable, home: Region, region: Region) -> Operand:
        """The operand ``what`` of ``home`` (a unit's value, or ``("made", operand)``), as ``region`` sees it."""
        if region != OUTSIDE:
            self.control(region[0])  # first, since it may need the same
        key = (what, region)
        found = self.at.get(key)
        if found is None:
            if region == home:
                found = self.made(what)
            elif home in self.enclosing_regions(region):
                found = self.inwards(self.moved(what, home, self.around(region)), region)
            else:
                outer = self.around(home)
                found = self.moved(("made", self.outward(self.moved(what, home, home), home)), outer, region)
            self.at[key] = found
        return found

    def made(self, what: Hashable) -> Operand:
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
            return self.one("dataflow.invariant", [control, operand], self.types[operand])
        return self.add("dataflow.gate", [operand, control], self.types[operand], I1).results[0]

    def outward(self, operand: Operand, region: Region) -> Operand:
        """A value of ``region``, in the region around it: that of the last time."""
        if isinstance(operand, Literal):
            return operand
        loop, part = region
        control, type_ = self.control(loop), self.types[operand]
        outer = self.around((loop, BEFORE))
        if part == BEFORE:
            last = self.one("flow.leave", [control, operand], type_)
            if operand in self.settled or self.when_continued(loop) == ALWAYS:
                return last
            if operand in self.carry_of:
                if operand not in self.holding:
                    self.holding.add(operand)
                    self.held.append(operand)
                return last
            # the header was not reached again: its version of the last iteration counts
            again = self.as_value(self.decision(self.when_continued(loop), (loop, AFTER)), (loop, AFTER), I1)
            before = self.in_previous_iteration(control, self.as_value(TRUE, outer, I1), again)
            ended_there = self.outward(before, region)
            in_last_round = self.outward(self.inwards(operand, (loop, AFTER)), (loop, AFTER))
            in_last_round = self.outward(in_last_round, region)
            return self.one("flow.select", [ended_there, last, in_last_round], type_)
        nothing = FALSE if type_ == I1 else UNKNOWN
        return self.in_previous_iteration(control, self.as_value(nothing, outer, type_), operand)

    def hold(self, carry: int) -> None:
        """Let ``carry`` keep its value in a round that does not reach the head again."""
        loop = self.carry_of[carry]
        after = (loop, AFTER)
        on = self.decision(self.when_continued(loop), after)
        kept = self.moved(("made", carry), (loop, BEFORE), after)
        node = self.made_by[carry]
        node.operands[2] = self.one("flow.select", [on, node.operands[2], kept])

    def definition(self, value: int) -> Operand:
        """What the unit says of ``value``, in its own region."""
        t = self.t
        region = self.known_home(value)
        value_row = t.values[value]
        op, data = value_row.op, value_row.data
        if op == Op.PHI and any(
            region[0] != NONE or self.is_inside_block(block) for _, block in t.joins.get(value, ())
        ):
            try:
                return self.choice(value, region)
            except TooManyDecisions:
                return self.operation(value, region)
        if region == OUTSIDE:
            argument = self.arguments[value] = self.promise(INDEX)
            return argument
        if op == Op.CARRY:
            return self.carry(value, region)
        counting = t.loops[region[0]].induction == value and region[0] in t.streams
        if counting:
            self.control(region[0])
            return self.moved(("made", self.index_of[region[0]]), (region[0], BEFORE), region)
        if op == Op.POST and (number := self.stateless(value)) != value and self.counts(number):
            return self.use(number, region)
        if op == Op.LOAD and (element := self.element(data, region)) is not None:
            return element
        return self.operation(value, region)

    def counts(self, value: int) -> bool:
        """Whether ``value`` is what a stream gives."""
        t = self.t
        home = self.known_home(value)
        if home == OUTSIDE:
            return False
        self.control(home[0])
        return value in self.counting_carries or (t.loops[home[0]].induction == value and home[0] in t.streams)

    def operation(self, value: int, region: Region) -> Operand:
        t = self.t
        value_row = t.values[value]
        op, data = value_row.op, value_row.data
        parts: list[int] = []
        name, attribute = "flow.value", Op(op).name.lower() if op != Op.EXPRESSION else None
        if value in t.computed:
            operator, operands = t.computed[value]
            found = self.use(operands[0], region)
            rest = operands[1:]
            if not rest:
                return self.one(f"flow.{operator.name.lower()}", [found])
            for operand in rest:
                found = self.pure(f"flow.{operator.name.lower()}", [found, self.use(operand, region)])
            return found
        if op == Op.CALL:
            call_row = t.rows.calls[data]
            callee, receiver, method = call_row.callee, call_row.receiver, call_row.name
            name = "flow.call"
            if receiver != NONE:
                parts, attribute = [receiver], t.string(method)
            elif t.values[callee].op == Op.GLOBAL:
                attribute = t.string(t.values[callee].data)
            else:
                parts, attribute = [callee], None
            parts += [row.value for row in t.arguments_of.get(data, ()) if row.position != RECEIVER]
        elif op == Op.LOAD:
            load_row = t.rows.loads[data]
            holder, key = load_row.object, load_row.key
            name, parts, attribute = "flow.load", [holder, *_key_value(key)], t.key(key)
        elif op == Op.STORE:
            store_row = t.rows.stores[data]
            holder, key, stored = store_row.object, store_row.key, store_row.value
            name, parts, attribute = "flow.store", [holder, *_key_value(key), stored], t.key(key)
        elif op == Op.POST:
            argument = t.rows.arguments[data]
            name, parts, attribute = "flow.post", [argument.value, t.rows.calls[argument.call].result], None
        elif op == Op.PHI:
            name, parts, attribute = "flow.merge", t.flows_into.get(value, []), None
        elif op == Op.NEW:
            name, parts, attribute = "flow.new", t.flows_into.get(value, []), None
        elif value in t.slices:
            piece = t.slices[value]
            start, end = ({OPEN: "", ANY_BOUND: "?"}.get(bound, str(bound)) for bound in (piece.start, piece.end))
            name, parts, attribute = "flow.slice", [piece.object], f"{start}:{end}"
        elif value in t.texts:
            name, parts, attribute = "flow.text", t.flows_into.get(value, []), t.string(t.texts[value])
        elif op == Op.EXPRESSION and t.flows_into.get(value):
            name, parts = "flow.made_of", t.flows_into[value]
        result = self.promise(INDEX)  # what a handler or a cell is made of may be made of this
        self.at[value, region] = result
        operands_ = [self.use(part, region) for part in parts if part != NONE]
        if all(isinstance(operand, Literal) for operand in operands_):
            operands_.append(self.trigger(region))
        node = Node(name, operands_, (INDEX,), [result], attribute)
        self.nodes.append(node)
        self.made_by[result] = node
        return result

    def element(self, load: int, region: Region) -> Operand | None:
        """The element of what a loop iterates over."""
        t = self.t
        loop = region[0]
        load_row = t.rows.loads[load]
        holder, key = load_row.object, load_row.key
        while region != OUTSIDE and (t.loops[loop].over != holder or region[1] == BEFORE):
            region = self.around(region)
            loop = region[0]
        if region == OUTSIDE:
            return None
        self.control(loop)
        iterator = self.moved(("made", self.iterator_of[loop]), (loop, BEFORE), region)
        return self.one("flow.element", [iterator], attribute=t.key(key))

    def carry(self, value: int, region: Region) -> Operand:
        loop = region[0]
        control = self.control(loop)
        if self.counting_carries.get(value) == loop:
            return self.index_of[loop]
        carry_row = self.t.carries[value]
        initial, fed = carry_row.initial, carry_row.fed
        outer = self.around(region)
        node = self.add("dataflow.carry", [control, UNKNOWN, UNKNOWN], INDEX)
        self.at[value, region] = node.results[0]
        self.carry_of[node.results[0]] = loop
        start: Operand = UNKNOWN if initial == NONE else self.use(initial, outer)
        node.operands[1] = self.as_value(start, outer, INDEX)
        self.pending.append((node, 2, fed, (loop, AFTER)))
        return node.results[0]

    # -- control

    def control(self, loop: int) -> int:
        """The control stream of ``loop``: true for each round, then false."""
        found = self.control_of.get(loop)
        if found is None:
            found = self.control_of[loop] = self.promise(I1)
            operand = self.control_stream(loop)
            before = (loop, BEFORE)
            self.instead[found] = self.as_value(operand, before) if isinstance(operand, Literal) else operand
        return found

    def control_stream(self, loop: int) -> Operand:
        before, after = (loop, BEFORE), (loop, AFTER)
        outer = self.around(before)
        on = self.when_continued(loop)
        reached = ALWAYS if outer == OUTSIDE else self.when_reached(loop, outer)
        simple = on == ALWAYS and reached == ALWAYS
        if simple and (counting := self.counting(loop)) is not None:
            node = self.add("dataflow.stream", [], INDEX, I1)
            self.index_of[loop] = node.results[0]
            node.operands += [self.as_value(self.use_bound(each, outer), outer, INDEX) for each in counting]
            return node.results[1]
        condition = self.condition(loop, before, outer)
        if simple and condition is not TRUE:
            return condition
        entered = self.as_value(self.decision(reached, outer), outer, I1)
        if on == ALWAYS and condition is not TRUE:
            going: Operand = self.one("dataflow.invariant", [self.control_of[loop], entered], I1)
        else:
            fed = self.as_value(self.decision(on, after), after, I1)
            going = self.one("dataflow.carry", [self.control_of[loop], entered, fed], I1)
        return going if condition is TRUE else self.one("flow.both", [going, condition], I1)

    def condition(self, loop: int, before: Region, outer: Region) -> Operand:
        """What the head of a loop tests; TRUE where nothing is tested there."""
        t = self.t
        after = (loop, AFTER)
        over = t.loops[loop].over
        if loop in t.streams:
            stream = t.streams[loop]
            node = self.add("dataflow.carry", [self.control_of[loop], UNKNOWN, UNKNOWN], INDEX)
            self.index_of[loop] = node.results[0]
            node.operands[1] = self.as_value(self.use(stream.start, outer), outer, INDEX)
            index = self.moved(("made", node.results[0]), before, after)
            node.operands[2] = self.one("flow.add", [index, self.use(stream.step, after)])
            return self.is_before_bound(node.results[0], self.use(stream.step, before), self.use(stream.bound, before))
        if over != NONE:
            node = self.add("dataflow.carry", [self.control_of[loop], UNKNOWN, UNKNOWN], INDEX)
            self.iterator_of[loop] = node.results[0]
            node.operands[1] = self.as_value(self.use(over, outer), outer, INDEX)
            rest = self.moved(("made", node.results[0]), before, after)
            node.operands[2] = self.one("flow.rest", [rest])
            return self.one("flow.more", [node.results[0]], I1)
        tested = self.head_test(loop)
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
        return self.one("flow.add", [operand, Literal(str(bound[1]))])

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
                return self.pure("flow.not", [atom], I1)
            if not direct:
                atom = self.pure("flow.not", [atom], I1)
            rest = low if high in (NEVER, ALWAYS) else high
            return self.pure(name, [atom, self.decision(rest, region)], I1)
        return self.pure("flow.select", [atom, self.decision(high, region), self.decision(low, region)], I1)

    def atom(self, name: Hashable, region: Region) -> Operand:
        assert isinstance(name, tuple)
        if name[0] == "condition":
            return self.tested(name[1], region)
        if name[0] == "left":
            _, loop, at = name
            operand = self.decision(list(self.extra_exits(loop).values())[at], (loop, AFTER))
            value = self.as_value(operand, (loop, AFTER), I1)
            return self.moved(("made", value), (loop, AFTER), region)
        return UNKNOWN

    def tested(self, condition: int, region: Region) -> Operand:
        condition_row = self.t.rows.conditions[condition]
        test, left, right = condition_row.test, condition_row.left, condition_row.right
        if test == Test.TRUTH:
            return self.pure("flow.truth", [self.use(left, region)], I1)
        return self.pure(f"flow.{_TESTS[Test(test)]}", [self.use(left, region), self.use(right, region)], I1)

    def choice(self, phi: int, region: Region) -> Operand:
        """The version of the edge by which control came."""
        decide = self.decisions
        versions: dict[int, int] = {}  # version -> when
        joins = self.t.joins[phi]
        if region == OUTSIDE:
            edges = self.exits_of(self.loop, ALWAYS)
            left = NEVER
            for version, block in joins:
                if self.is_inside_block(block):
                    when = self.any_of(w for origin, _, w in edges if origin == block)
                    left = decide.either(left, when)
                    versions[version] = decide.either(versions.get(version, NEVER), when)
            if sum(not self.is_inside_block(block) for _, block in joins) > 1:
                return self.operation(phi, region)
            for version, block in joins:
                if not self.is_inside_block(block):
                    versions[version] = decide.either(versions.get(version, NEVER), decide.negation(left))
        else:
            control = self.within(region)
            for version, block in joins:
                when = self.any_of(w for origin, _, w in control.edges if origin == block)
                versions[version] = decide.either(versions.get(version, NEVER), when)
        if set(versions) < {version for version, _ in joins} or len(joins) < len(self.t.flows_into.get(phi, ())):
            return self.operation(phi, region)
        care = self.any_of(versions.values())
        remaining = list(versions.items())
        chosen = self.use(remaining[-1][0], region)
        for version, when in reversed(remaining[:-1]):
            wanted = decide.constrain(when, care)
            if wanted == ALWAYS:
                chosen = self.use(version, region)
            elif wanted != NEVER:
                operands = [self.decision(wanted, region), self.use(version, region), chosen]
                chosen = self.pure("flow.select", operands)
        return chosen


def _key_value(key: int) -> list[int]:
    return [key_value(key)] if key < UNKNOWN_KEY else []


__all__ = ["LoopGraph", "loop_graphs"]
