"""Directed graphs in compressed sparse row (CSR) form.

The whole engine reads this one structure. It is built once and never changed:

* ``targets[offsets[u]:offsets[u + 1]]`` are the successors of node ``u``; ``to_csr`` leaves them ascending; repeats
  are legal;
* ``offsets`` has one entry more than there are nodes, starts at 0, never falls, and ends at the number of edges;
* ``node_data`` holds the node's role in bits 16..23; the other bits are the caller's;
* ``edge_data``, where present, is one 64-bit word per edge, in the order of ``targets``;
* a self edge is allowed, because a recursive call is one.

``Graph`` itself checks nothing, so that a graph can be described before it is known to be sound. Every operation of
``pyrograph.graph`` calls ``validate`` first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import stable_order
from pyrograph.kernels.errors import LimitError

Offsets = npt.NDArray[np.int64]
NodeIds = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]  # fact words, one bit per lane of facts
Edges = Sequence[tuple[int, int]] | npt.NDArray[np.integer]

ROLE_SHIFT = 16
ROLE_MASK = 0xFF << ROLE_SHIFT
MAX_NODES = 2**31 - 1  # so that a node id fits a signed 32-bit queue entry in every backend
MAX_EDGES = 2**40


class Role(IntEnum):
    """The role of a node in the analysis; the encoding is permanent."""

    NORMAL = 0
    SOURCE = 1  # reached from another source it is no hit
    SINK = 2  # reaching it is a hit; the search goes on behind it
    SOURCE_AND_SINK = 3  # as a start it hits itself at depth 0; reached from elsewhere it is a sink
    SANITIZER = 4  # is reached, is never a hit, and nothing leaves it


class GraphError(ValueError):
    """A graph, or a list of nodes for it, breaks a promise; ``problems`` lists each with its place."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A directed graph with ``num_nodes`` nodes numbered from 0."""

    offsets: Offsets  # (n + 1,) int64: index into targets where each node's successors begin
    targets: NodeIds  # (m,) uint32: successors, grouped by the node they follow
    node_data: NodeIds  # (n,) uint32: role in bits 16..23, the rest is the caller's
    edge_data: Words | None = None  # (m,) uint64: one word per edge; None when edges carry nothing

    @property
    def num_nodes(self) -> int:
        """Number of nodes, those without edges included."""
        return len(self.node_data)

    @property
    def num_edges(self) -> int:
        """Number of edges, repeats included."""
        return len(self.targets)

    def roles(self) -> npt.NDArray[np.uint8]:
        """(n,) the role of each node, as the numbers of ``Role``."""
        return ((self.node_data >> np.uint32(ROLE_SHIFT)) & np.uint32(0xFF)).astype(np.uint8)

    def problems(self) -> list[str]:
        """Every broken promise with array, position, value and valid range; empty when the graph is sound.

        Time O(n + m). Checks that would read outside an array are left out once its shape is wrong.
        """
        found = _shape_problems(self)
        if found:
            return found
        n, m = self.num_nodes, self.num_edges
        if len(self.offsets) != n + 1:
            return [
                f"offsets has {len(self.offsets)} entries for {n} nodes (node_data); expected {n + 1}: "
                "one per node and one for the end"
            ]
        if self.offsets[0] != 0:
            found.append(f"offsets[0] is {self.offsets[0]}, expected 0")
        falls = np.flatnonzero(self.offsets[1:] < self.offsets[:-1])
        if len(falls):
            at = int(falls[0]) + 1
            before, here = self.offsets[at - 1], self.offsets[at]
            found.append(f"offsets[{at}] is {here}, expected at least {before} (offsets[{at - 1}]): offsets never fall")
        if self.offsets[n] != m:
            found.append(f"offsets[{n}] is {self.offsets[n]}, expected {m}, the length of targets")
        if m and int(self.targets.max()) >= n:
            at = int(np.argmax(self.targets >= n))
            found.append(f"targets[{at}] is {self.targets[at]}, expected a node id in 0..{n - 1} ({n} nodes)")
        if n:
            roles = self.roles()
            if int(roles.max()) > Role.SANITIZER:
                at = int(np.argmax(roles > Role.SANITIZER))
                found.append(f"node_data[{at}] has role {roles[at]} in bits 16..23, expected 0..{int(Role.SANITIZER)}")
        if self.edge_data is not None and len(self.edge_data) != m:
            found.append(f"edge_data has {len(self.edge_data)} entries, expected {m}: one per entry of targets")
        return found

    def validate(self) -> None:
        """Check every promise a kernel relies on.

        Raises:
            GraphError: Something is broken; the message says which array, where, which value, and what is valid.
            LimitError: More nodes or edges than any backend can number.
        """
        for resource, need, limit in (("nodes", self.num_nodes, MAX_NODES), ("edges", self.num_edges, MAX_EDGES)):
            if need > limit:
                raise LimitError(resource, need, limit, "split the graph")
        if found := self.problems():
            raise GraphError(found)


class Built(NamedTuple):
    """The graph that ``to_csr`` made, and the edges that it left out."""

    graph: Graph
    omitted: int  # edges with an end outside the graph


def node_words(roles: Sequence[int] | npt.NDArray[np.integer], metadata: int | npt.ArrayLike = 0) -> NodeIds:
    """``node_data`` for these roles; ``metadata`` fills the other bits (its bits 16..23 must be clear).

    >>> [hex(word) for word in node_words([Role.NORMAL, Role.SINK], metadata=7)]
    ['0x7', '0x20007']
    """
    rest = np.asarray(metadata, np.uint32)
    if np.any(rest & np.uint32(ROLE_MASK)):
        raise GraphError(["metadata uses bits 16..23, which hold the role; use bits 0..15 and 24..31"])
    wanted = np.asarray(roles, np.int64)
    if wanted.size and (wanted.min() < 0 or wanted.max() > Role.SANITIZER):
        at = int(np.argmax((wanted < 0) | (wanted > Role.SANITIZER)))
        raise GraphError([f"roles[{at}] is {wanted[at]}, expected 0..{int(Role.SANITIZER)}"])
    return np.asarray((wanted.astype(np.uint32) << np.uint32(ROLE_SHIFT)) | rest, np.uint32)


def to_csr(
    num_nodes: int,
    edges: Edges,
    *,
    node_data: npt.ArrayLike | None = None,
    edge_data: npt.ArrayLike | None = None,
) -> Built:
    """Build a graph from (source, target) pairs; pairs with an end outside the graph are left out and counted.

    Args:
        num_nodes: Number of nodes, those without edges included.
        edges: (m, 2) pairs in any order; repeats and self edges are kept.
        node_data: (num_nodes,) words as ``node_words`` makes them; all normal when absent.
        edge_data: (m,) one word per pair, moved along with it.

    Raises:
        GraphError: A shape is wrong, or a role is not one of ``Role``.

    Successors come out ascending, parallel edges in the order given. Time O(m log m), space O(n + m).

    >>> graph, omitted = to_csr(3, [(0, 2), (0, 1), (2, 9)])
    >>> graph.offsets.tolist(), graph.targets.tolist(), omitted
    ([0, 2, 2, 2], [1, 2], 1)
    """
    pairs = _pairs(edges)
    inside = ((pairs >= 0) & (pairs < num_nodes)).all(axis=1)
    words = None if edge_data is None else np.asarray(edge_data, np.uint64)
    if words is not None and words.shape != (len(pairs),):
        raise GraphError([f"edge_data has shape {words.shape}, expected ({len(pairs)},): one word per pair"])
    omitted = len(pairs) - int(np.count_nonzero(inside))
    if omitted:
        pairs = pairs[inside]
        words = None if words is None else words[inside]
    return Built(_build(num_nodes, pairs, node_data, words), omitted)


def try_to_csr(
    num_nodes: int,
    edges: Edges,
    *,
    node_data: npt.ArrayLike | None = None,
    edge_data: npt.ArrayLike | None = None,
) -> Graph:
    """As ``to_csr``, but a pair with an end outside the graph is refused.

    Raises:
        GraphError: As ``to_csr``, and for the first pair that leaves the graph, with its position.
    """
    pairs = _pairs(edges)
    outside = ((pairs < 0) | (pairs >= num_nodes)).any(axis=1)
    if outside.any():
        at = int(np.argmax(outside))
        source, target = pairs[at].tolist()
        count = int(np.count_nonzero(outside))
        raise GraphError(
            [
                f"edges[{at}] is ({source}, {target}), expected both ends in 0..{num_nodes - 1} "
                f"({count} such {'edge' if count == 1 else 'edges'}); to_csr leaves them out instead"
            ]
        )
    return to_csr(num_nodes, pairs, node_data=node_data, edge_data=edge_data).graph


def _pairs(edges: Edges) -> npt.NDArray[np.int64]:
    raw = np.asarray(edges)
    if raw.size == 0:
        return np.empty((0, 2), np.int64)
    if raw.ndim != 2 or raw.shape[1] != 2 or raw.dtype.kind not in "iu":
        raise GraphError([f"edges has shape {raw.shape} and type {raw.dtype}, expected (m, 2) integers"])
    if raw.dtype == np.uint64:  # ids beyond int64 are outside any graph; keep them so instead of wrapping around
        raw = np.minimum(raw, np.uint64(2**62))
    return raw.astype(np.int64)


def _build(num_nodes: int, pairs: npt.NDArray[np.int64], node_data: npt.ArrayLike | None, words: Words | None) -> Graph:
    if not 0 <= num_nodes <= MAX_NODES:
        raise LimitError("nodes", num_nodes, MAX_NODES, "split the graph")
    data = np.zeros(num_nodes, np.uint32) if node_data is None else np.ascontiguousarray(node_data, np.uint32)
    # One integer per pair sorts by source, then target. It cannot overflow: both ids are below 2**31.
    key = pairs[:, 0] * num_nodes + pairs[:, 1]
    if words is None:
        key.sort()
    else:
        order = stable_order(key)
        key, words = key[order], np.ascontiguousarray(words[order])
    source, target = np.divmod(key, max(num_nodes, 1))
    offsets = np.zeros(num_nodes + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=num_nodes), out=offsets[1:])
    graph = Graph(offsets, target.astype(np.uint32), data, words)
    if found := graph.problems():
        raise GraphError(found)
    return graph


def _shape_problems(graph: Graph) -> list[str]:
    found = []
    wanted: list[tuple[str, object, type[np.generic]]] = [
        ("offsets", graph.offsets, np.int64),
        ("targets", graph.targets, np.uint32),
        ("node_data", graph.node_data, np.uint32),
    ]
    if graph.edge_data is not None:
        wanted.append(("edge_data", graph.edge_data, np.uint64))
    for name, array, dtype in wanted:
        expected = f"expected a one-dimensional contiguous NumPy array of {np.dtype(dtype)}"
        if not isinstance(array, np.ndarray):
            found.append(f"{name} is a {type(array).__name__}, {expected}")
        elif array.ndim != 1 or array.dtype != np.dtype(dtype) or not array.flags.c_contiguous:
            layout = "" if array.flags.c_contiguous else ", not contiguous"
            found.append(f"{name} has shape {array.shape} and type {array.dtype}{layout}, {expected}")
    return found
