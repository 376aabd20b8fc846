"""The programs that ``levels`` launches: buffers, loops over levels, and the kernels between them.

A loop over levels has two kernels a round: one block walks all levels up to the first that is wide; then the whole
device takes some wide levels, one launch each. The number of nodes waiting is the condition of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.cuda import SIMULATED
from pyrograph.kernels.levels import compaction, kernels
from pyrograph.kernels.levels import parameters as k

ALL = ~np.uint64(0)
MAX_BLOCKS = 2 if SIMULATED else 528  # blocks of a level: four on each multiprocessor of an H200
WIDE_LEVELS = 2  # levels of the whole device in a round of a loop; those after the last one are empty
_REPORTED_PINS: dict[str, str | int] = {
    name: name for name in ("reported_lane", "reported_node", "reported_depth", "reported_word", "count")
}


@cache
def pruning(ends: bool) -> cg.Program:
    """The program of ``prune``. With ``ends``, it keeps only nodes and edges that lead to a reported node."""
    build = cg.Builder("prune")
    build.external("offsets", k.I8, "[n + 1]")
    build.external("targets", k.U4, "[m]")
    build.external("edge_words", k.U8, "[e]")
    build.external("node_words", k.U8, "[k]")
    build.external("report", k.U8, "[r]")
    build.external("seeds", k.U4, "[s]")
    build.external("seed_words", k.U8, "[s]")
    build.external("totals", k.I8, "[2]")
    build.external("out_nodes", k.U4, "[n]")
    build.external("out_ends", k.I8, "[n]")
    build.external("out_targets", k.U4, "[m]")
    build.external("out_words", k.U8, "[m]")
    forward, arriving = build.buffer("forward", k.U8, "[n]"), build.buffer("arriving", k.U8, "[2, n]")
    queues, control = build.buffer("queues", k.U4, "[2, n]"), build.buffer("control", k.I4, f"[{k.FIELDS}]")
    carried, origin = build.buffer("carried", k.U8, "[m]"), build.buffer("origin", k.U4, "[m]")
    over_nodes, over_edges = _each("out_nodes"), _each("out_targets")

    build.fill(forward)
    build.fill(arriving)
    build.fill(control)
    build.launch(
        kernels.SEED,
        seeds="seeds",
        words="seed_words",
        arriving=arriving,
        queues=queues,
        control=control,
        **_each("seeds"),
    )
    build.launch(kernels.TURN, control=control)
    waiting = {"arriving": arriving, "queues": queues, "control": control}
    graph = {"offsets": "offsets", "targets": "targets", "metadata": "edge_words", "leaving": "node_words"}
    loop_over_levels(build, "forwards", kernels.quiet, graph | waiting | {"known": forward})
    build.fill(carried)
    build.launch(
        compaction.CARRY, offsets="offsets", edge_words="edge_words", node_words="node_words", known=forward,
        carried=carried, origin=origin, **over_nodes,
    )  # fmt: skip
    alive = forward
    if ends:
        incoming, back_offsets = (
            build.buffer("incoming", k.I4, "[n + 1]"),
            build.buffer("back_offsets", k.I8, "[n + 1]"),
        )
        cursor, back_targets = build.buffer("cursor", k.I8, "[n + 1]"), build.buffer("back_targets", k.U4, "[m]")
        back_words, alive = build.buffer("back_words", k.U8, "[m]"), build.buffer("backward", k.U8, "[n]")
        build.fill(incoming)
        build.launch(compaction.INCOMING, targets="targets", carried=carried, incoming=incoming, **over_edges)
        _prefix_sums(build, incoming, back_offsets, "n + 1")
        build.copy(back_offsets, cursor)
        build.launch(
            compaction.REVERSE, targets="targets", carried=carried, origin=origin, cursor=cursor,
            back_targets=back_targets, back_words=back_words, **over_edges,
        )  # fmt: skip
        build.fill(alive)
        build.fill(control, name="clear control")
        build.launch(
            kernels.WANT,
            report="report",
            known=forward,
            arriving=arriving,
            queues=queues,
            control=control,
            **over_nodes,
        )
        build.launch(kernels.TURN, control=control)
        everything = build.buffer("everything", k.U8, "[1]")
        build.fill(everything, int(ALL))
        graph = {"offsets": back_offsets, "targets": back_targets, "metadata": back_words, "leaving": everything}
        loop_over_levels(build, "backwards", kernels.quiet, graph | waiting | {"known": alive})
        build.launch(compaction.MEET, targets="targets", known=forward, alive=alive, carried=carried, **over_edges)
    kept, place = build.buffer("kept", k.I4, "[n + 1]"), build.buffer("place", k.I8, "[n + 1]")
    used, ending = build.buffer("used", k.I4, "[m + 1]"), build.buffer("ending", k.I8, "[m + 1]")
    build.fill(kept)
    build.fill(used)
    build.launch(compaction.NONZERO, words=alive, flags=kept, name="flag nodes", **over_nodes)
    build.launch(compaction.NONZERO, words=carried, flags=used, name="flag edges", **over_edges)
    _prefix_sums(build, kept, place, "n + 1")
    _prefix_sums(build, used, ending, "m + 1")
    build.launch(
        compaction.KEEP_NODES, offsets="offsets", kept=kept, place=place, ending=ending, out_nodes="out_nodes",
        out_ends="out_ends", totals="totals", **over_nodes,
    )  # fmt: skip
    build.launch(
        compaction.KEEP_EDGES, targets="targets", used=used, place=place, ending=ending, carried=carried,
        out_targets="out_targets", out_words="out_words", **over_edges,
    )  # fmt: skip
    return build.program()


def flowing(transfer: Callable[..., Any], per_edge: bool, rows: int, max_depth: int) -> cg.Program:
    """The program of ``flow`` and ``apply``. The number of rows and the depth are scalars: their updates are hot."""
    build = cg.Builder("flow")
    build.external("offsets", k.I8, "[n + 1]")
    build.external("targets", k.U4, "[m]")
    build.external("metadata", k.U8, "[k]")
    build.external("report", k.U8, "[n]")
    build.external("seeds", k.U4, "[s]")
    build.external("seed_words", k.U8, "[s]")
    _declare_reported(build)
    known, arriving = build.buffer("known", k.U8, "[n]"), build.buffer("arriving", k.U8, "[2, n]")
    queues, control = build.buffer("queues", k.U4, "[2, n]"), build.buffer("control", k.I4, f"[{k.FIELDS}]")
    with build.repeat(rows, name="rows") as row:
        build.fill(known)
        build.fill(arriving)
        build.launch(
            kernels.START, row=row, seeds="seeds", words="seed_words", arriving=arriving, queues=queues, control=control
        )
        graph: dict[str, str | int] = {"offsets": "offsets", "targets": "targets", "metadata": "metadata"}
        state: dict[str, str | int] = {"known": known, "arriving": arriving, "queues": queues, "control": control}
        kernel = partial(kernels.reporting, transfer, per_edge)
        given: dict[str, str | int] = {"report": "report", "seeds": "seeds", "max_depth": max_depth}
        loop_over_levels(build, "levels", kernel, graph | state | given | _REPORTED_PINS)
    return build.program()


def searching(rows: int, max_depth: int) -> cg.Program:
    """The program of ``search``."""
    build = cg.Builder("search")
    build.external("offsets", k.I8, "[n + 1]")
    build.external("targets", k.U4, "[m]")
    build.external("report", k.I4, "[n]")
    build.external("seeds", k.U4, "[s]")
    _declare_reported(build)
    known, arriving = (
        build.buffer("known", k.U8, f"[n, {k.WORDS}]"),
        build.buffer("arriving", k.U8, f"[2, n, {k.WORDS}]"),
    )
    queues, control = build.buffer("queues", k.U4, "[2, n]"), build.buffer("control", k.I4, f"[{k.FIELDS}]")
    stamp = build.buffer("stamp", k.I4, "[n]")
    with build.repeat(rows, name="rows") as row:
        build.fill(known)
        build.fill(arriving)
        build.fill(stamp)
        build.fill(control)
        build.launch(
            kernels.START_LANES, row=row, seeds="seeds", arriving=arriving, queues=queues, stamp=stamp, control=control,
            blocks=1, threads=k.THREADS,
        )  # fmt: skip
        build.launch(kernels.TURN, control=control)
        graph: dict[str, str | int] = {"offsets": "offsets", "targets": "targets"}
        state: dict[str, str | int] = {
            "known": known,
            "arriving": arriving,
            "queues": queues,
            "stamp": stamp,
            "control": control,
        }
        given: dict[str, str | int] = {"report": "report", "row": row, "max_depth": max_depth}
        loop_over_levels(build, "levels", kernels.lanes, graph | state | given | _REPORTED_PINS)
    return build.program()


def _declare_reported(build: cg.Builder) -> None:
    build.external("reported_lane", k.U4, "[t]")
    build.external("reported_node", k.U4, "[t]")
    build.external("reported_depth", k.U4, "[t]")
    build.external("reported_word", k.U8, "[t]")
    build.external("count", k.I8, "[1]")


def _each(buffer: str) -> dict[str, Any]:
    """A thread for each element of a buffer, more or less."""
    return {"blocks": cg.Cover(buffer, 8 * MAX_BLOCKS), "threads": k.THREADS}


def loop_over_levels(
    build: cg.Builder,
    name: str,
    kernel: Callable[[bool], cg.Kernel],
    arguments: Mapping[str, str | int],
    *,
    thin: bool = True,
    wide: int = WIDE_LEVELS,
) -> None:
    """Rounds of thin levels and of wide ones until no node waits.

    Args:
        kernel: The kernel for one block alone (True), or for the whole device.
        arguments: Those of the kernel.
        thin: Whether one block walks thin levels.
        wide: Wide levels in a round.
    """
    given: dict[str, Any] = dict(arguments)
    with build.loop(given["control"], name=name):
        if thin:
            build.launch(kernel(True), threads=k.ALONE, name=f"{name}, thin", **given)
        grid = cg.Cover(given["queues"], MAX_BLOCKS)
        for number in range(wide):
            label = f"{name}, wide {number + 1}"
            build.launch(kernel(False), blocks=grid, threads=k.THREADS, name=label, **given)


def _prefix_sums(build: cg.Builder, counts: str, sums: str, size: str) -> None:
    """``sums[i]`` is the sum of what stands before ``counts[i]``; both have ``size`` elements."""
    tiles = build.buffer(f"tiles of {counts}", k.I8, f"[({size} + {k.TILE - 1}) // {k.TILE}]")
    build.launch(compaction.TILE_SUMS, counts=counts, tiles=tiles, **_each(counts))
    build.launch(compaction.TILE_STARTS, tiles=tiles, threads=k.THREADS)
    build.launch(compaction.PLACES, counts=counts, tiles=tiles, sums=sums, **_each(counts))
