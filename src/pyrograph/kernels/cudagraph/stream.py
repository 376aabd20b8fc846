"""The same steps launched one by one on a stream: what is left where the driver has no loops in graphs.

A loop's condition is copied to pinned memory and read by the host before each round, or before every so many rounds
where rounds after the last one do no harm. Nothing is launched twice for ``every=1``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyrograph.kernels.cudagraph.build import launch_of
from pyrograph.kernels.cudagraph.device import Toolkit
from pyrograph.kernels.cudagraph.steps import Call, Conditional, Event, Memcpy, Memset, Step, System


class Stream:
    """Steps ready to be launched from the host."""

    def __init__(self, graph: Sequence[Step], tools: Toolkit, stream: Any, *, every: int = 1) -> None:
        """Compile all kernels.

        Args:
            every: Rounds of a loop between two readings of its condition.

        Raises:
            CompileError: A kernel does not compile.
        """
        self._tools, self._stream, self._every = tools, stream, every
        self._number = int(stream.handle)
        self._pinned = tools.cuda.pinned_array(1, np.int32)
        self._loops: dict[str, System] = {}
        self._run = self._block(graph)

    def launch(self) -> None:
        """Run all steps; returns when the last one is launched."""
        self._run()

    def _block(self, graph: Sequence[Step]) -> Callable[[], None]:
        parts = [part for part in map(self._step, graph) if part is not None]

        def run() -> None:
            for part in parts:
                part()

        return run

    def _step(self, step: Step) -> Callable[[], None] | None:
        what, driver, checked, number = step.what, self._tools.driver, self._tools.checked, self._number
        if isinstance(what, Call):
            config, kernel, arguments = launch_of(what, {}, self._tools)
            return lambda: self._tools.launch(self._stream, config, kernel, arguments)
        if isinstance(what, Memset):
            sets = {1: driver.cuMemsetD8Async, 2: driver.cuMemsetD16Async, 4: driver.cuMemsetD32Async}
            set_all, value = sets[len(what.pattern)], int.from_bytes(what.pattern, "little")
            return (lambda: checked(set_all(what.target, value, what.count, number))) if what.count else None
        if isinstance(what, Memcpy):
            copy = driver.cuMemcpyDtoDAsync
            return (lambda: checked(copy(what.target, what.source, what.size, number))) if what.size else None
        if isinstance(what, System):
            if step.name.endswith(":begin"):
                self._loops[step.name.removesuffix(":begin")] = what
            return None
        if isinstance(what, Event):
            return None
        return self._region(what, self._loops[step.name])

    def _region(self, what: Conditional, begin: System) -> Callable[[], None]:
        body, address = self._block(what.body), begin.arguments[1]
        if begin.entry == "start_loop":
            return lambda: self._count(body, address, int(begin.arguments[2]))
        if what.kind == "if":
            return lambda: body() if self._read(address) else None

        def loop() -> None:
            while self._read(address):
                for _ in range(self._every):
                    body()

        return loop

    def _count(self, body: Callable[[], None], index: int, count: int) -> None:
        for at in range(count + 1):
            self._tools.checked(self._tools.driver.cuMemsetD32Async(index, at, 1, self._number))
            if at < count:
                body()

    def _read(self, address: int) -> int:
        self._tools.checked(self._tools.driver.cuMemcpyDtoHAsync(self._pinned.ctypes.data, address, 4, self._number))
        self._stream.sync()
        return int(self._pinned[0])
