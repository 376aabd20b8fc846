"""The unit: what one source file lowers to, with no rule applied and no other file looked at.

A unit is a handful of tables of 32-bit integers, which ``ir.schema`` defines, and one table of strings. A row refers
to a value, a function, a string and so on by its index in the same unit. Nothing in a unit depends on rules, so a
changed rule lowers nothing anew, and nothing depends on other files, so units are cached by content.

A table is stored row after row in one flat array. ``ir.verify`` checks units, ``ir.stored`` writes them as bytes.

Sources: SSA with pi nodes is e-SSA (Bodik, Gupta, Sarkar: ABCD, PLDI 2000); loop headers are ``dataflow.carry`` of
the dialect.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import TypeVar

from pyrograph.ir.schema import COLUMNS, NAMES

R = TypeVar("R", bound=tuple[int, ...])


def constant_text(constant: str | int | float | bool | None) -> str:
    """Write a constant so that kinds stay apart: ``"'abc"`` is text, ``"5"`` a number.

    >>> [constant_text(c) for c in ("5", 5, True, None)]
    ["'5", '5', 'true', 'null']
    """
    if isinstance(constant, str):
        return "'" + constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else repr(constant)


@dataclass(slots=True)
class Unit:
    """One lowered file; ``ir.schema`` says what is in the tables."""

    language: str
    tables: dict[str, array[int]] = field(default_factory=lambda: {name: array("i") for name in COLUMNS})
    strings: list[str] = field(default_factory=list)
    problems: list[tuple[str, int, str]] = field(default_factory=list)  # (kind, line from 1, message)
    package: str = ""  # the package clause, where the language has one
    lines: int = 0
    syntax_nodes: int = 0  # nodes that were visited
    error_nodes: int = 0
    unhandled_nodes: int = 0
    # with a marker: (line, first and last line that it speaks for, text)
    comments: list[tuple[int, int, int, str]] = field(default_factory=list)

    def outline(self) -> Unit:
        """The same without tables and strings, which are nine tenths of a unit; it shares the comments."""
        return replace(self, tables={}, strings=[])

    def rows(self, kind: type[R]) -> list[R]:
        """The rows of the table whose rows are ``kind`` (``ir.schema``), as these; for reading, not for speed."""
        name = NAMES[kind]
        width = len(COLUMNS[name])
        cells = iter(self.tables[name])
        return list(map(tuple.__new__, repeat(kind), zip(*[cells] * width, strict=True)))
