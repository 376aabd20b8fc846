"""A pytest plugin for ``sanitize_gpu.py``: launch CUDA graphs in a way that compute-sanitizer can follow.

The tool's list of allocations on the device may be older than a graph with conditional nodes that is launched right
after an allocation. It then reports accesses inside that allocation as out of bounds ("is inside the nearest
allocation"), or crashes the process. Other projects see the same (NVIDIA/warp#1406). So the plugin waits for the device
after each allocation of an arena and before each launch of a program.

With ``SANITIZED_STREAMS=1`` the host launches the nodes of each graph one by one. Kernels, arguments, memory and order
are those of the graph, only the driver's graph is left out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pyrograph.kernels.cudagraph.device import Toolkit
from pyrograph.kernels.cudagraph.instantiate import Executable
from pyrograph.kernels.cudagraph.steps import Conditional, Step
from pyrograph.kernels.cudagraph.stream import Stream

STREAMS = "SANITIZED_STREAMS"

_arena, _launch = Toolkit.arena, Executable.launch


def _arena_and_wait(self: Toolkit, nbytes: int) -> Any:
    made = _arena(self, nbytes)
    self.cuda.synchronize()
    return made


def _wait_and_launch(self: Executable) -> None:
    self.tools.cuda.synchronize()
    _launch(self)


def _launch_nodes(self: Executable) -> None:
    """As ``Executable.launch``, node by node where there is a graph."""
    if self.how != "graph":
        _wait_and_launch(self)
        return
    if self._around is not None:
        self.stream.record(self._around[0])
    nodes = _latest(self.made.graph, self.made.current)
    Stream(nodes, self.tools, self.stream, every=self._every).launch()
    if self._around is not None:
        self.stream.record(self._around[1])
    self.synchronize()
    self.launches += 1


def _latest(steps: Sequence[Step], current: Mapping[str, Step]) -> tuple[Step, ...]:
    """The steps of a graph with the parameters that updates gave them since it was built."""
    found = []
    for step in steps:
        step = current.get(step.name, step)
        if isinstance(step.what, Conditional):
            step = replace(step, what=replace(step.what, body=_latest(step.what.body, current)))
        found.append(step)
    return tuple(found)


def pytest_configure(config: pytest.Config) -> None:
    """Replace the launch for the whole session."""
    del config
    Toolkit.arena = _arena_and_wait  # type: ignore[method-assign]
    Executable.launch = _launch_nodes if os.environ.get(STREAMS) == "1" else _wait_and_launch  # type: ignore[method-assign]
