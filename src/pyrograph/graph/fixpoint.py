"""``graph.fixpoint`` (``dataflow.fixpoint``): facts that flow through a transfer function until nothing is new.

A fact is a 64-bit word; where several arrive at a node they are joined by OR. Levels are synchronous: what is new at
depth d flows on at depth d + 1. The search ends when a level brings nothing new, at the latest after ``64 *
num_nodes`` levels.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pyrograph.graph import backend as backends
from pyrograph.graph.backend import Backend
from pyrograph.graph.csr import Graph, GraphError, Role, Words
from pyrograph.graph.hits import Collector, Facts
from pyrograph.graph.search import DEEPEST, checked_limits, checked_room, checked_sources
from pyrograph.graph.transfer import (
    Masks,
    Reach,
    Sanitize,
    Transfer,
    accepted,
    check,
    is_compiled,
    leaving,
    passing,
    plain,
)
from pyrograph.kernels import reference
from pyrograph.kernels.arrays import Index, Numbers
from pyrograph.kernels.errors import BackendError


def fixpoint(
    graph: Graph,
    seeds: npt.ArrayLike,
    transfer: Transfer,
    *,
    words: npt.ArrayLike | None = None,
    max_depth: int | None = None,
    max_findings: int | None = None,
    backend: Backend = "auto",
) -> Facts:
    """``dataflow.fixpoint``: which bits of each seed's fact arrive at which sink, and at what depth each first does.

    Sinks are the nodes of role 2 and 3; a seed of role 3 hits itself at depth 0. A bit that a sink sanitizes
    (``Masks.node_masks``) or does not accept (``Masks.sink_masks``) is no hit there.

    Args:
        seeds: (s,) node ids, a lane each.
        transfer: ``Reach()``, ``Sanitize()``, ``Masks(...)``, or a function (see ``graph.transfer``).
        words: (s,) the fact each seed starts with, uint64; 1 when absent. A seed with 0 finds nothing.
        max_depth: Longest path in edges; None for no limit.
        max_findings: Keep the first so many rows, in order; ``total`` stays exact. None keeps all.

    Raises:
        GraphError, LimitError: As ``bfs``; also for masks or words that do not fit.
        BackendError: The backend is missing, or cannot run this kind of transfer function.

    Time and space as ``bfs``, with a word instead of a bit per node that a lane reaches.

    >>> import pyrograph.graph as graph
    >>> data = graph.node_words([graph.Role.SOURCE, graph.Role.NORMAL, graph.Role.SINK])
    >>> flow = graph.to_csr(3, [(0, 1), (1, 2)], node_data=data, edge_data=[0b11, 0b10]).graph
    >>> graph.fixpoint(flow, [0], graph.Masks(), words=[0b11]).rows()      # only the second vulnerability passes
    [(0, 2, 2, 0, 2)]
    """
    backends.known(backend)
    checked_limits(max_depth, max_findings)
    starts = checked_sources(graph, seeds, "seeds")
    check(graph, transfer)
    facts = _checked_words(words, len(starts))
    if isinstance(transfer, Reach | Sanitize | Masks):
        if backend == "reference":
            return _by_reference(graph, starts, transfer, facts, max_depth, max_findings)
        return _by_masks(graph, starts, transfer, facts, max_depth, max_findings, backend)
    if backend == "reference" or (backend in ("auto", "host") and not is_compiled(transfer)):
        return _by_reference(graph, starts, transfer, facts, max_depth, max_findings)
    if not is_compiled(transfer):
        raise BackendError(
            f"backend {backend!r} needs a compiled transfer function and got plain Python; "
            "decorate it with numba.njit, or use backend='reference'"
        )
    return _by_function(graph, starts, transfer, facts, max_depth, max_findings, backend)


def _by_reference(
    graph: Graph, starts: Index, transfer: Transfer, words: Words, max_depth: int | None, max_findings: int | None
) -> Facts:
    node_data = graph.node_data.tolist()
    edge_data = None if graph.edge_data is None else graph.edge_data.tolist()
    accept = accepted(graph, transfer, (Role.SINK, Role.SOURCE_AND_SINK)).tolist()
    rows = reference.fixpoint(
        graph.offsets.tolist(),
        graph.targets.tolist(),
        graph.roles().tolist(),
        lambda edge, current: node_data[current] if edge_data is None else edge_data[edge],
        starts.tolist(),
        words.tolist(),
        plain(graph, transfer),
        lambda node: accept[node],
        max_depth,
    )
    kept = rows[:max_findings]
    columns = [np.array([row[i] for row in kept], np.uint32) for i in range(4)]
    word = np.array([row[4] for row in kept], np.uint64)
    return Facts(columns[0], columns[1], columns[2], columns[3], word, len(rows), len(rows) > len(kept))


def _by_masks(
    graph: Graph,
    starts: Index,
    transfer: Reach | Sanitize | Masks,
    words: Words,
    max_depth: int | None,
    max_findings: int | None,
    backend: Backend,
) -> Facts:
    checked_room(graph)
    report = accepted(graph, transfer, (Role.SINK, Role.SOURCE_AND_SINK))
    pruned = backends.for_pruning(backend, graph.num_edges).prune(
        graph.offsets, graph.targets, passing(graph, transfer), leaving(graph, transfer), report, starts, words
    )
    place = np.minimum(np.searchsorted(pruned.nodes, starts), max(len(pruned.nodes) - 1, 0))
    lanes = np.flatnonzero((pruned.nodes[place] == starts) & (words != 0)) if len(pruned.nodes) else place[:0]
    kernels = backends.for_flowing(backend, len(lanes), len(pruned.targets))
    limit = DEEPEST if max_depth is None else max_depth
    blocks = (
        kernels.flow(
            pruned.offsets,
            pruned.targets,
            pruned.edge_words,
            report[pruned.nodes],
            place[lanes],
            words[lanes],
            limit,
        )
        if len(lanes)
        else ()
    )
    return _collected(
        graph,
        starts,
        words,
        transfer,
        ((lanes[b.lane], pruned.nodes[b.node], b.depth, b.word) for b in blocks),
        max_findings,
    )


def _by_function(
    graph: Graph,
    starts: Index,
    transfer: Transfer,
    words: Words,
    max_depth: int | None,
    max_findings: int | None,
    backend: Backend,
) -> Facts:
    checked_room(graph)
    kernels = backends.for_applying(backend, int(np.count_nonzero(words)), graph.num_edges)
    metadata = graph.node_data.astype(np.uint64) if graph.edge_data is None else graph.edge_data
    report = accepted(graph, transfer, (Role.SINK, Role.SOURCE_AND_SINK))
    limit = DEEPEST if max_depth is None else max_depth
    lanes = np.flatnonzero(words != 0)
    blocks = kernels.apply(
        graph.offsets,
        graph.targets,
        metadata,
        graph.edge_data is not None,
        report,
        starts[lanes],
        words[lanes],
        transfer,
        limit,
    )
    return _collected(
        graph, starts, words, transfer, ((lanes[b.lane], b.node, b.depth, b.word) for b in blocks), max_findings
    )


def _collected(
    graph: Graph,
    starts: Index,
    words: Words,
    transfer: Transfer,
    found: Iterable[tuple[Numbers, Numbers, Numbers, Words]],
    max_findings: int | None,
) -> Facts:
    """Add what the seeds are at depth 0 to what kernels found, and put it in order."""
    by_source = np.argsort(starts, kind="stable")  # lanes as the result has them: by source, then by place in the list
    rank = np.empty(len(starts), np.intp)
    rank[by_source] = np.arange(len(starts))
    distinct = np.unique(starts)
    shared = len(distinct) < len(starts)
    group = np.searchsorted(distinct, starts[by_source]) if shared else None
    ones = np.ones(len(starts), np.intp)
    collector = Collector(len(starts), graph.num_nodes, max_findings, ones, words=True, group=group)
    own = words & accepted(graph, transfer, (Role.SOURCE_AND_SINK,))[starts]
    at_once = np.flatnonzero(own)
    collector.add(rank[at_once], starts[at_once], np.zeros(len(at_once), np.intp), own[at_once])
    for lane, node, depth, word in found:
        collector.add(rank[lane], node, depth, word)
    lane, node, depth, word = collector.finish()
    lane, node, depth, word = lane[:max_findings], node[:max_findings], depth[:max_findings], word[:max_findings]
    index = by_source[lane]
    return Facts(
        starts[index].astype(np.uint32),
        node.astype(np.uint32),
        depth.astype(np.uint32),
        index.astype(np.uint32),
        word,
        collector.total,
        collector.total > len(lane),
    )


def _checked_words(words: npt.ArrayLike | None, count: int) -> Words:
    if words is None:
        return np.ones(count, np.uint64)
    raw = np.asarray(words, np.uint64)
    if raw.size == 0 and count == 0:
        return np.empty(0, np.uint64)
    if raw.shape != (count,):
        raise GraphError([f"words has shape {raw.shape}, expected ({count},): one fact per seed"])
    return raw
