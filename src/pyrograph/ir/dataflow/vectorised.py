"""The four operations on arrays: the same streams as ``pyrograph.ir.dataflow.streams``, without a step for each token.

Inputs that end early, or last longer than their control stream asks for, give what the machines give: the longest
output that they allow. Time and space linear in inputs and outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.ir.dataflow.errors import DataflowError, ZeroStepError
from pyrograph.ir.dataflow.streams import HIGHEST, LOWEST
from pyrograph.ir.dataflow.types import INDEX

Bools = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]
Tokens = npt.NDArray[Any]


def carry(d: Bools, a: Tokens, b: Tokens) -> Tokens:
    """(number of bursts begun + fed-back values used,) as ``streams.carry``; ``a`` and ``b`` of one type."""
    burst, iterations, bursts, used = _aligned(d, len(a), len(b))
    output = np.empty(bursts + len(iterations), a.dtype)
    at, starts = _places(burst[iterations], bursts, used)
    output[starts] = a[:bursts]
    output[at] = b[: len(iterations)]
    return output


def invariant(d: Bools, a: Tokens) -> Tokens:
    """(number of bursts begun + true conditions,) as ``streams.invariant``."""
    burst, iterations, bursts, used = _aligned(d, len(a), len(d))
    output = np.empty(bursts + len(iterations), a.dtype)
    at, starts = _places(burst[iterations], bursts, used)
    output[starts] = a[:bursts]
    output[at] = a[burst[iterations]]
    return output


def _aligned(d: Bools, initial: int, fed: int) -> tuple[Indices, Indices, int, Indices]:
    """Each condition's burst; which conditions bring a value; bursts begun; bursts of those conditions, counted.

    Conditions count up to the first that waits: for the initial value of its burst, or for a value to pass on.
    """
    d = np.asarray(d, np.bool_)
    burst: Indices = np.cumsum(~d) - ~d
    waits = (burst >= initial) | (d & (np.cumsum(d) > fed))
    end = int(np.argmax(waits)) if waits.any() else len(d)
    iterations = np.flatnonzero(d[:end])
    bursts = min(initial, end - len(iterations) + 1)
    return burst, iterations, bursts, np.bincount(burst[iterations], minlength=bursts)[:bursts]


def _places(burst: Indices, bursts: int, used: Indices) -> tuple[Indices, Indices]:
    """Where the values of the iterations go in the output, and where each burst's initial value does."""
    starts = np.arange(bursts) + np.cumsum(used) - used
    return np.arange(len(burst)) + burst + 1, starts


def gate(before_value: Tokens, before_cond: Bools) -> tuple[Tokens, Bools]:
    """(true conditions,), (conditions but the first of each burst,) as ``streams.gate``."""
    count = min(len(before_value), len(before_cond))
    value, cond = before_value[:count], np.asarray(before_cond, np.bool_)[:count]
    return value[cond], cond[1:][cond[:-1]]


def stream(start: Indices, step: Indices, bound: Indices) -> tuple[Indices, Bools]:
    """(sum of iterations + bursts,) indices and conditions, as ``streams.stream``.

    Raises:
        ZeroStepError, DataflowError: As ``streams.stream``.
    """
    count = min(len(start), len(step), len(bound))
    start, step, bound = (np.asarray(each, np.int64)[:count] for each in (start, step, bound))
    if (step == 0).any():
        raise ZeroStepError
    up = step > 0
    runs = np.where(up, start < bound, start > bound)
    # Distances between 64-bit numbers need 64 bits without a sign.
    low, high = np.where(up, start, bound).view(np.uint64), np.where(up, bound, start).view(np.uint64)
    distance = np.where(runs, high - low, np.uint64(0))
    size = np.where(up, step.view(np.uint64), np.uint64(0) - step.view(np.uint64))
    iterations = np.where(runs, (distance - np.uint64(1)) // size + np.uint64(1), np.uint64(0))
    beyond = np.where(runs, (size - distance % size) % size, np.uint64(0))
    room = np.where(up, np.uint64(HIGHEST) - bound.view(np.uint64), bound.view(np.uint64) - np.int64(LOWEST).view("u8"))
    if (runs & (beyond > room)).any():
        raise DataflowError(f"an index of a dataflow.stream leaves the {INDEX.width} bits of {INDEX}")
    lengths = iterations.astype(np.int64) + 1
    burst = np.repeat(np.arange(count), lengths)
    ends = np.cumsum(lengths)
    within = np.arange(int(ends[-1]) if count else 0) - (ends - lengths)[burst]
    index = (start[burst] + within * step[burst]).astype(np.int64, copy=False)
    return index, within < lengths[burst] - 1
