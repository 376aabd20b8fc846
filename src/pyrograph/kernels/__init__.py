"""Kernels: arrays in, arrays out. Each backend is a module of this package and is imported only when it is asked for.

Backends are not devices: on the device ``cpu``, three of them run.

| name | what it needs | good for |
|---|---|---|
| ``reference`` | nothing | the definition of every answer |
| ``vectorised`` | NumPy | small and middling searches, no compilation |
| ``numba`` | numba (extra ``jit``) | large searches, all cores; starts with ``multicore`` |
| ``cuda`` | numba-cuda and a driver (extra ``cuda12`` or ``cuda13``) | very many sources on large graphs |
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Bitmaps, Block, Ids, Index, Numbers, Pruned, Words
from pyrograph.kernels.errors import BackendError, LimitError

__all__ = [
    "FAST",
    "NAMES",
    "BackendError",
    "Closing",
    "Kernels",
    "LimitError",
    "in_order",
    "installed",
    "load",
    "load_compiled",
    "load_levels",
]

NAMES = ("reference", "vectorised", "numba", "cuda")
_MODULES = {"numba": "multicore"}  # of backends whose module is called otherwise
FAST = ("vectorised", "numba", "cuda")  # those that ``load`` gives; the reference has operations instead of kernels

_NEEDS = {
    "vectorised": ("numpy", "NumPy comes with pyrograph; reinstall it"),
    "numba": ("numba", "install it with: pip install 'pyrograph-scan[jit]', or use backend='vectorised'"),
    "cuda": (
        "numba_cuda",
        "install it with: pip install 'pyrograph-scan[cuda12]' (driver 525 or newer) or 'pyrograph-scan[cuda13]' "
        "(driver 580 or newer), or use --device cpu",
    ),
}


class Kernels(Protocol):
    """The operations of a fast backend; ``vectorised`` documents each."""

    def prune(
        self,
        offsets: Index,
        targets: npt.NDArray[np.uint32],
        edge_words: Words | None,
        node_words: Words | None,
        report: Words | None,
        seeds: Index,
        seed_words: Words,
    ) -> Pruned: ...

    def search(
        self, offsets: Index, targets: Index, report: npt.NDArray[np.bool_], sources: Index, max_depth: int
    ) -> Iterator[Block]: ...

    def flow(
        self,
        offsets: Index,
        targets: Index,
        edge_words: Words | None,
        report: Words,
        seeds: Index,
        seed_words: Words,
        max_depth: int,
    ) -> Iterator[Block]: ...


class Compiled(Protocol):
    """A further operation: of backends that run a user's compiled transfer function."""

    def apply(
        self,
        offsets: Index,
        targets: npt.NDArray[np.uint32],
        metadata: npt.NDArray[np.unsignedinteger],
        per_edge: bool,
        report: Words,
        seeds: Index,
        seed_words: Words,
        transfer: Any,
        max_depth: int,
    ) -> Iterator[Block]: ...


class Closing(Protocol):
    """Further operations: of backends that compute reachability without depths."""

    def reach(self, offsets: Index, targets: Numbers, sources: Index) -> Iterator[Bitmaps]: ...

    def listed(self, words: Words) -> tuple[Numbers, Numbers]: ...

    def counted(self, words: Words) -> Index: ...


class Ordering(Protocol):
    """A further operation: of backends that put hits in order themselves; ``cuda.searcher`` documents it."""

    def ordered(
        self,
        offsets: Index,
        targets: Index,
        report: npt.NDArray[np.bool_],
        sources: Index,
        report_itself: npt.NDArray[np.bool_],
        names: tuple[Ids, Ids, Ids],
        max_depth: int,
        keep: int | None,
        limit: int,
    ) -> tuple[npt.NDArray[np.uint32], int]: ...


def in_order(kernels: Kernels) -> Ordering | None:
    """The backend as one that puts hits in order; None where it does not."""
    return cast(Ordering, kernels) if hasattr(kernels, "ordered") else None


def installed(name: str) -> bool:
    """Whether the package a backend needs can be imported; says nothing of a device."""
    if name == "reference":
        return True
    package = _NEEDS[name][0]
    if name == "cuda" and os.environ.get("NUMBA_ENABLE_CUDASIM", "0") == "1":
        package = "numba"  # which has the simulator
    return importlib.util.find_spec(package) is not None


def load(name: str) -> Kernels:
    """Import a fast backend.

    Raises:
        BackendError: What it needs is not installed, or there is no device; with what to do.
    """
    if name not in FAST:
        raise BackendError(f"backend {name!r} is unknown; choose from {', '.join(('auto', 'host', *NAMES))}")
    package, remedy = _NEEDS[name]
    if not installed(name):
        reasons = _missing(name) or [f"it needs the package {package}, which is not installed; {remedy}"]
        raise BackendError(f"backend {name!r} cannot run here: {'; '.join(reasons)}")
    try:
        return cast(Kernels, importlib.import_module(f"{__name__}.{_MODULES.get(name, name)}"))
    except (ImportError, OSError, BackendError) as error:
        raise BackendError(f"backend {name!r} cannot run here: {'; '.join(_missing(name)) or error}") from error


def _missing(name: str) -> list[str]:
    """All that keeps a backend from running, where more than one thing can."""
    if name != "cuda":
        return []
    from pyrograph.kernels import probe  # it speaks to the driver

    return probe.missing()


def load_levels() -> Kernels:
    """The level-synchronous programs of the backend ``cuda``: one search at a time, by the whole device.

    Raises:
        BackendError: As ``load("cuda")``.
    """
    load("cuda")
    return cast(Kernels, importlib.import_module(f"{__name__}.levels"))


def load_compiled(name: str) -> Compiled:
    """As ``load``, for a backend that runs compiled transfer functions."""
    module = load(name)
    if not hasattr(module, "apply"):
        raise BackendError(
            f"backend {name!r} cannot run a transfer function of your own; "
            "use backend='numba' with a function compiled by numba.njit, or backend='reference' with a plain one"
        )
    return cast(Compiled, module)
