"""A child process with a limit of time, and what it used."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyrograph.policy.limits.fleet import MAX_SAID, POLL_SECONDS

CONFINED: Final = Path(__file__).with_name("confined.py")
GRACE: Final = 3.0  # seconds that a scan has to end its own processes before it is killed


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    code: int  # exit code; -n: ended by signal n
    timed_out: bool
    said: str  # the end of its standard error
    cpu_seconds: float  # with its children
    peak_bytes: int  # largest resident size of one of them; Linux counts that of the starting process, too


def run(command: Sequence[str], *, seconds: float, memory: int, folder: Path) -> Ended:
    """Run a command in ``folder`` until it ends, or until its time is over.

    The process has a session of its own, no input, and the limits of ``confined``. Its time is over: it is asked to end
    (SIGTERM), and killed with its group after ``GRACE`` seconds.

    Raises:
        OSError: It cannot be started.
    """
    prefix = [sys.executable, "-I", "-S", str(CONFINED), str(memory), str(os.getpid())]
    until = time.monotonic() + seconds
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [*prefix, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd=folder,
            start_new_session=True,
        )
        usage = _waited(process, until)
        timed_out = usage is None
        if usage is None:
            with suppress(ProcessLookupError):
                process.terminate()
            usage = _waited(process, time.monotonic() + GRACE)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        if usage is None:
            usage = _waited(process, None)
            assert usage is not None
        size = said.seek(0, os.SEEK_END)
        said.seek(max(0, size - MAX_SAID))
        text = said.read().decode("utf-8", "replace")
    scale = 1 if sys.platform == "darwin" else 1024
    return Ended(process.returncode, timed_out, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale)


if sys.platform != "win32":
    import resource

    def _waited(process: subprocess.Popen[bytes], until: float | None) -> resource.struct_rusage | None:
        """What the process used, when it has ended; None where it has not by then. Its return code is set."""
        while True:
            pid, status, usage = os.wait4(process.pid, 0 if until is None else os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return usage
            if until is not None and time.monotonic() >= until:
                return None
            time.sleep(POLL_SECONDS)
