"""When is each buffer first and last used, counted in levels of its block.

A region is one step of the block around it: what its body touches outside lives through the whole step, hence through
every round of a loop. Buffers of the region's own block are counted in that block's levels, and all of them together
are a *scratch* of the outer block that lives for the one step. External buffers are the caller's and not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyrograph.kernels.cudagraph.program import Program, blocks, touched
from pyrograph.kernels.cudagraph.schedule import Order


@dataclass(frozen=True, slots=True)
class Range:
    """The levels of a block, both ends included, in which a buffer must keep what it holds."""

    first: int
    last: int

    def overlaps(self, other: Range) -> bool:
        """Whether there is a level at which both live."""
        return self.first <= other.last and other.first <= self.last


def live_ranges(program: Program, orders: Mapping[str, Order]) -> dict[str, dict[str, Range]]:
    """For each block (by its region's name) the ranges of its own buffers; unused buffers have none."""
    ranges: dict[str, dict[str, Range]] = {}
    for region, block in blocks(program):
        level = orders[region].level_of()
        own = {buffer.name for buffer in block.buffers if buffer.lifetime != "external"}
        found: dict[str, Range] = {}
        for node in block.nodes:
            uses = touched(node)
            for name in (uses.reads | uses.writes) & own:
                at = level[node.name]
                before = found.get(name, Range(at, at))
                found[name] = Range(min(before.first, at), max(before.last, at))
        ranges[region] = {name: found[name] for name in sorted(found)}
    return ranges


def peak(sizes: Mapping[str, int], ranges: Mapping[str, Range]) -> int:
    """The most bytes that live at one level."""
    starts = {live.first for live in ranges.values()}  # the sum grows nowhere else
    together = (sum(sizes[name] for name, live in ranges.items() if live.first <= at <= live.last) for at in starts)
    return max(together, default=0)
