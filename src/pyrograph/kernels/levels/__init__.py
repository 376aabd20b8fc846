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
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels import launches
from pyrograph.kernels import level_kernels as k
from pyrograph.kernels.arrays import LANES, Block, Index, Numbers, Pruned, Words, lanes_of
from pyrograph.kernels.cuda import SIMULATED, cuda
from pyrograph.kernels.errors import LimitError

ALL = ~np.uint64(0)
MOST = 2 if SIMULATED else 528  # blocks of a level: four on each multiprocessor of an H200
WIDE = 2  # levels of the whole device in a round of a loop; those after the last one are empty
DEEPEST = (1 << 31) - 8
TOLD = 1 << 18  # rows of an answer there is room for at first

Read = Callable[[str, int], npt.NDArray[Any]]


class Ran(NamedTuple):
    """A program that has run: its first so many elements of an external array, and how it was run."""

    read: Read
    executable: Any  # cg.Executable, or cg.HostLoop


Runner = Callable[[cg.Program, Mapping[str, npt.NDArray[Any]], Mapping[str, int]], Ran]


def as_graph(
    program: cg.Program,
    inputs: Mapping[str, npt.NDArray[Any]],
    outputs: Mapping[str, int],
    *,
    how: cg.How = "auto",
    profiling: cg.Profiling = "off",
) -> Ran:
    """Run a program once on the device; what cannot be a graph there runs as a stream, with a warning that says why.

    Args:
        inputs: Arrays of the host, copied to the device.
        outputs: External buffers that are made on the device, with their number of elements.

    Raises:
        LimitError: The device has not so much memory.
        BackendError: A kernel does not compile, or fails.
    """
    types = {buffer.name: buffer.dtype for buffer in program.block.buffers}
    need = sum(array.nbytes for array in inputs.values())
    need += sum(size * types[name].itemsize for name, size in outputs.items())
    free = cg.free_memory()
    if need > free:
        raise LimitError(f"bytes of the arrays of {program.name!r}", need, free, "use --device cpu")
    arrays = {name: cuda.to_device(array) for name, array in inputs.items()}
    arrays |= {name: cuda.device_array(size, types[name]) for name, size in outputs.items()}
    if profiling == "off" and launches.wanted():
        profiling = "total"
    executable = cg.compile(program, arrays, how=how, profiling=profiling, every=2)
    if executable.why:
        warnings.warn(f"{program.name} runs without a graph: {executable.why}", RuntimeWarning, stacklevel=2)
    executable.launch()
    executable.synchronize()
    if launches.wanted():
        launches.tell(launches.Launch(program.name, executable.how, executable.profile().milliseconds))
    return Ran(lambda name, size: arrays[name][:size].copy_to_host(), executable)


def from_host(program: cg.Program, inputs: Mapping[str, npt.NDArray[Any]], outputs: Mapping[str, int]) -> Ran:
    """Run a program once, node by node from the host: the reference, in the simulator too."""
    types = {buffer.name: buffer.dtype for buffer in program.block.buffers}
    arrays = {name: cuda.to_device(array) for name, array in inputs.items()}
    arrays |= {name: cuda.device_array(size, types[name]) for name, size in outputs.items()}
    sizes = cg.sizes_of(program, {name: tuple(array.shape) for name, array in arrays.items()})
    loop = cg.HostLoop(cg.plan(program, sizes), arrays, Launcher())
    loop.launch()
    return Ran(lambda name, size: arrays[name][:size].copy_to_host(), loop)


run_default: Runner = from_host if SIMULATED else as_graph


class Launcher:
    """Launches nodes through Numba; for ``cg.HostLoop``."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """An array on the device."""
        return cuda.device_array(shape, dtype)

    def call(self, node: cg.Launch, blocks: int, arguments: list[Any]) -> None:
        """Launch a kernel."""
        node.kernel.function[blocks, node.threads, 0, node.shared](*arguments)

    def copy(self, source: Any, target: Any) -> None:
        """Copy all elements."""
        target.copy_to_device(source)

    def fill(self, target: Any, value: np.generic) -> None:
        """Set all elements."""
        target.copy_to_device(np.full(target.shape, value))

    def first(self, array: Any) -> int:
        """The first element."""
        return int(array.copy_to_host().reshape(-1)[0])


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
    yield from _rows(k.masked, offsets, targets, metadata, True, report, seeds, seed_words, max_depth, run)


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
    program = searching(-(-len(sources) // (k.WORDS * LANES)), min(max_depth, DEEPEST))
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
    program = flowing(transfer, per_edge, len(seeds), min(max_depth, DEEPEST))
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
    """Run a program that tells rows; once more with enough room if there was too little."""
    room = TOLD
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


# ---- programs


@cache
def pruning(ends: bool) -> cg.Program:
    """What ``prune`` launches; ``ends`` says whether only what leads to a reported node is kept."""
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
    over_nodes, over_edges = _wide("out_nodes"), _wide("out_targets")

    build.fill(forward)
    build.fill(arriving)
    build.fill(control)
    build.launch(
        k.SEED, seeds="seeds", words="seed_words", arriving=arriving, queues=queues, control=control, **_wide("seeds")
    )
    build.launch(k.TURN, control=control)
    waiting = {"arriving": arriving, "queues": queues, "control": control}
    graph = {"offsets": "offsets", "targets": "targets", "metadata": "edge_words", "leaving": "node_words"}
    loop_over_levels(build, "forwards", k.quiet, graph | waiting | {"known": forward})
    build.fill(carried)
    build.launch(
        k.CARRY, offsets="offsets", edge_words="edge_words", node_words="node_words", known=forward, carried=carried,
        origin=origin, **over_nodes,
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
        build.launch(k.INCOMING, targets="targets", carried=carried, incoming=incoming, **over_edges)
        _prefix_sums(build, incoming, back_offsets, "n + 1")
        build.copy(back_offsets, cursor)
        build.launch(
            k.REVERSE, targets="targets", carried=carried, origin=origin, cursor=cursor, back_targets=back_targets,
            back_words=back_words, **over_edges,
        )  # fmt: skip
        build.fill(alive)
        build.fill(control, name="clear control")
        build.launch(
            k.WANT, report="report", known=forward, arriving=arriving, queues=queues, control=control, **over_nodes
        )
        build.launch(k.TURN, control=control)
        everything = build.buffer("everything", k.U8, "[1]")
        build.fill(everything, int(ALL))
        graph = {"offsets": back_offsets, "targets": back_targets, "metadata": back_words, "leaving": everything}
        loop_over_levels(build, "backwards", k.quiet, graph | waiting | {"known": alive})
        build.launch(k.MEET, targets="targets", known=forward, alive=alive, carried=carried, **over_edges)
    kept, place = build.buffer("kept", k.I4, "[n + 1]"), build.buffer("place", k.I8, "[n + 1]")
    used, ending = build.buffer("used", k.I4, "[m + 1]"), build.buffer("ending", k.I8, "[m + 1]")
    build.fill(kept)
    build.fill(used)
    build.launch(k.NONZERO, words=alive, flags=kept, name="flag nodes", **over_nodes)
    build.launch(k.NONZERO, words=carried, flags=used, name="flag edges", **over_edges)
    _prefix_sums(build, kept, place, "n + 1")
    _prefix_sums(build, used, ending, "m + 1")
    build.launch(
        k.KEEP_NODES, offsets="offsets", kept=kept, place=place, ending=ending, out_nodes="out_nodes",
        out_ends="out_ends", totals="totals", **over_nodes,
    )  # fmt: skip
    build.launch(
        k.KEEP_EDGES, targets="targets", used=used, place=place, ending=ending, carried=carried,
        out_targets="out_targets", out_words="out_words", **over_edges,
    )  # fmt: skip
    return build.program()


def flowing(transfer: Callable[..., Any], per_edge: bool, rows: int, max_depth: int) -> cg.Program:
    """What ``flow`` and ``apply`` launch. The number of rows and the depth are scalars: to change them is hot."""
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
            k.START, row=row, seeds="seeds", words="seed_words", arriving=arriving, queues=queues, control=control
        )
        graph: dict[str, str | int] = {"offsets": "offsets", "targets": "targets", "metadata": "metadata"}
        state: dict[str, str | int] = {"known": known, "arriving": arriving, "queues": queues, "control": control}
        kernel = partial(k.telling, transfer, per_edge)
        given: dict[str, str | int] = {"report": "report", "seeds": "seeds", "max_depth": max_depth}
        loop_over_levels(build, "levels", kernel, graph | state | given | _TOLD_PINS)
    return build.program()


def searching(rows: int, max_depth: int) -> cg.Program:
    """What ``search`` launches."""
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
            k.START_LANES, row=row, seeds="seeds", arriving=arriving, queues=queues, stamp=stamp, control=control,
            blocks=1, threads=k.THREADS,
        )  # fmt: skip
        build.launch(k.TURN, control=control)
        graph: dict[str, str | int] = {"offsets": "offsets", "targets": "targets"}
        state: dict[str, str | int] = {
            "known": known,
            "arriving": arriving,
            "queues": queues,
            "stamp": stamp,
            "control": control,
        }
        given: dict[str, str | int] = {"report": "report", "row": row, "max_depth": max_depth}
        loop_over_levels(build, "levels", k.lanes, graph | state | given | _TOLD_PINS)
    return build.program()


def _declare_reported(build: cg.Builder) -> None:
    build.external("reported_lane", k.U4, "[t]")
    build.external("reported_node", k.U4, "[t]")
    build.external("reported_depth", k.U4, "[t]")
    build.external("reported_word", k.U8, "[t]")
    build.external("count", k.I8, "[1]")


_TOLD_PINS: dict[str, str | int] = {
    name: name for name in ("reported_lane", "reported_node", "reported_depth", "reported_word", "count")
}


def _wide(buffer: str) -> dict[str, Any]:
    """A thread for each element of a buffer, more or less."""
    return {"blocks": cg.Cover(buffer, 8 * MOST), "threads": k.THREADS}


def loop_over_levels(
    build: cg.Builder,
    name: str,
    kernel: Callable[[bool], cg.Kernel],
    arguments: Mapping[str, str | int],
    *,
    thin: bool = True,
    wide: int = WIDE,
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
        grid = cg.Cover(given["queues"], MOST)
        for number in range(wide):
            label = f"{name}, wide {number + 1}"
            build.launch(kernel(False), blocks=grid, threads=k.THREADS, name=label, **given)


def _prefix_sums(build: cg.Builder, counts: str, sums: str, size: str) -> None:
    """``sums[i]`` is the sum of what stands before ``counts[i]``; both have ``size`` elements."""
    tiles = build.buffer(f"tiles of {counts}", k.I8, f"[({size} + {k.TILE - 1}) // {k.TILE}]")
    build.launch(k.TILE_SUMS, counts=counts, tiles=tiles, **_wide(counts))
    build.launch(k.TILE_STARTS, tiles=tiles, threads=k.THREADS)
    build.launch(k.PLACES, counts=counts, tiles=tiles, sums=sums, **_wide(counts))
