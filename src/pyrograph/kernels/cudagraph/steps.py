"""The nodes of the driver's graph as plain data: what is launched with which arguments, after what.

A region becomes a kernel that sets its condition and a conditional node; its body ends with a kernel that sets the
condition anew. A For is a counted While: the first kernel sets the index to 0, the last one adds 1. Addresses and
numbers stand in the steps as the driver gets them, so an update passes the difference of two lists of steps to the
driver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pyrograph.kernels.cudagraph.planning import Plan
from pyrograph.kernels.cudagraph.program import (
    TOP,
    Block,
    Copy,
    Cover,
    Fill,
    For,
    If,
    Kernel,
    Launch,
    Node,
    Pin,
    Program,
    Region,
    While,
    blocks,
    buffers,
)
from pyrograph.kernels.cudagraph.schedule import Edge
from pyrograph.kernels.cudagraph.validate import number, pattern

Profiling = Literal["off", "total", "kernel"]
Entry = Literal["set_condition", "start_loop", "next_round", "mark_begin", "mark_end"]


@dataclass(frozen=True, slots=True)
class Condition:
    """Stands for the handle of a region's condition, which exists only once the graph is being built."""

    region: str


@dataclass(frozen=True, slots=True)
class Call:
    """A kernel of the program's."""

    kernel: Kernel
    ranks: tuple[int, ...]  # dimensions of each array argument, in order: part of what is compiled
    blocks: int
    threads: int
    shared: int
    arguments: tuple[Any, ...]  # int, or a NumPy scalar of the exact type


@dataclass(frozen=True, slots=True)
class System:
    """A kernel of the compiler's own, one thread."""

    entry: Entry
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Memset:
    """``count`` times a pattern of 1, 2 or 4 bytes."""

    target: int
    pattern: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Memcpy:
    """Bytes from one place of the device to another."""

    target: int
    source: int
    size: int


@dataclass(frozen=True, slots=True)
class Conditional:
    """A node that repeats or skips its body."""

    kind: Literal["if", "while"]
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """An event is recorded; at top level only, the driver refuses it in bodies."""

    name: str


@dataclass(frozen=True, slots=True)
class Step:
    """A node of the driver's graph."""

    name: str
    what: Call | System | Memset | Memcpy | Conditional | Event
    after: tuple[str, ...]  # names of steps of the same block


@dataclass(frozen=True, slots=True)
class Markers:
    """Memory in which marker kernels sum up clock readings: three rows of 8 bytes a slot (begin, sum, rounds)."""

    address: int
    slots: Mapping[str, int]  # node to its column


def marked(program: Program) -> dict[str, int]:
    """The column of each node inside a region, for ``Markers``."""
    names = [node.name for region, block in blocks(program) if region != TOP for node in block.nodes]
    return {name: slot for slot, name in enumerate(names)}


def steps(
    plan: Plan, address: Mapping[str, int], profiling: Profiling = "off", markers: Markers | None = None
) -> tuple[Step, ...]:
    """The driver's graph of a plan.

    Args:
        address: Where each external buffer lies, and under "" the arena.
        markers: Needed for profiling "kernel" of programs with regions.
    """
    return _Writer(plan, address, profiling, markers).block(TOP, plan.program.block)


def parameters(plan: Plan, address: Mapping[str, int], nodes: Set[str]) -> Iterator[Step]:
    """The steps that hold the parameters of some nodes; their ``after`` says nothing."""
    writer = _Writer(plan, address, "off", None)
    for _, block in blocks(plan.program):
        for node in block.nodes:
            if node.name in nodes:
                yield from writer.own(node)


def walk(graph: Sequence[Step]) -> Iterator[Step]:
    """Every step, those of bodies included."""
    for step in graph:
        yield step
        if isinstance(step.what, Conditional):
            yield from walk(step.what.body)


def outline(graph: Sequence[Step]) -> list[Any]:
    """The part of a program that no update can change: names, kinds, order, and the source of each kernel."""
    rows: list[Any] = []
    for step in graph:
        what = step.what
        kind: Any = type(what).__name__
        if isinstance(what, Call):
            kind = (kind, id(what.kernel), what.ranks)
        elif isinstance(what, System):
            kind = (kind, what.entry)
        elif isinstance(what, Memset | Memcpy):
            kind = (kind, 0 in (getattr(what, "count", 1), getattr(what, "size", 1)))  # nothing to do: an empty node
        elif isinstance(what, Conditional):
            kind = (kind, what.kind, outline(what.body))
        rows.append((step.name, kind, step.after))
    return rows


class _Writer:
    def __init__(self, plan: Plan, address: Mapping[str, int], profiling: Profiling, markers: Markers | None) -> None:
        self.plan = plan
        self.profiling = profiling
        self.markers = markers
        self.dtypes = {name: buffer.dtype for name, buffer in buffers(plan.program).items()}
        self.address = {name: address[TOP] + offset for name, offset in plan.placement.offsets.items()}
        self.address |= {name: at for name, at in address.items() if name}

    def block(self, region: str, block: Block) -> tuple[Step, ...]:
        """The steps of one block, in the order of its schedule."""
        order = self.plan.orders[region]
        edges = reduced([*order.edges, *self.plan.placement.reuse[region]], order.sequence())
        before: dict[str, list[str]] = {}
        for first, second in edges:
            before.setdefault(second, []).append(first)
        nodes = {node.name: node for node in block.nodes}
        last: dict[str, str] = {}  # the step at which a node is done
        found: list[Step] = []
        for name in order.sequence():
            after = tuple(last[other] for other in sorted(before.get(name, ())))
            part = list(self.timed(region, nodes[name], after))
            last[name] = part[-1].name
            found += part
        return tuple(found)

    def timed(self, region: str, node: Node, after: tuple[str, ...]) -> Iterator[Step]:
        """The steps of a node, between events or markers if those are asked for."""
        if self.profiling != "kernel":
            yield from self.node(node, after)
            return
        ends: tuple[Event | System, Event | System]
        if region == TOP:
            ends = Event(f"{node.name}:start"), Event(f"{node.name}:stop")
        else:
            assert self.markers is not None
            place = (self.markers.address + 8 * self.markers.slots[node.name], len(self.markers.slots))
            arguments = (place[0], np.int32(place[1]))
            ends = System("mark_begin", arguments), System("mark_end", arguments)
        yield Step(f"{node.name}:start", ends[0], after)
        last = f"{node.name}:start"
        for step in self.node(node, (last,)):
            yield step
            last = step.name
        yield Step(f"{node.name}:stop", ends[1], (last,))

    def node(self, node: Node, after: tuple[str, ...]) -> Iterator[Step]:
        """The steps of a node without timing; the last one is the node's end."""
        if isinstance(node, Launch):
            yield Step(node.name, self.call(node), after)
        elif isinstance(node, Copy):
            what = Memcpy(self.address[node.target], self.address[node.source], self.plan.nbytes(node.source))
            yield Step(node.name, what, after)
        elif isinstance(node, Fill):
            fill = pattern(node.value, self.dtypes[node.target])
            count = self.plan.nbytes(node.target) // len(fill)
            yield Step(node.name, Memset(self.address[node.target], fill, count), after)
        else:
            begin, again = self.conditions(node)
            yield Step(f"{node.name}:begin", begin, after)
            body = self.block(node.name, node.body)
            if not isinstance(node, If):
                body = (*body, Step(f"{node.name}:again", again, ends(body)))
            kind: Literal["if", "while"] = "if" if isinstance(node, If) else "while"
            yield Step(node.name, Conditional(kind, body), (f"{node.name}:begin",))

    def conditions(self, node: If | While | For) -> tuple[System, System]:
        """The nodes that set a region's condition before the first iteration, and after each."""
        handle = Condition(node.name)
        if isinstance(node, For):
            arguments = (handle, self.address[node.index], np.int32(node.count))
            return System("start_loop", arguments), System("next_round", arguments)
        look = System("set_condition", (handle, self.address[node.condition]))
        return look, look

    def own(self, node: Node) -> Iterator[Step]:
        """The steps of a node that hold its parameters, without order and without what is in its body."""
        if not isinstance(node, Region):
            yield from self.node(node, ())
            return
        begin, again = self.conditions(node)
        yield Step(f"{node.name}:begin", begin, ())
        if not isinstance(node, If):
            yield Step(f"{node.name}:again", again, ())

    def call(self, node: Launch) -> Call:
        """A kernel's arguments, flattened as Numba passes them."""
        arguments: list[Any] = []
        ranks = []
        for parameter in node.kernel.parameters:
            value = node.arguments[parameter.name]
            if isinstance(parameter, Pin):
                shape = self.plan.shapes[str(value)]
                ranks.append(len(shape))
                arguments += array_arguments(self.address[str(value)], shape, parameter.dtype.itemsize)
            else:
                assert not isinstance(value, str)
                arguments.append(number(value, parameter.dtype))
        grid = grid_of(node, self.plan.shapes.__getitem__)
        return Call(node.kernel, tuple(ranks), grid, node.threads, node.shared, tuple(arguments))


def grid_of(node: Launch, shape_of: Callable[[str], tuple[int, ...]]) -> int:
    """Blocks of a launch."""
    if not isinstance(node.blocks, Cover):
        return node.blocks
    elements = math.prod(shape_of(node.blocks.buffer))
    return min(max(-(-elements // node.threads), 1), node.blocks.most)


def array_arguments(address: int, shape: tuple[int, ...], itemsize: int) -> list[int]:
    """An array as Numba's kernels take it: no owner, elements, bytes an element, address, shape, strides."""
    strides = [itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return [0, 0, math.prod(shape), itemsize, address, *shape, *strides]


def ends(block: Sequence[Step]) -> tuple[str, ...]:
    """The steps that no other waits for."""
    waited = {name for step in block for name in step.after}
    return tuple(step.name for step in block if step.name not in waited)


def reduced(edges: Sequence[Edge], sequence: Sequence[str]) -> list[Edge]:
    """The edges that no way of others replaces. O(n * m) for blocks of n nodes and m edges."""
    before: dict[str, set[str]] = {}
    for first, second in edges:
        before.setdefault(second, set()).add(first)
    above: dict[str, set[str]] = {}
    kept = []
    for name in sequence:
        near = before.get(name, set())
        far = set().union(*(above[other] for other in near)) if near else set()
        above[name] = near | far
        kept += [(first, name) for first in sorted(near - far)]
    return kept
