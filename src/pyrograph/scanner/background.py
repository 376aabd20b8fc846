"""Work that goes on beside a scan and that nobody waits for but its end: what a cache keeps is written.

A process is forked only where none is left: in the child, a lock that such a thread held stays locked for ever.
"""

from __future__ import annotations

import _thread
import atexit
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final


class _Work:
    """A piece of work: whoever gets the lock first does it, and holds the lock until it is done."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work: Callable[[], None] | None = work
        self._lock = _thread.allocate_lock()

    def do(self) -> None:
        with self._lock, suppress(MemoryError):
            work, self._work = self._work, None
            if work is not None:
                work()


_BEGUN: Final[deque[_Work]] = deque()


def begin(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread, or at ``finish`` where none can be started.

    ``work`` raises nothing but MemoryError, and neither forks nor waits for other work. It runs in no
    ``threading.Thread``, whose ``start`` waits for ever for a thread that got no memory to begin.
    """
    begun = _Work(work)
    _BEGUN.append(begun)
    with suppress(RuntimeError):  # this user may start no more threads
        _thread.start_new_thread(begun.do, ())


def finish() -> None:
    """Wait for all that was begun; what no thread does is done here."""
    while True:
        try:
            begun = _BEGUN[0]
        except IndexError:
            return
        try:
            begun.do()
        finally:
            with suppress(ValueError):  # another thread waited for it, too
                _BEGUN.remove(begun)


atexit.register(finish)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_BEGUN.clear)  # threads of the parent do not go on in a child
