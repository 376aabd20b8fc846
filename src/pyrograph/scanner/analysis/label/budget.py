"""Steps that questions about the values of one file take: many questions about one large table cost its square."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.limits.labels import MAX_LOOKED_STEPS
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import Resolution

MESSAGE: Final = (
    "telling what the tables and checks of this file hold takes too many steps; some count as not understood"
)


class Budget:
    """Counts by file, so that one file costs no other its answers, and reports the files that have nothing left.

    A question is answered whole or not at all: whoever asks learns that it was not, and keeps the finding.
    """

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.resolution = resolution
        self.file_of = program.files_of_values()
        self.left = [MAX_LOOKED_STEPS] * len(program.files)

    def spend(self, value: int, steps: int) -> bool:
        """Take so many steps (stores, elements, parts) for a question about ``value``; False: the file has none."""
        file = self.file_of[value]
        if self.left[file] <= 0:
            self.resolution.report(MESSAGE, self.program.files[file].path, 0)
            return False
        self.left[file] -= steps
        return True
