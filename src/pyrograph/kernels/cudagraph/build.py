"""Steps to the driver's graph, node by node; every node is kept by its name, so that it can be updated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyrograph.kernels.cudagraph.device import Toolkit, native
from pyrograph.kernels.cudagraph.steps import Call, Condition, Conditional, Event, Memcpy, Memset, Step, System


@dataclass(slots=True)
class Built:
    """A graph that has not been instantiated; a graph with loops can be, once at a time."""

    definition: Any
    nodes: dict[str, Any] = field(default_factory=dict)
    conditions: dict[str, Any] = field(default_factory=dict)
    events: dict[str, Any] = field(default_factory=dict)


def build(graph: Sequence[Step], tools: Toolkit) -> Built:
    """Make the driver's graph.

    Raises:
        CompileError: A kernel does not compile; all kernels are compiled before anything is built.
    """
    _compile(graph, tools)
    built = Built(tools.graphs.GraphDefinition())
    _block(graph, built.definition, built, tools)
    return built


def launch_of(what: Call | System, conditions: dict[str, Any], tools: Toolkit) -> tuple[Any, Any, tuple[Any, ...]]:
    """(configuration, kernel, arguments) as ``cuda.core`` takes them."""
    arguments = tuple(
        conditions[argument.region] if isinstance(argument, Condition) else native(argument)
        for argument in what.arguments
    )
    if isinstance(what, System):
        return tools.config(grid=1, block=1), tools.system(what.entry), arguments
    config = tools.config(grid=what.blocks, block=what.threads, shmem_size=what.shared)
    return config, tools.compiled(what.kernel, what.ranks), arguments


def _compile(graph: Sequence[Step], tools: Toolkit) -> None:
    for step in graph:
        if isinstance(step.what, Call):
            tools.compiled(step.what.kernel, step.what.ranks)
        elif isinstance(step.what, System):
            tools.system(step.what.entry)
        elif isinstance(step.what, Conditional):
            _compile(step.what.body, tools)


def _block(graph: Sequence[Step], definition: Any, built: Built, tools: Toolkit) -> None:
    for step in graph:
        before = [built.nodes[name] for name in step.after]
        start = before[0] if before else definition
        what = step.what
        if isinstance(what, Call | System):
            for argument in what.arguments:
                if isinstance(argument, Condition) and argument.region not in built.conditions:
                    built.conditions[argument.region] = definition.create_condition()
            config, kernel, arguments = launch_of(what, built.conditions, tools)
            node = start.launch(config, kernel, *arguments)
        elif isinstance(what, Memset):
            node = start.memset(what.target, what.pattern, what.count) if what.count else _nothing(start, definition)
        elif isinstance(what, Memcpy):
            node = start.memcpy(what.target, what.source, what.size) if what.size else _nothing(start, definition)
        elif isinstance(what, Event):
            built.events[what.name] = tools.timed_event()
            node = start.record(built.events[what.name])
        elif what.kind == "if":
            node = start.if_then(built.conditions[step.name])
            _block(what.body, node.then, built, tools)
        else:
            node = start.while_loop(built.conditions[step.name])
            _block(what.body, node.body, built, tools)
        for other in before[1:]:
            node.pred.add(other)
        built.nodes[step.name] = node


def _nothing(start: Any, definition: Any) -> Any:
    """A node that does nothing, where no byte is to be set or copied."""
    return definition.empty() if start is definition else start.join()
