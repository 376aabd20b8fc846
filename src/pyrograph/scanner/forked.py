"""Forked processes: work that may crash costs its own process alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from pyrograph.scanner import background


def fork(work: Callable[[], int]) -> int:
    """Run ``work`` in a forked process, which ends with its result as exit code, or with 1 if it raises.

    Returns the number of the process to the parent. Never returns in the child: nothing of the parent runs there, no
    ``finally`` and no handler of ``atexit``. ``work`` must report its exceptions itself.

    What goes on in the background is waited for: here before the fork, in the child after ``work``.
    """
    background.finish()
    sys.stdout.flush()  # what is still in a buffer would be written twice
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        code = work()
        background.finish()
    finally:
        os._exit(code & 255)
