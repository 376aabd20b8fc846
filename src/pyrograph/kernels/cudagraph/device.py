"""The one place that knows Numba-CUDA and ``cuda.core``: what is compiled, where memory comes from, what is too old.

The kernels that set conditions are CUDA C++ (six lines), compiled by NVRTC in about 0.2 s a process:
``cudaGraphSetConditional`` exists for device code only, and Numba does not cache kernels that link CUDA source.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from pyrograph.kernels.cudagraph.problems import CompileError
from pyrograph.kernels.cudagraph.program import Kernel, Pin
from pyrograph.kernels.errors import BackendError, LimitError

OLDEST = 12040  # version of the driver's interface that has loops in graphs
RESERVE = 10  # one part in so many of the free memory is left alone

SOURCE = r"""
typedef unsigned long long u64;
extern "C" __device__ __cudart_builtin__ void CUDARTAPI
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

extern "C" __global__ void set_condition(cudaGraphConditionalHandle handle, const int* flag) {
    cudaGraphSetConditional(handle, *flag != 0);
}
extern "C" __global__ void start_loop(cudaGraphConditionalHandle handle, int* index, int count) {
    *index = 0;
    cudaGraphSetConditional(handle, 0 < count);
}
extern "C" __global__ void next_round(cudaGraphConditionalHandle handle, int* index, int count) {
    cudaGraphSetConditional(handle, ++*index < count);
}
static __device__ u64 now() {
    u64 nanoseconds;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}
extern "C" __global__ void mark_begin(u64* column, int slots) {
    *column = now();
}
extern "C" __global__ void mark_end(u64* column, int slots) {
    column[slots] += now() - *column;
    column[2 * slots] += 1;
}
"""
ENTRIES = ("set_condition", "start_loop", "next_round", "mark_begin", "mark_end")


def check_driver(version: int) -> None:
    """Refuse a driver without conditional nodes.

    Args:
        version: As the driver states it: 1000 * major + 10 * minor.
    """
    if version < OLDEST:
        raise BackendError(
            f"loops in CUDA graphs need a driver for CUDA {_version(OLDEST)} (550 or newer), this one is for "
            f"{_version(version)}; update it, or let the host run the loops"
        )


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


class Toolkit:
    """Compiles and allocates for the current device. Made once a process by ``toolkit``.

    Raises:
        BackendError: A package is missing, or there is no device.
    """

    def __init__(self) -> None:
        try:
            from cuda.bindings import driver
            from cuda.core import Device, EventOptions, LaunchConfig, StreamOptions, launch
            from cuda.core import graph as graphs
            from numba import cuda as untyped
            from numba import from_dtype as numba_type
            from numba import types
        except ImportError as error:
            raise BackendError(f"CUDA graphs need numba-cuda and cuda-core 1.2 or newer: {error}") from None
        cuda: Any = untyped
        if not cuda.is_available():
            raise BackendError("CUDA graphs found no CUDA device")
        self.driver: Any = driver
        self.cuda = cuda
        self.graphs: Any = graphs
        self.config: Any = LaunchConfig
        self._launch, self._types, self._numba_type = launch, types, numba_type
        cuda.current_context()
        self.device = Device(cuda.get_current_device().id)
        self.device.set_current()
        # Work on the default stream, which is where Numba copies, is waited for.
        self._stream_options = StreamOptions(nonblocking=False)
        self._event_options = EventOptions(timing_enabled=True)
        self._kernels: dict[tuple[Any, ...], Any] = {}
        self._system: dict[str, Any] = {}

    def stream(self) -> Any:
        """A new stream that takes turns with the default one."""
        return self.device.create_stream(options=self._stream_options)

    def timed_event(self) -> Any:
        """A new event whose difference to another one is in milliseconds."""
        return self.device.create_event(options=self._event_options)

    def driver_version(self) -> int:
        """The version that ``check_driver`` compares."""
        return int(self.checked(self.driver.cuDriverGetVersion()))

    def checked(self, answer: tuple[Any, ...]) -> Any:
        """The result of a call to the driver, or its error."""
        if int(answer[0]) != 0:
            raise BackendError(f"the CUDA driver says {answer[0].name}")
        return answer[1] if len(answer) > 1 else None

    def system(self, entry: str) -> Any:
        """A kernel of the compiler's own."""
        if not self._system:
            from cuda.core import Program, ProgramOptions

            try:
                options = ProgramOptions(std="c++17", arch=f"sm_{self.device.arch}")
                code = Program(SOURCE, "c++", options).compile("cubin")
            except Exception as error:
                raise CompileError("set_condition", str(error)) from error
            self._code = code
            self._system = {name: code.get_kernel(name) for name in ENTRIES}
        return self._system[entry]

    def compiled(self, kernel: Kernel, ranks: tuple[int, ...]) -> Any:
        """A program's kernel, compiled for arrays of so many dimensions.

        Raises:
            CompileError: With the compiler's words.
        """
        key = (kernel, ranks)
        if key not in self._kernels:
            rank = iter(ranks)
            signature = tuple(
                self._types.Array(self._numba_type(one.dtype), next(rank), "C")
                if isinstance(one, Pin)
                else self._numba_type(one.dtype)
                for one in kernel.parameters
            )
            try:
                made = kernel.function.compile(signature)
                made.bind()
                self._kernels[key] = made._codelibrary.get_cufunc().kernel
            except Exception as error:  # Numba's compiler raises many kinds, some of them far from its own base class
                raise CompileError(kernel.name, str(error)) from error
        return self._kernels[key]

    def arena(self, nbytes: int) -> Any:
        """Memory on the device.

        Raises:
            LimitError: There is not so much.
        """
        free = self.free_memory()
        remedy = "give a smaller input, or run without a device"
        if nbytes > free:
            raise LimitError("bytes of the arena", nbytes, free, remedy)
        try:
            return self.cuda.device_array(max(nbytes, 1), np.uint8)
        except Exception as error:  # free, but not in one piece, or taken by somebody since
            raise LimitError("bytes of the arena in one piece", nbytes, free, remedy) from error

    def free_memory(self) -> int:
        """Bytes that may be asked for."""
        free = int(self.cuda.current_context().get_memory_info().free)
        return free - free // RESERVE

    def launch(self, stream: Any, config: Any, kernel: Any, arguments: tuple[Any, ...]) -> None:
        """One kernel, outside any graph."""
        self._launch(stream, config, kernel, *arguments)


@cache
def toolkit() -> Toolkit:
    """The toolkit of this process."""
    return Toolkit()


def native(argument: Any) -> Any:
    """A kernel's argument as ``cuda.core`` wants it: numbers of their exact type, addresses and sizes as they are."""
    if isinstance(argument, np.generic):
        kind: Any = argument.dtype
        return np.ctypeslib.as_ctypes_type(kind)(argument.item())
    return argument


def described(array: Any) -> tuple[int, tuple[int, ...], np.dtype[Any]]:
    """(address, shape, type) of an array on the device, of whichever library.

    Raises:
        ValueError: It is not C-contiguous.
    """
    interface: Mapping[str, Any] = array.__cuda_array_interface__
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    if strides is not None and 0 not in shape:
        steps = [dtype.itemsize]
        for size in reversed(shape[1:]):
            steps.append(steps[-1] * size)
        if any(size > 1 and a != b for size, a, b in zip(shape, strides, reversed(steps), strict=True)):
            raise ValueError(f"an array with strides {list(strides)} was given; make it C-contiguous")
    return int(interface["data"][0]), shape, dtype
