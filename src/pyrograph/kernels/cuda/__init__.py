"""Numba kernels for CUDA devices: ``searcher`` plans many searches, ``walk`` runs them, ``hits`` puts the answers in
order; ``facts`` is the fixpoint.

No kernel links CUDA source, so compiled code is found again in Numba's disk cache. Never fork after this package was
imported. With ``NUMBA_ENABLE_CUDASIM=1`` everything runs in Numba's simulator but what needs warps, several blocks at
a time, or the driver; those parts stand in ``device`` and at the top of ``walk``, each beside its twin.

Pruning is left to the other kernels: it is one search, too narrow for a device.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Block, Index, Numbers
from pyrograph.kernels.cuda import device

device.require()

from pyrograph.kernels.cuda.device import CACHED, SIMULATED, cuda  # noqa: E402
from pyrograph.kernels.cuda.facts import apply, flow  # noqa: E402
from pyrograph.kernels.cuda.searcher import Launch, Searcher, ordered  # noqa: E402

__all__ = ["CACHED", "SIMULATED", "Launch", "Searcher", "apply", "cuda", "flow", "ordered", "search"]


def search(
    offsets: Index,
    targets: Numbers,
    report: npt.NDArray[np.bool_],
    sources: Index,
    max_depth: int,
    *,
    launch: Launch | None = None,
) -> Iterator[Block]:
    """As ``vectorised.search``; hits come in the order (lane, node).

    Args:
        launch: The layout on the device; None for the measured choice.

    Raises:
        LimitError: More than 2**30 nodes or 2**32 edges, or one source does not fit the device's memory.
    """
    searcher = Searcher(offsets, targets, report, num_sources=len(sources), launch=launch)
    lanes = np.arange(len(sources), dtype=np.uint32)
    for count, slot in searcher.chunks(sources.astype(np.uint32), lanes, lanes, max_depth):
        columns = np.empty((4, count), np.uint32)
        slot.fetch(columns, 0, count)
        lane, node, depth, _ = columns
        yield Block(lane, node, depth, np.ones(count, np.uint64))
