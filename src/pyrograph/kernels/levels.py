"""Level-synchronous searches as programs of ``cudagraph``: each is one launch, whatever the number of levels.

A level is one kernel. It takes the nodes of its queue, settles what has arrived at them, and offers their facts to
their edges; what is new at the other end goes to the queue of the next level. Two queues and two arrays of arriving
words take turns, so that depths are exact although nobody waits within a level. The last block to finish turns them
over and counts the level; its count of waiting nodes is the condition of the loop.

* ``prune``: as ``vectorised.prune``: forwards, over the reversed edges, and the compaction.
* ``flow``, ``apply``: as ``vectorised.flow``, ``cpu.apply``: a For over the seeds around a While over the levels.
* ``search``: as ``vectorised.search``, 256 lanes a row.

Answers do not depend on the order in which threads arrive: words are joined by OR, pruned nodes and edges are placed
by prefix sums, and rows of hits are sorted by the caller.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.arrays import LANES, Block, Index, Numbers, Pruned, Words, lanes_of
from pyrograph.kernels.cuda import CACHED, SIMULATED, cuda  # first: it chooses where Numba keeps compiled code

I4, I8, U4, U8 = (np.dtype(kind) for kind in (np.int32, np.int64, np.uint32, np.uint64))
ALL = ~np.uint64(0)

# What stands where in ``control`` (int32). WIDTH, the nodes waiting, comes first: it is the condition of the loops.
WIDTH, NEXT, SIDE, DEPTH, DONE, ROW = range(6)
FIELDS = 8

THREADS = 4 if SIMULATED else 256
MOST = 2 if SIMULATED else 528  # blocks of a level: four on each multiprocessor of an H200
HEAVY = 3 if SIMULATED else 128  # edges from which on a whole block takes a node
SLOTS = 64  # such nodes that a block may put aside at a time
PER_THREAD = 4  # elements of a prefix sum
TILE = THREADS * PER_THREAD
UNROLL = 4  # levels in a round of a loop: a round's own cost is shared; levels after the last one are empty
WORDS = 4  # of 64 lanes each, in a row of ``search``
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
    """
    types = {buffer.name: buffer.dtype for buffer in program.block.buffers}
    arrays = {name: cuda.to_device(array) for name, array in inputs.items()}
    arrays |= {name: cuda.device_array(size, types[name]) for name, size in outputs.items()}
    executable = cg.compile(program, arrays, how=how, profiling=profiling, every=2)
    if executable.why:
        warnings.warn(f"{program.name} runs without a graph: {executable.why}", RuntimeWarning, stacklevel=2)
    executable.launch()
    executable.synchronize()
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
    yield from _rows(_masked, offsets, targets, metadata, True, report, seeds, seed_words, max_depth, run)


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
    """As ``cpu.apply``; the function is compiled for the device from its Python text."""
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
    program = searching(-(-len(sources) // (WORDS * LANES)), min(max_depth, DEEPEST))
    inputs = _graph(offsets, targets) | {
        "report": report.astype(np.int32),
        "seeds": sources[order].astype(np.uint32),
    }
    for lane, node, depth, word in _told(program, inputs, run):
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
    for lane, node, depth, word in _told(program, inputs, run):
        yield Block(lane, node, depth, word)


def _graph(offsets: Index, targets: Numbers) -> dict[str, npt.NDArray[Any]]:
    near = targets.astype(np.uint32, copy=False) if len(targets) else np.zeros(1, np.uint32)
    return {"offsets": offsets.astype(np.int64, copy=False), "targets": near}


def _told(
    program: cg.Program, inputs: Mapping[str, npt.NDArray[Any]], run: Runner
) -> Iterator[tuple[Numbers, Numbers, Numbers, Words]]:
    """Run a program that tells rows; once more with enough room if there was too little."""
    room = TOLD
    while True:
        inputs = {**inputs, "count": np.zeros(1, np.int64)}
        columns = dict.fromkeys(("told_lane", "told_node", "told_depth", "told_word"), room)
        read, _ = run(program, inputs, columns)
        total = int(read("count", 1)[0])
        if total <= room:
            break
        room = total
    if total:
        yield read("told_lane", total), read("told_node", total), read("told_depth", total), read("told_word", total)


# ---- programs


@cache
def pruning(ends: bool) -> cg.Program:
    """What ``prune`` launches; ``ends`` says whether only what leads to a reported node is kept."""
    build = cg.Builder("prune")
    build.external("offsets", I8, "[n + 1]")
    build.external("targets", U4, "[m]")
    build.external("edge_words", U8, "[e]")
    build.external("node_words", U8, "[k]")
    build.external("report", U8, "[r]")
    build.external("seeds", U4, "[s]")
    build.external("seed_words", U8, "[s]")
    build.external("totals", I8, "[2]")
    build.external("out_nodes", U4, "[n]")
    build.external("out_ends", I8, "[n]")
    build.external("out_targets", U4, "[m]")
    build.external("out_words", U8, "[m]")
    forward, arriving = build.buffer("forward", U8, "[n]"), build.buffer("arriving", U8, "[2, n]")
    queues, control = build.buffer("queues", U4, "[2, n]"), build.buffer("control", I4, f"[{FIELDS}]")
    carried, origin = build.buffer("carried", U8, "[m]"), build.buffer("origin", U4, "[m]")
    over_nodes, over_edges = _wide("out_nodes"), _wide("out_targets")

    build.fill(forward)
    build.fill(arriving)
    build.fill(control)
    build.launch(
        _SEED, seeds="seeds", words="seed_words", arriving=arriving, queues=queues, control=control, **_wide("seeds")
    )
    build.launch(_TURN, control=control)
    _levels(build, "forwards", "offsets", "targets", "edge_words", "node_words", forward, arriving, queues, control)
    build.fill(carried)
    build.launch(
        _CARRY, offsets="offsets", edge_words="edge_words", node_words="node_words", known=forward, carried=carried,
        origin=origin, **over_nodes,
    )  # fmt: skip
    alive = forward
    if ends:
        incoming, back_offsets = build.buffer("incoming", I4, "[n + 1]"), build.buffer("back_offsets", I8, "[n + 1]")
        cursor, back_targets = build.buffer("cursor", I8, "[n + 1]"), build.buffer("back_targets", U4, "[m]")
        back_words, alive = build.buffer("back_words", U8, "[m]"), build.buffer("backward", U8, "[n]")
        build.fill(incoming)
        build.launch(_INCOMING, targets="targets", carried=carried, incoming=incoming, **over_edges)
        _prefix_sums(build, incoming, back_offsets, "n + 1")
        build.copy(back_offsets, cursor)
        build.launch(
            _REVERSE, targets="targets", carried=carried, origin=origin, cursor=cursor, back_targets=back_targets,
            back_words=back_words, **over_edges,
        )  # fmt: skip
        build.fill(alive)
        build.fill(control, name="clear control")
        build.launch(
            _WANT, report="report", known=forward, arriving=arriving, queues=queues, control=control, **over_nodes
        )
        build.launch(_TURN, control=control)
        everything = build.buffer("everything", U8, "[1]")
        build.fill(everything, int(ALL))
        _levels(
            build, "backwards", back_offsets, back_targets, back_words, everything, alive, arriving, queues, control
        )
        build.launch(_MEET, targets="targets", known=forward, alive=alive, carried=carried, **over_edges)
    kept, place = build.buffer("kept", I4, "[n + 1]"), build.buffer("place", I8, "[n + 1]")
    used, ending = build.buffer("used", I4, "[m + 1]"), build.buffer("ending", I8, "[m + 1]")
    build.fill(kept)
    build.fill(used)
    build.launch(_NONZERO, words=alive, flags=kept, name="flag nodes", **over_nodes)
    build.launch(_NONZERO, words=carried, flags=used, name="flag edges", **over_edges)
    _prefix_sums(build, kept, place, "n + 1")
    _prefix_sums(build, used, ending, "m + 1")
    build.launch(
        _KEEP_NODES, offsets="offsets", kept=kept, place=place, ending=ending, out_nodes="out_nodes",
        out_ends="out_ends", totals="totals", **over_nodes,
    )  # fmt: skip
    build.launch(
        _KEEP_EDGES, targets="targets", used=used, place=place, ending=ending, carried=carried,
        out_targets="out_targets", out_words="out_words", **over_edges,
    )  # fmt: skip
    return build.program()


def flowing(transfer: Callable[..., Any], per_edge: bool, rows: int, max_depth: int) -> cg.Program:
    """What ``flow`` and ``apply`` launch. The number of rows and the depth are scalars: to change them is hot."""
    build = cg.Builder("flow")
    build.external("offsets", I8, "[n + 1]")
    build.external("targets", U4, "[m]")
    build.external("metadata", U8, "[k]")
    build.external("report", U8, "[n]")
    build.external("seeds", U4, "[s]")
    build.external("seed_words", U8, "[s]")
    _declare_told(build)
    known, arriving = build.buffer("known", U8, "[n]"), build.buffer("arriving", U8, "[2, n]")
    queues, control = build.buffer("queues", U4, "[2, n]"), build.buffer("control", I4, f"[{FIELDS}]")
    with build.repeat(rows, name="rows") as row:
        build.fill(known)
        build.fill(arriving)
        build.launch(
            _START, row=row, seeds="seeds", words="seed_words", arriving=arriving, queues=queues, control=control
        )
        with build.loop(control, name="levels"):
            for number in range(UNROLL):
                build.launch(
                    _telling(transfer, per_edge), offsets="offsets", targets="targets", metadata="metadata",
                    known=known, arriving=arriving, queues=queues, control=control, report="report", seeds="seeds",
                    **_TOLD_PINS, max_depth=max_depth, blocks=cg.Cover(queues, MOST), threads=THREADS,
                    name=f"level {number}",
                )  # fmt: skip
    return build.program()


def searching(rows: int, max_depth: int) -> cg.Program:
    """What ``search`` launches."""
    build = cg.Builder("search")
    build.external("offsets", I8, "[n + 1]")
    build.external("targets", U4, "[m]")
    build.external("report", I4, "[n]")
    build.external("seeds", U4, "[s]")
    _declare_told(build)
    known, arriving = build.buffer("known", U8, f"[n, {WORDS}]"), build.buffer("arriving", U8, f"[2, n, {WORDS}]")
    queues, control = build.buffer("queues", U4, "[2, n]"), build.buffer("control", I4, f"[{FIELDS}]")
    stamp = build.buffer("stamp", I4, "[n]")
    with build.repeat(rows, name="rows") as row:
        build.fill(known)
        build.fill(arriving)
        build.fill(stamp)
        build.fill(control)
        build.launch(
            _START_LANES, row=row, seeds="seeds", arriving=arriving, queues=queues, stamp=stamp, control=control,
            blocks=1, threads=THREADS,
        )  # fmt: skip
        build.launch(_TURN, control=control)
        with build.loop(control, name="levels"):
            for number in range(UNROLL):
                build.launch(
                    _LANES, offsets="offsets", targets="targets", known=known, arriving=arriving, queues=queues,
                    stamp=stamp, control=control, report="report", row=row, **_TOLD_PINS, max_depth=max_depth,
                    blocks=cg.Cover(queues, MOST), threads=THREADS, name=f"level {number}",
                )  # fmt: skip
    return build.program()


def _declare_told(build: cg.Builder) -> None:
    build.external("told_lane", U4, "[t]")
    build.external("told_node", U4, "[t]")
    build.external("told_depth", U4, "[t]")
    build.external("told_word", U8, "[t]")
    build.external("count", I8, "[1]")


_TOLD_PINS: dict[str, Any] = {name: name for name in ("told_lane", "told_node", "told_depth", "told_word", "count")}


def _wide(buffer: str) -> dict[str, Any]:
    """A thread for each element of a buffer, more or less."""
    return {"blocks": cg.Cover(buffer, 8 * MOST), "threads": THREADS}


def _levels(
    build: cg.Builder,
    name: str,
    offsets: str,
    targets: str,
    metadata: str,
    leaving: str,
    known: str,
    arriving: str,
    queues: str,
    control: str,
) -> None:
    """The loop of one pass of ``prune``."""
    with build.loop(control, name=name):
        for number in range(UNROLL):
            build.launch(
                _PASS, offsets=offsets, targets=targets, metadata=metadata, leaving=leaving, known=known,
                arriving=arriving, queues=queues, control=control, blocks=cg.Cover("out_nodes", MOST), threads=THREADS,
                name=f"{name} {number}",
            )  # fmt: skip


def _prefix_sums(build: cg.Builder, counts: str, sums: str, size: str) -> None:
    """``sums[i]`` is the sum of what stands before ``counts[i]``; both have ``size`` elements."""
    tiles = build.buffer(f"tiles of {counts}", I8, f"[({size} + {TILE - 1}) // {TILE}]")
    build.launch(_TILE_SUMS, counts=counts, tiles=tiles, **_wide(counts))
    build.launch(_TILE_STARTS, tiles=tiles, threads=THREADS)
    build.launch(_PLACES, counts=counts, tiles=tiles, sums=sums, **_wide(counts))


# ---- kernels. Numba reads these as they stand; what is a plain Python constant here is one there.


def _masked(source: int, current: int, target: int, metadata: Any, fact: Any) -> Any:
    return fact & metadata


def _claim_alone() -> Any:
    @cuda.jit(device=True)
    def claim(control):  # type: ignore[no-untyped-def]
        return cuda.atomic.add(control, NEXT, 1)

    return claim


def _claim_by_warp() -> Any:
    """One atomic operation for all threads of a warp that push together; has no simulator twin."""

    @cuda.jit(device=True)
    def claim(control):  # type: ignore[no-untyped-def]
        together = cuda.activemask()
        below = cuda.popc(together & cuda.lanemask_lt())
        base = np.int32(0)
        if below == 0:
            base = cuda.atomic.add(control, NEXT, cuda.popc(together))
        return cuda.shfl_sync(together, base, cuda.ffs(together) - 1) + below

    return claim


_claim = _claim_alone() if SIMULATED else _claim_by_warp()  # a place in the queue of the next level


@cuda.jit(device=True)
def _finish(control, side, depth):  # type: ignore[no-untyped-def]
    """The last block turns the queues over; every thread calls this once, at its end."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.threadfence()
        if cuda.atomic.add(control, DONE, 1) == cuda.gridDim.x - 1:
            # By an atomic operation, because a plain load may come from this multiprocessor's own cache.
            control[WIDTH] = cuda.atomic.exch(control, NEXT, 0)
            control[SIDE] = 1 - side
            control[DEPTH] = depth + 1
            control[DONE] = 0


@cache
def _spread(transfer: Callable[..., Any], per_edge: bool) -> Any:
    """Offer a node's fact to its edges: by its own thread, or by the whole block where there are many."""
    function = cuda.jit(device=True)(transfer)

    @cuda.jit(device=True)
    def offer(source, node, fact, edge, targets, metadata, known, arriving, queues, control, after):  # type: ignore[no-untyped-def]
        target = targets[edge]
        meta = metadata[(edge if per_edge else np.int64(node)) if metadata.size > 1 else 0]
        flows = function(np.int64(source), np.int64(node), np.int64(target), meta, fact)
        new = np.uint64(flows) & ~known[target]
        if new != 0 and cuda.atomic.or_(arriving, (after, target), new) == 0:
            queues[after, _claim(control)] = target

    @cuda.jit(device=True)
    def spread(  # type: ignore[no-untyped-def]
        source, node, fact, heavy, words, waiting, offsets, targets, metadata, known, arriving, queues, control, after
    ):
        thread = cuda.threadIdx.x
        if fact != 0:
            begin = offsets[node]
            end = offsets[node + 1]
            if end - begin >= HEAVY:
                slot = cuda.atomic.add(waiting, 0, 1)
                if slot < SLOTS:
                    heavy[slot] = node
                    words[slot] = fact
                    begin = end
            for edge in range(begin, end):
                offer(source, node, fact, edge, targets, metadata, known, arriving, queues, control, after)
        cuda.syncthreads()
        for slot in range(min(waiting[0], SLOTS)):
            one = heavy[slot]
            for edge in range(offsets[one] + thread, offsets[one + 1], cuda.blockDim.x):
                offer(source, one, words[slot], edge, targets, metadata, known, arriving, queues, control, after)
        cuda.syncthreads()
        if thread == 0:
            waiting[0] = 0
        cuda.syncthreads()

    return spread


def _quiet() -> cg.Kernel:
    """A level that tells nothing: a pass of ``prune``."""
    spread = _spread(_masked, True)

    @cuda.jit(cache=CACHED)
    def level(offsets, targets, metadata, leaving, known, arriving, queues, control):  # type: ignore[no-untyped-def]
        heavy = cuda.shared.array(SLOTS, numba.uint32)
        words = cuda.shared.array(SLOTS, numba.uint64)
        waiting = cuda.shared.array(1, numba.int32)
        width, side, depth = control[WIDTH], control[SIDE], control[DEPTH]
        if cuda.threadIdx.x == 0:
            waiting[0] = 0
        cuda.syncthreads()
        first = cuda.blockIdx.x * cuda.blockDim.x
        while first < width:
            i = first + cuda.threadIdx.x
            node = np.uint32(0)
            fact = np.uint64(0)
            if i < width:
                node = queues[side, i]
                fresh = arriving[side, node] & ~known[node]
                arriving[side, node] = 0
                if fresh != 0:
                    known[node] |= fresh
                    fact = fresh & leaving[node if leaving.size > 1 else 0]
            spread(
                0, node, fact, heavy, words, waiting, offsets, targets, metadata, known, arriving, queues, control,
                1 - side,
            )  # fmt: skip
            first += cuda.gridDim.x * cuda.blockDim.x
        _finish(control, side, depth)

    return _kernel(
        level,
        reads=[("offsets", I8), ("targets", U4), ("metadata", U8), ("leaving", U8)],
        updates=[("known", U8), ("arriving", U8), ("queues", U4), ("control", I4)],
    )


@cache
def _telling(transfer: Callable[..., Any], per_edge: bool) -> cg.Kernel:
    """A level that tells what is new where, and when."""
    spread = _spread(transfer, per_edge)

    @cuda.jit
    def level(  # type: ignore[no-untyped-def]
        offsets, targets, metadata, known, arriving, queues, control, report, seeds,
        told_lane, told_node, told_depth, told_word, count, max_depth,
    ):  # fmt: skip
        heavy = cuda.shared.array(SLOTS, numba.uint32)
        words = cuda.shared.array(SLOTS, numba.uint64)
        waiting = cuda.shared.array(1, numba.int32)
        width, side, depth, row = control[WIDTH], control[SIDE], control[DEPTH], control[ROW]
        source = seeds[row]
        if cuda.threadIdx.x == 0:
            waiting[0] = 0
        cuda.syncthreads()
        first = cuda.blockIdx.x * cuda.blockDim.x
        while first < width:
            i = first + cuda.threadIdx.x
            node = np.uint32(0)
            fact = np.uint64(0)
            if i < width:
                node = queues[side, i]
                fresh = arriving[side, node] & ~known[node]
                arriving[side, node] = 0
                if fresh != 0:
                    known[node] |= fresh
                    told = fresh & report[node]
                    if told != 0 and depth > 0:
                        at = cuda.atomic.add(count, 0, 1)
                        if at < told_lane.size:
                            told_lane[at] = row
                            told_node[at] = node
                            told_depth[at] = depth
                            told_word[at] = told
                    if depth < max_depth:
                        fact = known[node]
            spread(
                source, node, fact, heavy, words, waiting, offsets, targets, metadata, known, arriving, queues,
                control, 1 - side,
            )  # fmt: skip
            first += cuda.gridDim.x * cuda.blockDim.x
        _finish(control, side, depth)

    return _kernel(
        level,
        reads=[("offsets", I8), ("targets", U4), ("metadata", U8)],
        updates=[("known", U8), ("arriving", U8), ("queues", U4), ("control", I4)],
        more=[cg.Pin("report", U8, "read"), cg.Pin("seeds", U4, "read"), *_TOLD, cg.Scalar("max_depth", I4)],
    )


_TOLD = [
    *(cg.Pin(name, U4, "update") for name in ("told_lane", "told_node", "told_depth")),
    cg.Pin("told_word", U8, "update"),
    cg.Pin("count", I8, "update"),
]


def _kernel(
    function: Any,
    reads: list[tuple[str, np.dtype[Any]]],
    updates: list[tuple[str, np.dtype[Any]]],
    more: list[cg.Pin | cg.Scalar] | None = None,
) -> cg.Kernel:
    pins = [cg.Pin(name, kind, "read") for name, kind in reads] + [
        cg.Pin(name, kind, "update") for name, kind in updates
    ]
    return cg.Kernel(function.__name__, function, (*pins, *(more or ())))


@cuda.jit(cache=CACHED)
def _lanes(  # type: ignore[no-untyped-def]
    offsets, targets, known, arriving, queues, stamp, control, report, row,
    told_lane, told_node, told_depth, told_word, count, max_depth,
):  # fmt: skip
    """A level of 256 lanes: a thread for each word of each waiting node."""
    heavy = cuda.shared.array(SLOTS, numba.uint32)
    words = cuda.shared.array(SLOTS, numba.uint64)
    columns = cuda.shared.array(SLOTS, numba.int32)
    waiting = cuda.shared.array(1, numba.int32)
    width, side, depth = control[WIDTH] * WORDS, control[SIDE], control[DEPTH]
    thread = cuda.threadIdx.x
    if thread == 0:
        waiting[0] = 0
    cuda.syncthreads()
    first = cuda.blockIdx.x * cuda.blockDim.x
    while first < width:
        i = first + thread
        if i < width:
            node = queues[side, i // WORDS]
            column = i % WORDS
            fresh = arriving[side, node, column] & ~known[node, column]
            arriving[side, node, column] = 0
            if fresh != 0:
                known[node, column] |= fresh
                if report[node] != 0 and depth > 0:
                    at = cuda.atomic.add(count, 0, 1)
                    if at < told_lane.size:
                        told_lane[at] = row[0] * WORDS + column
                        told_node[at] = node
                        told_depth[at] = depth
                        told_word[at] = fresh
                if depth < max_depth:
                    begin = offsets[node]
                    end = offsets[node + 1]
                    if end - begin >= HEAVY:
                        slot = cuda.atomic.add(waiting, 0, 1)
                        if slot < SLOTS:
                            heavy[slot] = node
                            words[slot] = fresh
                            columns[slot] = column
                            begin = end
                    for edge in range(begin, end):
                        _offer_lanes(
                            fresh, column, targets[edge], known, arriving, queues, stamp, control, 1 - side, depth
                        )
        cuda.syncthreads()
        for slot in range(min(waiting[0], SLOTS)):
            one = heavy[slot]
            for edge in range(offsets[one] + thread, offsets[one + 1], cuda.blockDim.x):
                fresh = words[slot]
                column = columns[slot]
                target = targets[edge]
                _offer_lanes(fresh, column, target, known, arriving, queues, stamp, control, 1 - side, depth)
        cuda.syncthreads()
        if thread == 0:
            waiting[0] = 0
        cuda.syncthreads()
        first += cuda.gridDim.x * cuda.blockDim.x
    _finish(control, side, depth)


@cuda.jit(device=True)
def _offer_lanes(fresh, column, target, known, arriving, queues, stamp, control, after, depth):  # type: ignore[no-untyped-def]
    new = fresh & ~known[target, column]
    if new != 0:
        cuda.atomic.or_(arriving, (after, target, column), new)
        # The stamp is the level of the last push plus one: the first word that arrives in a level pushes the node.
        if stamp[target] < depth + 2 and cuda.atomic.max(stamp, target, depth + 2) < depth + 2:
            queues[after, _claim(control)] = target


@cuda.jit(cache=CACHED)
def _seed(seeds, words, arriving, queues, control):  # type: ignore[no-untyped-def]
    for i in range(cuda.grid(1), seeds.size, cuda.gridsize(1)):
        node = seeds[i]
        if words[i] != 0 and cuda.atomic.or_(arriving, (0, node), words[i]) == 0:
            queues[0, _claim(control)] = node


@cuda.jit(cache=CACHED)
def _turn(control):  # type: ignore[no-untyped-def]
    """What was pushed before the first level becomes its queue."""
    control[WIDTH] = control[NEXT]
    control[NEXT] = 0


@cuda.jit(cache=CACHED)
def _start(row, seeds, words, arriving, queues, control):  # type: ignore[no-untyped-def]
    at = row[0]
    arriving[0, seeds[at]] = words[at]
    queues[0, 0] = seeds[at]
    for field in range(control.size):
        control[field] = 0
    control[WIDTH] = 1 if words[at] != 0 else 0
    control[ROW] = at


@cuda.jit(cache=CACHED)
def _start_lanes(row, seeds, arriving, queues, stamp, control):  # type: ignore[no-untyped-def]
    first = row[0] * WORDS * LANES
    last = min(first + WORDS * LANES, seeds.size)
    for i in range(first + cuda.threadIdx.x, last, cuda.blockDim.x):
        node = seeds[i]
        lane = i - first
        cuda.atomic.or_(arriving, (0, node, lane // LANES), np.uint64(1) << np.uint64(lane % LANES))
        if cuda.atomic.max(stamp, node, 1) == 0:
            queues[0, _claim(control)] = node


@cuda.jit(cache=CACHED)
def _carry(offsets, edge_words, node_words, known, carried, origin):  # type: ignore[no-untyped-def]
    """What each edge carries, and where it begins; large nodes by the whole block."""
    heavy = cuda.shared.array(SLOTS, numba.uint32)
    waiting = cuda.shared.array(1, numba.int32)
    thread = cuda.threadIdx.x
    if thread == 0:
        waiting[0] = 0
    cuda.syncthreads()
    first = cuda.blockIdx.x * cuda.blockDim.x
    while first < known.size:
        node = first + thread
        if node < known.size and known[node] != 0:
            begin = offsets[node]
            end = offsets[node + 1]
            if end - begin >= HEAVY:
                slot = cuda.atomic.add(waiting, 0, 1)
                if slot < SLOTS:
                    heavy[slot] = node
                    begin = end
            fact = known[node] & node_words[node if node_words.size > 1 else 0]
            for edge in range(begin, end):
                carried[edge] = fact & edge_words[edge if edge_words.size > 1 else 0]
                origin[edge] = node
        cuda.syncthreads()
        for slot in range(min(waiting[0], SLOTS)):
            one = heavy[slot]
            fact = known[one] & node_words[one if node_words.size > 1 else 0]
            for edge in range(offsets[one] + thread, offsets[one + 1], cuda.blockDim.x):
                carried[edge] = fact & edge_words[edge if edge_words.size > 1 else 0]
                origin[edge] = one
        cuda.syncthreads()
        if thread == 0:
            waiting[0] = 0
        cuda.syncthreads()
        first += cuda.gridDim.x * cuda.blockDim.x


@cuda.jit(cache=CACHED)
def _incoming(targets, carried, incoming):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if carried[edge] != 0:
            cuda.atomic.add(incoming, targets[edge], 1)


@cuda.jit(cache=CACHED)
def _reverse(targets, carried, origin, cursor, back_targets, back_words):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if carried[edge] != 0:
            at = cuda.atomic.add(cursor, targets[edge], 1)
            back_targets[at] = origin[edge]
            back_words[at] = carried[edge]


@cuda.jit(cache=CACHED)
def _want(report, known, arriving, queues, control):  # type: ignore[no-untyped-def]
    for node in range(cuda.grid(1), known.size, cuda.gridsize(1)):
        wanted = known[node] & report[node]
        if wanted != 0:
            arriving[0, node] = wanted
            queues[0, _claim(control)] = node


@cuda.jit(cache=CACHED)
def _meet(targets, known, alive, carried):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if carried[edge] != 0:
            carried[edge] &= alive[targets[edge]] & known[targets[edge]]


@cuda.jit(cache=CACHED)
def _nonzero(words, flags):  # type: ignore[no-untyped-def]
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        flags[i] = 1 if words[i] != 0 else 0


@cuda.jit(device=True)
def _before(scan, value):  # type: ignore[no-untyped-def]
    """The sum of ``value`` over the threads before this one; ``scan[-1]`` is then that over all of the block."""
    thread = cuda.threadIdx.x
    scan[thread] = value
    cuda.syncthreads()
    step = 1
    while step < THREADS:
        other = scan[thread - step] if thread >= step else 0
        cuda.syncthreads()
        scan[thread] += other
        cuda.syncthreads()
        step *= 2
    return scan[thread] - value


@cuda.jit(cache=CACHED)
def _tile_sums(counts, tiles):  # type: ignore[no-untyped-def]
    total = cuda.shared.array(1, numba.int64)
    for tile in range(cuda.blockIdx.x, tiles.size, cuda.gridDim.x):
        if cuda.threadIdx.x == 0:
            total[0] = 0
        cuda.syncthreads()
        mine = 0
        for i in range(tile * TILE + cuda.threadIdx.x, min((tile + 1) * TILE, counts.size), THREADS):
            mine += counts[i]
        if mine != 0:
            cuda.atomic.add(total, 0, mine)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            tiles[tile] = total[0]
        cuda.syncthreads()


@cuda.jit(cache=CACHED)
def _tile_starts(tiles):  # type: ignore[no-untyped-def]
    """Sums of tiles to where each tile starts; one block."""
    scan = cuda.shared.array(THREADS, numba.int64)
    carry = 0
    for first in range(0, tiles.size, THREADS):
        i = first + cuda.threadIdx.x
        value = tiles[i] if i < tiles.size else 0
        before = _before(scan, value)
        if i < tiles.size:
            tiles[i] = carry + before
        carry += scan[THREADS - 1]
        cuda.syncthreads()


@cuda.jit(cache=CACHED)
def _places(counts, tiles, sums):  # type: ignore[no-untyped-def]
    scan = cuda.shared.array(THREADS, numba.int64)
    for tile in range(cuda.blockIdx.x, tiles.size, cuda.gridDim.x):
        at = tiles[tile]
        for first in range(tile * TILE, min((tile + 1) * TILE, counts.size), THREADS):
            i = first + cuda.threadIdx.x
            value = np.int64(counts[i]) if i < counts.size else np.int64(0)
            before = _before(scan, value)
            if i < counts.size:
                sums[i] = at + before
            at += scan[THREADS - 1]
            cuda.syncthreads()


@cuda.jit(cache=CACHED)
def _keep_nodes(offsets, kept, place, ending, out_nodes, out_ends, totals):  # type: ignore[no-untyped-def]
    last = kept.size - 1
    for node in range(cuda.grid(1), last, cuda.gridsize(1)):
        if kept[node] != 0:
            out_nodes[place[node]] = node
            out_ends[place[node]] = ending[offsets[node + 1]]
    if cuda.grid(1) == 0:
        totals[0] = place[last]
        totals[1] = ending[ending.size - 1]


@cuda.jit(cache=CACHED)
def _keep_edges(targets, used, place, ending, carried, out_targets, out_words):  # type: ignore[no-untyped-def]
    for edge in range(cuda.grid(1), carried.size, cuda.gridsize(1)):
        if used[edge] != 0:
            out_targets[ending[edge]] = place[targets[edge]]
            out_words[ending[edge]] = carried[edge]


def _pins(access: Any, **kinds: np.dtype[Any]) -> list[cg.Pin]:
    return [cg.Pin(name, kind, access) for name, kind in kinds.items()]


def _described(name: str, function: Any, *pins: list[cg.Pin]) -> cg.Kernel:
    return cg.Kernel(name, function, tuple(pin for part in pins for pin in part))


_PASS = _quiet()
_LANES = cg.Kernel(
    "lanes",
    _lanes,
    (
        *_pins("read", offsets=I8, targets=U4),
        *_pins("update", known=U8, arriving=U8, queues=U4, stamp=I4, control=I4),
        *_pins("read", report=I4, row=I4),
        *_TOLD,
        cg.Scalar("max_depth", I4),
    ),
)
_QUEUED = _pins("update", arriving=U8) + _pins("write", queues=U4)
_SEED = _described("seed", _seed, _pins("read", seeds=U4, words=U8), _QUEUED, _pins("update", control=I4))
_TURN = _described("turn", _turn, _pins("update", control=I4))
_START = _described("start", _start, _pins("read", row=I4, seeds=U4, words=U8), _QUEUED, _pins("write", control=I4))
_START_LANES = _described(
    "start lanes", _start_lanes, _pins("read", row=I4, seeds=U4), _QUEUED, _pins("update", stamp=I4, control=I4)
)
_CARRY = _described(
    "carry",
    _carry,
    _pins("read", offsets=I8, edge_words=U8, node_words=U8, known=U8),
    _pins("update", carried=U8),
    _pins("write", origin=U4),
)
_INCOMING = _described("incoming", _incoming, _pins("read", targets=U4, carried=U8), _pins("update", incoming=I4))
_REVERSE = _described(
    "reverse",
    _reverse,
    _pins("read", targets=U4, carried=U8, origin=U4),
    _pins("update", cursor=I8),
    _pins("write", back_targets=U4, back_words=U8),
)
_WANT = _described("want", _want, _pins("read", report=U8, known=U8), _QUEUED, _pins("update", control=I4))
_MEET = _described("meet", _meet, _pins("read", targets=U4, known=U8, alive=U8), _pins("update", carried=U8))
_NONZERO = _described("nonzero", _nonzero, _pins("read", words=U8), _pins("update", flags=I4))
_TILE_SUMS = _described("tile sums", _tile_sums, _pins("read", counts=I4), _pins("write", tiles=I8))
_TILE_STARTS = _described("tile starts", _tile_starts, _pins("update", tiles=I8))
_PLACES = _described("places", _places, _pins("read", counts=I4, tiles=I8), _pins("write", sums=I8))
_KEEP_NODES = _described(
    "keep nodes",
    _keep_nodes,
    _pins("read", offsets=I8, kept=I4, place=I8, ending=I8),
    _pins("write", out_nodes=U4, out_ends=I8, totals=I8),
)
_KEEP_EDGES = _described(
    "keep edges",
    _keep_edges,
    _pins("read", targets=U4, used=I4, place=I8, ending=I8, carried=U8),
    _pins("write", out_targets=U4, out_words=U8),
)
