"""Programs for the tests of the graph compiler: named topologies, and random ones from Hypothesis.

Kernels are plain functions of NumPy arrays, so that a program can be run by ``HostLoop`` on ``Plain``; each program
says what it computes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from pyrograph.kernels import cudagraph as cg

I4 = np.dtype(np.int32)
I8 = np.dtype(np.int64)


def _add(x: np.ndarray, out: np.ndarray, step: int) -> None:
    out[...] = x + step


def _sum(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    out[...] = x + y


def _grow(x: np.ndarray, step: int) -> None:
    x += np.int32(step)


def _below(x: np.ndarray, flag: np.ndarray, limit: int) -> None:
    flag[0] = x.reshape(-1)[0] < limit


def _gather(xs: np.ndarray, ys: np.ndarray, out: np.ndarray) -> None:
    out[...] = xs.sum() + ys.sum()


ADD = cg.Kernel("add", _add, (cg.Pin("x", I4, "read"), cg.Pin("out", I4, "write", "same"), cg.Scalar("step", I4)))
SUM = cg.Kernel(
    "sum", _sum, (cg.Pin("x", I4, "read"), cg.Pin("y", I4, "read"), cg.Pin("out", I4, "write", "broadcast(0,1)"))
)
GROW = cg.Kernel("grow", _grow, (cg.Pin("x", I4, "update"), cg.Scalar("step", I4)))
BELOW = cg.Kernel("below", _below, (cg.Pin("x", I4, "read"), cg.Pin("flag", I4, "write"), cg.Scalar("limit", I4)))
WIDEN = cg.Kernel(
    "widen", _gather, (cg.Pin("x", I4, "read", "[N]"), cg.Pin("y", I4, "read"), cg.Pin("out", I4, "write", "[N, 16]"))
)


def chain(length: int = 4) -> cg.Program:
    """X + length, by as many buffers."""
    build = cg.Builder("chain")
    last = build.external("x", I4, "[n]")
    result = build.external("result", I4, "[n]")
    for i in range(length - 1):
        following = build.buffer(f"b{i}", I4)
        build.launch(ADD, x=last, out=following, step=1)
        last = following
    build.launch(ADD, x=last, out=result, step=1)
    return build.program()


def diamond() -> cg.Program:
    """(x + 1) + (x + 2) + 10: two nodes side by side."""
    build = cg.Builder("diamond")
    x, result = build.external("x", I4, "[n]"), build.external("result", I4, "[n]")
    top, left, right = (build.buffer(name, I4) for name in ("top", "left", "right"))
    build.launch(ADD, x=x, out=top, step=5)
    build.launch(ADD, x=top, out=left, step=1, name="left")
    build.launch(ADD, x=top, out=right, step=2, name="right")
    build.launch(SUM, x=left, y=right, out=result, name="join")
    return build.program()


def counting() -> cg.Program:
    """A loop that carries a buffer: x grows by 3 until it is 20 or more."""
    build = cg.Builder("counting")
    x, result = build.external("x", I4, "[n]"), build.external("result", I4, "[n]")
    carried, more = build.buffer("carried", I4, "[n]"), build.buffer("more", I4, "[1]")
    build.copy(x, carried, name="start")
    build.launch(BELOW, x=carried, flag=more, limit=20, name="first look")
    with build.loop(more, name="loop"):
        step = build.buffer("step", I4, "[n]")
        build.launch(ADD, x=carried, out=step, step=3)
        build.copy(step, carried, name="carry")
        build.launch(BELOW, x=carried, flag=more, limit=20, name="look")
    build.copy(carried, result, name="end")
    return build.program()


def nested() -> cg.Program:
    """Twice: x grows by 10, three times by 1, and by 100 if it is below a limit then."""
    build = cg.Builder("nested")
    x, result = build.external("x", I4, "[n]"), build.external("result", I4, "[n]")
    total = build.buffer("total", I4, "[n]")
    build.copy(x, total, name="start")
    with build.repeat(2, name="outer"):
        build.launch(GROW, x=total, step=10, name="ten")
        with build.repeat(3, name="inner"):
            build.launch(GROW, x=total, step=1, name="one")
        small = build.buffer("small", I4, "[1]")
        build.launch(BELOW, x=total, flag=small, limit=50)
        with build.when(small, name="if small"):
            build.launch(GROW, x=total, step=100, name="hundred")
    build.copy(total, result, name="end")
    return build.program()


def skipped() -> cg.Program:
    """X where the flag is set, else 0: the output of a region that may not run."""
    build = cg.Builder("skipped")
    x, flag = build.external("x", I4, "[n]"), build.external("flag", I4, "[1]")
    result = build.external("result", I4, "[n]")
    inside = build.buffer("inside", I4, "[n]")
    with build.when(flag, name="maybe"):
        build.copy(x, inside, name="take")
    build.copy(inside, result, name="end")
    return build.program()


def dead_node() -> cg.Program:
    """A node whose result nobody reads."""
    build = cg.Builder("dead node")
    x, result = build.external("x", I4, "[n]"), build.external("result", I4, "[n]")
    unread = build.buffer("unread", I4)
    build.launch(ADD, x=x, out=unread, step=1, name="dead")
    build.launch(ADD, x=x, out=result, step=1, name="alive")
    return build.program()


def in_a_circle() -> cg.Program:
    """Two nodes, each after the other."""
    build = cg.Builder("circle")
    x, result = build.external("x", I4, "[n]"), build.external("result", I4, "[n]")
    middle = build.buffer("middle", I4)
    build.launch(ADD, x=x, out=middle, step=1, name="first", after=("second",))
    build.launch(ADD, x=middle, out=result, step=1, name="second")
    return build.program()


def missing_input() -> cg.Program:
    """A parameter to which nothing is connected, and a buffer that is read before it is written."""
    build = cg.Builder("missing input")
    result, empty = build.external("result", I4, "[n]"), build.buffer("empty", I4, "[n]")
    build.launch(SUM, x=empty, out=result)
    return build.program()


def shape_mismatch() -> cg.Program:
    """Two inputs that do not broadcast."""
    build = cg.Builder("shape mismatch")
    x, y = build.external("x", I4, "[n]"), build.external("y", I4, "[n + 2]")
    build.launch(SUM, x=x, y=y, out=build.buffer("out", I4))
    return build.program()


GOOD: dict[str, Callable[[], cg.Program]] = {
    "chain": chain,
    "diamond": diamond,
    "counting": counting,
    "nested": nested,
    "skipped": skipped,
    "dead node": dead_node,
}


def expected(name: str, x: np.ndarray, flag: int = 0) -> np.ndarray:
    """What a good topology computes from ``x``, by other means."""
    if name == "chain":
        return x + 4
    if name == "diamond":
        return 2 * x + 13
    if name == "counting":
        rounds = max(0, -(-(20 - int(x[0])) // 3))
        return x + 3 * rounds
    if name == "nested":
        total = x.copy()
        for _ in range(2):
            total = total + 13
            total = total + (100 if total[0] < 50 else 0)
        return total
    if name == "skipped":
        return x if flag else 0 * x
    return x + 1


@st.composite
def programs(draw: st.DrawFn) -> cg.Program:
    """Random valid programs: nodes over a few buffers, regions in regions, every buffer written before it is read.

    The buffer "result" gets something of everything, so that a wrong value anywhere is seen.
    """
    build = cg.Builder("random")
    result = build.external("result", I4, "[1]")
    source = build.external("source", I4, "[8]")
    build.fill(result, 0, name="clear result")
    count = 0

    def some_nodes(depth: int, readable: list[str]) -> None:
        nonlocal count
        own = list(readable)
        for _ in range(draw(st.integers(1, 5))):
            count += 1
            kind = draw(st.sampled_from(["add", "add", "sum", "grow", "copy", "see", "for", "if"]))
            if kind in ("for", "if") and (depth == 2 or count > 14):
                kind = "sum"
            x = draw(st.sampled_from(own))
            if kind in ("add", "sum", "copy"):
                size = draw(st.sampled_from([1, 8, 8, 200]))
                new = build.buffer(f"b{count}", I4, f"[{size}]")
                kernel = MIX[size]
                if kind == "copy":
                    build.launch(kernel, x=x, y=source, out=new, name=f"mix {count}")
                else:
                    build.launch(kernel, x=x, y=draw(st.sampled_from(own)), out=new, name=f"mix {count}")
                own.append(new)
            elif kind == "grow" and x != source:
                build.launch(GROW, x=x, step=draw(st.integers(1, 9)), name=f"grow {count}")
            elif kind == "for":
                with build.repeat(draw(st.integers(0, 3)), name=f"for {count}"):
                    some_nodes(depth + 1, own)
            elif kind == "if":
                flag = build.buffer(f"flag{count}", I4, "[1]")
                build.launch(
                    BELOW, x=x, flag=flag, limit=draw(st.sampled_from([-(2**30), 2**30])), name=f"test {count}"
                )
                with build.when(flag, name=f"if {count}"):
                    some_nodes(depth + 1, own)
            else:
                build.launch(TELL, x=x, result=result, name=f"tell {count}")
        build.launch(TELL, x=own[-1], result=result, name=f"tell last {depth} {count}")

    some_nodes(0, [source])
    return build.program()


def _mix(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    out[...] = np.arange(out.size, dtype=np.int32) + np.int32((3 * x.sum() + 5 * y.sum()) % 10007)


def _tell(x: np.ndarray, result: np.ndarray) -> None:
    result[0] = (31 * int(result[0]) + int(x.sum())) % 1000003


MIX = {
    size: cg.Kernel(
        f"mix{size}", _mix, (cg.Pin("x", I4, "read"), cg.Pin("y", I4, "read"), cg.Pin("out", I4, "write", f"[{size}]"))
    )
    for size in (1, 8, 200)
}
TELL = cg.Kernel("tell", _tell, (cg.Pin("x", I4, "read"), cg.Pin("result", I4, "update")))
