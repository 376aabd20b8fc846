"""Source texts, and places in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from pyrograph.model.place import Place
from pyrograph.scanner.analysis.link import Program

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.declarations import Declarations
    from pyrograph.scanner.text_reader import TextReader

QUOTED: Final = re.compile(r""""[^"\n]*"|'[^'\n]*'|`[^`]*`""")  # a text in code


class Texts:
    """Source texts and places in them; read once a file."""

    def __init__(
        self,
        program: Program,
        read: TextReader,
        generated: Collection[str] = (),
        declarations: Declarations | None = None,
    ) -> None:
        """``generated``: folders with generated files, which are not read; "" is the root. ``declarations``: those of
        these files whose texts can be had.
        """
        self.program = program
        self.generated = generated
        self.declarations = declarations
        self.read = read
        self.lines: dict[str, list[int]] = {}
        self.ascii: dict[str, bool] = {}
        self.places: dict[tuple[str, int, int, bool], Place] = {}

    def content(self, file: int) -> bytes:
        return self.read.get(self.program.files[file].path, b"")

    def has(self, file: int, pattern: re.Pattern[bytes]) -> bool:
        """Whether a file's text has ``pattern``, which sets its flags itself: for questions to many files."""
        return self.read.has(self.program.files[file].path, pattern)

    def place(self, file: int, start: int, end: int, *, one_line: bool = False) -> Place:
        """Bytes ``start:end`` as lines and columns in code points; ``one_line`` ends it with its first line."""
        return self.place_in(self.program.files[file].path, start, end, one_line=one_line)

    def place_in(self, path: str, start: int, end: int, *, one_line: bool = False) -> Place:
        """The same for a file of any kind."""
        known = self.places.get((path, start, end, one_line))
        if known is None:
            known = self.places[path, start, end, one_line] = self._place(path, start, end, one_line)
        return known

    def _place(self, path: str, start: int, end: int, one_line: bool) -> Place:
        content = self.read.get(path, b"")
        starts = self.lines.get(path)
        if starts is None:
            breaks = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n"))
            starts = self.lines[path] = [0, *(breaks + 1).tolist()]
        if one_line:
            line_end = content.find(b"\n", start)
            end = min(end, len(content) if line_end < 0 else line_end)
        is_ascii = self.ascii.get(path)
        if is_ascii is None:
            is_ascii = self.ascii[path] = content.isascii()
        line, column = _position(content, starts, start, is_ascii)
        end_line, end_column = _position(content, starts, max(end, start), is_ascii)
        return Place(path, line, column, end_line, end_column)

    def text(self, file: int, start: int, end: int, limit: int = 60) -> str:
        """The text on one line, shortened."""
        return shortened(self.piece(file, start, end), limit)

    def piece(self, file: int, start: int, end: int) -> bytes:
        """The text alone: nothing is known of what stands around it."""
        return self.read.piece(self.program.files[file].path, start, end)

    def text_in(self, path: str, start: int, end: int, limit: int = 60) -> str:
        """The same for a file of any kind."""
        return shortened(self.read.piece(path, start, end), limit)


def shortened(data: bytes, limit: int) -> str:
    text = " ".join(data.decode("utf-8", "replace").split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _position(content: bytes, starts: Sequence[int], at: int, is_ascii: bool) -> tuple[int, int]:
    line = bisect_right(starts, at) - 1
    if is_ascii:  # a line may be as long as the file, and hold as many places
        return line + 1, min(at, len(content)) - starts[line] + 1
    return line + 1, len(content[starts[line] : at].decode("utf-8", "replace")) + 1
