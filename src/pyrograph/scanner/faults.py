"""Internal errors as data: where one happened, what it was, and an id that stays the same for the same error."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from pyrograph.model.problem import Problem

_PACKAGE = os.sep + "pyrograph" + os.sep
ID_BYTES = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """One internal error."""

    stage: str  # "lower", "resolve", ...
    kind: str  # the exception's type, or the signal that ended the process
    text: str  # the exception's message, on one line; "" for a signal
    where: str  # module and function of the innermost frame of this package; "" where no frame is known

    @property
    def id(self) -> str:
        """Eight hexadecimal digits: the same for the same kind of error in the same function, on every machine."""
        name = "\0".join((self.stage, self.kind, self.where))
        return hashlib.blake2b(name.encode("utf-8", "backslashreplace"), digest_size=ID_BYTES).hexdigest()

    def __str__(self) -> str:
        text = f": {self.text}" if self.text else ""
        return f"internal error {self.id} in stage {self.stage} ({self.kind}{text})"


def fault_of(stage: str, error: BaseException) -> Fault:
    """Facts about ``error``, which was raised in ``stage``."""
    import traceback  # not before something failed: it costs as much as reading a small project

    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if _PACKAGE in frame.filename:
            module = frame.filename.rpartition(_PACKAGE)[2].removesuffix(".py").replace(os.sep, ".")
            where = f"{module}.{frame.name}"
    text = " ".join(str(error).split())
    return Fault(stage, type(error).__name__, text if len(text) <= 200 else text[:199] + "…", where)


def internal_error(fault: Fault, path: str, cost: str, line: int = 0) -> Problem:
    """The problem that reports ``fault``. ``cost``: what is missing from the report because of it."""
    message = f"{fault}; {cost}; please report it (`pyrograph reduce` makes a small example)"
    return Problem("internal-error", path, line, message)
