"""Everything about a program that can be known without a device, in the order in which the phases need each other.

Validation, zero fills, levels, shapes, live ranges, placement. (A buffer cannot be placed before its size and its
neighbours in time are known, so placement comes last.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pyrograph.kernels.cudagraph import shapes
from pyrograph.kernels.cudagraph.buffers import Placement, place
from pyrograph.kernels.cudagraph.liveness import Range, live_ranges
from pyrograph.kernels.cudagraph.lower import lower
from pyrograph.kernels.cudagraph.problems import Problem, ProgramError
from pyrograph.kernels.cudagraph.program import Program, buffers
from pyrograph.kernels.cudagraph.schedule import Order, schedule
from pyrograph.kernels.cudagraph.validate import Limits, validate
from pyrograph.kernels.errors import LimitError


@dataclass(frozen=True, slots=True)
class Plan:
    """A valid program with all its numbers."""

    program: Program  # with the zero fills written out
    sizes: Mapping[str, int]
    orders: Mapping[str, Order]  # of each block
    shapes: Mapping[str, shapes.Shape]  # of each buffer
    ranges: Mapping[str, Mapping[str, Range]]  # of each block's buffers
    placement: Placement
    warnings: tuple[Problem, ...]

    def nbytes(self, buffer: str) -> int:
        """Bytes of a buffer."""
        return math.prod(self.shapes[buffer]) * buffers(self.program)[buffer].dtype.itemsize


def plan(program: Program, sizes: shapes.Sizes, limits: Limits | None = None, like: Plan | None = None) -> Plan:
    """Run every phase that needs no device.

    Args:
        sizes: What the names in shapes stand for; ``shapes.bind`` reads them off arrays.
        like: A plan of the same program with other sizes whose edges are built already.

    Raises:
        ProgramError: The program is not well formed; all problems are listed.
        LimitError: The arena is larger than ``limits.memory``.
    """
    limits = limits or Limits()
    lowered = lower(program)
    problems = validate(lowered, sizes, limits)
    if any(problem.severity == "error" for problem in problems):
        raise ProgramError(problems)
    orders = schedule(lowered)
    found, _ = shapes.infer(lowered, sizes)
    declared = buffers(lowered)
    ranges = live_ranges(lowered, orders)
    unknown = [name for live in ranges.values() for name in live if name not in found]
    if unknown:
        what = "nothing says how large it is; declare its shape, or give the pin that writes it a rule"
        raise ProgramError([Problem(name, what) for name in unknown])
    nbytes = {name: math.prod(shape) * declared[name].dtype.itemsize for name, shape in found.items()}
    placement = place(lowered, orders, ranges, nbytes, None if like is None else like.placement)
    if limits.memory is not None and placement.size > limits.memory:
        remedy = "give a smaller input, or run without a device"
        raise LimitError(f"bytes of the arena of {program.name!r}", placement.size, limits.memory, remedy)
    return Plan(lowered, dict(sizes), orders, found, ranges, placement, tuple(problems))
