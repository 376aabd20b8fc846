"""Regions of blocks when loops are lowered: each is looked up once, however many operands ask."""

from __future__ import annotations

import pytest

from pyrograph.ir.dataflow import lower as lowering
from pyrograph.ir.dataflow.tables import Tables
from pyrograph.ir.unit import Unit
from pyrograph.parsers import lower

DEPTH = 25


class Counted(dict[int, list[int]]):
    """The loops of functions, and how often they were asked for."""

    asked = 0

    def get(self, key: int, _: object = None) -> list[int]:
        Counted.asked += 1
        return super().get(key, [])


class CountedTables(Tables):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.loops_of = Counted(self.loops_of)


def test_the_region_of_a_block_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["def f(a, b):"]
    lines += ["  " * (depth + 1) + f"for v{depth} in a:" for depth in range(DEPTH)]
    lines += ["  " * (DEPTH + 1) + f"b = b + v{depth}" for depth in range(DEPTH)]
    unit = lower("\n".join([*lines, "  return b", ""]).encode(), "python")
    monkeypatch.setattr(lowering, "Tables", CountedTables)
    Counted.asked = 0
    assert len(lowering.loop_graphs(unit)) == 1
    blocks = len(Tables(unit).blocks)
    assert Counted.asked <= 2 * blocks, "each block, and each header seen from inside its loop"
