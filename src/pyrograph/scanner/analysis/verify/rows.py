"""Shared by the checks of all structures: tables of tuples, and the error that names a stage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pyrograph.ir.schema import STRINGS, Row, columns_of
from pyrograph.ir.verify import Promises
from pyrograph.scanner.analysis.link import Program

Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.integer]


class BrokenPromise(Exception):
    """The result of a stage is not well formed: an error of ours, whatever was scanned."""

    def __init__(self, stage: str, texts: Sequence[str]) -> None:
        shown = "; ".join(texts[:3])
        more = f"; and {len(texts) - 3:,} more" if len(texts) > 3 else ""
        super().__init__(f"{stage} broke its promises: {shown}{more}")
        self.stage = stage
        self.texts = tuple(texts)


def kept(stage: str, broken: Sequence[str]) -> None:
    """Raise BrokenPromise if a stage's result is ``broken``."""
    if broken:
        raise BrokenPromise(stage, broken)


class Rows(Promises):
    """Promises of tuples, by the list they stand in."""

    def columns(self, name: str, rows: Collection[tuple[int, ...]], width: int) -> tuple[Longs, ...]:
        """The columns of a list of tuples of ``width`` numbers; none if a row has another width."""
        wrong = [row for row in rows if len(row) != width]
        if not self.say(not wrong, f"{name}: {wrong[:1]} has not {width} numbers"):
            rows = []
        whole = np.array(list(rows), np.int64).reshape(-1, width)
        return tuple(whole.T)

    def table(
        self, name: str, rows: Collection[tuple[int, ...]], kind: type[Row], counts: Mapping[str, int]
    ) -> tuple[Longs, ...]:
        """The columns of a table, whose numbers are those that ``kind`` allows; ``counts`` of what they refer to."""
        columns = columns_of(kind)
        found = self.columns(name, rows, len(columns))
        for column, cells in zip(columns, found, strict=True):
            of = column.cells
            end = counts[of.to] if of.to else of.most + 1
            self.within(name, column.name, cells, of.least if of.absent is None else of.absent, end)
        return found

    def within(self, name: str, column: str, cells: Numbers, least: int, end: int) -> bool:
        """Whether all ``cells`` lie in ``range(least, end)``."""
        return self.hold(name, column, cells, (cells < least) | (cells >= end), f"not in {least} … {end - 1}")

    def hold(self, name: str, column: str, cells: Numbers, broken: Mask, why: str) -> bool:
        return self.check(np.asarray(broken), why, lambda row: f"{name}[{row}].{column} = {cells[row]}")


def counts_of(linked: Program) -> dict[str, int]:
    """How many rows there are of what columns refer to."""
    lengths = {name: len(next(iter(columns.values()))) for name, columns in linked.tables.items()}
    return {**lengths, STRINGS: len(linked.strings)}
