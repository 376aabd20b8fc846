"""Runs a program of ``cudagraph`` on host arrays, once: as a graph of the device, or node by node from the host."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels import launches
from pyrograph.kernels.cuda import SIMULATED, cuda
from pyrograph.kernels.errors import LimitError

Read = Callable[[str, int], npt.NDArray[Any]]


class Ran(NamedTuple):
    """A program that has run: its first so many elements of an external array, and how it was run."""

    read: Read
    executable: Any  # cg.Executable, or cg.HostLoop


Runner = Callable[[cg.Program, Mapping[str, npt.NDArray[Any]], Mapping[str, int]], Ran]


def as_graph(
    program: cg.Program,
    inputs: Mapping[str, npt.NDArray[Any]],
    outputs: Mapping[str, int],
    *,
    how: cg.How = "auto",
    profiling: cg.Profiling = "off",
) -> Ran:
    """Run a program once on the device; what cannot be a graph there runs as a stream, with a warning that says why.

    Args:
        inputs: Arrays of the host, copied to the device.
        outputs: External buffers that are made on the device, with their number of elements.

    Raises:
        LimitError: The device has not so much memory.
        BackendError: A kernel does not compile, or fails.
    """
    types = {buffer.name: buffer.dtype for buffer in program.block.buffers}
    need = sum(array.nbytes for array in inputs.values())
    need += sum(size * types[name].itemsize for name, size in outputs.items())
    free = cg.free_memory()
    if need > free:
        raise LimitError(f"bytes of the arrays of {program.name!r}", need, free, "use --device cpu")
    arrays = {name: cuda.to_device(array) for name, array in inputs.items()}
    arrays |= {name: cuda.device_array(size, types[name]) for name, size in outputs.items()}
    if profiling == "off" and launches.wanted():
        profiling = "total"
    executable = cg.compile(program, arrays, how=how, profiling=profiling, every=2)
    if executable.why:
        warnings.warn(f"{program.name} runs without a graph: {executable.why}", RuntimeWarning, stacklevel=2)
    executable.launch()
    executable.synchronize()
    if launches.wanted():
        launches.record(launches.Launch(program.name, executable.how, executable.profile().milliseconds))
    return Ran(lambda name, size: arrays[name][:size].copy_to_host(), executable)


def from_host(program: cg.Program, inputs: Mapping[str, npt.NDArray[Any]], outputs: Mapping[str, int]) -> Ran:
    """Run a program once, node by node from the host: the reference, in the simulator too."""
    types = {buffer.name: buffer.dtype for buffer in program.block.buffers}
    arrays = {name: cuda.to_device(array) for name, array in inputs.items()}
    arrays |= {name: cuda.device_array(size, types[name]) for name, size in outputs.items()}
    sizes = cg.sizes_of(program, {name: tuple(array.shape) for name, array in arrays.items()})
    loop = cg.HostLoop(cg.plan(program, sizes), arrays, Launcher())
    loop.launch()
    return Ran(lambda name, size: arrays[name][:size].copy_to_host(), loop)


run_default: Runner = from_host if SIMULATED else as_graph


class Launcher:
    """Launches nodes through Numba; for ``cg.HostLoop``."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """An array on the device."""
        return cuda.device_array(shape, dtype)

    def call(self, node: cg.Launch, blocks: int, arguments: list[Any]) -> None:
        """Launch a kernel."""
        node.kernel.function[blocks, node.threads, 0, node.shared](*arguments)

    def copy(self, source: Any, target: Any) -> None:
        """Copy all elements."""
        target.copy_to_device(source)

    def fill(self, target: Any, value: np.generic) -> None:
        """Set all elements."""
        target.copy_to_device(np.full(target.shape, value))

    def first(self, array: Any) -> int:
        """The first element."""
        return int(array.copy_to_host().reshape(-1)[0])
