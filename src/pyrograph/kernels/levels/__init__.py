"""Level-synchronous searches as programs of ``cudagraph``: each is one launch, whatever the number of levels.

A level takes the nodes of its queue, settles what has arrived at them, and offers their facts to their edges; what is
new at the other end goes to the queue of the next level. Two queues and two arrays of arriving words take turns, so
that depths are exact although nobody waits within a level.

A round of the loop is two kernels: one block walks all levels up to the first that is wide, for itself, with its own
barrier; then the whole device takes some wide levels, one launch each, where the last block to finish turns the queues
over. The number of nodes waiting is the condition of the loop. Why so: docs/cuda-graphs.md has the measurements.

* ``prune``: as ``vectorised.prune``: forwards, over the reversed edges, and the compaction.
* ``flow``, ``apply``: as ``vectorised.flow``, ``multicore.apply``: a For over the seeds around a While over the levels.
* ``search``: as ``vectorised.search``, 256 lanes a row.

Answers do not depend on the order in which threads arrive: words are joined by OR, pruned nodes and edges are placed
by prefix sums, and rows of hits are sorted by the caller.

The operations stand here. ``programs`` writes their programs, with the kernels of ``kernels`` and ``compaction``;
``runs`` runs a program. ``summaries`` has an operation and a program of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.arrays import LANES, Block, Index, Numbers, Pruned, Words, lanes_of
from pyrograph.kernels.levels.kernels import masked
from pyrograph.kernels.levels.parameters import WORDS
from pyrograph.kernels.levels.programs import ALL, flowing, pruning, searching
from pyrograph.kernels.levels.runs import Runner, as_graph, from_host, run_default

__all__ = ["Runner", "apply", "as_graph", "flow", "from_host", "prune", "search"]

MAX_DEPTH = (1 << 31) - 8  # of a search; the next numbers are used by the kernels
FIRST_ROOM = 1 << 18  # rows of an answer there is room for at first


def prune(
    offsets: Index,
    targets: npt.NDArray[np.uint32],
    edge_words: Words | None,
    node_words: Words | None,
    report: Words | None,
    seeds: Index,
    seed_words: Words,
    *,
    run: Runner = run_default,
) -> Pruned:
    """As ``vectorised.prune``.

    Raises:
        LimitError: The graph does not fit the device.
    """
    n, m = len(offsets) - 1, len(targets)
    masked = edge_words is not None or node_words is not None
    if not n or not len(seeds):
        none = np.empty(0, np.intp)
        return Pruned(none, np.zeros(1, np.intp), none, np.empty(0, np.uint64) if masked else None)
    one = np.full(1, ALL)
    inputs: dict[str, npt.NDArray[Any]] = {
        "offsets": offsets.astype(np.int64, copy=False),
        "targets": targets if m else np.zeros(1, np.uint32),
        "edge_words": one if edge_words is None or not m else edge_words,
        "node_words": one if node_words is None else node_words,
        "report": one if report is None else report,
        "seeds": seeds.astype(np.uint32),
        "seed_words": seed_words,
    }
    m = max(m, 1)
    outputs = {"totals": 2, "out_nodes": n, "out_ends": n, "out_targets": m, "out_words": m}
    read, _ = run(pruning(report is not None), inputs, outputs)
    kept, edges = (int(total) for total in read("totals", 2))
    begin = np.zeros(kept + 1, np.intp)
    begin[1:] = read("out_ends", kept)
    nodes, near = read("out_nodes", kept).astype(np.intp), read("out_targets", edges).astype(np.intp)
    return Pruned(nodes, begin, near, read("out_words", edges) if masked else None)


def flow(
    offsets: Index,
    targets: Numbers,
    edge_words: Words | None,
    report: Words,
    seeds: Index,
    seed_words: Words,
    max_depth: int,
    *,
    run: Runner = run_default,
) -> Iterator[Block]:
    """As ``vectorised.flow``: one seed after the other, each with the whole device."""
    metadata = np.full(1, ALL) if edge_words is None else edge_words
    yield from _rows(masked, offsets, targets, metadata, True, report, seeds, seed_words, max_depth, run)


def apply(
    offsets: Index,
    targets: Numbers,
    metadata: npt.NDArray[np.unsignedinteger],
    per_edge: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    transfer: Any,
    max_depth: int,
    *,
    run: Runner = run_default,
) -> Iterator[Block]:
    """As ``multicore.apply``; the function is compiled for the device from its Python text."""
    words = metadata.astype(np.uint64)
    function = transfer.py_func
    yield from _rows(function, offsets, targets, words, per_edge, report, seeds, seed_words, max_depth, run)


def search(
    offsets: Index,
    targets: Numbers,
    report: npt.NDArray[np.bool_],
    sources: Index,
    max_depth: int,
    *,
    run: Runner = run_default,
) -> Iterator[Block]:
    """As ``vectorised.search``, 256 sources a row."""
    n = len(offsets) - 1
    if not n or not len(sources):
        return
    order = np.argsort(sources, kind="stable")  # near sources share a row: they reach the same nodes at like times
    program = searching(-(-len(sources) // (WORDS * LANES)), min(max_depth, MAX_DEPTH))
    inputs = _graph(offsets, targets) | {
        "report": report.astype(np.int32),
        "seeds": sources[order].astype(np.uint32),
    }
    for lane, node, depth, word in _reported(program, inputs, run):
        which, bit = lanes_of(word)
        place = lane[which].astype(np.intp) * LANES + bit
        yield Block(order[place], node[which], depth[which], np.ones(len(place), np.uint64))


def _rows(
    transfer: Callable[..., Any],
    offsets: Index,
    targets: Numbers,
    metadata: Words,
    per_edge: bool,
    report: Words,
    seeds: Index,
    seed_words: Words,
    max_depth: int,
    run: Runner,
) -> Iterator[Block]:
    n = len(offsets) - 1
    if not n or not len(seeds):
        return
    program = flowing(transfer, per_edge, len(seeds), min(max_depth, MAX_DEPTH))
    inputs = _graph(offsets, targets) | {
        "metadata": metadata if len(metadata) else np.zeros(1, np.uint64),
        "report": report,
        "seeds": seeds.astype(np.uint32),
        "seed_words": seed_words,
    }
    for lane, node, depth, word in _reported(program, inputs, run):
        yield Block(lane, node, depth, word)


def _graph(offsets: Index, targets: Numbers) -> dict[str, npt.NDArray[Any]]:
    near = targets.astype(np.uint32, copy=False) if len(targets) else np.zeros(1, np.uint32)
    return {"offsets": offsets.astype(np.int64, copy=False), "targets": near}


def _reported(
    program: cg.Program, inputs: Mapping[str, npt.NDArray[Any]], run: Runner
) -> Iterator[tuple[Numbers, Numbers, Numbers, Words]]:
    """Run a program that reports rows; once more with enough room if there was too little."""
    room = FIRST_ROOM
    while True:
        inputs = {**inputs, "count": np.zeros(1, np.int64)}
        columns = dict.fromkeys(("reported_lane", "reported_node", "reported_depth", "reported_word"), room)
        read, _ = run(program, inputs, columns)
        total = int(read("count", 1)[0])
        if total <= room:
            break
        room = total
    if total:
        yield (
            read("reported_lane", total),
            read("reported_node", total),
            read("reported_depth", total),
            read("reported_word", total),
        )
