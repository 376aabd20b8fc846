"""Comments in the scanned code that may be addressed to a scanner."""

from __future__ import annotations

from typing import NamedTuple


class Comment(NamedTuple):
    """One comment, as the front end found it."""

    line: int  # its first, from 1
    first: int  # the lines of code that it speaks for: those of a statement, without the statements inside it
    last: int  # inclusive
    text: str  # all of it, with what opens and ends it
