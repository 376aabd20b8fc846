"""Memory and processors that this process may use, containers' limits included."""

from __future__ import annotations

import os
from pathlib import Path

CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
UNKNOWN = 16 << 30  # bytes taken to be there where the system does not say


def memory() -> int:
    """Bytes of memory: the machine's, or the control group's limit where that is smaller."""
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        there = UNKNOWN
    for file in CGROUPS:
        try:
            there = min(there, int(file.read_text()))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    return there


def threads() -> int:
    """Processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
