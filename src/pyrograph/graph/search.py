"""``graph.bfs`` and ``graph.reachability``: many sources, each with a search of its own.

Every fast backend goes the same way: drop what no source reaches and what reaches no sink (exact, and on programs it
leaves a few per cent), search what is left, put the answers in order. The answers are those of ``kernels.reference``,
byte for byte.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from pyrograph.graph import backend as backends
from pyrograph.graph import closed
from pyrograph.graph.backend import Backend
from pyrograph.graph.closed import Lanes
from pyrograph.graph.csr import Graph, GraphError, NodeIds, Role, Words
from pyrograph.graph.hits import Collector, Hits, Pairs, hits_in_memory
from pyrograph.graph.transfer import Sanitize, leaving
from pyrograph.kernels import in_order, reference
from pyrograph.kernels.arrays import Index, Pruned
from pyrograph.kernels.errors import LimitError
from pyrograph.kernels.machine import memory

MAX_PAIRS = 2**62  # (source, node) pairs that a 64-bit key can number
MAX_BITMAP = 2**36  # bytes of a visited bitmap
BYTES_PER_NODE = 16  # that pruning takes at once
DEEPEST = 2**62  # stands for "no limit": no path is longer


def bfs(
    graph: Graph,
    sources: npt.ArrayLike,
    *,
    max_depth: int | None = None,
    max_findings: int | None = None,
    backend: Backend = "auto",
    prune: bool = True,
) -> Hits:
    """``graph.bfs``: each sink that each source reaches, at its shortest depth.

    A sink is a node of role 2 or 3. Sinks are searched through; nothing leaves a sanitizer, and a sanitizer is no
    hit. A source of role 3 hits itself at depth 0; any other source never hits itself, and a node of role 1 is never
    a hit. What is a source is said by ``sources`` alone: a node of any role may stand there, also twice, and each
    place is a search of its own.

    Args:
        sources: (s,) node ids.
        max_depth: Longest path in edges; None for no limit.
        max_findings: Keep the first so many, in order; ``total`` stays exact. None keeps all.
        prune: Leave out first what no source reaches or what reaches no sink. False, where hardly anything does so,
            saves two passes; the answer is the same.

    Raises:
        GraphError: The graph or a source id is broken.
        LimitError: Something does not fit; with the resource, the need and the limit.
        BackendError: The backend is not installed, or there is no device for it.

    Time O(n + m) to check, plus what the sources reach; nothing is ever dropped.

    >>> import pyrograph.graph as graph
    >>> data = graph.node_words([graph.Role.SOURCE, graph.Role.NORMAL, graph.Role.SINK])
    >>> flow = graph.to_csr(3, [(0, 1), (1, 2)], node_data=data).graph
    >>> graph.bfs(flow, [0]).rows()
    [(0, 2, 2, 0)]
    """
    return _search(graph, sources, max_depth, max_findings, backend, sinks_only=True, prune=prune)


@overload
def reachability(
    graph: Graph,
    sources: npt.ArrayLike,
    *,
    depth: Literal[True] = True,
    max_depth: int | None = None,
    max_findings: int | None = None,
    backend: Backend = "auto",
) -> Hits: ...
@overload
def reachability(
    graph: Graph,
    sources: npt.ArrayLike,
    *,
    depth: Literal[False],
    max_depth: int | None = None,
    max_findings: int | None = None,
    backend: Backend = "auto",
) -> Pairs: ...
def reachability(
    graph: Graph,
    sources: npt.ArrayLike,
    *,
    depth: bool = True,
    max_depth: int | None = None,
    max_findings: int | None = None,
    backend: Backend = "auto",
) -> Hits | Pairs:
    """``graph.reachability``: every node that each source reaches, itself at depth 0 included, whatever its role.

    Nothing leaves a sanitizer; the sanitizer itself is reached. With ``depth=False`` the column of depths is left
    out, which is many times faster on the ``numba`` backend if ``max_depth`` is None: there the answer is a closure of
    strong components (docs/engine.md). Arguments, errors and cost as for ``bfs``; the answer can have ``sources *
    nodes`` rows.

    >>> import pyrograph.graph as graph
    >>> flow = graph.to_csr(3, [(0, 1), (1, 2)]).graph
    >>> graph.reachability(flow, [1]).rows()
    [(1, 1, 0, 0), (1, 2, 1, 0)]
    """
    pruned = None
    if not depth and max_depth is None and backend != "reference":
        backends.known(backend)
        checked_limits(max_depth, max_findings)
        given = Lanes.of(checked_sources(graph, sources))
        pruned = _pruned(graph, given.unique, backend, None)
        kernels = backends.for_closing(backend, len(given.unique), len(pruned.targets))
        if kernels is not None:
            return closed.pairs(kernels, given, pruned, max_findings)
    found = _search(graph, sources, max_depth, max_findings, backend, sinks_only=False, pruned=pruned)
    return found if depth else Pairs(found.source, found.sink, found.source_idx, found.total, found.truncated)


def visited(
    graph: Graph, sources: npt.ArrayLike, *, max_depth: int | None = None, backend: Backend = "auto"
) -> npt.NDArray[np.uint32]:
    """The visited bitmap in source-major layout: bit ``node % 32`` of ``[source_idx, node // 32]``.

    Returns:
        (s, ceil(n / 32)) uint32.

    Raises:
        LimitError: The bitmap would take more than 64 GiB.

    Otherwise as ``reachability``.
    """
    lanes = checked_sources(graph, sources)
    width = -(-graph.num_nodes // 32)
    if len(lanes) * width * 4 > MAX_BITMAP:
        raise LimitError("bytes of the visited bitmap", len(lanes) * width * 4, MAX_BITMAP, "give fewer sources")
    bitmap = np.zeros((len(lanes), width), np.uint32)
    backends.known(backend)
    if max_depth is None and backend != "reference":
        given = Lanes.of(lanes)
        pruned = _pruned(graph, given.unique, backend, None)
        kernels = backends.for_closing(backend, len(given.unique), len(pruned.targets))
        if kernels is not None:
            closed.fill(kernels, given, pruned, bitmap)
            return bitmap
    step = max(1, (1 << 24) // max(graph.num_nodes, 1))  # sources a time, so that the pairs stay small
    for first in range(0, len(lanes), step):
        part = reachability(graph, lanes[first : first + step], max_depth=max_depth, backend=backend)
        bit = np.uint32(1) << (part.sink & np.uint32(31))
        # No pair comes twice, so adding bits is setting them.
        np.add.at(bitmap, (first + part.source_idx.astype(np.intp), part.sink >> np.uint32(5)), bit)
    return bitmap


def checked_sources(graph: Graph, sources: npt.ArrayLike, name: str = "sources") -> Index:
    """The list of start nodes as indices.

    Raises:
        GraphError: The graph is broken, or an entry is not one of its nodes; with its position.
        LimitError: source_count * node_count cannot be numbered.
    """
    graph.validate()
    raw = np.asarray(sources)
    if raw.size == 0:
        return np.empty(0, np.intp)
    if raw.ndim != 1 or raw.dtype.kind not in "iu":
        raise GraphError([f"{name} has shape {raw.shape} and type {raw.dtype}, expected one dimension of integers"])
    outside = (raw < 0) | (raw >= graph.num_nodes)
    if outside.any():
        at = int(np.argmax(outside))
        valid = f"0..{graph.num_nodes - 1}" if graph.num_nodes else "an id, but the graph has no nodes"
        raise GraphError([f"{name}[{at}] is {raw[at]}, expected {valid}"])
    pairs = len(raw) * graph.num_nodes
    if pairs > MAX_PAIRS:
        raise LimitError("source_count * node_count", pairs, MAX_PAIRS, "give fewer sources")
    return raw.astype(np.intp)


def checked_room(graph: Graph) -> None:
    """Refuse a graph for which no kernel has the memory; what a kernel needs beyond this follows what is reached.

    Raises:
        LimitError: A word and a number per node are more than the machine has.
    """
    need, room = BYTES_PER_NODE * graph.num_nodes, memory()
    if need > room:
        raise LimitError("bytes to search the graph", need, room, "split the graph, or use a machine with more memory")


def checked_limits(max_depth: int | None, max_findings: int | None) -> None:
    """Refuse negative limits."""
    for name, value in (("max_depth", max_depth), ("max_findings", max_findings)):
        if value is not None and value < 0:
            raise ValueError(f"{name} is {value}, expected 0 or more, or None for no limit")


def _search(
    graph: Graph,
    sources: npt.ArrayLike,
    max_depth: int | None,
    max_findings: int | None,
    backend: Backend,
    *,
    sinks_only: bool,
    prune: bool = True,
    pruned: Pruned | None = None,
) -> Hits:
    backends.known(backend)
    checked_limits(max_depth, max_findings)
    starts = checked_sources(graph, sources)
    if backend == "reference":
        operation = reference.bfs if sinks_only else reference.reachability
        offsets, targets, roles = graph.offsets.tolist(), graph.targets.tolist(), graph.roles().tolist()
        rows = operation(offsets, targets, roles, starts.tolist(), max_depth)
        kept = np.array(rows[:max_findings], np.int64).reshape(-1, 4)
        return _hits(kept[:, 0], kept[:, 1], kept[:, 2], kept[:, 3], len(rows))

    given = Lanes.of(starts)
    unique = given.unique
    roles_array = graph.roles()
    is_sink = (roles_array == Role.SINK) | (roles_array == Role.SOURCE_AND_SINK)
    if not prune:
        pruned = _whole(graph)
    if pruned is None:
        pruned = _pruned(graph, unique, backend, is_sink.astype(np.uint64) if sinks_only else None)
    # A source that reaches no sink is not in the pruned graph.
    place = np.minimum(np.searchsorted(pruned.nodes, unique), max(len(pruned.nodes) - 1, 0))
    lanes = np.flatnonzero(pruned.nodes[place] == unique) if len(pruned.nodes) else np.empty(0, np.intp)
    report = is_sink[pruned.nodes] if sinks_only else np.ones(len(pruned.nodes), np.bool_)
    limit = DEEPEST if max_depth is None else max_depth
    kernels = backends.for_searching(backend, len(lanes), len(pruned.targets))
    ordering = in_order(kernels)
    if ordering is not None and len(lanes) and len(unique) == len(starts):
        # The kernels give every column as it is wanted, and in order.
        itself = roles_array[unique[lanes]] == Role.SOURCE_AND_SINK if sinks_only else np.ones(len(lanes), np.bool_)
        names = (_ids(unique[lanes]), _ids(pruned.nodes), _ids(given.by_source[lanes]))
        columns, total = ordering.ordered(
            pruned.offsets, pruned.targets, report, place[lanes], itself, names, limit, max_findings, hits_in_memory()
        )
        return Hits(columns[0], columns[1], columns[2], columns[3], total, total > columns.shape[1])
    collector = Collector(len(unique), len(pruned.nodes), max_findings, given.copies, words=False)
    at_once = lanes[roles_array[unique[lanes]] == Role.SOURCE_AND_SINK] if sinks_only else lanes
    none = np.empty(0, np.uint64)
    collector.add(at_once, place[at_once], np.zeros(len(at_once), np.intp), none)
    if len(lanes):
        for block in kernels.search(pruned.offsets, pruned.targets, report, place[lanes], limit):
            collector.add(lanes[block.lane], block.node, block.depth, none)
    lane, node, depth, _ = collector.finish()
    hit, index = given.places(lane, max_findings)
    return _hits(unique[lane[hit]], pruned.nodes[node[hit]], depth[hit], index, collector.total)


def _pruned(graph: Graph, sources: Index, backend: Backend, report: Words | None) -> Pruned:
    checked_room(graph)
    return backends.for_pruning(backend, graph.num_edges).prune(
        graph.offsets,
        graph.targets,
        None,
        leaving(graph, Sanitize()),
        report,
        sources,
        np.ones(len(sources), np.uint64),
    )


def _whole(graph: Graph) -> Pruned | None:
    """A graph as if it were pruned; None where it has edges that must not be followed."""
    if leaving(graph, Sanitize()) is not None:
        return None
    return Pruned(
        np.arange(graph.num_nodes), graph.offsets.astype(np.intp, copy=False), graph.targets.astype(np.intp), None
    )


def _hits(source: Index, sink: Index, depth: Index, source_idx: Index, total: int) -> Hits:
    return Hits(_ids(source), _ids(sink), _ids(depth), _ids(source_idx), total, total > len(source))


def _ids(values: Index) -> NodeIds:
    return values.astype(np.uint32)
