"""Problems of a program: all of them at once, errors and warnings apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pyrograph.kernels.errors import BackendError


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong, and where."""

    where: str  # name of a node, a buffer or a region
    what: str  # the trouble and the way out
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.what}"


class ProgramError(ValueError):
    """A program that is not well formed; ``problems`` lists all that is wrong, warnings included."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class CompileError(BackendError):
    """A kernel that its compiler refused; ``diagnostics`` is what the compiler said."""

    def __init__(self, kernel: str, diagnostics: str) -> None:
        super().__init__(f"kernel {kernel!r} does not compile: {diagnostics}")
        self.kernel = kernel
        self.diagnostics = diagnostics
