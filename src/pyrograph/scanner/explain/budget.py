"""Steps that questions about the functions of one file take: many questions in one large function cost its square."""

from __future__ import annotations

from pyrograph.policy.limits.explanation import MAX_ASKED_STEPS
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution

MESSAGE = "seeing which checks the paths in this file pass takes too many steps; some count as passing none"


class AskingBudget:
    """Counts by file, so that one file costs no other its answers, and reports the files that have nothing left."""

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.resolution = resolution
        self.spent: dict[int, int] = {}  # file -> steps

    def spend(self, function: int, steps: int) -> bool:
        """Take so many steps (blocks, conditions, calls) for a question; False: the file has none left."""
        file = int(self.program.file_of_value[self.program.tables["functions"]["result"][function]])
        spent = self.spent.get(file, 0)
        if spent >= MAX_ASKED_STEPS:
            self.resolution.report(MESSAGE, self.program.files[file].path, 0)
            return False
        self.spent[file] = spent + steps
        return True
