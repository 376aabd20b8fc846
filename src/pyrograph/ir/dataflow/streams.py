"""The four operations, token by token: the definition that everything else is compared with.

Each operation is a small machine with an initial and a block stage. ``step`` takes what it can from its inputs, puts
what it has to its outputs, and says whether it did anything; a machine never takes a token that it cannot use yet. A
*burst* is what one activation of a loop moves: its control stream is ``true`` for each iteration, then ``false`` once.

The functions below run one machine on whole streams. ``pyrograph.ir.dataflow.vectorised`` does the same with arrays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from pyrograph.ir.dataflow.errors import DataflowError, ZeroStepError
from pyrograph.ir.dataflow.types import INDEX

T = TypeVar("T")
Tokens = deque[Any]
LOWEST, HIGHEST = -(1 << (INDEX.width - 1)), (1 << (INDEX.width - 1)) - 1


class Machine(Protocol):
    def step(self, inputs: list[Tokens], outputs: list[Tokens]) -> bool: ...


class Carry:
    """``%o = dataflow.carry %d, %a, %b``: the initial value, then one fed-back value for every true."""

    def __init__(self) -> None:
        self.in_block = False

    def step(self, inputs: list[Tokens], outputs: list[Tokens]) -> bool:
        d, a, b = inputs
        if not self.in_block:
            if not a:
                return False
            outputs[0].append(a.popleft())
            self.in_block = True
        elif not d or (d[0] and not b):
            return False
        elif d.popleft():
            outputs[0].append(b.popleft())
        else:
            self.in_block = False
        return True


class Invariant:
    """``%o = dataflow.invariant %d, %a``: the value, then the same value again for every true."""

    def __init__(self) -> None:
        self.in_block = False
        self.stored: Any = None

    def step(self, inputs: list[Tokens], outputs: list[Tokens]) -> bool:
        d, a = inputs
        if not self.in_block:
            if not a:
                return False
            self.stored = a.popleft()
            outputs[0].append(self.stored)
            self.in_block = True
        elif not d:
            return False
        elif d.popleft():
            outputs[0].append(self.stored)
        else:
            self.in_block = False
        return True


class Stream:
    """``%idx, %cont = dataflow.stream %start, %step, %bound``: the indices of a counted loop, and one more."""

    def __init__(self) -> None:
        self.in_block = False
        self.next_index = self.step_by = self.bound = 0

    def step(self, inputs: list[Tokens], outputs: list[Tokens]) -> bool:
        start, step, bound = inputs
        if not self.in_block:
            if not (start and step and bound):
                return False
            self.next_index, self.step_by, self.bound = start.popleft(), step.popleft(), bound.popleft()
            if self.step_by == 0:
                raise ZeroStepError
        index = self.next_index
        if not LOWEST <= index <= HIGHEST:
            raise DataflowError(f"the index {index} of a dataflow.stream leaves the {INDEX.width} bits of {INDEX}")
        goes_on = index < self.bound if self.step_by > 0 else index > self.bound
        outputs[0].append(index)
        outputs[1].append(goes_on)
        self.next_index = index + self.step_by
        self.in_block = goes_on
        return True


class Gate:
    """``%after_value, %after_cond = dataflow.gate %before_value, %before_cond``: what the body of a loop sees.

    A value passes as soon as its condition is known to be true, since the condition after it may depend on it.
    """

    def __init__(self) -> None:
        self.in_block = False

    def step(self, inputs: list[Tokens], outputs: list[Tokens]) -> bool:
        value, cond = inputs
        if not (value and cond):
            return False
        element, goes_on = value.popleft(), cond.popleft()
        if self.in_block:
            outputs[1].append(goes_on)
        if goes_on:
            outputs[0].append(element)
        self.in_block = goes_on
        return True


def carry(d: Iterable[bool], a: Iterable[T], b: Iterable[T]) -> list[T]:
    """Align a loop-carried value with its control stream.

    >>> T, F = True, False
    >>> carry([T, T, F, T, T, T, T, F], "AB", "CDEFGH")
    ['A', 'C', 'D', 'B', 'E', 'F', 'G', 'H']
    >>> carry([F, T, F], "AB", "C")      # a loop that never runs, then one that runs once
    ['A', 'B', 'C']
    """
    return _run(Carry(), [d, a, b], 1)[0]


def invariant(d: Iterable[bool], a: Iterable[T]) -> list[T]:
    """Repeat a value that a loop only reads.

    >>> invariant([True, True, False, True, False], "AB")
    ['A', 'A', 'A', 'B', 'B']
    """
    return _run(Invariant(), [d, a], 1)[0]


def stream(start: Iterable[int], step: Iterable[int], bound: Iterable[int]) -> tuple[list[int], list[bool]]:
    """The indices of counting loops, and whether each begins an iteration; one burst for each triple of operands.

    >>> stream([0, 3], [2, 1], [5, 3])
    ([0, 2, 4, 6, 3], [True, True, True, False, False])

    Raises:
        ZeroStepError: A step is 0.
        DataflowError: An index, the extra one included, has more than 64 bits.
    """
    index, cont = _run(Stream(), [start, step, bound], 2)
    return index, cont


def gate(before_value: Iterable[T], before_cond: Iterable[bool]) -> tuple[list[T], list[bool]]:
    """From the values that the condition of a loop sees to those its body sees: each burst without its last value,
    the conditions without the first.

    >>> gate("ABCDE", [True, True, True, True, False])
    (['A', 'B', 'C', 'D'], [True, True, True, False])
    """
    value, cond = _run(Gate(), [before_value, before_cond], 2)
    return value, cond


def _run(machine: Machine, streams: list[Iterable[Any]], results: int) -> list[list[Any]]:
    inputs: list[Tokens] = [deque(each) for each in streams]
    outputs: list[Tokens] = [deque() for _ in range(results)]
    while machine.step(inputs, outputs):
        pass
    return [list(each) for each in outputs]
