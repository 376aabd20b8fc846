"""Jobs that end their process, for tests of what is left then."""

from __future__ import annotations

import os
import signal
import time


class Crash(str):
    """A text that ends the process which reads it."""

    def encode(self, encoding: str = "", errors: str = "") -> bytes:
        os.kill(os.getpid(), signal.SIGSEGV)
        return b""


class Exhausts(str):
    """A text for which there is no memory."""

    def encode(self, encoding: str = "", errors: str = "") -> bytes:
        raise MemoryError


class Fails(str):
    """A text that meets a fault."""

    def encode(self, encoding: str = "", errors: str = "") -> bytes:
        raise LookupError("no such thing")


class Endless(str):
    """A text that is never read; the file that it names says that somebody tries."""

    def encode(self, encoding: str = "", errors: str = "") -> bytes:
        with open(self, "wb"):
            pass
        time.sleep(600)
        return b""
