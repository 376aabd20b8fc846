"""Which backend answers: by name, or by the size of the question.

``auto`` and ``host`` start no compiler for small questions: the Numba kernels take a fraction of a second to load in a
fresh process, in which NumPy ends a search of ``NUMPY_EDGES`` edges, and several seconds to compile once, in which it
ends one of ``NUMPY_EDGES_COLD``. The limits were read off bench/graph_backends.py. A GPU is taken only when it is asked
for by name: its cold start costs more than any search of one program measured so far.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal, cast

from pyrograph.kernels import (
    NAMES,
    BackendError,
    Closing,
    Compiled,
    Kernels,
    LimitError,
    installed,
    load,
    load_compiled,
    load_levels,
)
from pyrograph.kernels.arrays import Block, Pruned
from pyrograph.kernels.cachefolder import compiled_before

Backend = Literal["auto", "host", "reference", "vectorised", "numba", "cuda"]
Device = Literal["auto", "cpu", "cuda"]

NUMPY_EDGES = 30_000_000  # edges a search may have to follow for all its sources before compiled code pays
NUMPY_EDGES_COLD = 100_000_000  # the same where nothing was compiled before
NUMPY_GRAPH = 8_000_000  # edges of a graph that NumPy should still prune
DEVICE_GRAPH = 500_000  # edges from which a device's whole width pays; docs/cuda-graphs.md has the measurements
DEVICE_ROWS = 64  # seeds up to which a device takes them one by one rather than a block each

_DEVICES: dict[Device, Backend] = {"auto": "auto", "cpu": "host", "cuda": "cuda"}


def for_device(device: Device) -> Backend:
    """The backend that a ``--device`` of the command line stands for.

    Users name devices (``auto``, ``cpu``, ``cuda``), the engine names backends. ``cpu`` becomes ``host``: any backend
    that needs no GPU, chosen by the size of the search.

    Raises:
        BackendError: The device is unknown, or what ``cuda`` needs is missing.
    """
    if device not in _DEVICES:
        raise BackendError(f"device {device!r} is unknown; choose from {', '.join(_DEVICES)}")
    backend = _DEVICES[device]
    if backend == "cuda":
        load("cuda")
    return backend


def available() -> dict[str, bool]:
    """Every backend by name, and whether the packages it needs are installed."""
    return {name: installed(name) for name in NAMES}


def known(backend: str) -> None:
    """Refuse a name that is no backend."""
    if backend not in ("auto", "host", *NAMES):
        raise BackendError(f"backend {backend!r} is unknown; choose from {', '.join(('auto', 'host', *NAMES))}")


def for_pruning(backend: Backend, num_edges: int) -> Kernels:
    """Kernels for the first pass over a graph of so many edges."""
    if backend == "cuda" and num_edges >= DEVICE_GRAPH:
        return Guarded(load_levels(), for_pruning("host", num_edges))
    return load(_pick("host" if backend == "cuda" else backend, num_edges > NUMPY_GRAPH))


def for_searching(backend: Backend, lanes: int, num_edges: int) -> Kernels:
    """Kernels for a search of so many lanes over a pruned graph of so many edges."""
    work = lanes * num_edges
    return load(_pick(backend, work > NUMPY_EDGES and (work > NUMPY_EDGES_COLD or compiled_before())))


def for_flowing(backend: Backend, lanes: int, num_edges: int) -> Kernels:
    """Kernels for facts of so many lanes over a pruned graph of so many edges."""
    kernels = for_searching(backend, lanes, num_edges)
    if backend == "cuda" and lanes <= DEVICE_ROWS and num_edges >= DEVICE_GRAPH:
        return Guarded(load_levels(), kernels)
    return kernels


def for_applying(backend: Backend, lanes: int, num_edges: int) -> Compiled:
    """Kernels that run a transfer function of the user's own, for so many lanes over a whole graph."""
    kernels = load_compiled("numba" if backend in ("auto", "host") else backend)
    if backend == "cuda" and lanes <= DEVICE_ROWS and num_edges >= DEVICE_GRAPH:
        return Guarded(load_levels(), kernels)
    return kernels


class Guarded:
    """The level-synchronous programs of a device; what they cannot do, others do, and a warning says why."""

    def __init__(self, levels: Any, spare: Any) -> None:
        self._levels, self._spare = levels, spare

    def prune(self, *arguments: Any) -> Pruned:
        """See ``kernels.vectorised``."""
        try:
            pruned: Pruned = self._levels.prune(*arguments)
        except (BackendError, LimitError) as error:
            _warn("pruning", error)
            pruned = self._spare.prune(*arguments)
        return pruned

    def flow(self, *arguments: Any) -> Iterator[Block]:
        """See ``kernels.vectorised``."""
        return self._facts("flow", arguments)

    def apply(self, *arguments: Any) -> Iterator[Block]:
        """See ``kernels.multicore``."""
        return self._facts("apply", arguments)

    def search(self, *arguments: Any) -> Iterator[Block]:
        """See ``kernels.vectorised``; by blocks, which the measurements favour at every size."""
        yield from self._spare.search(*arguments)

    def _facts(self, operation: str, arguments: tuple[Any, ...]) -> Iterator[Block]:
        try:
            blocks = list(getattr(self._levels, operation)(*arguments))
        except (BackendError, LimitError) as error:
            _warn("facts", error)
            blocks = getattr(self._spare, operation)(*arguments)
        yield from blocks


def _warn(what: str, error: Exception) -> None:
    warnings.warn(f"{what} without a CUDA graph: {error}", RuntimeWarning, stacklevel=3)


def for_closing(backend: Backend, lanes: int, num_edges: int) -> Closing | None:
    """Kernels that find who reaches whom without depths; None where the backend of such a search has none.

    They pay from the first lane: a lane shares its visits with 511 others, and components cost one walk.
    """
    kernels = for_searching(backend, lanes, num_edges)
    return cast(Closing, kernels) if hasattr(kernels, "reach") else None


def _pick(backend: Backend, is_large: bool) -> str:
    if backend not in ("auto", "host"):
        return backend
    return "numba" if is_large and installed("numba") else "vectorised"
