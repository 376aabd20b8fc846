"""Verification: whether what one stage hands to the next keeps every promise of its docstrings.

One function a structure: ``program``, ``resolution``, ``labels``, ``flow_graph``, ``hits``; units have theirs in
``ir.verify``. Each returns the broken promises as sentences, each with the table, row and column; an empty list says
that all is well formed. ``kept`` makes an error of them that names the stage.

Cost: linear in the structure, in NumPy columns, but for ``hits``, which searches the graph once for each of the first
``MAX_VERIFIED_HITS`` pairs. Nothing here runs in a scan that does not ask for it (``ScanOptions.verify``).
"""

from __future__ import annotations

from pyrograph.scanner.analysis.verify.assembled import flow_graph
from pyrograph.scanner.analysis.verify.labelled import labels
from pyrograph.scanner.analysis.verify.linked import program
from pyrograph.scanner.analysis.verify.resolved import resolution
from pyrograph.scanner.analysis.verify.rows import BrokenPromise, kept
from pyrograph.scanner.analysis.verify.searched import hits

__all__ = ["BrokenPromise", "flow_graph", "hits", "kept", "labels", "program", "resolution"]
