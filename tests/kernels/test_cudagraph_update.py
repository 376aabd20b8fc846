"""Every row of the table of updates takes the path it should; ``classify`` needs no device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.kernels import topologies as t
from tests.kernels.topologies import I4, I8

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.cudagraph.update import Level

OTHER_GROW = cg.Kernel("grow", lambda x, step: None, t.GROW.parameters)
SAME_GROW = cg.Kernel("grow", t.GROW.function, t.GROW.parameters)


def sample(
    *,
    step: int = 1,
    value: int = 0,
    rounds: int = 3,
    threads: int = 32,
    blocks: int | cg.Cover = 2,
    extra: bool = False,
    after: tuple[str, ...] = (),
    region: bool = False,
    kernel: cg.Kernel = t.GROW,
    target: str = "x",
    dtype: np.dtype[np.signedinteger] = I4,
    loop: bool = False,
) -> cg.Program:
    """A program with a knob for each row of the table."""
    build = cg.Builder("sample")
    build.external("x", I4, "[n]")
    build.external("y", I4, "[n]")
    own = build.buffer("own", dtype, "[n]")
    flag = build.buffer("flag", I4, "[1]")
    build.fill(own, value, name="fill")
    build.fill(flag, 0, name="lower")
    build.launch(kernel, x=target, step=step, threads=threads, blocks=blocks, name="work", after=after)
    if extra:
        build.launch(t.GROW, x="y", step=1, name="extra")
    if region:
        with build.when(flag, name="maybe"):
            build.launch(t.GROW, x="y", step=1, name="inside")
    if loop:
        with build.loop(flag, name="for"):
            build.launch(t.GROW, x="y", step=1, name="round")
    else:
        with build.repeat(rounds, name="for"):
            build.launch(t.GROW, x="y", step=1, name="round")
    return build.program()


def bound(program: cg.Program, n: int = 8, x: int = 4096, y: int = 8192) -> cg.Binding:
    return cg.Binding(program, {"n": n}, {"x": x, "y": y})


OLD = bound(sample())
TABLE: dict[str, tuple[Callable[[], cg.Binding], Level, str]] = {
    "content of an array": (lambda: bound(sample()), Level.NONE, ""),
    "the same kernel described anew": (lambda: bound(sample(kernel=SAME_GROW)), Level.NONE, ""),
    "scalar": (lambda: bound(sample(step=2)), Level.HOT, "work.step: scalar"),
    "value of a fill": (lambda: bound(sample(value=-1)), Level.HOT, "fill: value"),
    "rounds of a loop": (lambda: bound(sample(rounds=9)), Level.HOT, "for: rounds"),
    "rebind": (lambda: bound(sample(), x=16384), Level.WARM, "x: rebound"),
    "resize": (lambda: bound(sample(), n=16), Level.WARM, "own: resized"),
    "grid": (lambda: bound(sample(blocks=7)), Level.WARM, "work: size of the grid"),
    "threads": (lambda: bound(sample(threads=64)), Level.WARM, "work: size of the grid"),
    "node added": (lambda: bound(sample(extra=True)), Level.COLD, "extra: node added"),
    "edge added": (lambda: bound(sample(after=("fill",))), Level.COLD, "fill -> work: edge added"),
    "edge moved": (lambda: bound(sample(target="y")), Level.COLD, "work.x: edge moved to another buffer"),
    "region added": (lambda: bound(sample(region=True)), Level.COLD, "maybe: region added"),
    "kernel code": (lambda: bound(sample(kernel=OTHER_GROW)), Level.COLD, "work: code of the kernel"),
    "type of a buffer": (lambda: bound(sample(dtype=I8)), Level.COLD, "own: buffer of another type or lifetime"),
    "another kind of region": (lambda: bound(sample(loop=True)), Level.COLD, "for: another kind of node"),
    "nothing left to fill": (lambda: bound(sample(), n=0), Level.COLD, "own: resized"),
}


@pytest.mark.parametrize("row", TABLE)
def test_a_change_takes_what_the_table_says(row: str) -> None:
    new, level, told = TABLE[row]
    update = cg.classify(OLD, new())
    assert update.level == level
    if told:
        assert told in {f"{change.where}: {change.what}" for change in update.changes if change.level == level}
    else:
        assert update.changes == ()


@pytest.mark.parametrize("row", [row for row, (_, level, _) in TABLE.items() if level == Level.COLD])
def test_what_was_added_can_be_removed_at_the_same_cost(row: str) -> None:
    assert cg.classify(TABLE[row][0](), OLD).level == Level.COLD


def test_a_combination_costs_its_most_expensive_part() -> None:
    update = cg.classify(OLD, bound(sample(step=5, blocks=3), x=1 << 20))
    assert update.level == Level.WARM
    assert {change.level for change in update.changes} == {Level.HOT, Level.WARM}


def test_resizing_keeps_apart_what_did_not_share_before() -> None:
    program = t.chain(6)
    small = cg.plan(program, {"n": 8})
    large = cg.plan(program, {"n": 5000}, like=small)
    assert large.placement.shared <= small.placement.shared
    assert large.placement.reuse == small.placement.reuse
    assert replace(large.placement, size=0).offsets.keys() == small.placement.offsets.keys()
