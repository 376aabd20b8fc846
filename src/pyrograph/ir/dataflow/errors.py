"""Errors of dataflow graphs: each says where it is, what is wrong, and what to do."""

from __future__ import annotations


class DataflowError(ValueError):
    """A type, a value, a graph or its run breaks a constraint of the dialect."""


class ParseError(DataflowError):
    """The text is no graph; ``line`` and ``column`` count from 1."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column


class ZeroStepError(DataflowError):
    """A ``dataflow.stream`` was given the step 0, for which it would never end."""

    code = "RT_DATAFLOW_STREAM_ZERO_STEP"

    def __init__(self) -> None:
        super().__init__(f"{self.code}: the step of a dataflow.stream is 0; give it a step that is not")
