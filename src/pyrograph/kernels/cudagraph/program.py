"""Programs: kernels, copies and fills over named buffers, in blocks that regions repeat or skip.

Everything here is plain data that compares by value (kernels by identity), so that two programs can be compared by
``update.classify``. Names are unique in a program, for buffers and for nodes. What runs before what follows from the
buffers: nodes of a block that touch the same buffer, and do not both only read it, keep the order in which they stand
there. ``after`` adds order where no buffer implies it.

* A buffer outlives the launch (``external``: the caller's array), lives somewhere within a launch (``graph``), or
  within one round of one region (``region``).
* What stands in a graph or region buffer before something is written to it is undefined; reading it is an error. So a
  value that a loop carries from round to round stands in a buffer of the block around the loop.
* Buffers that a region is the first to write are zero before it (``lower``): its body may never run.
* A condition is an int32 buffer; its first element is read before an ``If``, and before each round of a ``While``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Lifetime = Literal["external", "graph", "region"]
Access = Literal["read", "write", "update"]  # update: reads what was there, and writes
Number = int | float

TOP = ""  # the name of the block that is no region's body


@dataclass(frozen=True, slots=True)
class Buffer:
    """A C-contiguous array on the device."""

    name: str
    dtype: np.dtype[Any]
    shape: str | None  # as "[n + 1, 4]"; None: what the first node that writes it says
    lifetime: Lifetime


@dataclass(frozen=True, slots=True)
class Pin:
    """A parameter of a kernel that is an array.

    ``shape`` of a pin that is read is a pattern, "[N, 16]", which binds names, or "" for any. Of a pin that is written
    it is a rule: "same" (as the first input), "same(1)", "broadcast(0,1)", "[N, 16]", or "" for any. Inputs are the
    pins with access read or update, counted from 0; where nothing else binds it, N is the first dimension of input 0.
    """

    name: str
    dtype: np.dtype[Any]
    access: Access
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A parameter of a kernel that is a number."""

    name: str
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A function for the device and what its parameters mean, in its own order."""

    name: str
    function: Any  # made by ``numba.cuda.jit``; a plain function of arrays for the host loop
    parameters: tuple[Pin | Scalar, ...]


@dataclass(frozen=True, slots=True)
class Cover:
    """As many blocks as a thread per element of a buffer takes, at most ``most``; kernels stride over the rest."""

    buffer: str
    most: int = 1024


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel node."""

    name: str
    kernel: Kernel
    arguments: Mapping[str, str | Number]  # parameter to buffer name or number
    blocks: int | Cover = 1
    threads: int = 1
    shared: int = 0  # bytes of dynamic shared memory
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """Copies a whole buffer to another of the same type and size."""

    name: str
    source: str
    target: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fill:
    """Sets every element of a buffer; of an 8-byte type both halves of the value must be alike (0, -1, ...)."""

    name: str
    target: str
    value: Number = 0
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Buffers and the nodes over them."""

    buffers: tuple[Buffer, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Runs its body once if the condition is not 0."""

    name: str
    condition: str
    body: Block
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    """Runs its body as long as the condition is not 0; the body is expected to change it."""

    name: str
    condition: str
    body: Block
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """Runs its body ``count`` times; ``index`` is an int32 buffer in which the body finds the number of its round."""

    name: str
    count: int
    index: str
    body: Block
    after: tuple[str, ...] = ()


Region = If | While | For
Node = Launch | Copy | Fill | If | While | For


@dataclass(frozen=True, slots=True)
class Program:
    """A block with a name."""

    name: str
    block: Block


def blocks(program: Program) -> Iterator[tuple[str, Block]]:
    """Every block with the name of its region, the outer ones first."""
    waiting = [(TOP, program.block)]
    while waiting:
        name, block = waiting.pop(0)
        yield name, block
        waiting += [(node.name, node.body) for node in block.nodes if isinstance(node, Region)]


def buffers(program: Program) -> dict[str, Buffer]:
    """Every buffer by its name; of equal names the first."""
    found: dict[str, Buffer] = {}
    for _, block in blocks(program):
        for buffer in block.buffers:
            found.setdefault(buffer.name, buffer)
    return found


@dataclass(frozen=True, slots=True)
class Touched:
    """The buffers a node reads and those it writes; of a region, those of its block's outside only."""

    reads: frozenset[str]
    writes: frozenset[str]  # a buffer that is updated stands in both


def touched(node: Node) -> Touched:
    """The buffers that a node reads and writes."""
    if isinstance(node, Copy):
        return Touched(frozenset([node.source]), frozenset([node.target]))
    if isinstance(node, Fill):
        return Touched(frozenset(), frozenset([node.target]))
    if isinstance(node, Launch):
        reads, writes = set(), set()
        for pin in node.kernel.parameters:
            name = node.arguments.get(pin.name)
            if isinstance(pin, Pin) and isinstance(name, str):
                if pin.access != "write":
                    reads.add(name)
                if pin.access != "read":
                    writes.add(name)
        return Touched(frozenset(reads), frozenset(writes))
    inner = [touched(child) for child in node.body.nodes]
    own = {buffer.name for buffer in node.body.buffers}
    reads = set().union(*(one.reads for one in inner)) - own
    writes = set().union(*(one.writes for one in inner)) - own
    if isinstance(node, For):
        writes.add(node.index)
        reads.discard(node.index)  # the region itself writes it before the body reads it
    else:
        reads.add(node.condition)
    return Touched(frozenset(reads), frozenset(writes))


@dataclass(slots=True)
class _Open:
    buffers: list[Buffer] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)


class Builder:
    """Writes a program node by node; methods return the names that other methods take.

    >>> build = Builder("twice")
    >>> x = build.external("x", np.int32, "[n]")
    >>> y = build.buffer("y", np.int32, "[n]")
    >>> build.copy(x, y)
    'copy'
    >>> program = build.program()
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack = [_Open()]
        self._used: dict[str, int] = {}

    def external(self, name: str, dtype: Any, shape: str) -> str:
        """A buffer that the caller brings to each launch."""
        return self._declare(name, dtype, shape, "external")

    def buffer(self, name: str, dtype: Any, shape: str | None = None) -> str:
        """A buffer of the block being written: of the launch at top level, of a round within a region."""
        return self._declare(name, dtype, shape, "graph" if len(self._stack) == 1 else "region")

    def launch(
        self,
        kernel: Kernel,
        *,
        blocks: int | Cover = 1,
        threads: int = 1,
        shared: int = 0,
        name: str = "",
        after: tuple[str, ...] = (),
        **arguments: str | Number,
    ) -> str:
        """A kernel; ``arguments`` are named as its parameters."""
        node = Launch(self._named(name or kernel.name), kernel, arguments, blocks, threads, shared, after)
        return self._add(node)

    def copy(self, source: str, target: str, *, name: str = "", after: tuple[str, ...] = ()) -> str:
        """A copy of a whole buffer."""
        return self._add(Copy(self._named(name or "copy"), source, target, after))

    def fill(self, target: str, value: Number = 0, *, name: str = "", after: tuple[str, ...] = ()) -> str:
        """A buffer set to one value."""
        return self._add(Fill(self._named(name or f"fill {target}"), target, value, after))

    @contextmanager
    def when(self, condition: str, *, name: str = "if", after: tuple[str, ...] = ()) -> Iterator[str]:
        """An If region around the nodes that follow."""
        label = self._named(name)
        with self._inside() as inner:
            yield label
        self._add(If(label, condition, self._closed(inner), after))

    @contextmanager
    def loop(self, condition: str, *, name: str = "while", after: tuple[str, ...] = ()) -> Iterator[str]:
        """A While region around the nodes that follow."""
        label = self._named(name)
        with self._inside() as inner:
            yield label
        self._add(While(label, condition, self._closed(inner), after))

    @contextmanager
    def repeat(self, count: int, *, name: str = "for", after: tuple[str, ...] = ()) -> Iterator[str]:
        """A For region around the nodes that follow; gives the name of the buffer with the number of the round."""
        label = self._named(name)
        index = self._declare(f"{label}.index", np.int32, "[1]", "graph" if len(self._stack) == 1 else "region")
        with self._inside() as inner:
            yield index
        self._add(For(label, count, index, self._closed(inner), after))

    def program(self) -> Program:
        """The program as written so far."""
        (top,) = self._stack
        return Program(self._name, self._closed(top))

    def _declare(self, name: str, dtype: Any, shape: str | None, lifetime: Lifetime) -> str:
        self._stack[-1].buffers.append(Buffer(name, np.dtype(dtype), shape, lifetime))
        return name

    def _named(self, name: str) -> str:
        count = self._used[name] = self._used.get(name, 0) + 1
        return name if count == 1 else f"{name} {count}"

    def _add(self, node: Node) -> str:
        self._stack[-1].nodes.append(node)
        return node.name

    @contextmanager
    def _inside(self) -> Iterator[_Open]:
        inner = _Open()
        self._stack.append(inner)
        yield inner
        self._stack.pop()

    @staticmethod
    def _closed(block: _Open) -> Block:
        return Block(tuple(block.buffers), tuple(block.nodes))
