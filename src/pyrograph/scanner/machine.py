"""How many processes this machine runs at once. Read once, when the options of a scan are made."""

from __future__ import annotations

import os
from pathlib import Path


def available_jobs() -> int:
    """How many processes can run at once: the smaller of the CPU affinity and the cgroup's quota, at least 1."""
    return max(1, min(_affinity(), _cgroup_quota(Path("/sys/fs/cgroup"))))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cgroup_quota(mount: Path) -> int:
    """CPUs that the control group under ``mount`` grants, rounded up; a large number where none is set."""
    try:  # version 2: "max 100000" or "150000 100000", in microseconds
        quota, period = (mount / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        try:  # version 1
            quota = (mount / "cpu" / "cpu.cfs_quota_us").read_text(encoding="ascii").strip()
            period = (mount / "cpu" / "cpu.cfs_period_us").read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return 1 << 16
    if not (quota.isdecimal() and period.isdecimal() and int(period)):
        return 1 << 16  # "max", or -1 in version 1: no limit
    return -(-int(quota) // int(period))
