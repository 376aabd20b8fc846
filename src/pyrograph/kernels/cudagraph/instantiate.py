"""The executable: a graph with its memory, ready to be launched any number of times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pyrograph.kernels.cudagraph import shapes
from pyrograph.kernels.cudagraph.build import Built, build, launch_of
from pyrograph.kernels.cudagraph.device import Toolkit, check_driver, described, toolkit
from pyrograph.kernels.cudagraph.planning import Plan, plan
from pyrograph.kernels.cudagraph.problems import CompileError, Problem, ProgramError
from pyrograph.kernels.cudagraph.profile import NodeTime, Profile, from_markers
from pyrograph.kernels.cudagraph.program import TOP, Program, buffers
from pyrograph.kernels.cudagraph.steps import (
    Call,
    Markers,
    Memcpy,
    Memset,
    Profiling,
    Step,
    System,
    marked,
    steps,
    walk,
)
from pyrograph.kernels.cudagraph.stream import Stream
from pyrograph.kernels.cudagraph.validate import Limits
from pyrograph.kernels.errors import BackendError

How = Literal["auto", "graph", "stream"]


@dataclass(frozen=True, slots=True)
class Binding:
    """A program and the external arrays it is bound to."""

    program: Program
    sizes: Mapping[str, int]
    address: Mapping[str, int]  # of each external buffer


def bind(program: Program, arrays: Mapping[str, Any]) -> Binding:
    """Check arrays against a program's external buffers.

    Raises:
        ProgramError: An array is missing, or has the wrong type, shape or strides; all such problems.
    """
    problems, found, address = [], {}, {}
    for name, buffer in buffers(program).items():
        if buffer.lifetime == "external" and name in arrays:
            try:
                address[name], found[name], dtype = described(arrays[name])
            except ValueError as error:
                problems.append(Problem(name, str(error)))
                continue
            if dtype != buffer.dtype:
                problems.append(Problem(name, f"an array of {dtype} was given for {buffer.dtype}"))
    if problems:
        raise ProgramError(problems)
    return Binding(program, shapes.bind(program, found), address)


@dataclass(slots=True)
class Made:
    """All that belongs to one instantiated graph; replaced as a whole, so that a failure leaves the old one."""

    binding: Binding
    plan: Plan
    arrays: Mapping[str, Any]  # kept alive
    arena: Any
    markers: Any
    graph: tuple[Step, ...]  # as it was built
    current: Mapping[str, Step]  # the steps with parameters, as they are since the last update
    built: Built | None  # None where the host launches the steps
    run: Any  # cuda.core's Graph, or a Stream


class Executable:
    """A compiled program.

    ``how`` says whether one graph launch runs it ("graph") or the host launches node by node ("stream"); ``why`` is
    empty, or what kept it from being a graph.
    """

    def __init__(
        self,
        program: Program,
        arrays: Mapping[str, Any],
        *,
        profiling: Profiling = "off",
        how: How = "auto",
        every: int = 1,
    ) -> None:
        """See ``compile``."""
        self.profiling = profiling
        self.how: Literal["graph", "stream"] = "stream" if how == "stream" else "graph"
        self.why = ""
        self.launches = 0
        self.tools: Toolkit = toolkit()
        self._every = every
        self.stream = self.tools.stream()
        self._around = None if profiling == "off" else (self.tools.timed_event(), self.tools.timed_event())
        binding = bind(program, arrays)
        try:
            self.made = self.make(binding, arrays)
        except CompileError:
            raise  # without its kernels nothing runs, whichever way
        except BackendError as error:
            if how != "auto":
                raise
            self.how, self.why = "stream", str(error)
            self.made = self.make(binding, arrays)

    @property
    def plan(self) -> Plan:
        """The numbers of the program."""
        return self.made.plan

    def make(self, binding: Binding, arrays: Mapping[str, Any]) -> Made:
        """Everything for a graph, without touching the one that is there."""
        if self.how == "graph":
            check_driver(self.tools.driver_version())
        planned = plan(binding.program, binding.sizes, Limits(memory=self.tools.free_memory()))
        arena = self.tools.arena(planned.placement.size)
        columns = marked(planned.program)
        markers = None
        if self.profiling == "kernel" and columns:
            markers = self.tools.cuda.to_device(np.zeros((3, len(columns)), np.uint64))
        address = {**binding.address, TOP: described(arena)[0]}
        graph = steps(planned, address, self.profiling, self.marks(columns, markers))
        current = {step.name: step for step in walk(graph)}
        if self.how == "stream":
            run = Stream(graph, self.tools, self.stream, every=self._every)
            return Made(binding, planned, dict(arrays), arena, markers, graph, current, None, run)
        built = build(graph, self.tools)
        try:
            run = built.definition.instantiate()
            run.upload(self.stream)
        except Exception as error:
            raise BackendError(f"the driver does not take the graph of {binding.program.name!r}: {error}") from error
        return Made(binding, planned, dict(arrays), arena, markers, graph, current, built, run)

    def marks(self, columns: Mapping[str, int], markers: Any) -> Markers | None:
        """Where the steps' markers write."""
        return Markers(0 if markers is None else described(markers)[0], columns) if self.profiling == "kernel" else None

    def launch(self) -> None:
        """Start the program on ``stream`` and return; launches of one executable run one after the other.

        What Numba copied before on the default stream is seen; ``synchronize`` before reading results otherwise.
        """
        if self._around is not None:
            self.stream.record(self._around[0])
        if self.how == "graph":
            self.made.run.launch(self.stream)
        else:
            self.made.run.launch()
        if self._around is not None:
            self.stream.record(self._around[1])
        self.launches += 1

    def synchronize(self) -> None:
        """Wait until all launches are done.

        Raises:
            BackendError: A kernel failed on the device.
        """
        try:
            self.stream.sync()
        except Exception as error:
            raise BackendError(f"program {self.made.binding.program.name!r} failed on the device: {error}") from error

    def change(self, step: Step) -> None:
        """Give a node of the instantiated graph new parameters."""
        made = self.made
        assert made.built is not None
        node, what = made.run[made.built.nodes[step.name]], step.what
        if isinstance(what, Call | System):
            config, kernel, arguments = launch_of(what, made.built.conditions, self.tools)
            node.update(config=config, kernel=kernel, args=arguments)
        elif isinstance(what, Memset):
            node.update(dst=what.target, value=what.pattern, width=what.count)
        elif isinstance(what, Memcpy):
            node.update(dst=what.target, src=what.source, size=what.size)

    def replace(self, made: Made) -> None:
        """Use another graph from now on, and let go of the old one once it is done."""
        self.synchronize()
        old, self.made = self.made, made
        if old.built is not None and old.run is not made.run:
            old.run.close()

    def profile(self) -> Profile:
        """The times measured up to the last launch; waits for it."""
        self.synchronize()
        name = self.made.binding.program.name
        if self._around is None or not self.launches:
            return Profile(name, self.launches, 0.0)
        total = self._around[1] - self._around[0]
        return Profile(name, self.launches, total, self._nodes())

    def _nodes(self) -> tuple[NodeTime, ...]:
        made = self.made
        if made.built is None:
            return ()
        events = made.built.events
        starts = [name.removesuffix(":start") for name in events if name.endswith(":start")]
        found = [NodeTime(name, events[f"{name}:stop"] - events[f"{name}:start"], 1, "events") for name in starts]
        if made.markers is not None:
            found += from_markers(list(marked(made.plan.program)), made.markers.copy_to_host().tolist())
        return tuple(found)

    def nodes(self) -> int:
        """Nodes of the driver's graph, those of bodies included."""
        return sum(1 for _ in walk(self.made.graph))

    def close(self) -> None:
        """Give back the graph and its memory, after the last launch is done."""
        self.stream.sync()
        if self.made.built is not None:
            self.made.run.close()
        self.made.arena = self.made.markers = self.made.run = self.made.built = None
        self.made.arrays = {}
