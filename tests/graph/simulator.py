"""Mends three races of Numba's CUDA simulator, which runs a Python thread per GPU thread.

* Of two threads that ask for the same shared array at a time, each gets an array of its own, with whatever is in it.
* Around each call of a device function it puts its own module in place of ``cuda`` among the globals, and the real one
  back. Of two threads in functions of one module, the first that returns takes it from the other.
* A thread that raises and ends between two looks of the thread that polls is forgotten: the others go on without it,
  for ever where it was the one that resets a counter.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba import cuda
from numba.np import numpy_support

kernel: Any = importlib.import_module("numba.cuda.simulator.kernel")
kernelapi: Any = importlib.import_module("numba.cuda.simulator.kernelapi")
_LOCK = threading.Lock()
_SWAPPED: dict[int, tuple[list[str], list[None]]] = {}  # by identity of globals: names, and one entry for each user
_plain_run, _plain_array = kernel.BlockThread.run, kernelapi.FakeCUDAShared.array


def _array(shared: Any, shape: Any, dtype: Any) -> Any:
    """One array for each line of a kernel, as the simulator has it."""
    if shape == 0:  # dynamic shared memory, which is one buffer
        return _plain_array(shared, shape, dtype)
    caller = sys._getframe(1)
    line = caller.f_code.co_filename, caller.f_lineno
    with _LOCK:
        if line not in shared._allocations:
            shared._allocations[line] = np.empty(shape, numpy_support.as_dtype(dtype))
        return shared._allocations[line]


@contextmanager
def _swapped(function: Any, simulated: Any) -> Iterator[None]:
    """The module is put back when the last user of the globals is done."""
    names = function.__globals__
    with _LOCK:
        if id(names) not in _SWAPPED:
            _SWAPPED[id(names)] = [name for name, value in names.items() if value is cuda], []
            names.update(dict.fromkeys(_SWAPPED[id(names)][0], simulated))
        _SWAPPED[id(names)][1].append(None)
    try:
        yield
    finally:
        with _LOCK:
            swapped, users = _SWAPPED[id(names)]
            users.pop()
            if not users:
                names.update(dict.fromkeys(swapped, cuda))
                del _SWAPPED[id(names)]


def _run(thread: Any) -> None:
    _plain_run(thread)
    while thread.exception and not thread.abort:  # until the polling thread has seen it
        time.sleep(0.001)


def mend() -> None:
    """Do so in this process.

    The thread that polls the others until all wait for each other must not hold the interpreter for long: with Python's
    5 ms, the simulator takes about ten times as long.
    """
    sys.setswitchinterval(1e-5)
    kernel.swapped_cuda_module = _swapped
    kernel.BlockThread.run = _run
    kernelapi.FakeCUDAShared.array = _array
