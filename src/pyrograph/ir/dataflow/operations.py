"""The operation that computes each value of a loop.

A loop-header phi is a ``dataflow.carry``, and the phi behind a branch a ``flow.select`` by the edge that was taken, or
a ``flow.merge`` where that is not known exactly. Other values are one operation each, named after their code.
"""

from __future__ import annotations

from pyrograph.ir.codes import ANY_BOUND, NONE, OPEN, RECEIVER, UNKNOWN_KEY, Op
from pyrograph.ir.dataflow.conditions import LoopConditions
from pyrograph.ir.dataflow.decisions import ALWAYS, NEVER, TooManyDecisions
from pyrograph.ir.dataflow.graph import UNKNOWN, Literal, Operand
from pyrograph.ir.dataflow.nodes import Node
from pyrograph.ir.dataflow.tables import AFTER, BEFORE, OUTSIDE, Region
from pyrograph.ir.dataflow.types import INDEX
from pyrograph.ir.packed import key_value


class LoopOperations(LoopConditions):
    """From a value of the unit to the operation that computes it."""

    def definition(self, value: int) -> Operand:
        """The operand that computes ``value`` in its own region."""
        t = self.t
        region = self.local_region(value)
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
            argument = self.arguments[value] = self.reserve(INDEX)
            return argument
        if op == Op.CARRY:
            return self.carry(value, region)
        counting = t.loops[region[0]].induction == value and region[0] in t.streams
        if counting:
            self.control(region[0])
            return self.moved(("emitted", self.index_of[region[0]]), (region[0], BEFORE), region)
        if op == Op.POST and (number := self.without_posts(value)) != value and self.is_stream_index(number):
            return self.use(number, region)
        if op == Op.LOAD and (element := self.iterated_element(data, region)) is not None:
            return element
        return self.operation(value, region)

    def is_stream_index(self, value: int) -> bool:
        """Whether ``value`` is what a stream gives."""
        t = self.t
        home = self.local_region(value)
        if home == OUTSIDE:
            return False
        self.control(home[0])
        return value in self.induction_carries or (t.loops[home[0]].induction == value and home[0] in t.streams)

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
                return self.emit(f"flow.{operator.name.lower()}", [found])
            for operand in rest:
                found = self.emit_folded(f"flow.{operator.name.lower()}", [found, self.use(operand, region)])
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
        result = self.reserve(INDEX)  # first, because the inputs of a handler or a cell may be made of this
        self.operand_at[value, region] = result
        operands_ = [self.use(part, region) for part in parts if part != NONE]
        if all(isinstance(operand, Literal) for operand in operands_):
            operands_.append(self.trigger(region))
        node = Node(name, operands_, (INDEX,), [result], attribute)
        self.nodes.append(node)
        self.made_by[result] = node
        return result

    def iterated_element(self, load: int, region: Region) -> Operand | None:
        """The element of what a loop iterates over."""
        t = self.t
        loop = region[0]
        load_row = t.rows.loads[load]
        holder, key = load_row.object, load_row.key
        while region != OUTSIDE and (t.loops[loop].over != holder or region[1] == BEFORE):
            region = self.enclosing(region)
            loop = region[0]
        if region == OUTSIDE:
            return None
        self.control(loop)
        iterator = self.moved(("emitted", self.iterator_of[loop]), (loop, BEFORE), region)
        return self.emit("flow.element", [iterator], attribute=t.key(key))

    def carry(self, value: int, region: Region) -> Operand:
        loop = region[0]
        control = self.control(loop)
        if self.induction_carries.get(value) == loop:
            return self.index_of[loop]
        carry_row = self.t.carries[value]
        initial, fed = carry_row.initial, carry_row.fed
        outer = self.enclosing(region)
        node = self.emit_node("dataflow.carry", [control, UNKNOWN, UNKNOWN], INDEX)
        self.operand_at[value, region] = node.results[0]
        self.carry_of[node.results[0]] = loop
        start: Operand = UNKNOWN if initial == NONE else self.use(initial, outer)
        node.operands[1] = self.as_value(start, outer, INDEX)
        self.pending.append((node, 2, fed, (loop, AFTER)))
        return node.results[0]

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
                chosen = self.emit_folded("flow.select", operands)
        return chosen


def _key_value(key: int) -> list[int]:
    return [key_value(key)] if key < UNKNOWN_KEY else []
