"""Places of the analysis as positions of the protocol, and back.

A ``Place`` counts lines that end with LF and columns in code points. A position counts lines that end with LF, CRLF or
CR, from 0, and columns in the units that client and server agreed on: UTF-16 code units, where nothing else was agreed.
So both are computed from the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Final

from lsprotocol import types as lsp

from pyrograph.model.place import Place

_LF: Final = re.compile(r"\n")
_ANY_END: Final = re.compile(r"\r\n|\n|\r")
_UTF16_WIDTH: Final = 2  # of UTF-16
_UNITS: Final[Mapping[str, Callable[[str], int]]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // _UTF16_WIDTH,
    "utf-32": len,
}


class Positions:
    """Conversions for one text. Time O(length of the line) each, after O(length of the text) once."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.units = _UNITS[encoding]
        self.lf = [0, *(match.end() for match in _LF.finditer(text))]
        self.lines = self.lf if "\r" not in text else [0, *(match.end() for match in _ANY_END.finditer(text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column of a ``Place``; one that is not there is the nearest that is."""
        if line > len(self.lf):
            return len(self.text)
        end = self.lf[line] if line < len(self.lf) else len(self.text)
        return min(self.lf[max(line, 1) - 1] + max(column, 1) - 1, end)

    def position(self, offset: int) -> lsp.Position:
        """The position of an offset in code points."""
        line = bisect_right(self.lines, offset) - 1
        before = self.text[self.lines[line] : offset]
        return lsp.Position(line, len(before) if before.isascii() else self.units(before))

    def range(self, place: Place) -> lsp.Range:
        """The range of a place."""
        start = self.offset(place.line, place.column)
        end = max(start, self.offset(place.end_line, place.end_column))
        return lsp.Range(self.position(start), self.position(end))


def contains(outer: lsp.Range, position: lsp.Position) -> bool:
    """Whether a position lies in a range; its end counts."""
    return outer.start <= position <= outer.end


def overlap(one: lsp.Range, other: lsp.Range) -> bool:
    """Whether two ranges touch."""
    return one.start <= other.end and other.start <= one.end
