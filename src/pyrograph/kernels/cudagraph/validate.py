"""Is a program well formed? Every problem at once: what is wrong, where, and what to do about it.

Types, missing inputs, names, circles, what a device can launch, and shapes where sizes are given. Nothing here needs a
device.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from pyrograph.kernels.cudagraph import schedule, shapes
from pyrograph.kernels.cudagraph.problems import Problem
from pyrograph.kernels.cudagraph.program import (
    Block,
    Buffer,
    Copy,
    Cover,
    Fill,
    For,
    Launch,
    Node,
    Number,
    Pin,
    Program,
    Region,
    blocks,
    buffers,
    touched,
)

CONDITION = np.dtype(np.int32)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a device; these hold for every device that has conditional nodes."""

    threads: int = 1024  # a block
    blocks: int = (1 << 31) - 1
    shared: int = 48 << 10  # bytes a block may use without asking
    memory: int | None = None  # bytes of the arena; None: not known yet


def validate(program: Program, sizes: shapes.Sizes | None = None, limits: Limits | None = None) -> list[Problem]:
    """All that is wrong with a program; an empty list, or warnings alone, mean that it can be compiled.

    Args:
        sizes: What the names in shapes stand for; None leaves shapes unchecked.
    """
    check = _Check(buffers(program), limits or Limits())
    check.names(program)
    external = {name for name, buffer in check.buffers.items() if buffer.lifetime == "external"}
    for _, block in blocks(program):
        names = [node.name for node in block.nodes]
        circle = schedule.cycle(names, schedule.dependencies(block)) if len(set(names)) == len(names) else []
        if circle:
            check.problems.append(schedule.circle_problem(circle))
    check.block(program.block, set(external), set(external))
    check.used(program, external)
    if sizes is not None:
        check.problems += shapes.infer(program, sizes)[1]
    return sorted(check.problems, key=lambda problem: problem.severity != "error")


class _Check:
    def __init__(self, declared: Mapping[str, Buffer], limits: Limits) -> None:
        self.buffers = declared
        self.limits = limits
        self.problems: list[Problem] = []

    def say(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what))

    def warn(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what, "warning"))

    def names(self, program: Program) -> None:
        """Each name once, external buffers at top level."""
        nodes = Counter(node.name for _, block in blocks(program) for node in block.nodes)
        declared = Counter(buffer.name for _, block in blocks(program) for buffer in block.buffers)
        for what, counts in (("node", nodes), ("buffer", declared)):
            for name, count in counts.items():
                if count > 1:
                    self.say(name, f"{count} times the name of a {what}; give each its own")
        for name in nodes:
            if ":" in name:
                self.say(name, "has a colon, with which the compiler makes names of its own; leave it out")
        for name, block in blocks(program):
            if name and not block.nodes:
                self.say(name, "its body is empty; put a node into it or leave the region out")
            for buffer in block.buffers:
                if name and buffer.lifetime != "region":
                    self.say(buffer.name, f"is {buffer.lifetime} and declared in region {name!r}; declare it outside")

    def block(self, block: Block, visible: Set[str], written: Set[str]) -> None:
        """Types, inputs and launches of a block and of what is in it."""
        seen = set(visible) | {buffer.name for buffer in block.buffers}
        known = set(written)
        names = {node.name for node in block.nodes}
        for node in block.nodes:
            for other in node.after:
                if other not in names:
                    self.say(node.name, f"is to run after {other!r}, which is no node of its block")
            self.arguments(node, seen)
            self.inputs(node, seen, known)
            if isinstance(node, Region):
                # What a region is the first to write is zero before it, hence known inside.
                inside = known | (touched(node).writes & seen)
                self.block(node.body, seen, inside)
            known |= touched(node).writes

    def inputs(self, node: Node, visible: Set[str], written: Set[str]) -> None:
        """Nothing is read that nobody has written."""
        uses = touched(node)
        first = uses.writes if isinstance(node, Region) else frozenset[str]()
        for name in sorted((uses.reads & visible) - written - first):
            self.say(node.name, f"reads {name!r}, which nothing has written before; fill it, or write it first")

    def arguments(self, node: Node, visible: Set[str]) -> None:
        """Every buffer that a node names is there and has the right type."""
        if isinstance(node, Launch):
            self.launch(node, visible)
            return
        named: tuple[str, ...]
        if isinstance(node, Copy):
            named = (node.source, node.target)
        elif isinstance(node, Fill):
            named = (node.target,)
        else:
            named = (node.index,) if isinstance(node, For) else (node.condition,)
        if any(self.missing(node.name, name, visible) for name in named):
            return
        kinds = [self.buffers[name].dtype for name in named]
        if isinstance(node, Copy):
            if kinds[0] != kinds[1]:
                self.say(node.name, f"copies {node.source!r} of {kinds[0]} to {node.target!r} of {kinds[1]}")
            if node.source == node.target:
                self.say(node.name, f"copies {node.source!r} to itself")
        if isinstance(node, Fill):
            self.fill(node, kinds[0])
        if isinstance(node, Region) and kinds[0] != CONDITION:
            self.say(node.name, f"{named[0]!r} is {kinds[0]}, expected {CONDITION}")
        if isinstance(node, For) and node.count < 0:
            self.say(node.name, f"is to run {node.count} times")

    def fill(self, node: Fill, dtype: np.dtype[np.generic]) -> None:
        """The value fits, and can be set by words of four bytes."""
        try:
            pattern(node.value, dtype)
        except (ValueError, OverflowError) as error:
            self.say(node.name, str(error))

    def launch(self, node: Launch, visible: Set[str]) -> None:
        """Arguments as the kernel's parameters want them, and a shape the device takes."""
        parameters = {parameter.name: parameter for parameter in node.kernel.parameters}
        for name in sorted(set(node.arguments) - set(parameters)):
            self.say(node.name, f"has an argument {name!r}, but {node.kernel.name} takes {', '.join(parameters)}")
        for name, parameter in parameters.items():
            given = node.arguments.get(name)
            where = f"{node.name}.{name}"
            if given is None:
                self.say(where, f"nothing is connected; {node.kernel.name} needs it")
            elif isinstance(parameter, Pin):
                self.pin(where, parameter, given, visible)
            elif isinstance(given, str):
                self.say(where, f"is a number of type {parameter.dtype} and gets the buffer {given!r}")
            else:
                try:
                    number(given, parameter.dtype)
                except (ValueError, OverflowError) as error:
                    self.say(where, str(error))
        arrays = [p for p in node.kernel.parameters if isinstance(p, Pin)]
        given_to = Counter(node.arguments.get(pin.name) for pin in arrays)
        written = {node.arguments.get(pin.name) for pin in arrays if pin.access != "read"}
        for buffer in sorted(str(name) for name in written if isinstance(name, str) and given_to[name] > 1):
            self.say(node.name, f"gives {buffer!r} to several parameters, one of which writes it")
        self.resources(node)

    def pin(self, where: str, pin: Pin, given: str | Number, visible: Set[str]) -> None:
        """One array argument."""
        if not isinstance(given, str):
            self.say(where, f"is an array of {pin.dtype} and gets the number {given!r}")
        elif not self.missing(where, given, visible) and self.buffers[given].dtype != pin.dtype:
            self.say(where, f"is an array of {pin.dtype} and gets {given!r} of {self.buffers[given].dtype}")

    def resources(self, node: Launch) -> None:
        """The kernel can be called so, and the device can launch so much."""
        wanted = parameters_of(node.kernel.function)
        if wanted is not None and wanted != len(node.kernel.parameters):
            what = f"kernel {node.kernel.name!r} describes {len(node.kernel.parameters)} parameters, its function has"
            self.say(node.name, f"{what} {wanted}")
        for what, value, most in (
            ("threads a block", node.threads, self.limits.threads),
            ("blocks", node.blocks.most if isinstance(node.blocks, Cover) else node.blocks, self.limits.blocks),
        ):
            if not 1 <= value <= most:
                self.say(node.name, f"{value:,} {what}, expected 1 to {most:,}")
        if not 0 <= node.shared <= self.limits.shared:
            self.say(node.name, f"{node.shared:,} bytes of shared memory, expected 0 to {self.limits.shared:,}")
        if isinstance(node.blocks, Cover) and node.blocks.buffer not in self.buffers:
            self.say(node.name, f"covers {node.blocks.buffer!r}, which is no buffer")

    def missing(self, where: str, name: str, visible: Set[str]) -> bool:
        """Say that a buffer cannot be seen from a node."""
        if name in visible:
            return False
        reason = "is declared in another region" if name in self.buffers else "is no buffer"
        self.say(where, f"names {name!r}, which {reason}")
        return True

    def used(self, program: Program, external: Set[str]) -> None:
        """Warn of what has no effect."""
        touches = [touched(node) for _, block in blocks(program) for node in block.nodes]
        read = {name for uses in touches for name in uses.reads}
        for name, buffer in self.buffers.items():
            if not any(name in uses.reads | uses.writes for uses in touches):
                self.warn(name, f"this {buffer.lifetime} buffer is never used")
        for _, block in blocks(program):
            for node in block.nodes:
                writes = touched(node).writes
                if writes and not writes & (read | external) and not isinstance(node, Region):
                    self.warn(node.name, f"is dead: nothing reads {', '.join(sorted(writes))}")


def number(value: Number, dtype: np.dtype[np.generic]) -> np.generic:
    """A Python number as one of the device's type.

    Raises:
        ValueError: It does not fit.
    """
    try:
        fits = np.array(value, dtype)
    except OverflowError:
        raise ValueError(f"{value} does not fit {dtype}") from None
    if dtype.kind in "iu" and int(fits) != value:
        raise ValueError(f"{value} does not fit {dtype}")
    return dtype.type(value)


def pattern(value: Number, dtype: np.dtype[np.generic]) -> bytes:
    """The 1, 2 or 4 bytes that, repeated, fill an array with a value.

    Raises:
        ValueError: The value does not fit the type, or needs 8 bytes that are not twice the same 4.
    """
    whole = number(value, dtype).tobytes()
    if len(whole) <= 4:
        return whole
    if len(whole) == 8 and whole[:4] == whole[4:]:
        return whole[:4]
    raise ValueError(f"a fill cannot set {dtype} to {value}, whose halves differ; use a kernel")


def parameters_of(function: object) -> int | None:
    """The number of parameters of a kernel's function; None if it is unknown."""
    try:
        return len(inspect.signature(getattr(function, "py_func", function)).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
