"""Work that goes on beside a scan and that nobody waits for but the end of the process: what a cache keeps is written.

A process is forked only where none is left: in the child, a lock that such a thread held stays locked for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

NAME: Final = "pyrograph-background"  # of each thread


def begin(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread, or here where this user may start no more threads."""
    try:
        threading.Thread(target=work, name=NAME).start()
    except RuntimeError:
        work()


def finish() -> None:
    """Wait for all that was begun."""
    for thread in threading.enumerate():
        if thread.name == NAME and thread is not threading.current_thread():
            thread.join()
