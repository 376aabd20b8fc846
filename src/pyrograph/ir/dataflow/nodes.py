"""The graph of a loop while it grows: operations whose operands are still missing; and the finished graph."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.dataflow.decisions import Decisions
from pyrograph.ir.dataflow.graph import FLOW, UNKNOWN, Graph, Literal, Operand, Operation
from pyrograph.ir.dataflow.interpret import COMPUTED
from pyrograph.ir.dataflow.tables import Region, Tables
from pyrograph.ir.dataflow.types import I1, INDEX, Type
from pyrograph.ir.dataflow.verify import LATER

TRUE: Final = Literal("true")
FALSE: Final = Literal("false")


@dataclass(frozen=True, slots=True)
class LoopGraph:
    """One outermost loop of a function, with those inside it."""

    graph: Graph
    function: int
    loop: int
    arguments: tuple[int, ...]  # the unit's value that each argument is
    results: tuple[tuple[int, int], ...]  # a value of the unit that is used after the loop, and which result it is


@dataclass(slots=True)
class Node:
    """An operation while its operands are still to be found."""

    name: str
    operands: list[Operand]
    result_types: tuple[Type, ...]
    results: list[int] = field(default_factory=list)
    attribute: str | None = None


@dataclass(slots=True)
class Control:
    """When each block of a region is reached in an iteration, and when each edge is taken."""

    reached: dict[int, int]
    edges: list[tuple[int, int, int]]  # (origin block, target block, when), those that leave the region's blocks too


class Nodes:
    """Operations and values of one graph, numbered as they are made."""

    def __init__(self, tables: Tables, loop: int, name: str) -> None:
        self.t = tables
        self.loop = loop
        self.name = name
        self.decisions = Decisions()
        self.types: list[Type] = []
        self.nodes: list[Node] = []
        self.made_by: dict[int, Node] = {}
        self.replaced_by: dict[int, Operand] = {}  # a reserved or merged value -> the operand that stands for it
        self.arguments: dict[int, int] = {}  # the unit's value -> the graph's
        self.operand_at: dict[tuple[Hashable, Region], Operand] = {}
        self.controls: dict[Region, Control] = {}
        self.control_of: dict[int, int] = {}  # loop -> its control stream
        self.index_of: dict[int, int] = {}  # loop -> the value that counts it, before
        self.iterator_of: dict[int, int] = {}
        self.continued: dict[int, int] = {}  # loop -> when its body reaches the header again
        self.induction_carries: dict[int, int] = {}  # carry -> loop
        self.pending: list[tuple[Node, int, int, Region]] = []  # carries whose fed-back operand is to be found
        self.decided: dict[tuple[int, Region], Operand] = {}
        self.carry_of: dict[int, int] = {}  # what a carry gives -> its loop
        self.to_latch: list[int] = []  # carries to latch: their last value is used after a loop that its body may leave
        self.latched: set[int] = set()  # those that were ever in ``to_latch``
        self.from_last_iteration: set[int] = set()  # header values that already are those of the last iteration

    def reserve(self, type_: Type) -> int:
        """A number for a value whose operation follows."""
        self.types.append(type_)
        return len(self.types) - 1

    def emit_node(self, name: str, operands: Iterable[Operand], *types: Type, attribute: str | None = None) -> Node:
        node = Node(name, list(operands), types, [self.reserve(type_) for type_ in types], attribute)
        self.nodes.append(node)
        for result in node.results:
            self.made_by[result] = node
        return node

    def emit(self, name: str, operands: Iterable[Operand], type_: Type = INDEX, attribute: str | None = None) -> int:
        return self.emit_node(name, operands, type_, attribute=attribute).results[0]

    def canonical(self, operand: Operand) -> Operand:
        """The operand that stands for ``operand`` in the graph."""
        while not isinstance(operand, Literal) and operand in self.replaced_by:
            operand = self.replaced_by[operand]
        return operand

    def type_of(self, operand: Operand) -> Type:
        if isinstance(operand, Literal):
            return I1 if operand in (TRUE, FALSE) else INDEX
        return self.types[operand]

    def merge_equal(self) -> None:
        """Replace equal operations by one. Calls and new objects are never equal."""
        changed = True
        while changed:
            changed = False
            known: dict[Hashable, Node] = {}
            kept = []
            for node in self.nodes:
                operands = tuple(map(self.canonical, node.operands))
                key = (node.name, node.attribute, operands, node.result_types)
                same = known.setdefault(key, node) if node.name not in _NOT_SHARED else node
                if same is node:
                    kept.append(node)
                else:
                    changed = True
                    self.replaced_by.update(zip(node.results, same.results, strict=True))
            self.nodes = kept

    def operand_types(self, node: Node) -> list[Type]:
        """Of each operand; a constant has the type of what stands beside it."""
        finals = [self.canonical(each) for each in node.operands]
        if node.name == "flow.constant":
            finals = finals[1:]
        kinds = FLOW.get(node.name, ("*", ""))[0]
        known = [None if isinstance(each, Literal) else self.types[each] for each in finals]
        beside = [type_ for type_, kind in zip(known, kinds, strict=False) if kind == "v" and type_ is not None]
        general = (beside or [INDEX])[0]
        return [type_ or (I1 if kinds[at : at + 1] == "c" else general) for at, type_ in enumerate(known)]

    def argument_name(self, value: int, taken: list[str]) -> str:
        value_row = self.t.values[value]
        op, data = value_row.op, value_row.data
        name = ""
        if op == Op.PARAMETER and data != NONE:
            row = self.t.rows.parameters[data]
            name = "this" if row.position == RECEIVER else self.t.string(row.name)
        elif op == Op.GLOBAL:
            name = self.t.string(data)
        elif op == Op.IMPORT:
            import_row = self.t.rows.imports[data]
            module, imported = import_row.module, import_row.name
            name = self.t.string(module if imported == NONE else imported)
        elif op == Op.FUNCTION:
            name = self.t.string(self.t.rows.functions[data].name)
        name = re.sub(r"[^\w.$]", "_", name)
        if not name or name.isdigit() or name in taken:
            name = f"{name or 'a'}.{len(taken) + 1}"
        return name

    def written(self, function: int, roots: list[Operand], results: list[tuple[int, Operand]]) -> LoopGraph:
        """The graph of the operations that the roots need, numbered with operands first."""
        self.merge_equal()
        order: list[Node] = []
        begun: set[int] = set()
        arguments: dict[int, int] = {}
        units_value = {number: value for value, number in self.arguments.items()}
        later = deque(roots)  # operands that an operation does not wait for come after it
        while later:
            stack: list[tuple[Operand, bool]] = [(later.popleft(), False)]
            while stack:
                operand, ready = stack.pop()
                value = self.canonical(operand)
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
                final if isinstance(final := self.canonical(each), Literal) else numbers[final]
                for each in node.operands
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
        kept = [(value, final) for value, each in results if isinstance(final := self.canonical(each), int)]
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

    def literal(self, value: int) -> Literal:
        text = self.t.string(self.t.values[value].data)
        if text[:1] == "'":
            return Literal(json.dumps(text[1:]))
        return Literal(text) if re.fullmatch(r"true|false|null|-?\d+(\.\d+)?", text) else UNKNOWN

    def emit_folded(self, name: str, operands: list[Operand], type_: Type = INDEX) -> Operand:
        """As ``emit`` for an operation without effects; a literal where all operands are literals."""
        constants = [operand for operand in operands if isinstance(operand, Literal)]
        if len(constants) < len(operands):
            return self.emit(name, operands, type_)
        function = COMPUTED.get(name)
        if function is None or not all(constant.known for constant in constants):
            return UNKNOWN
        try:
            return Literal(json.dumps(function(*(constant.value for constant in constants))))
        except (ArithmeticError, ValueError, TypeError, LookupError):
            return UNKNOWN

    def alias(self, value: int) -> int:
        """The value that ``value`` is another name of."""
        return self.t.aliases[value]


_NOT_SHARED: Final = frozenset({"flow.call", "flow.new", "flow.value"})
