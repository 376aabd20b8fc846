"""Launches of a device: names and times of programs, recorded inside ``collecting``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a program."""

    program: str
    how: str  # "graph", or "stream" where the host launched its nodes
    milliseconds: float  # on the device


_COLLECTED: ContextVar[list[Launch] | None] = ContextVar("launches", default=None)


@contextmanager
def collecting() -> Iterator[list[Launch]]:
    """A list that gets every launch made inside; timing costs two events a launch.

    >>> with collecting() as launches:
    ...     record(Launch("prune", "graph", 1.5))
    >>> launches
    [Launch(program='prune', how='graph', milliseconds=1.5)]
    >>> record(Launch("prune", "graph", 1.5))  # nobody asks
    """
    found: list[Launch] = []
    token = _COLLECTED.set(found)
    try:
        yield found
    finally:
        _COLLECTED.reset(token)


def wanted() -> bool:
    """Whether somebody collects."""
    return _COLLECTED.get() is not None


def record(launch: Launch) -> None:
    """Add a launch, if somebody collects."""
    found = _COLLECTED.get()
    if found is not None:
        found.append(launch)
