"""Bounds of precision that many values can reach, reported once with the files concerned.

All code is analysed beyond them, but some calls or values less precisely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from pyrograph.model.problem import Problem
from pyrograph.model.words import plural
from pyrograph.policy.limits.explanation import MAX_NAMED_FILES
from pyrograph.scanner.analysis.link import Program


class BoundReached(NamedTuple):
    """One bound that was reached."""

    message: str  # "a value may refer to more than 8 functions, classes or APIs; the others are ignored"
    occurrences: int
    values: Collection[int]  # where; numbers beyond the program's values belong to no file

    def text(self, program: Program) -> str:
        """A sentence that names the files in which it happened most often."""
        values = [value for value in self.values if value < program.num_values]
        files = Counter(program.files[file].path for file in program.file_of_value[values].tolist())
        most = sorted(files.items(), key=lambda each: (-each[1], each[0]))[:MAX_NAMED_FILES]
        named = ", ".join(f"{path} ({count:,})" for path, count in most)
        where = f"; most often in {named}" if len(files) > MAX_NAMED_FILES else f"; in {named}" if named else ""
        return f"{plural(self.occurrences, 'time')}: {self.message}{where}"

    def problem(self, program: Program) -> Problem:
        return Problem("limit", "", 0, self.text(program), precision=True)
