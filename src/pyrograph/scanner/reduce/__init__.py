"""``pyrograph reduce``: shrinks the files of a scan that fails to a small program that still fails in the same way.

``engine`` knows programs and a predicate, and nothing of scans; ``rename`` replaces names in what it leaves;
``child`` runs a command on a candidate and ``failure`` says how it fails. Nothing that is reduced is executed:
candidates are files in a temporary directory that a scan reads.

Chapters: ``program``, ``engine``, ``rename``, ``child``, ``failure``; delta debugging itself is ``scanner.minimal``.
"""

from pyrograph.scanner.reduce.child import CAN_FORK, Limits, run_command, run_forked
from pyrograph.scanner.reduce.engine import Fails, Reducer
from pyrograph.scanner.reduce.failure import Failure, failures_of, write
from pyrograph.scanner.reduce.program import Edit, Mark, Program
from pyrograph.scanner.reduce.rename import rename

__all__ = [
    "CAN_FORK",
    "Edit",
    "Fails",
    "Failure",
    "Limits",
    "Mark",
    "Program",
    "Reducer",
    "failures_of",
    "rename",
    "run_command",
    "run_forked",
    "write",
]
