"""A pytest plugin for ``sanitize_gpu.py``: the host launches the nodes of each CUDA graph one by one.

compute-sanitizer does not follow the bodies of conditional nodes (loops and branches in graphs); ``bench/README.md``
says what it reports there. Under the plugin a program is planned, built and updated as a graph, and the launch runs the
graph's nodes on a stream: the same kernels and fills with the same arguments, memory and order. The driver's graph
itself is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import pytest

from pyrograph.kernels.cudagraph.instantiate import Executable
from pyrograph.kernels.cudagraph.steps import Conditional, Step
from pyrograph.kernels.cudagraph.stream import Stream

_launch = Executable.launch
_streams: WeakKeyDictionary[Executable, tuple[tuple[Step, ...], Stream]] = (
    WeakKeyDictionary()
)  # used by the last launch


def _launch_nodes(self: Executable) -> None:
    """As ``Executable.launch``, node by node where there is a graph; waits for the last one."""
    if self.how != "graph":
        _launch(self)
        return
    if self._around is not None:
        self.stream.record(self._around[0])
    nodes = _latest(self.made.graph, self.made.current)
    if self not in _streams or _streams[self][0] != nodes:
        _streams[self] = nodes, Stream(nodes, self.tools, self.stream, every=self._every)
    _streams[self][1].launch()
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
    Executable.launch = _launch_nodes  # type: ignore[method-assign]
