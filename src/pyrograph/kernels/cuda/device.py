"""The CUDA kernels' access to Numba and the driver: decorators, memory, shared memory beyond 48 KiB, warps.

Numba offers no public call for three things that the kernels need, and its simulator has no warps. All of that lives
here, each in one function with a twin or a fallback, so that kernels read the same everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cachefolder
from pyrograph.kernels.errors import BackendError, LimitError

_WRITABLE = cachefolder.choose()
import numba  # noqa: E402  (it reads the choice)
from numba import cuda as _cuda  # noqa: E402

_config: Any = numba.config  # it has no type information
cuda: Any = _cuda  # nor has this
SIMULATED = bool(_config.ENABLE_CUDASIM)
CACHED = _WRITABLE and not SIMULATED
if "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS" not in os.environ:
    _config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a kernel of one block is meant, where there is one
STATIC_SHARED = 48 << 10  # bytes of shared memory a kernel may use without asking
RESERVED_SHARED = 1 << 10  # bytes a block's shared memory costs beyond what it asks for
WARP = 1 if SIMULATED else 32  # threads that run together; the simulator's run each on its own
USABLE = 0.9  # share of the free memory that may be planned with

NO_DEVICE = (
    "backend 'cuda' found no CUDA device; it needs an NVIDIA driver (525 or newer for the extra cuda12, 580 or newer "
    "for cuda13) and a visible GPU (CUDA_VISIBLE_DEVICES); use --device cpu to search without one"
)


class OutOfDeviceMemoryError(MemoryError):
    """An allocation failed; the caller asks for less, or refuses."""

    def __init__(self, need: int, free: int) -> None:
        super().__init__(f"{need:,} bytes needed on the device, {free:,} free")
        self.need = need
        self.free = free


def require() -> None:
    """Refuse to go on without a device.

    Raises:
        BackendError: There is none, or no driver for it.
    """
    if not cuda.is_available():
        raise BackendError(NO_DEVICE)


def kernel(*, bounds: tuple[int, int] | None = None, registers: int | None = None) -> Callable[[Any], Any]:
    """Compile a function as a kernel, kept in the disk cache.

    Args:
        bounds: Threads that a block has at most, and blocks of that size that a multiprocessor should hold.
        registers: Registers that a thread has at most.
    """
    if SIMULATED:
        return lambda function: cuda.jit(function)
    options: dict[str, Any] = {"cache": CACHED}
    if bounds is not None:
        options["launch_bounds"] = bounds
    if registers is not None:
        options["max_registers"] = registers
    return lambda function: cuda.jit(**options)(function)


def inlined(function: Any) -> Any:
    """Compile a function to be part of every kernel that calls it, so that shared memory stays known as such."""
    return cuda.jit(device=True)(function) if SIMULATED else cuda.jit(device=True, forceinline=True)(function)


def processors() -> int:
    """Multiprocessors of the current device."""
    return 2 if SIMULATED else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)


def attribute(name: str, otherwise: int) -> int:
    """An attribute of the current device, as the driver states it."""
    return otherwise if SIMULATED else int(getattr(cuda.get_current_device(), name, otherwise))


def free_memory() -> int:
    """Bytes that a search may plan with."""
    if SIMULATED:
        return 1 << 30
    return int(cuda.current_context().get_memory_info().free * USABLE)


def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
    """Uninitialised device memory.

    Raises:
        OutOfDeviceMemoryError: The driver has none left.
    """
    try:
        return cuda.device_array(shape, dtype)
    except MemoryError:
        raise
    except Exception as error:
        if not _is_out_of_memory(error):
            raise
        need = int(np.prod(shape)) * np.dtype(dtype).itemsize
        raise OutOfDeviceMemoryError(need, free_memory()) from error


def wait() -> None:
    """Until the device has done everything it was asked for."""
    cuda.synchronize()


def _is_out_of_memory(error: Exception) -> bool:
    return "OUT_OF_MEMORY" in str(error) or "out of memory" in str(error).lower()


def check_sizes(num_nodes: int, num_edges: int, most_nodes: int, most_edges: int) -> None:
    """Refuse a graph that the kernels' words cannot number.

    Raises:
        LimitError: With the need and the limit.
    """
    for resource, need, limit in (
        ("nodes on the device", num_nodes, most_nodes),
        ("edges on the device", num_edges, most_edges),
    ):
        if need > limit:
            raise LimitError(resource, need, limit, "use --device cpu")


# ---- what Numba has no public call for


def shared_limit() -> int:
    """Bytes of shared memory a block of the current device may have at most, by opting in."""
    return attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 227 << 10 if SIMULATED else STATIC_SHARED)


def shared_per_processor() -> int:
    """Bytes of shared memory that all blocks of one multiprocessor have together."""
    return attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", STATIC_SHARED)


def allow_shared(compiled: Any, nbytes: int, held: int) -> bool:
    """Let a compiled kernel use so much dynamic shared memory; False where the driver or Numba gives no way to.

    Up to 48 KiB need no permission; they include the ``held`` bytes that the kernel declares itself. The handle is that
    of a CUkernel or a CUfunction, depending on Numba's version.
    """
    if nbytes + held <= STATIC_SHARED or SIMULATED:
        return True
    try:
        from cuda.bindings import driver

        handle = int(compiled._codelibrary.get_cufunc().handle)
        which = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        device = driver.CUdevice(cuda.get_current_device().id)
    except (ImportError, AttributeError, TypeError, ValueError):
        return False
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: driver.cuKernelSetAttribute(which, nbytes, driver.CUkernel(handle), device),
        lambda: driver.cuFuncSetAttribute(driver.CUfunction(handle), which, nbytes),
    )
    for attempt in attempts:
        try:
            (status,) = attempt()
        except (TypeError, ValueError, AttributeError):
            continue
        if status == driver.CUresult.CUDA_SUCCESS:
            return True
    return False


def compiled(kernel: Any, arguments: Sequence[Any]) -> Any:
    """The kernel as it will run for arguments of these types, compiled now rather than at its first launch."""
    return None if SIMULATED else kernel.compile(tuple(kernel.typeof_pyval(argument) for argument in arguments))


def resident(compiled: Any, threads: int, shared: int) -> int:
    """Blocks of a compiled kernel that one multiprocessor holds at a time; 1 where Numba gives no way to ask."""
    if SIMULATED:
        return 1
    try:
        handle = compiled._codelibrary.get_cufunc()
        return max(1, int(cuda.current_context().get_active_blocks_per_multiprocessor(handle, threads, shared)))
    except AttributeError:
        return 1


def together(compiled: Any) -> None:
    """Have all blocks of a kernel start at once, or none: those of one gang wait for each other.

    Without it a launch that does not fit would hang; with it the driver refuses.
    """
    if hasattr(compiled, "cooperative"):
        compiled.cooperative = True
