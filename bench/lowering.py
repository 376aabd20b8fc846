"""Cost of lowering the files of one directory: nanoseconds of process time per syntax node, and bytes of units.

    python bench/lowering.py DIRECTORY LANGUAGE

Two versions are compared by alternating runs with ``PYTHONPATH`` set to the ``src`` of one and the other.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

from pyrograph.ir.stored import dump
from pyrograph.parsers import lower

SUFFIXES = {"python": ".py", "javascript": ".js", "go": ".go"}
RUNS = 3


def main(directory: Path, language: str) -> None:
    """Print the fastest of ``RUNS`` runs over all files."""
    gc.disable()  # as a scan does
    texts = [path.read_bytes() for path in sorted(directory.rglob(f"*{SUFFIXES[language]}")) if path.is_file()]
    lower(b"", language)  # the grammar is loaded
    best, nodes, size = float("inf"), 0, 0
    for _ in range(RUNS):
        start = time.process_time()
        units = [lower(text, language) for text in texts]
        best = min(best, time.process_time() - start)
        nodes, size = sum(unit.syntax_nodes for unit in units), sum(len(dump(unit)) for unit in units)
    print(f"{best:.2f} s, {best / nodes * 1e9:,.0f} ns a node, {nodes:,} nodes, {size / 1e6:.1f} MB of units")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
