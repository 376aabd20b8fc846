"""Problems: faults and cuts of a scan. A problem never stops a scan; it is always reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal[
    "syntax-error",  # the file was analysed, but a part of it did not parse
    "not-parsed",  # the file was not analysed: unreadable, too large, not text
    "limit",  # a limit was hit and something was left out
    "internal-error",  # a fault of the scanner; the message has an id, and says what it cost
    "configuration",  # a setting that could not be used as written
    "suppression",  # an inline suppression that matches nothing
    "baseline",  # a baseline entry that no longer matches
]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing the user should know about an incomplete or surprising result."""

    kind: ProblemKind
    path: str  # relative to the scan root, or "" when it belongs to no file
    line: int  # from 1, or 0 when it belongs to no line
    message: str
    precision: bool = False  # a limit of precision: all code was analysed, but single calls or values less precisely

    @property
    def incomplete(self) -> bool:
        """Whether something that could hold a finding was not analysed."""
        return self.kind in ("syntax-error", "not-parsed", "limit", "internal-error")

    @property
    def leaves_out(self) -> bool:
        """Whether a file, a function, a path or a finding was left out; ``Statistics.skipped`` counts further files."""
        return self.incomplete and not self.precision
