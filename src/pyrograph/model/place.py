"""Places in source files.

Lines and columns count from 1; columns count Unicode code points (a tab is one), never bytes;
``end_column`` is exclusive. Paths are relative to the scan root, with ``/`` on every system.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of text in one file."""

    path: str  # relative to the scan root, POSIX separators
    line: int  # from 1
    column: int  # from 1, in code points
    end_line: int
    end_column: int  # exclusive
