"""Costs and savings of the graph compiler. One script, one call, on a machine with a GPU:

    python bench/cuda_graphs.py [SECTION ...]        (about two minutes on one H200)

* ``updates``: what a change costs, by its row of the table: hot, warm, cold.
* ``levels``: microseconds a level of thin graphs of 150, 300 and 1,000 levels: one graph launch with a While region,
  against host loops, a persistent kernel, and one block for the whole search. Best of seven after two warm-ups; every
  way must reach the same nodes.
* ``prune``: ``levels.prune`` against the CPU's, whole calls from host arrays to host arrays; answers must be equal.
* ``summaries``: summary edges of generated programs, against a plain worklist in Python.
* ``search``: many sources, 256 lanes a row in one launch, against one block per source and the CPU.
* ``flow``: few seeds on a large graph, a row after the other, against one block per seed and the CPU.
* ``profile``: where the time of ``prune`` goes, node by node; what profiling costs.
* ``cold``: a fresh process, with an empty and with a filled disk cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "src"), str(ROOT)]

import numba  # noqa: E402
from graph_programs import Shape, program  # noqa: E402
from tests.graph import summaries as calling  # noqa: E402

from pyrograph import graph  # noqa: E402
from pyrograph.kernels import cuda as blocks  # noqa: E402
from pyrograph.kernels import cudagraph as cg  # noqa: E402
from pyrograph.kernels import levels, multicore  # noqa: E402
from pyrograph.kernels.cuda import cuda  # noqa: E402
from pyrograph.kernels.cudagraph.device import toolkit  # noqa: E402
from pyrograph.kernels.levels import kernels as level_kernels  # noqa: E402
from pyrograph.kernels.levels import parameters as k  # noqa: E402
from pyrograph.kernels.levels import programs, summaries  # noqa: E402

warnings.filterwarnings("ignore", message=".*Grid size")
NO_LIMIT = 1 << 30


def best(run: Callable[[], Any], times: int = 7, warm: int = 2) -> float:
    """Seconds."""
    found = []
    for turn in range(warm + times):
        begin = time.perf_counter()
        run()
        if turn >= warm:
            found.append(time.perf_counter() - begin)
    return min(found)


def median(run: Callable[[int], Any], times: int = 21) -> float:
    """Microseconds; ``run`` gets the number of the turn, and the first one is not counted."""
    found = []
    for turn in range(times + 1):
        begin = time.perf_counter()
        run(turn)
        found.append(time.perf_counter() - begin)
    return sorted(found[1:])[times // 2] * 1e6


def header(*names: str) -> None:
    """The head of a table."""
    print(f"| {' | '.join(names)} |\n{'|---' * len(names)}|", flush=True)


# ---- updates


def updates() -> None:
    """A program of 12 nodes, 4 of them in a loop."""

    @cuda.jit
    def grow(x, step):  # type: ignore[no-untyped-def]
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            x[i] += step

    @cuda.jit
    def grow_too(x, step):  # type: ignore[no-untyped-def]
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            x[i] += 2 * step

    pins = (cg.Pin("x", k.I4, "update"), cg.Scalar("step", k.I4))
    one, two = cg.Kernel("grow", grow, pins), cg.Kernel("grow", grow_too, pins)

    def state(
        step: int = 1, grid: int = 4, extra: bool = False, kernel: cg.Kernel = one, rounds: int = 3
    ) -> cg.Program:
        build = cg.Builder("updates")
        x = build.external("x", k.I4, "[n]")
        own = build.buffer("own", k.I4, "[n]")
        build.fill(own)
        for number in range(5):
            build.launch(kernel, x=x if number % 2 else own, step=step if number == 2 else 1, blocks=grid, threads=128)
        with build.repeat(rounds):
            for number in range(4):
                build.launch(one, x=own, step=step if number == 2 else 1, blocks=4, threads=128)
        build.copy(own, x)
        if extra:
            build.launch(one, x=x, step=1)
        return build.program()

    arrays = [{"x": cuda.to_device(np.zeros(n, np.int32))} for n in (1 << 12, 1 << 12, 1 << 11)]
    executable = cg.compile(state(), arrays[0])
    executable.launch()
    executable.synchronize()
    cg.compile(state(kernel=two), arrays[0]).close()  # compiled once; the table is about graphs

    def timed(name: str, states: list[tuple[cg.Program, dict[str, Any]]], prepared: bool = True) -> None:
        level = []

        def turn(number: int) -> None:
            made, given = states[number % len(states)]
            level.append(cg.apply(executable, made, given).level.name.lower())

        cg.apply(executable, *states[-1])
        took = median(turn)
        executable.launch()
        executable.synchronize()
        print(f"| {name} | {'/'.join(sorted(set(level)))} | {took:,.0f} |", flush=True)

    header("change", "level", "microseconds")
    here = arrays[0]
    timed("none (content)", [(state(), here)])
    timed("scalar of two nodes, one in the loop", [(state(step=2), here), (state(step=3), here)])
    timed("rounds of the loop", [(state(rounds=4), here), (state(rounds=5), here)])
    timed("rebind", [(state(), arrays[1]), (state(), arrays[0])])
    timed("resize", [(state(), arrays[2]), (state(), arrays[0])])
    timed("grid", [(state(grid=8), here), (state(grid=9), here)])
    timed("node added, removed", [(state(extra=True), here), (state(), here)])
    timed("code of a kernel", [(state(kernel=two), here), (state(), here)])
    launches = median(lambda _: executable.launch(), 201)
    executable.synchronize()

    def launch_and_wait(_: int) -> None:
        executable.launch()
        executable.synchronize()

    whole = median(launch_and_wait)
    print(f"one launch: {launches:.1f} us to queue, {whole:.1f} us until it is done")
    executable.close()


# ---- levels


def thin(depth: int, width: int, seed: int = 1) -> graph.Graph:
    """``depth`` layers of ``width`` nodes, each with two edges into the next layer."""
    rng = np.random.default_rng(seed)
    layer = np.arange(depth - 1)[:, None, None]
    here = np.arange(width)[None, :, None]
    there = rng.integers(0, width, (depth - 1, width, 2))
    there[:, :, 0] = here[0, :, 0]  # every node is reached
    pairs = np.stack(np.broadcast_arrays(layer * width + here, (layer + 1) * width + there), -1).reshape(-1, 2)
    return graph.to_csr(depth * width, pairs).graph


def walking(thin: bool, wide: int) -> cg.Program:
    """One pass of ``prune``, forwards; whether one block walks thin levels, and how many wide levels are in a round."""
    build = cg.Builder("walk")
    build.external("offsets", k.I8, "[n + 1]")
    build.external("targets", k.U4, "[m]")
    build.external("seeds", k.U4, "[s]")
    build.external("seed_words", k.U8, "[s]")
    build.external("known", k.U8, "[n]")
    build.external("everything", k.U8, "[1]")
    arriving, queues = build.buffer("arriving", k.U8, "[2, n]"), build.buffer("queues", k.U4, "[2, n]")
    control = build.buffer("control", k.I4, f"[{k.FIELDS}]")
    build.fill("known")
    build.fill(arriving)
    build.fill(control)
    build.launch(
        level_kernels.SEED,
        seeds="seeds",
        words="seed_words",
        arriving=arriving,
        queues=queues,
        control=control,
        threads=64,
    )
    build.launch(level_kernels.TURN, control=control)
    graph = {"offsets": "offsets", "targets": "targets", "metadata": "everything", "leaving": "everything"}
    state = {"known": "known", "arriving": arriving, "queues": queues, "control": control}
    programs.loop_over_levels(build, "levels", level_kernels.quiet, {**graph, **state}, thin=thin, wide=wide)
    return build.program()


def walked(flow: graph.Graph, width: int) -> dict[str, Any]:
    """The arrays of ``walking`` on the device; the first ``width`` nodes are the seeds."""
    given: dict[str, Any] = {
        "offsets": flow.offsets.astype(np.int64),
        "targets": flow.targets,
        "seeds": np.arange(width, dtype=np.uint32),
        "seed_words": np.ones(width, np.uint64),
        "everything": np.full(1, programs.ALL),
        "known": np.zeros(flow.num_nodes, np.uint64),
    }
    return {name: cuda.to_device(array) for name, array in given.items()}


def persistent() -> Any:
    """The same levels in one cooperative kernel, with one barrier of the whole grid a level.

    Three counters take turns: one is read, one is pushed to, and one is cleared for the level after.
    """
    spread = level_kernels.spread_of(level_kernels.masked, True)
    next_at, slots = k.NEXT, k.SLOTS

    @cuda.jit
    def run(offsets, targets, metadata, known, arriving, queues, counters, width):  # type: ignore[no-untyped-def]
        heavy = cuda.shared.array(slots, numba.uint32)
        words = cuda.shared.array(slots, numba.uint64)
        waiting = cuda.shared.array(1, numba.int32)
        grid = cuda.cg.this_grid()
        if cuda.threadIdx.x == 0:
            waiting[0] = 0
        cuda.syncthreads()
        side = 0
        level = 0
        while width > 0:
            tail = counters[(level + 1) % 3]
            first = cuda.blockIdx.x * cuda.blockDim.x
            while first < width:
                i = first + cuda.threadIdx.x
                node = np.uint32(0)
                fact = np.uint64(0)
                begin = np.int64(0)
                end = np.int64(0)
                if i < width:
                    node = queues[side, i]
                    begin = offsets[node]
                    end = offsets[node + 1]
                    fresh = arriving[side, node] & ~known[node]
                    arriving[side, node] = 0
                    if fresh != 0:
                        known[node] |= fresh
                        fact = fresh
                spread(
                    0, node, fact, begin, end, heavy, words, waiting, offsets, targets, metadata, known, arriving,
                    queues, tail, 1 - side,
                )  # fmt: skip
                first += cuda.gridDim.x * cuda.blockDim.x
            if cuda.grid(1) == 0:
                counters[(level + 2) % 3, next_at] = 0
            grid.sync()
            width = cuda.atomic.add(tail, next_at, 0)
            side = 1 - side
            level += 1

    return run


def in_eights(first: Any, again: Any, stream: Any, pinned: Any, address: int) -> None:
    """Launch ``first``, then ``again`` until the flag at ``address`` is 0 after it."""
    tools = toolkit()
    first.launch(stream)
    while True:
        again.launch(stream)
        tools.checked(tools.driver.cuMemcpyDtoHAsync(pinned.ctypes.data, address, 4, int(stream.handle)))
        stream.sync()
        if not pinned[0]:
            break


def started(slot: Any) -> None:
    """One search by blocks, waited for."""
    slot.search()
    slot.wait()


def done(executable: cg.Executable) -> None:
    """One launch, waited for."""
    executable.launch()
    executable.synchronize()


def level_loops() -> None:
    """Section ``levels``."""
    tools = toolkit()
    header("levels x width", "way", "us a level", "against the host loop")
    for depth, width in ((150, 16), (300, 16), (1000, 16), (1000, 2048)):
        flow = thin(depth, width)
        n = flow.num_nodes
        there = walked(flow, width)
        rows: list[tuple[str, float]] = []

        def check(name: str, there: dict[str, Any] = there) -> None:
            assert (there["known"].copy_to_host() == 1).all(), f"{name} did not reach everything"
            there["known"].copy_to_device(np.zeros(len(there["known"]), np.uint64))

        ways: list[tuple[str, bool, int, dict[str, Any]]] = [
            ("host loop, flag read every level", False, 1, {"how": "stream"}),
            ("host loop, flag read every 8 levels into pinned memory", False, 1, {"how": "stream", "every": 8}),
            *((f"While region, {wide} levels a round", False, wide, {"how": "graph"}) for wide in (1, 2, 4, 8)),
            ("While region, one block for thin levels", True, programs.WIDE_LEVELS, {"how": "graph"}),
            ("host loop, one block for thin levels", True, programs.WIDE_LEVELS, {"how": "stream"}),
        ]
        for name, alone, wide, options in ways:
            executable = cg.compile(walking(alone, wide), there, **options)
            took = best(partial(done, executable))
            check(name)
            rows.append((name, took / depth * 1e6))
            executable.close()

        # A graph of eight levels without a loop, launched from the host until the flag it copies says stop.
        build = cg.compile(walking(False, 1), there, how="graph")
        calls = [step for step in build.made.graph if step.name != "levels" and not step.name.startswith("levels:")]
        body = next(step.what for step in build.made.graph if step.name == "levels").body[0].what  # type: ignore[union-attr]
        from pyrograph.kernels.cudagraph.build import build as built_of
        from pyrograph.kernels.cudagraph.steps import Step

        eight = tuple(Step(str(i), body, (str(i - 1),) if i else ()) for i in range(8))
        head, tail = built_of(calls, tools), built_of(eight, tools)
        first, again = head.definition.instantiate(), tail.definition.instantiate()
        pinned = cuda.pinned_array(1, np.int32)
        address = build.made.arena.__cuda_array_interface__["data"][0] + build.plan.placement.offsets["control"]
        stream = tools.stream()

        took = best(partial(in_eights, first, again, stream, pinned, address))
        check("graph of eight levels")
        rows.append(("host loop over a graph of 8 levels, flag read after each", took / depth * 1e6))

        kernel = persistent()
        queues = np.zeros((2, n), np.uint32)
        queues[0, :width] = np.arange(width)
        arriving = np.zeros((2, n), np.uint64)
        arriving[0, :width] = 1
        counters = np.zeros((3, k.FIELDS), np.int32)
        state = [cuda.to_device(array) for array in (arriving, queues, counters)]
        for grid in (1, 4, 32, 132):
            times = []
            for _ in range(7):
                for array, source in zip(state, (arriving, queues, counters), strict=True):
                    array.copy_to_device(source)
                there["known"].copy_to_device(np.zeros(n, np.uint64))
                cuda.synchronize()
                begin = time.perf_counter()
                kernel[grid, 256](
                    there["offsets"], there["targets"], there["everything"], there["known"], *state, np.int32(width)
                )
                cuda.synchronize()
                times.append(time.perf_counter() - begin)
            check("persistent")
            rows.append((f"persistent kernel, {grid} blocks, a grid barrier a level", min(times[2:]) / depth * 1e6))

        searcher = blocks.Searcher(flow.offsets, flow.targets.astype(np.int64), np.ones(n, np.bool_))
        (slot,) = searcher.slots(1)
        slot.load(*(np.zeros(1, np.uint32),) * 3)
        took = best(partial(started, slot))
        rows.append(("one block for one source (block-per-source kernel)", took / depth * 1e6))
        reference = rows[1][1]
        for name, each in rows:
            print(f"| {depth:,} x {width:,} | {name} | {each:.2f} | {reference / each:.1f}x |", flush=True)


# ---- the engine's programs


def masked(built: graph.Graph, sources: np.ndarray, bits: int = 16) -> tuple[Any, ...]:
    """Arguments of ``prune``: so many vulnerabilities, each alive on seven eighths of the edges."""
    rng = np.random.default_rng(5)
    every = np.uint64((1 << bits) - 1)
    dead = np.uint64(1) << rng.integers(0, bits, (2, built.num_edges)).astype(np.uint64)
    edge_words = every & ~(dead[0] | dead[1])
    roles = built.roles()
    leaving = np.where(roles == graph.Role.SANITIZER, np.uint64(0), every)
    report = np.where(roles == graph.Role.SINK, every, np.uint64(0))
    return (
        built.offsets, built.targets, edge_words, leaving, report, sources, np.full(len(sources), every, np.uint64),
    )  # fmt: skip


def equal(one: Any, other: Any) -> bool:
    """Whether two pruned graphs are the same, byte for byte."""
    names = ("nodes", "offsets", "targets", "edge_words")
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    return all((a is None and b is None) or np.array_equal(a, b) for a, b in pairs)


def pruning() -> None:
    """Section ``prune``."""
    header("graph", "sources", "kept", "CPU", "GPU, whole call", "of that the graph launch", "equal")
    for shape in (Shape("narrow", 1_000_000, 1024), Shape("flat", 1_000_000, 64), Shape("narrow", 10_000_000, 4096),
                  Shape("flat", 10_000_000, 64)):  # fmt: skip
        built, sources = program(shape)
        given = masked(built, sources)
        wanted = multicore.prune(*given)
        on_host = best(partial(multicore.prune, *given), 2, 0)
        kept: list[Any] = []

        def run(*arguments: Any, kept: list[Any] = kept) -> Any:
            ran = levels.as_graph(*arguments, profiling="total")
            kept[:] = [ran]
            return ran

        found = levels.prune(*given, run=run)
        on_device = best(partial(levels.prune, *given, run=run), 3, 1)
        launch = kept[0].executable.profile().milliseconds
        print(
            f"| {shape.name}, {built.num_nodes:,} nodes | {len(sources):,} | {len(wanted.nodes):,} nodes | "
            f"{on_host * 1e3:,.0f} ms | {on_device * 1e3:,.0f} ms | {launch:,.1f} ms | {equal(wanted, found)} |",
            flush=True,
        )


def profile() -> None:
    """Section ``profile``."""
    built, sources = program(Shape("flat", 10_000_000, 64))
    kept: list[Any] = []

    def run(*arguments: Any) -> Any:
        kept[:] = [levels.as_graph(*arguments, profiling="kernel")]
        return kept[0]

    levels.prune(*masked(built, sources), run=run)
    print(kept[0].executable.profile().table())
    flow = thin(1000, 16)
    there = walked(flow, 16)
    header("profiling", "us a level of 1,000 x 16, two launches a round")
    for profiling in ("off", "total", "kernel"):
        executable = cg.compile(walking(False, 2), there, profiling=profiling)
        print(f"| {profiling} | {best(partial(done, executable)) / 1000 * 1e6:.2f} |", flush=True)
        executable.close()


def listed(function: Any, *arguments: Any) -> list[Any]:
    """All blocks that a search yields."""
    return list(function(*arguments))


def rows_of(found: Any) -> np.ndarray:
    """Blocks as sorted rows."""
    parts = [np.stack([np.asarray(column).astype(np.uint64) for column in block]) for block in found]
    rows = np.concatenate(parts, 1) if parts else np.empty((4, 0), np.uint64)
    return rows[:, np.lexsort(rows[::-1])]


def searching() -> None:
    """Section ``search``."""
    header("graph", "sources", "CPU", "one block per source", "256 lanes a row, one launch", "equal")
    for nodes, lanes in ((100_000, 256), (100_000, 1024), (1_000_000, 256), (1_000_000, 1024)):
        built, sources = program(Shape("flat", nodes, lanes))
        origin = np.repeat(np.arange(built.num_nodes), np.diff(built.offsets))
        kept = built.roles()[origin] != graph.Role.SANITIZER
        offsets = np.zeros(built.num_nodes + 1, np.int64)
        np.cumsum(np.bincount(origin[kept], minlength=built.num_nodes), out=offsets[1:])
        arguments = (offsets, built.targets[kept].astype(np.int64), built.roles() == graph.Role.SINK, sources, NO_LIMIT)
        times, answers = [], []
        for module in (multicore, blocks, levels):
            answers.append(rows_of(module.search(*arguments)))
            times.append(best(partial(listed, module.search, *arguments), 2, 0))
        same = all(np.array_equal(answers[0], other) for other in answers[1:])
        print(
            f"| flat, {nodes:,} | {lanes:,} | "
            + " | ".join(f"{took * 1e3:,.0f} ms" for took in times)
            + f" | {same} |",
            flush=True,
        )


def flowing() -> None:
    """Section ``flow``."""
    header("graph", "seeds", "CPU", "one block per seed", "a row after the other, one launch", "equal")
    for nodes, count in (
        (100_000, 1),
        (100_000, 16),
        (1_000_000, 1),
        (1_000_000, 16),
        (10_000_000, 1),
        (10_000_000, 8),
    ):
        built, sources = program(Shape("flat", nodes, count))
        offsets, targets, words, leaving, report, seeds, facts = masked(built, sources)
        per_edge = words & np.repeat(leaving, np.diff(offsets))
        arguments = (offsets, targets.astype(np.int64), per_edge, report, seeds, facts, NO_LIMIT)
        times, answers = [], []
        for module in (multicore, blocks, levels):
            answers.append(rows_of(module.flow(*arguments)))
            times.append(best(partial(listed, module.flow, *arguments), 2, 0))
        same = all(np.array_equal(answers[0], other) for other in answers[1:])
        print(
            f"| flat, {nodes:,} | {count} | " + " | ".join(f"{took * 1e3:,.1f} ms" for took in times) + f" | {same} |",
            flush=True,
        )


def summing() -> None:
    """Section ``summaries``."""
    header(
        "nodes",
        "calls",
        "rows",
        "summary edges",
        "plain Python",
        "GPU, whole call",
        "of that the graph launch",
        "equal",
    )
    for procedures, compared in ((2_000, True), (20_000, True), (200_000, False)):
        given = calling.program(procedures, 50, 3 * procedures, seed=1, bits=16)
        kept: list[Any] = []

        def run(*arguments: Any, kept: list[Any] = kept) -> Any:
            kept[:] = [levels.as_graph(*arguments, profiling="total")]
            return kept[0]

        found = summaries.summaries(*given, run=run)
        on_device = best(partial(summaries.summaries, *given, run=run), 2, 0)
        launch = kept[0].executable.profile().milliseconds
        rows = kept[0].executable.plan.sizes["r"]
        begin = time.perf_counter()
        same = calling.plain(given) == calling.rows(found) if compared else "not compared"
        took = f"{time.perf_counter() - begin:,.1f} s" if compared else "-"
        print(
            f"| {len(given.procedure):,} | {3 * procedures:,} | {rows:,} | {len(found.mask):,} | {took} | "
            f"{on_device * 1e3:,.0f} ms | {launch:,.1f} ms | {same} |",
            flush=True,
        )


def cold() -> None:
    """Section ``cold``: a fresh process, from the import to the first and the second answer."""
    code = (
        "import time; begin = time.perf_counter()\n"
        "import numpy as np\n"
        "from pyrograph.kernels import levels\n"
        "n = 1_000_000; rng = np.random.default_rng(1)\n"
        "targets = rng.integers(0, n, n).astype(np.uint32); offsets = np.arange(n + 1)\n"
        "given = (offsets, targets, None, None, np.ones(n, np.uint64), np.arange(9), np.ones(9, np.uint64))\n"
        "a = time.perf_counter(); levels.prune(*given); b = time.perf_counter(); levels.prune(*given)\n"
        "print(f'| {a - begin:.2f} s | {b - a:.2f} s | {time.perf_counter() - b:.3f} s |')\n"
    )
    header("disk cache", "import", "first pruning", "second")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
        for name in ("empty", "filled", "filled"):
            command = [sys.executable, "-c", code]
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            print(f"| {name} {ran.stdout.strip() or ran.stderr[-500:]}", flush=True)


SECTIONS = {
    "updates": updates,
    "levels": level_loops,
    "prune": pruning,
    "summaries": summing,
    "search": searching,
    "flow": flowing,
    "profile": profile,
    "cold": cold,
}


def main() -> None:
    """Run the sections named, or all of them."""
    from importlib.metadata import version

    tools = toolkit()
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "numba-cuda", "cuda-core", "numpy"))
    print(f"{tools.device.name}, driver for CUDA {tools.driver_version()}; {versions}; {os.cpu_count()} CPU threads")
    for name in sys.argv[1:] or SECTIONS:
        print(f"\n{name}", flush=True)
        begin = time.perf_counter()
        try:
            SECTIONS[name]()
        except Exception:
            traceback.print_exc()
        print(f"({time.perf_counter() - begin:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
