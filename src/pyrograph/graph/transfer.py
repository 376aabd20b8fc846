"""Transfer functions: what decides whether a fact flows over an edge, and what of it.

In full generality a transfer function takes ``(source_id, current, target, metadata, fact)`` and returns the fact
word that flows on, or 0 to block. ``metadata`` is the edge's word of ``edge_data``, or ``node_data`` of ``current``
where the graph has none. It must be monotone: a larger fact never lets less through.

A fact word is a ``!dataflow.tagged<i32, i16>`` of the loop-stream dialect (``FACT``): what is followed in the 32 low
bits, the vulnerabilities still alive, up to 16 at a time, in the tag above. A search that follows no payload may use
all 64 bits for vulnerabilities.

The three built-in ones only take bits away, so that each bit is a search of its own; they run on every backend. One
of your own is a plain Python function for the reference, and a function compiled by ``numba.njit`` for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph.csr import Graph, GraphError, Role, Words
from pyrograph.ir.dataflow.types import FACT

Function = Callable[[int, int, int, int, int], int]
ALL = ~np.uint64(0)


def fact_word(payload: int, tag: int) -> int:
    """One fact: ``payload`` in the low bits, ``tag`` (a bit for each vulnerability still alive) above it.

    >>> hex(fact_word(0x2A, 0b101))
    '0x50000002a'

    Raises:
        DataflowError: More than 32 or 16 bits.
    """
    return FACT.pack(payload, tag)


def fact_words(payloads: npt.ArrayLike, tags: npt.ArrayLike) -> Words:
    """(n,) facts of (n,) payloads and tags, which are taken to fit."""
    low = np.asarray(payloads).astype(np.uint32).astype(np.uint64)
    return low | np.asarray(tags).astype(np.uint64) << np.uint64(FACT.value.width)


@dataclass(frozen=True, slots=True)
class Reach:
    """Everything flows everywhere: plain reachability, sanitizers included."""


@dataclass(frozen=True, slots=True)
class Sanitize:
    """Everything flows, and nothing leaves a sanitizer (role 4): what ``graph.bfs`` does."""


@dataclass(frozen=True, slots=True, eq=False)
class Masks:
    """Each bit of a fact is a vulnerability; nodes and edges say which ones they let through.

    What leaves a node over an edge is ``fact & edge_data[edge] & node_masks[node]``; nothing leaves a sanitizer (role
    4). A bit that a node does not let through is sanitized there, and sanitizing wins: such a bit is no hit at that
    node.
    """

    node_masks: Words | None = None  # (n,) bits that may leave each node; None: all
    sink_masks: Words | None = None  # (n,) bits that are a hit at each sink; None: all


Transfer = Reach | Sanitize | Masks | Function


def leaving(graph: Graph, transfer: Reach | Sanitize | Masks) -> Words | None:
    """(n,) the bits that may leave each node; None when all may."""
    if isinstance(transfer, Reach):
        return None
    sanitizers = graph.roles() == Role.SANITIZER
    masks = transfer.node_masks if isinstance(transfer, Masks) else None
    if masks is None:
        return np.where(sanitizers, np.uint64(0), ALL) if sanitizers.any() else None
    return np.where(sanitizers, np.uint64(0), masks)


def passing(graph: Graph, transfer: Reach | Sanitize | Masks) -> Words | None:
    """(m,) the bits that pass each edge; None when all do."""
    return graph.edge_data if isinstance(transfer, Masks) else None


def accepted(graph: Graph, transfer: Transfer, roles: tuple[Role, ...]) -> Words:
    """(n,) the bits that are a hit at each node, for nodes of these roles."""
    words = np.where(np.isin(graph.roles(), roles), ALL, np.uint64(0))
    if isinstance(transfer, Masks):
        for masks in (transfer.node_masks, transfer.sink_masks):
            if masks is not None:
                words &= masks
    return words


def check(graph: Graph, transfer: Transfer) -> None:
    """Refuse masks that do not fit the graph, and what is no transfer function.

    Raises:
        GraphError: An array has the wrong length or type, or ``transfer`` cannot be called.
    """
    if isinstance(transfer, Masks):
        for name, masks in (("node_masks", transfer.node_masks), ("sink_masks", transfer.sink_masks)):
            if masks is not None and (masks.shape != (graph.num_nodes,) or masks.dtype != np.uint64):
                raise GraphError(
                    [f"{name} has shape {masks.shape} and type {masks.dtype}, expected ({graph.num_nodes},) of uint64"]
                )
    elif not isinstance(transfer, Reach | Sanitize) and not callable(transfer):
        raise GraphError([f"transfer is {transfer!r}, expected Reach(), Sanitize(), Masks(...) or a function"])


def is_compiled(transfer: Transfer) -> bool:
    """Whether a function of the user's was compiled by Numba."""
    return hasattr(transfer, "py_func")


def plain(graph: Graph, transfer: Transfer) -> Function:
    """The transfer function as plain Python, for the reference."""
    if isinstance(transfer, Reach):
        return lambda source, current, target, metadata, fact: fact
    if isinstance(transfer, Sanitize | Masks):
        roles = graph.roles().tolist()
        masks = transfer.node_masks if isinstance(transfer, Masks) else None
        node_masks = None if masks is None else masks.tolist()
        on_edges = isinstance(transfer, Masks) and graph.edge_data is not None

        def masked(source: int, current: int, target: int, metadata: int, fact: int) -> int:
            if roles[current] == Role.SANITIZER:
                return 0
            if on_edges:
                fact &= metadata
            return fact if node_masks is None else fact & node_masks[current]

        return masked
    function: Function = getattr(transfer, "py_func", transfer)
    return function
