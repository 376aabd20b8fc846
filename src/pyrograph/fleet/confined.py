"""Starts a scan in a process with limits: python confined.py BYTES PARENT COMMAND...

It is run as a file, so that nothing of the program is imported. The command takes the place of this process, which

* may have BYTES of address space;
* is ended when the thread of PARENT that started it ends, as a worker does that is killed;
* is the first that the system ends when memory runs out, before the worker;
* writes no core file.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(arguments: list[str]) -> None:
    import resource
    import signal

    memory, parent = int(arguments[0]), int(arguments[1])
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    if os.getppid() != parent:
        sys.exit("the worker ended before the scan began")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):  # a lower limit is in force already, or the system has none
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.execv(arguments[2], arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
