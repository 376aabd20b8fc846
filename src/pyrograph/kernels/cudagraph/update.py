"""Updates of an executable after its program changed: classified first, then applied.

| change | level |
|---|---|
| content of an external array | none: the data is on the device already |
| scalar argument, value of a fill, rounds of a For | hot: new parameters for the nodes concerned |
| external array elsewhere, same shape (rebind) | warm: new addresses |
| sizes (resize) | warm, and a larger arena if the old one is too small |
| blocks, threads, shared memory of a launch | warm |
| node, edge or region added or removed; a buffer of another type; code of a kernel | cold: the graph is built anew |

Sizes that make a fill or a copy appear or vanish (from or to no elements) are cold, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from pyrograph.kernels.cudagraph import shapes
from pyrograph.kernels.cudagraph.device import described
from pyrograph.kernels.cudagraph.instantiate import Binding, Executable, Made, bind
from pyrograph.kernels.cudagraph.lower import lower
from pyrograph.kernels.cudagraph.planning import plan
from pyrograph.kernels.cudagraph.problems import CompileError
from pyrograph.kernels.cudagraph.program import (
    TOP,
    Block,
    Copy,
    Fill,
    For,
    If,
    Launch,
    Node,
    Program,
    Region,
    Touched,
    While,
    blocks,
    buffers,
    touched,
)
from pyrograph.kernels.cudagraph.schedule import dependencies
from pyrograph.kernels.cudagraph.steps import Conditional, Step, marked, outline, parameters, steps, walk
from pyrograph.kernels.cudagraph.validate import Limits


class Level(IntEnum):
    """How much a change costs; a combination costs the most of its parts."""

    NONE = 0
    HOT = 1
    WARM = 2
    COLD = 3


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One thing that changed."""

    level: Level
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Update:
    """All that changed."""

    changes: tuple[Change, ...]

    @property
    def level(self) -> Level:
        """The kind of update that this change needs."""
        return max((change.level for change in self.changes), default=Level.NONE)


def classify(old: Binding, new: Binding) -> Update:
    """The changes between two states of a program, each with the kind of update that it needs. Pure."""
    changes = list(_programs(old.program, new.program))
    for name in sorted(old.address.keys() & new.address.keys()):
        if old.address[name] != new.address[name]:
            changes.append(Change(Level.WARM, name, "rebound"))
    if not same_sizes(old, new) and not any(change.level == Level.COLD for change in changes):
        changes += _resized(old, new)
    return Update(tuple(sorted(changes, reverse=True)))


def same_sizes(old: Binding, new: Binding) -> bool:
    """Whether no buffer can have changed its shape."""
    return old.sizes == new.sizes and buffers(old.program) == buffers(new.program)


def apply(executable: Executable, program: Program, arrays: Mapping[str, Any]) -> Update:
    """Make an executable run another state of its program; as little as ``classify`` says is done.

    Raises:
        ProgramError, CompileError, LimitError, BackendError: The new state cannot be compiled. The executable still
            runs the old one.
    """
    binding = bind(program, arrays)
    update = classify(executable.made.binding, binding)
    if update.level == Level.NONE:
        executable.made.arrays = dict(arrays)
        return update
    if update.level == Level.COLD or executable.how == "stream":
        executable.replace(executable.make(binding, arrays))
        return update
    made = _retuned(executable, binding, arrays)
    if made is None:
        executable.replace(executable.make(binding, arrays))
        return Update((Change(Level.COLD, program.name, "the driver's graph has another form"), *update.changes))
    return update


def _retuned(executable: Executable, binding: Binding, arrays: Mapping[str, Any]) -> Made | None:
    """The instantiated graph with new parameters; None where its form would have to change."""
    old = executable.made
    same = same_sizes(old.binding, binding)
    if same:
        planned = replace(old.plan, program=lower(binding.program))
    else:
        limits = Limits(memory=executable.tools.free_memory() + old.plan.placement.size)
        planned = plan(binding.program, binding.sizes, limits, like=old.plan)
    arena = old.arena
    if planned.placement.size > described(arena)[1][0]:
        arena = executable.tools.arena(planned.placement.size)
    address = {**binding.address, TOP: described(arena)[0]}
    marks = executable.marks(marked(planned.program), old.markers)
    graph = old.graph
    try:
        if same and old.binding.address == binding.address:
            some = list(parameters(planned, address, _changed(old.binding.program, binding.program)))
        else:
            graph = steps(planned, address, executable.profiling, marks)
            some = list(walk(graph))
    except (ValueError, KeyError):
        plan(binding.program, binding.sizes)  # says all that is wrong
        raise
    if not same and outline(graph) != outline(old.graph):  # a fill or copy of nothing is a node of another kind
        return None
    before = old.current
    changed = [step for step in some if not isinstance(step.what, Conditional) and step.what != before[step.name].what]
    executable.synchronize()  # the old arena may be in use
    done: list[Step] = []
    try:
        for step in changed:
            executable.change(step)
            done.append(step)
    except CompileError:
        raise
    except Exception:  # the driver's word; which changes it takes depends on its version
        for step in done:
            executable.change(before[step.name])
        return None
    current = {**before, **{step.name: step for step in changed}}
    made = replace(old, binding=binding, plan=planned, arrays=dict(arrays), arena=arena, graph=graph, current=current)
    executable.made = made
    return made


def _changed(old: Program, new: Program) -> set[str]:
    """Nodes that are not what they were."""
    before = {node.name: node for _, block in blocks(old) for node in block.nodes}
    return {node.name for _, block in blocks(new) for node in block.nodes if node != before[node.name]}


def _programs(old: Program, new: Program) -> Iterator[Change]:
    before, after = dict(blocks(old)), dict(blocks(new))
    for region in before.keys() & after.keys():
        yield from _blocks(before[region], after[region])
    for name, buffer in buffers(old).items():
        other = buffers(new).get(name)
        if other is None:
            yield Change(Level.COLD, name, "buffer removed")
        elif (buffer.dtype, buffer.lifetime) != (other.dtype, other.lifetime):
            yield Change(Level.COLD, name, "buffer of another type or lifetime")
    for name in buffers(new).keys() - buffers(old).keys():
        yield Change(Level.COLD, name, "buffer added")


def _blocks(old: Block, new: Block) -> Iterator[Change]:
    before, after = ({node.name: node for node in block.nodes} for block in (old, new))
    for names, nodes, verb in (
        (before.keys() - after.keys(), before, "removed"),
        (after.keys() - before.keys(), after, "added"),
    ):
        for name in names:
            yield Change(Level.COLD, name, f"{'region' if isinstance(nodes[name], Region) else 'node'} {verb}")
    changed = [name for name in before.keys() & after.keys() if before[name] != after[name]]
    if before.keys() == after.keys() and any(_joins(before[name]) != _joins(after[name]) for name in changed):
        one, other = set(dependencies(old)), set(dependencies(new))
        for edges, verb in ((one - other, "removed"), (other - one, "added")):
            for first, second in edges:
                yield Change(Level.COLD, f"{first} -> {second}", f"edge {verb}")
    for name in changed:
        yield from _nodes(before[name], after[name])


def _joins(node: Node) -> tuple[Touched, tuple[str, ...]]:
    """The origins of a node's edges."""
    return touched(node), node.after


def _nodes(old: Node, new: Node) -> Iterator[Change]:
    name = new.name
    if type(old) is not type(new):
        yield Change(Level.COLD, name, "another kind of node")
    elif isinstance(old, Launch) and isinstance(new, Launch):
        yield from _launches(old, new)
    elif isinstance(old, Copy) and isinstance(new, Copy):
        if (old.source, old.target) != (new.source, new.target):
            yield Change(Level.COLD, name, "edge moved to another buffer")
    elif isinstance(old, Fill) and isinstance(new, Fill):
        if old.target != new.target:
            yield Change(Level.COLD, name, "edge moved to another buffer")
        if old.value != new.value:
            yield Change(Level.HOT, name, "value")
    elif isinstance(old, For) and isinstance(new, For):
        if old.index != new.index:
            yield Change(Level.COLD, name, "edge moved to another buffer")
        if old.count != new.count:
            yield Change(Level.HOT, name, "rounds")
    elif isinstance(old, If | While) and isinstance(new, If | While) and old.condition != new.condition:
        yield Change(Level.COLD, name, "edge moved to another buffer")


def _launches(old: Launch, new: Launch) -> Iterator[Change]:
    one, other = old.kernel, new.kernel
    if one is not other and (one.function is not other.function or one.parameters != other.parameters):
        yield Change(Level.COLD, new.name, "code of the kernel")
        return
    for parameter in other.parameters:
        before, after = old.arguments.get(parameter.name), new.arguments.get(parameter.name)
        if before != after:
            edge = isinstance(before, str) or isinstance(after, str)
            what = "edge moved to another buffer" if edge else "scalar"
            yield Change(Level.COLD if edge else Level.HOT, f"{new.name}.{parameter.name}", what)
    if (old.blocks, old.threads, old.shared) != (new.blocks, new.threads, new.shared):
        yield Change(Level.WARM, new.name, "size of the grid")


def _resized(old: Binding, new: Binding) -> Iterator[Change]:
    """Buffers of another shape; both programs have the same nodes."""
    before, after = (shapes.infer(lower(state.program), state.sizes)[0] for state in (old, new))
    set_or_copied = {
        name
        for _, block in blocks(lower(new.program))
        for node in block.nodes
        if isinstance(node, Copy | Fill)
        for name in ([node.target] if isinstance(node, Fill) else [node.source, node.target])
    }
    for name in sorted(before.keys() & after.keys()):
        one, other = before[name], after[name]
        if len(one) != len(other):
            yield Change(Level.COLD, name, "another number of dimensions, which kernels are compiled for")
        elif one != other:
            vanishes = name in set_or_copied and (0 in one) != (0 in other)
            yield Change(Level.COLD if vanishes else Level.WARM, name, "resized")
