"""The same program run node by node from the host: the reference, and what remains where there are no graphs.

Regions read their condition back before each round. Works wherever Numba launches kernels (a device, the simulator),
and on NumPy arrays with plain functions as kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from pyrograph.kernels.cudagraph.planning import Plan
from pyrograph.kernels.cudagraph.program import Block, Copy, Fill, For, If, Launch, Node, Pin, Region, buffers
from pyrograph.kernels.cudagraph.schedule import Order
from pyrograph.kernels.cudagraph.steps import grid_of
from pyrograph.kernels.cudagraph.validate import number


class Machine(Protocol):
    """The operations of a device that a host loop needs."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any: ...
    def call(self, node: Launch, blocks: int, arguments: list[Any]) -> None: ...
    def copy(self, source: Any, target: Any) -> None: ...
    def fill(self, target: Any, value: np.generic) -> None: ...
    def first(self, array: Any) -> int: ...


class Plain:
    """NumPy arrays; a kernel's function is called once and does all of the work."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """An array whose content nobody should rely on, and which is not zero by chance."""
        return np.full(shape, 0x5A, dtype)

    def call(self, node: Launch, blocks: int, arguments: list[Any]) -> None:
        """Run a kernel."""
        node.kernel.function(*arguments)

    def copy(self, source: Any, target: Any) -> None:
        """Copy all elements."""
        target.reshape(-1)[:] = source.reshape(-1)

    def fill(self, target: Any, value: np.generic) -> None:
        """Set all elements."""
        target[...] = value

    def first(self, array: Any) -> int:
        """The first element."""
        return int(array.reshape(-1)[0])


class HostLoop:
    """A program ready to run from the host; ``launch`` returns when it is done."""

    def __init__(
        self, plan: Plan, arrays: Mapping[str, Any], machine: Machine, *, own: Mapping[str, Any] | None = None
    ) -> None:
        """Take external arrays, and memory for the other buffers: ``own`` where given, a new array each otherwise."""
        self.plan = plan
        self.nodes = 0  # run by the last launch
        self._machine = machine
        self._arrays = {name: array for name, array in arrays.items()}
        for name, buffer in buffers(plan.program).items():
            if buffer.lifetime != "external" and name in plan.shapes:
                given = None if own is None else own.get(name)
                self._arrays[name] = machine.empty(plan.shapes[name], buffer.dtype) if given is None else given

    def launch(self) -> None:
        """Run the program once."""
        self.nodes = 0
        self._block("", self.plan.program.block)

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def close(self) -> None:
        """Let go of all arrays."""
        self._arrays.clear()

    def array(self, name: str) -> Any:
        """A buffer."""
        return self._arrays[name]

    def _block(self, region: str, block: Block) -> None:
        order: Order = self.plan.orders[region]
        nodes = {node.name: node for node in block.nodes}
        for name in order.sequence():
            self._node(nodes[name])

    def _node(self, node: Node) -> None:
        if isinstance(node, Region):
            self._region(node)
            return
        self.nodes += 1
        if isinstance(node, Copy):
            self._machine.copy(self._arrays[node.source], self._arrays[node.target])
        elif isinstance(node, Fill):
            dtype = buffers(self.plan.program)[node.target].dtype
            self._machine.fill(self._arrays[node.target], number(node.value, dtype))
        else:
            arguments: list[Any] = []
            for parameter in node.kernel.parameters:
                value = node.arguments[parameter.name]
                if isinstance(parameter, Pin):
                    arguments.append(self._arrays[str(value)])
                else:
                    assert not isinstance(value, str)
                    arguments.append(number(value, parameter.dtype))
            self._machine.call(node, grid_of(node, self.plan.shapes.__getitem__), arguments)

    def _region(self, node: Region) -> None:
        if isinstance(node, For):
            for at in range(node.count):
                self._machine.fill(self._arrays[node.index], np.int32(at))
                self._block(node.name, node.body)
            self._machine.fill(self._arrays[node.index], np.int32(node.count))
        elif isinstance(node, If):
            if self._machine.first(self._arrays[node.condition]):
                self._block(node.name, node.body)
        else:
            while self._machine.first(self._arrays[node.condition]):
                self._block(node.name, node.body)
