"""``python -m pyrograph`` is ``pyrograph``."""

from __future__ import annotations

import os
import signal
from typing import NoReturn


def run() -> NoReturn:
    """Run the command line; Ctrl-C while its modules are imported ends the process without a traceback."""
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))
    from pyrograph.cli import main

    signal.signal(signal.SIGINT, before)
    main()


if __name__ == "__main__":
    run()
