"""Processes that compute for ever because their memory ran out to the last byte.

CPython's handling of an exception needs an object of 32 bytes; where not even that can be had, it tries again without
end (``exception_unwind`` in ``Python/ceval.c``), holds the lock of the interpreter, and calls no signal handler. Only
another process can end it. Such a process is known by three things: its address space is as large as the system allows
(``ulimit -v``), it computes, and it touches no new memory.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import NamedTuple

from pyrograph.policy.limits.workers import STARVING_SECONDS, STARVING_SLACK


class _Seen(NamedTuple):
    """A process at the time when its memory last changed."""

    memory: tuple[int, ...]  # size of the address space, page faults
    cpu: float  # seconds


class Starvation:
    """Finds starving processes of one process group; each search reads /proc once."""

    def __init__(self, group: int, cpu_seconds: float = STARVING_SECONDS) -> None:
        """``group``: number of the process group; ``cpu_seconds``: after how much computing a process is starving."""
        self.group = group
        self.cpu_seconds = cpu_seconds
        self.limit = _address_space()
        self.seen: dict[int, _Seen] = {}

    @property
    def is_possible(self) -> bool:
        """Whether the system limits the address space, and shows its processes."""
        return self.limit is not None and os.path.isdir("/proc/self") and hasattr(os, "pidfd_open")

    def end_starving(self) -> list[int]:
        """Kill the group's starving processes; returns their numbers."""
        killed = []
        seen: dict[int, _Seen] = {}
        for pid, now in _processes(self.group).items():
            before = self.seen.get(pid)
            if before is None or before.memory != now.memory or now.memory[0] < (self.limit or 0) - STARVING_SLACK:
                seen[pid] = now
            elif now.cpu - before.cpu >= self.cpu_seconds:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            else:
                seen[pid] = before
        self.seen = seen
        return killed


def _address_space() -> int | None:
    """The limit of this process's address space in bytes, which its children inherit; None: there is none."""
    try:
        import resource
    except ImportError:  # not on this system
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _processes(group: int) -> dict[int, _Seen]:
    """The processes of a group by number, from ``/proc/PID/stat`` (proc(5))."""
    ticks = os.sysconf("SC_CLK_TCK")
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
            with open(f"/proc/{entry}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()  # from the third field on
            if int(fields[2]) == group:
                memory = tuple(int(fields[each - 3]) for each in (23, 10, 12))
                found[int(entry)] = _Seen(memory, (int(fields[14 - 3]) + int(fields[15 - 3])) / ticks)
    return found
