"""The search for the files that make a whole-program stage fail.

A trial analyses some of the files in a process of its own (``isolate``). The budget of trials is counted in files
analysed: the search costs a fixed multiple of one scan, and its result does not depend on time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic

from pyrograph.policy.limits.isolation import MIN_TRIALS, TRIAL_BUDGET, TRIAL_FILES
from pyrograph.scanner.faults import Fault
from pyrograph.scanner.isolate import T
from pyrograph.scanner.minimal import minimal


@dataclass(slots=True)
class Found(Generic[T]):
    """The result of ``find_faulty``."""

    faulty: list[tuple[T, Fault]] = field(default_factory=list)  # each makes the analysis fail, alone or with others
    unresolved: list[T] = field(default_factory=list)  # items that still fail together when the budget was spent


def find_faulty(items: Sequence[T], trial: Callable[[Sequence[T]], Fault | None]) -> Found[T]:
    """Items without which the rest should not fail; ``trial`` returns the fault of some of them, or None.

    Halves are tried apart, so that many items that fail alone cost a logarithm of trials each. Where both halves pass
    and the whole fails, a minimal failing set is found by delta debugging (Zeller and Hildebrandt, TSE 2002) and its
    last item is chosen.
    """
    search = _Search(trial, TRIAL_BUDGET * len(items) + MIN_TRIALS * TRIAL_FILES)
    found: Found[T] = Found()
    fault = search.fails(items)
    pending: list[tuple[Sequence[T], Fault]] = [] if fault is None else [(items, fault)]
    while pending:
        group, fault = pending.pop()
        if len(group) == 1:
            found.faulty.append((group[0], fault))
            continue
        if search.left <= 0:
            found.unresolved += group
            continue
        middle = len(group) // 2
        halves = [(half, search.fails(half)) for half in (group[:middle], group[middle:])]
        failing = [(half, why) for half, why in halves if why is not None]
        if failing:
            pending += reversed(failing)
        else:
            together = search.minimal(group)
            if search.left > 0:
                found.faulty.append((together[-1], fault))
            else:
                found.unresolved += together
    return found


@dataclass(slots=True)
class _Search(Generic[T]):
    trial: Callable[[Sequence[T]], Fault | None]
    left: int  # files that trials may still analyse

    def fails(self, items: Sequence[T]) -> Fault | None:
        self.left -= max(len(items), TRIAL_FILES)
        return self.trial(items)

    def minimal(self, items: Sequence[T]) -> Sequence[T]:
        """A part of ``items``, in their order, that fails and of which no item can be left out, or what is left when
        the budget is spent.
        """
        return minimal(items, lambda rest: bool(rest) and self.left > 0 and self.fails(rest) is not None)
