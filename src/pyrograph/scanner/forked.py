"""Forked processes: work that may crash costs its own process alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Final

from pyrograph.parsers import front_end, syntaxes
from pyrograph.scanner import background

STAGES: Final = (  # modules that a scan imports when it needs them
    "pyrograph.scanner.pipeline",
    "pyrograph.scanner.answers",
    "pyrograph.scanner.published",
    "pyrograph.scanner.analysis.label",
    "pyrograph.scanner.analysis.resolve",
    "pyrograph.scanner.analysis.assemble",
    "pyrograph.scanner.analysis.search",
    "pyrograph.scanner.analysis.patterns",
    "pyrograph.scanner.explain.findings",
    "pyrograph.graph",
)


def import_stages() -> None:
    """Import what scans need, and prepare the front ends, once, in a process that forks for each of many scans."""
    for name in STAGES:
        import_module(name)
    for syntax in syntaxes():
        front_end(syntax).prepare()


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
