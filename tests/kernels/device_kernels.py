"""The kernels of ``topologies`` for a device, each run by one thread; and programs with kernels exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from tests.kernels import topologies as t

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.cudagraph.program import Region


@cache
def kernels() -> dict[str, cg.Kernel]:
    """By name; needs numba-cuda."""
    from numba import cuda as untyped

    cuda: Any = untyped

    @cuda.jit
    def add(x, out, step):  # type: ignore[no-untyped-def]
        for i in range(x.size):
            out[i] = x[i] + step

    @cuda.jit
    def total(x, y, out):  # type: ignore[no-untyped-def]
        for i in range(x.size):
            out[i] = x[i] + y[i]

    @cuda.jit
    def grow(x, step):  # type: ignore[no-untyped-def]
        for i in range(x.size):
            x[i] += step

    @cuda.jit
    def below(x, flag, limit):  # type: ignore[no-untyped-def]
        flag[0] = 1 if x[0] < limit else 0

    @cuda.jit
    def mix(x, y, out):  # type: ignore[no-untyped-def]
        whole = 0
        for i in range(x.size):
            whole += 3 * x[i]
        for i in range(y.size):
            whole += 5 * y[i]
        for i in range(out.size):
            out[i] = i + whole % 10007

    @cuda.jit
    def tell(x, result):  # type: ignore[no-untyped-def]
        whole = 31 * result[0]
        for i in range(x.size):
            whole += x[i]
        result[0] = whole % 1000003

    functions = {"add": add, "sum": total, "grow": grow, "below": below, "tell": tell}
    functions |= {f"mix{size}": mix for size in t.MIX}
    plain = {kernel.name: kernel for kernel in (t.ADD, t.SUM, t.GROW, t.BELOW, t.TELL, *t.MIX.values())}
    return {name: cg.Kernel(name, function, plain[name].parameters) for name, function in functions.items()}


def exchanged(program: cg.Program, by_name: Mapping[str, cg.Kernel]) -> cg.Program:
    """The program with its kernels replaced by those of the same names."""
    return replace(program, block=_block(program.block, by_name))


def _block(block: cg.Block, by_name: Mapping[str, cg.Kernel]) -> cg.Block:
    nodes: list[Any] = []
    for node in block.nodes:
        if isinstance(node, Region):
            node = replace(node, body=_block(node.body, by_name))
        elif isinstance(node, cg.Launch):
            node = replace(node, kernel=by_name.get(node.kernel.name, node.kernel))
        nodes.append(node)
    return replace(block, nodes=tuple(nodes))
