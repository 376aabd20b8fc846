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

Control inside a body becomes data: where ways of control meet, ``flow.select`` takes the version of the way that was
taken. Another way out (``break``, ``return``, ``raise``, a jump to an outer loop) ends the round and tells so by a
truth value that is carried to the head: the loop goes on while it holds. After the loop it says which way was taken, so
that further exits merge there. An inner loop that is not reached in a round runs no round.

What the unit does not say exactly (which handler, which case of a switch) is ``?`` where it decides, and ``flow.merge``
where versions meet: such a graph shows where data goes and cannot be run. Every value is an ``index``: a number, or
something that stands for an object.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pyrograph.ir.dataflow.circles import circles
from pyrograph.ir.dataflow.decisions import ALWAYS, NEVER, Decisions, TooManyDecisions
from pyrograph.ir.dataflow.graph import FLOW, UNKNOWN, Graph, Literal, Operand, Operation
from pyrograph.ir.dataflow.interpret import COMPUTED
from pyrograph.ir.dataflow.types import I1, INDEX, Type
from pyrograph.ir.dataflow.verify import LATER
from pyrograph.ir.unit import (
    ANY_BOUND,
    COLUMNS,
    EXCEPTIONAL,
    NONE,
    OPEN,
    RECEIVER,
    FunctionFlag,
    Op,
    Operator,
    Test,
    Unit,
)

Region = tuple[int, int]  # (loop, BEFORE or AFTER)
OUTSIDE: Final[Region] = (NONE, 0)
BEFORE, AFTER = 0, 1
TRUE, FALSE = Literal("true"), Literal("false")

_TESTS: Final = {Test.EQUAL: "equal", Test.IN: "in", Test.LESS: "less", Test.IS: "is", Test.PREFIX: "prefix"}
_GONE: Final = -2  # where ``return`` and ``raise`` go
_NO_EDGE = (NONE, 1)  # a condition and its side: always


@dataclass(frozen=True, slots=True)
class LoopGraph:
    """One outermost loop of a function, with those inside it."""

    graph: Graph
    function: int
    loop: int
    arguments: tuple[int, ...]  # the unit's value that each argument is
    results: tuple[tuple[int, int], ...]  # a value of the unit that is used after the loop, and which result it is


def loop_graphs(unit: Unit, function: str | None = None) -> list[LoopGraph]:
    """The outermost loops of ``unit``, or of its functions called ``function``, in source order.

    Loops that never run, and those that run exactly once, are no loops. Time linear in the unit, and for each loop in
    its values times the depth of its loops, but for control: see ``decisions``.
    """
    tables = _Tables(unit)
    found = []
    counts: dict[int, int] = {}
    for loop in tables.outermost:
        owner = tables.loops[loop][0]
        counts[owner] = counts.get(owner, 0) + 1
        name = tables.function_name(owner)
        if function is None or name == function:
            found.append(_Lowering(tables, loop, f"{_plain(name)}.{counts[owner]}").lowered())
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^\w$<>]", "_", name) or "_"


class _Tables:
    """A unit's rows, by what they are asked for."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.rows = {name: unit.rows(name) for name in COLUMNS}
        self.values = self.rows["values"]
        self.loops = self.rows["loops"]
        self.blocks = self.rows["blocks"]
        self.carries = {row[0]: row for row in self.rows["carries"]}
        self.streams = {row[0]: row[1:] for row in self.rows["streams"]}
        self.texts = {row[0]: row[1] for row in self.rows["texts"]}
        self.slices = {row[0]: row[1:] for row in self.rows["slices"]}
        self.conjunctions = {row[0]: row[1:] for row in self.rows["conjunctions"]}
        self.computed: dict[int, tuple[Operator, list[int]]] = {}
        for value, operator, operand in self.rows["computed"]:
            self.computed.setdefault(value, (Operator(operator), []))[1].append(operand)
        self.flows_into: dict[int, list[int]] = {}
        for origin, target, _ in self.rows["flows"]:
            self.flows_into.setdefault(target, []).append(origin)
        self.arguments_of: dict[int, list[tuple[int, ...]]] = {}
        for row in self.rows["arguments"]:
            self.arguments_of.setdefault(row[0], []).append(row)
        self.joins: dict[int, list[tuple[int, int]]] = {}
        for value, version, block in self.rows["joins"]:
            self.joins.setdefault(value, []).append((version, block))
        self.ways_out: dict[int, list[tuple[int, int, int]]] = {}  # block -> (target, condition, side)
        for origin, target, condition, side in self.rows["control"]:
            self.ways_out.setdefault(origin, []).append((target, condition, side))
        self._firsts: dict[int, tuple[list[int], list[int]]] = {}
        for number, (owner, first) in enumerate(self.blocks):
            firsts, numbers = self._firsts.setdefault(owner, ([], []))
            firsts.append(first)
            numbers.append(number)
        self.loops_of: dict[int, list[int]] = {}  # function -> its loops that repeat, outer ones first
        for number, row in enumerate(self.loops):
            if row[5] < row[7]:
                self.loops_of.setdefault(row[0], []).append(number)

    @cached_property
    def outermost(self) -> list[int]:
        return [
            loop
            for loops in self.loops_of.values()
            for loop in loops
            if self.region_of_block(self.loops[loop][5], within=loop) == OUTSIDE
        ]

    def function_name(self, function: int) -> str:
        row = self.rows["functions"][function]
        return "module" if row[4] & FunctionFlag.MODULE else self.string(row[1])

    def string(self, index: int) -> str:
        return self.unit.strings[index] if index != NONE else ""

    def key(self, key: int) -> str | None:
        return self.string(key) if key >= 0 else None

    def block_of(self, value: int) -> int:
        firsts, numbers = self._firsts[self.values[value][1]]
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
        for value, (op, _, _, _, data) in enumerate(self.values):
            if op == Op.PI:
                alias[value] = self.rows["pis"][data][1]
            elif op == Op.PHI:
                inputs[value] = self.flows_into.get(value, [])
            elif op == Op.CARRY and self.carries[value][2] != NONE:
                inputs[value] = [each for each in self.carries[value][2:] if each != NONE]
        work = [list(inputs)]
        while work:
            for circle in circles({value: [last(each) for each in inputs[value]] for value in work.pop()}):
                members = set(circle)
                origins = {last(each) for value in circle for each in inputs[value]} - members
                if len(origins) == 1:
                    origin = origins.pop()
                    for value in circle:
                        alias[value] = origin
                elif len(circle) > 1:
                    inner = [value for value in circle if {last(each) for each in inputs[value]} <= members]
                    if inner:
                        work.append(inner)
        return [last(value) for value in range(len(alias))]

    def region_of_block(self, block: int, within: int = NONE) -> Region:
        """The innermost region of ``block``; ``within``: of those around this loop."""
        found = OUTSIDE
        for loop in self.loops_of.get(self.blocks[block][0], ()):
            _, _, _, _, _, header, body, leave, _ = self.loops[loop]
            if header <= block < leave and loop != within:
                found = (loop, AFTER if block >= body > header else BEFORE)
        return found

    def region_of(self, value: int) -> Region:
        op, function, _, _, data = self.values[value]
        if op == Op.CARRY:
            return (data, BEFORE)
        if op in (Op.GLOBAL, Op.PARAMETER, Op.RESULT, Op.RAISED, Op.OUT, Op.CELL) or function not in self.loops_of:
            return OUTSIDE
        return self.region_of_block(self.block_of(value))

    def around(self, region: Region) -> Region:
        """The next region outwards."""
        loop, part = region
        if part == AFTER:
            return (loop, BEFORE)
        return self.region_of_block(self.loops[loop][5], within=loop)


@dataclass(slots=True)
class _Node:
    """An operation while its operands are still to be found."""

    name: str
    operands: list[Operand]
    result_types: tuple[Type, ...]
    results: list[int] = field(default_factory=list)
    attribute: str | None = None


@dataclass(slots=True)
class _Control:
    """When each block of a region is reached in a round, and each way taken."""

    reached: dict[int, int]
    ways: list[tuple[int, int, int]]  # (origin block, target block, when), those that leave the region's blocks too


class _Lowering:
    def __init__(self, tables: _Tables, loop: int, name: str) -> None:
        self.t = tables
        self.loop = loop
        self.name = name
        self.decisions = Decisions()
        self.types: list[Type] = []
        self.nodes: list[_Node] = []
        self.made_by: dict[int, _Node] = {}
        self.instead: dict[int, Operand] = {}  # a value that was promised -> what it turned out to be
        self.arguments: dict[int, int] = {}  # the unit's value -> the graph's
        self.at: dict[tuple[Hashable, Region], Operand] = {}
        self.controls: dict[Region, _Control] = {}
        self.control_of: dict[int, int] = {}  # loop -> its control stream
        self.index_of: dict[int, int] = {}  # loop -> the value that counts it, before
        self.iterator_of: dict[int, int] = {}
        self.going_on: dict[int, int] = {}  # loop -> when its body reaches the head again
        self.counted_carries: dict[int, int] = {}  # carry -> loop
        self.pending: list[tuple[_Node, int, int, Region]] = []  # carries whose fed-back operand is to be found
        self.decided: dict[tuple[int, Region], Operand] = {}
        self.carry_of: dict[int, int] = {}  # what a carry gives -> its loop
        self.held: list[int] = []  # carries whose last value is used after a loop that its body may leave
        self.holding: set[int] = set()
        self.settled: set[int] = set()  # values of heads that tell of the last round

    # -- the whole

    def lowered(self) -> LoopGraph:
        t = self.t
        function = t.loops[self.loop][0]
        inside = [v for v in self.values_inside() if self.home(v)[0] != NONE]
        members = set(inside)
        for value in inside:  # in this order operands come first, and nothing recurses deeply
            self.use(value, self.home(value))
        results: list[tuple[int, Operand]] = []
        for value in self.live_after(members):
            if t.values[value][0] == Op.CONST:
                continue
            operand = self.as_value(self.use(value, OUTSIDE), OUTSIDE, INDEX)
            if self.final(operand) not in self.arguments.values():
                results.append((value, operand))
        counts = {t.loops[loop][8] for loop in t.streams}  # ``range`` itself: the stream stands for it
        effects = [self.use(v, self.home(v)) for v in inside if t.values[v][0] == Op.CALL and v not in counts]
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
        _, _, _, _, _, header, _, leave, _ = self.t.loops[self.loop]
        return range(self.t.blocks[header][1], self.t.blocks[leave][1])

    def live_after(self, members: set[int]) -> list[int]:
        """Values of the loop that something outside uses, and phis outside that a way out of the loop leads to."""
        t = self.t
        _, _, _, _, _, header, _, leave, _ = t.loops[self.loop]
        found: dict[int, None] = {}
        phis = {
            value
            for value, joins in t.joins.items()
            if any(header <= block < leave for _, block in joins) and value not in members
        }
        for origin, target, _ in t.rows["flows"]:
            if origin in members and target not in members:
                found[target if target in phis else origin] = None
        used: list[int] = [row[1] for row in t.rows["loads"] if row[0] not in members]
        used += [v for row in t.rows["stores"] if row[0] not in members for v in (row[1], row[3])]
        used += [v for row in t.rows["calls"] if row[0] not in members for v in (row[1], row[2])]
        used += [row[1] for row in t.rows["arguments"] if t.rows["calls"][row[0]][0] not in members]
        used += [row[1] for row in t.rows["pis"] if row[0] not in members]
        used += [v for row in t.rows["parameters"] for v in row[5:8]]
        used += [v for row in t.rows["captures"] for v in row[2:4]]
        for value in used:
            if value in members:
                found[value] = None
        wanted = {*used, *(origin for origin, _, _ in t.rows["flows"])}
        return sorted(value for value in found if value in wanted)

    def finished(self, function: int, roots: list[Operand], results: list[tuple[int, Operand]]) -> LoopGraph:
        """Number what the roots need, operands first, and write it down."""
        self.share()
        order: list[_Node] = []
        begun: set[int] = set()
        arguments: dict[int, int] = {}
        units_value = {number: value for value, number in self.arguments.items()}
        later = deque(roots)  # operands that an operation does not wait for come after it
        while later:
            stack: list[tuple[Operand, bool]] = [(later.popleft(), False)]
            while stack:
                operand, ready = stack.pop()
                value = self.final(operand)
                if isinstance(value, Literal):
                    continue
                if value in units_value:
                    arguments.setdefault(value, units_value[value])
                    continue
                node = self.made_by[value]
                if ready:
                    order.append(node)
                    later += [node.operands[at] for at in LATER.get(node.name, ())]
                elif id(node) not in begun:
                    begun.add(id(node))
                    stack.append((value, True))
                    needed = [each for at, each in enumerate(node.operands) if at not in LATER.get(node.name, ())]
                    stack += [(each, False) for each in reversed(needed)]
        numbers: dict[int, int] = {}
        names: list[str] = []
        for value, original in arguments.items():
            numbers[value] = len(names)
            names.append(self.argument_name(original, names))
        count = 0
        for node in order:
            for result in node.results:
                numbers[result] = len(names)
                names.append(str(count))
                count += 1
        operations = []
        for node in order:
            operands = tuple(
                final if isinstance(final := self.final(each), Literal) else numbers[final] for each in node.operands
            )
            types = self.operand_types(node)
            operations.append(
                Operation(
                    node.name,
                    operands,
                    tuple(types),
                    tuple(numbers[each] for each in node.results),
                    node.result_types,
                    node.attribute,
                )
            )
        kept = [(value, final) for value, each in results if isinstance(final := self.final(each), int)]
        of_values = dict.fromkeys(final for _, final in kept)
        made = [result for node in order for result in node.results]
        types_of = [self.types[value] for value in (*arguments, *made)]
        graph = Graph(
            self.name,
            tuple(range(len(arguments))),
            tuple(operations),
            tuple(numbers[final] for final in of_values),
            tuple(names),
            tuple(types_of),
        )
        at = {final: number for number, final in enumerate(of_values)}
        shown = tuple((value, at[final]) for value, final in kept)
        return LoopGraph(graph, function, self.loop, tuple(arguments.values()), shown)

    def share(self) -> None:
        """Operations that do the same are one; calls and new objects are not the same twice."""
        changed = True
        while changed:
            changed = False
            known: dict[Hashable, _Node] = {}
            kept = []
            for node in self.nodes:
                operands = tuple(map(self.final, node.operands))
                key = (node.name, node.attribute, operands, node.result_types)
                same = known.setdefault(key, node) if node.name not in _ONCE else node
                if same is node:
                    kept.append(node)
                else:
                    changed = True
                    self.instead.update(zip(node.results, same.results, strict=True))
            self.nodes = kept

    def operand_types(self, node: _Node) -> list[Type]:
        """Of each operand; a constant has the type of what stands beside it."""
        finals = [self.final(each) for each in node.operands]
        if node.name == "flow.constant":
            finals = finals[1:]
        kinds = FLOW.get(node.name, ("*", ""))[0]
        known = [None if isinstance(each, Literal) else self.types[each] for each in finals]
        beside = [type_ for type_, kind in zip(known, kinds, strict=False) if kind == "v" and type_ is not None]
        general = (beside or [INDEX])[0]
        return [type_ or (I1 if kinds[at : at + 1] == "c" else general) for at, type_ in enumerate(known)]

    def argument_name(self, value: int, taken: list[str]) -> str:
        op, _, _, _, data = self.t.values[value]
        name = ""
        if op == Op.PARAMETER and data != NONE:
            row = self.t.rows["parameters"][data]
            name = "this" if row[3] == RECEIVER else self.t.string(row[2])
        elif op == Op.GLOBAL:
            name = self.t.string(data)
        elif op == Op.IMPORT:
            _, module, imported, _ = self.t.rows["imports"][data]
            name = self.t.string(module if imported == NONE else imported)
        elif op == Op.FUNCTION:
            name = self.t.string(self.t.rows["functions"][data][1])
        name = re.sub(r"[^\w.$]", "_", name)
        if not name or name.isdigit() or name in taken:
            name = f"{name or 'a'}.{len(taken) + 1}"
        return name

    # -- nodes

    def promise(self, type_: Type) -> int:
        self.types.append(type_)
        return len(self.types) - 1

    def add(self, name: str, operands: Iterable[Operand], *types: Type, attribute: str | None = None) -> _Node:
        node = _Node(name, list(operands), types, [self.promise(type_) for type_ in types], attribute)
        self.nodes.append(node)
        for result in node.results:
            self.made_by[result] = node
        return node

    def one(self, name: str, operands: Iterable[Operand], type_: Type = INDEX, attribute: str | None = None) -> int:
        return self.add(name, operands, type_, attribute=attribute).results[0]

    def final(self, operand: Operand) -> Operand:
        while not isinstance(operand, Literal) and operand in self.instead:
            operand = self.instead[operand]
        return operand

    def type_of(self, operand: Operand) -> Type:
        if isinstance(operand, Literal):
            return I1 if operand in (TRUE, FALSE) else INDEX
        return self.types[operand]

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

    # -- values

    def home(self, value: int) -> Region:
        return self.t.region_of(value)

    def alias(self, value: int) -> int:
        """The value that ``value`` is another name of."""
        return self.t.aliases[value]

    def use(self, value: int, region: Region) -> Operand:
        """``value`` as ``region`` sees it."""
        value = self.alias(value)
        if self.t.values[value][0] == Op.CONST:
            return self.literal(value)
        return self.moved(value, self.known_home(value), region)

    def known_home(self, value: int) -> Region:
        """The region of ``value``; outside for what is before or after the loop that is lowered."""
        home = self.home(value)
        return home if self.is_inside(home) else OUTSIDE

    def is_inside(self, region: Region) -> bool:
        while region != OUTSIDE:
            if region[0] == self.loop:
                return True
            region = self.t.around(region)
        return False

    def moved(self, what: Hashable, home: Region, region: Region) -> Operand:
        """The operand ``what`` of ``home`` (a unit's value, or ``("made", operand)``), as ``region`` sees it."""
        if region != OUTSIDE:
            self.control(region[0])  # first, since it may need the same
        key = (what, region)
        found = self.at.get(key)
        if found is None:
            if region == home:
                found = self.made(what)
            elif home in self.outwards(region):
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

    def around(self, region: Region) -> Region:
        outer = self.t.around(region)
        return outer if self.is_inside(outer) else OUTSIDE

    def outwards(self, region: Region) -> list[Region]:
        found = []
        while region != OUTSIDE:
            region = self.around(region)
            found.append(region)
        return found

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
            if operand in self.settled or self.goes_on(loop) == ALWAYS:
                return last
            if operand in self.carry_of:
                if operand not in self.holding:
                    self.holding.add(operand)
                    self.held.append(operand)
                return last
            # the head was not reached again: what it saw in the last round counts
            again = self.as_value(self.decision(self.goes_on(loop), (loop, AFTER)), (loop, AFTER), I1)
            ended_there = self.outward(self.followed(control, self.as_value(TRUE, outer, I1), again), region)
            in_last_round = self.outward(self.inwards(operand, (loop, AFTER)), (loop, AFTER))
            in_last_round = self.outward(in_last_round, region)
            return self.one("flow.select", [ended_there, last, in_last_round], type_)
        nothing = FALSE if type_ == I1 else UNKNOWN
        return self.followed(control, self.as_value(nothing, outer, type_), operand)

    def followed(self, control: int, first: int, value: int) -> int:
        """What a value of the body was in the round before."""
        result = self.one("dataflow.carry", [control, first, value], self.types[value])
        self.settled.add(result)
        return result

    def hold(self, carry: int) -> None:
        """Let ``carry`` keep its value in a round that does not reach the head again."""
        loop = self.carry_of[carry]
        after = (loop, AFTER)
        on = self.decision(self.goes_on(loop), after)
        kept = self.moved(("made", carry), (loop, BEFORE), after)
        node = self.made_by[carry]
        node.operands[2] = self.one("flow.select", [on, node.operands[2], kept])

    def literal(self, value: int) -> Literal:
        text = self.t.string(self.t.values[value][4])
        if text[:1] == "'":
            return Literal(json.dumps(text[1:]))
        return Literal(text) if re.fullmatch(r"true|false|null|-?\d+(\.\d+)?", text) else UNKNOWN

    def definition(self, value: int) -> Operand:
        """What the unit says of ``value``, in its own region."""
        t = self.t
        region = self.known_home(value)
        op, _, _, _, data = t.values[value]
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
        counted = t.loops[region[0]][2] == value and region[0] in t.streams
        if counted:
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
        return value in self.counted_carries or (t.loops[home[0]][2] == value and home[0] in t.streams)

    def operation(self, value: int, region: Region) -> Operand:
        t = self.t
        op, _, _, _, data = t.values[value]
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
            _, callee, receiver, method, _, _, _ = t.rows["calls"][data]
            name = "flow.call"
            if receiver != NONE:
                parts, attribute = [receiver], t.string(method)
            elif t.values[callee][0] == Op.GLOBAL:
                attribute = t.string(t.values[callee][4])
            else:
                parts, attribute = [callee], None
            parts += [row[1] for row in t.arguments_of.get(data, ()) if row[2] != RECEIVER]
        elif op == Op.LOAD:
            _, holder, key = t.rows["loads"][data]
            name, parts, attribute = "flow.load", [holder, *_key_value(key)], t.key(key)
        elif op == Op.STORE:
            _, holder, key, stored = t.rows["stores"][data]
            name, parts, attribute = "flow.store", [holder, *_key_value(key), stored], t.key(key)
        elif op == Op.POST:
            call, before = t.rows["arguments"][data][:2]
            name, parts, attribute = "flow.post", [before, t.rows["calls"][call][0]], None
        elif op == Op.PHI:
            name, parts, attribute = "flow.merge", t.flows_into.get(value, []), None
        elif op == Op.NEW:
            name, parts, attribute = "flow.new", t.flows_into.get(value, []), None
        elif value in t.slices:
            whole, *bounds = t.slices[value]
            start, end = ({OPEN: "", ANY_BOUND: "?"}.get(bound, str(bound)) for bound in bounds)
            name, parts, attribute = "flow.slice", [whole], f"{start}:{end}"
        elif value in t.texts:
            name, parts, attribute = "flow.text", t.flows_into.get(value, []), t.string(t.texts[value])
        elif op == Op.EXPRESSION and t.flows_into.get(value):
            name, parts = "flow.made_of", t.flows_into[value]
        result = self.promise(INDEX)  # what a handler or a cell is made of may be made of this
        self.at[value, region] = result
        operands_ = [self.use(part, region) for part in parts if part != NONE]
        if all(isinstance(operand, Literal) for operand in operands_):
            operands_.append(self.trigger(region))
        node = _Node(name, operands_, (INDEX,), [result], attribute)
        self.nodes.append(node)
        self.made_by[result] = node
        return result

    def pure(self, name: str, operands: list[Operand], type_: Type = INDEX) -> Operand:
        constants = [operand for operand in operands if isinstance(operand, Literal)]
        if len(constants) < len(operands):
            return self.one(name, operands, type_)
        function = COMPUTED.get(name)
        if function is None or not all(constant.known for constant in constants):
            return UNKNOWN
        try:
            return Literal(json.dumps(function(*(constant.value for constant in constants))))
        except (ArithmeticError, ValueError, TypeError, LookupError):
            return UNKNOWN

    def element(self, load: int, region: Region) -> Operand | None:
        """The element of what a loop iterates over."""
        t = self.t
        loop = region[0]
        _, holder, key = t.rows["loads"][load]
        while region != OUTSIDE and (t.loops[loop][8] != holder or region[1] == BEFORE):
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
        if self.counted_carries.get(value) == loop:
            return self.index_of[loop]
        _, _, initial, fed = self.t.carries[value]
        outer = self.around(region)
        node = self.add("dataflow.carry", [control, UNKNOWN, UNKNOWN], INDEX)
        self.at[value, region] = node.results[0]
        self.carry_of[node.results[0]] = loop
        start: Operand = UNKNOWN if initial == NONE else self.use(initial, outer)
        node.operands[1] = self.as_value(start, outer, INDEX)
        self.pending.append((node, 2, fed, (loop, AFTER)))
        return node.results[0]

    # -- control

    def is_inside_block(self, block: int) -> bool:
        _, _, _, _, _, header, _, leave, _ = self.t.loops[self.loop]
        return header <= block < leave

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
        on = self.goes_on(loop)
        reached = ALWAYS if outer == OUTSIDE else self.when_reached(loop, outer)
        simple = on == ALWAYS and reached == ALWAYS
        if simple and (counted := self.counted(loop)) is not None:
            node = self.add("dataflow.stream", [], INDEX, I1)
            self.index_of[loop] = node.results[0]
            node.operands += [self.as_value(self.use_bound(each, outer), outer, INDEX) for each in counted]
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
        over = t.loops[loop][8]
        if loop in t.streams:
            start, step, bound = t.streams[loop]
            node = self.add("dataflow.carry", [self.control_of[loop], UNKNOWN, UNKNOWN], INDEX)
            self.index_of[loop] = node.results[0]
            node.operands[1] = self.as_value(self.use(start, outer), outer, INDEX)
            index = self.moved(("made", node.results[0]), before, after)
            node.operands[2] = self.one("flow.add", [index, self.use(step, after)])
            return self.runs_to(node.results[0], self.use(step, before), self.use(bound, before))
        if over != NONE:
            node = self.add("dataflow.carry", [self.control_of[loop], UNKNOWN, UNKNOWN], INDEX)
            self.iterator_of[loop] = node.results[0]
            node.operands[1] = self.as_value(self.use(over, outer), outer, INDEX)
            rest = self.moved(("made", node.results[0]), before, after)
            node.operands[2] = self.one("flow.rest", [rest])
            return self.one("flow.more", [node.results[0]], I1)
        tested = self.head_test(loop)
        if tested == _NO_EDGE:
            return TRUE
        return self.decision(self.holds(*tested), before)

    def runs_to(self, index: int, step: Operand, bound: Operand) -> Operand:
        up, down = self.one("flow.less", [index, bound], I1), self.one("flow.less", [bound, index], I1)
        if isinstance(step, Literal):
            return down if step.text.startswith("-") else up
        return self.one("flow.select", [self.one("flow.less", [Literal("0"), step], I1), up, down], I1)

    def head_test(self, loop: int) -> tuple[int, int]:
        """The condition, and its side, under which the head of ``loop`` goes on to its body."""
        _, _, _, _, _, header, body, _, _ = self.t.loops[loop]
        for block in range(header, max(body, header + 1)):
            for target, condition, side in self.t.ways_out.get(block, ()):
                if target == body and condition != NONE:
                    return condition, side
        return _NO_EDGE

    def counted(self, loop: int) -> tuple[int, int | Literal, int | tuple[int, int]] | None:
        """Start, step and bound of a loop that counts; a bound and what is to be added to it."""
        t = self.t
        if loop in t.streams:
            return t.streams[loop]  # type: ignore[return-value]
        condition, side = self.head_test(loop)
        if condition == NONE or t.rows["conditions"][condition][1] != Test.LESS:
            return None
        _, _, left, right, _, _ = t.rows["conditions"][condition]
        for index, bound, up in ((left, right, bool(side)), (right, left, not side)):
            carry, bound = self.alias(index), self.alias(bound)
            if t.values[carry][0] != Op.CARRY or t.values[carry][4] != loop:
                continue
            if t.values[bound][0] != Op.CONST and self.known_home(bound) not in self.outwards((loop, BEFORE)):
                continue
            step = self.step(carry)
            if step is None or (step > 0) != up or t.carries[carry][2] == NONE:
                continue
            self.counted_carries[carry] = loop
            beyond = 0 if side else step // abs(step)  # a bound that is reached
            return t.carries[carry][2], Literal(str(step)), (bound, beyond)
        return None

    def step(self, carry: int) -> int | None:
        """The constant that each round adds to ``carry``."""
        t = self.t
        fed = self.alias(t.carries[carry][3])
        operator, operands = t.computed.get(fed, (None, []))
        if operator not in (Operator.ADD, Operator.SUBTRACT) or len(operands) != 2:
            return None
        first, second = (self.stateless(each) for each in operands)
        if operator == Operator.ADD and t.values[first][0] == Op.CONST:
            first, second = second, first
        if first != carry or t.values[second][0] != Op.CONST:
            return None
        text = self.literal(second).text
        if not re.fullmatch(r"-?\d+", text) or int(text) == 0:
            return None
        return int(text) if operator == Operator.ADD else -int(text)

    def stateless(self, value: int) -> int:
        """``value`` before the calls that were given it: a number is the same after them."""
        value = self.alias(value)
        while self.t.values[value][0] == Op.POST:
            value = self.alias(self.t.rows["arguments"][self.t.values[value][4]][1])
        return value

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

    # -- when

    def goes_on(self, loop: int) -> int:
        """When the body of ``loop`` reaches its head again."""
        found = self.going_on.get(loop)
        if found is None:
            header = self.t.loops[loop][5]
            found = NEVER
            for _, target, when in self.within((loop, AFTER)).ways:
                if target == header:
                    found = self.decisions.either(found, when)
            self.going_on[loop] = found
        return found

    def when_reached(self, loop: int, outer: Region) -> int:
        return self.within(outer).reached.get(self.t.loops[loop][5], ALWAYS)

    def within(self, region: Region) -> _Control:
        """Control in one round of ``region``, which is no region outside."""
        found = self.controls.get(region)
        if found is None:
            try:
                found = self.walked(region)
            except TooManyDecisions:
                found = _Control({}, [(NONE, self.t.loops[region[0]][5], self.decisions.atom(("?", region)))])
            self.controls[region] = found
        return found

    def walked(self, region: Region) -> _Control:
        t, decide = self.t, self.decisions
        loop, part = region
        _, _, _, _, _, header, body, leave, _ = t.loops[loop]
        first, last = (body, leave) if part == AFTER else (header, max(body, header + 1))
        reached = {first: ALWAYS}
        ways: list[tuple[int, int, int]] = []
        inner = self.loops_in(region)
        block = first
        while block < last:
            when = reached.get(block, NEVER)
            if when == NEVER and block not in inner:
                block += 1
                continue
            if block in inner:
                out = self.ways_out_of(inner[block], when)
                following = t.loops[inner[block]][7]
            else:
                out = [(block, *way) for way in self.ways_from(block, when)]
                following = block + 1
            for origin, target, taken in out:
                ways.append((origin, target, taken))
                if first < target < last:
                    reached[target] = decide.either(reached.get(target, NEVER), taken)
            block = following
        return _Control(reached, ways)

    def loops_in(self, region: Region) -> dict[int, int]:
        """The loops that stand directly in ``region``, by header."""
        t = self.t
        found = {}
        for loop in t.loops_of[t.loops[region[0]][0]]:
            if loop != region[0] and t.region_of_block(t.loops[loop][5], within=loop) == region:
                found[t.loops[loop][5]] = loop
        return found

    def ways_from(self, block: int, when: int) -> list[tuple[int, int]]:
        decide = self.decisions
        out = self.t.ways_out.get(block, [])
        if len(out) < 2:
            return [(out[0][0] if out else _GONE, when)]
        conditions = {condition for _, condition, _ in out}
        exact = len(out) == 2 and len(conditions) == 1 and NONE not in conditions and out[0][2] != out[1][2]
        if exact and EXCEPTIONAL not in (out[0][2], out[1][2]):
            return [(target, decide.both(when, self.holds(condition, side))) for target, condition, side in out]
        return [(target, decide.both(when, decide.atom(("?", block, at)))) for at, (target, _, _) in enumerate(out)]

    def ways_out_of(self, loop: int, when: int) -> list[tuple[int, int, int]]:
        """The ways by which an inner loop is left, for what is around it."""
        decide = self.decisions
        _, _, _, _, _, header, body, leave, _ = self.t.loops[loop]
        ways = [(origin, target, at) for at, (origin, target) in enumerate(self.extra_ways(loop))]
        ways += [
            (block, leave, NONE)
            for block in range(header, max(body, header + 1))
            if any(target == leave for target, _, _ in self.t.ways_out.get(block, ()))
        ]
        others = ALWAYS
        found = []
        for origin, target, at in ways[:-1]:
            left_so = decide.atom(("left", loop, at))
            found.append((origin, target, decide.both(when, decide.both(others, left_so))))
            others = decide.both(others, decide.negation(left_so))
        return found + [(origin, target, decide.both(when, others)) for origin, target, _ in ways[-1:]]

    def extra_ways(self, loop: int) -> dict[tuple[int, int], int]:
        """The ways out of the body of ``loop``, and when each is taken."""
        _, _, _, _, _, header, _, leave, _ = self.t.loops[loop]
        found: dict[tuple[int, int], int] = {}
        for origin, target, when in self.within((loop, AFTER)).ways:
            if not header <= target < leave:
                found[origin, target] = self.decisions.either(found.get((origin, target), NEVER), when)
        return found

    def holds(self, condition: int, side: int) -> int:
        if condition == NONE:
            return ALWAYS
        decide = self.decisions
        if condition in self.t.conjunctions:
            left, left_side, right, right_side = self.t.conjunctions[condition]
            found = decide.both(self.holds(left, left_side), self.holds(right, right_side))
        else:
            found = decide.atom(("condition", condition))
        return found if side else decide.negation(found)

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
            operand = self.decision(list(self.extra_ways(loop).values())[at], (loop, AFTER))
            value = self.as_value(operand, (loop, AFTER), I1)
            return self.moved(("made", value), (loop, AFTER), region)
        return UNKNOWN

    def tested(self, condition: int, region: Region) -> Operand:
        _, test, left, right, _, _ = self.t.rows["conditions"][condition]
        if test == Test.TRUTH:
            return self.pure("flow.truth", [self.use(left, region)], I1)
        return self.pure(f"flow.{_TESTS[Test(test)]}", [self.use(left, region), self.use(right, region)], I1)

    def choice(self, phi: int, region: Region) -> Operand:
        """The version of the way by which control came."""
        decide = self.decisions
        versions: dict[int, int] = {}  # version -> when
        joins = self.t.joins[phi]
        if region == OUTSIDE:
            ways = self.ways_out_of(self.loop, ALWAYS)
            left = NEVER
            for version, block in joins:
                if self.is_inside_block(block):
                    when = self.any_of(w for origin, _, w in ways if origin == block)
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
                when = self.any_of(w for origin, _, w in control.ways if origin == block)
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

    def any_of(self, functions: Iterable[int]) -> int:
        found = NEVER
        for function in functions:
            found = self.decisions.either(found, function)
        return found


_ONCE: Final = frozenset({"flow.call", "flow.new", "flow.value"})


def _key_value(key: int) -> list[int]:
    return [-2 - key] if key < NONE else []
