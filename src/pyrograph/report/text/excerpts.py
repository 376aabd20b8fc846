"""Rows of source code with carets: the line of a place, and under its marked part what happens there.

A code row never wraps: it is cut to the page's width around the marked part. Consecutive excerpts of one line share the
code row.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.cells import cell_len

from pyrograph.model.place import Place
from pyrograph.report.common import SourceLines
from pyrograph.report.safe_text import visible
from pyrograph.report.text.layout import Page, Part, Row

TAB = "    "
CARET = "^"


class Excerpts:
    """Makes the excerpts of one page, top to bottom."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lines = SourceLines(page.report.sources)
        self.code_above: tuple[str, int, int, str] | None = None  # the code row that carets may still refer to

    def interrupt(self) -> None:
        """Note that other rows follow, so that the next excerpt shows its code again."""
        self.code_above = None

    def rows(self, place: Place, label: str, style: str, message: str = "", indent: int = 0) -> Iterator[Row]:
        """The line of ``place`` beside ``label``, then carets under it and what they mean."""
        bar: Part = (f"{self.page.glyphs.bar} ", "frame")
        margin = cell_len(label)
        above, self.code_above = self.code_above, None
        code = self.lines.line(place.path, place.line)
        if code is None:
            yield [(label, "place"), bar, (" " * indent, ""), (message or "(source not available)", style)]
            return
        room = max(20, self.page.width - margin - 2 - indent)
        before, marked, after = _cut(code, place, room, self.page.glyphs.cut)
        under: Row = [(" " * margin, ""), bar]
        self.code_above = (place.path, place.line, indent, before + marked + after)
        if self.code_above == above:  # another step in the line that was just shown: only its carets
            under = [(label, "place"), bar]
        else:
            yield [(label, "place"), bar, (" " * indent + before, ""), (marked, style), (after, "")]
        offset, length = cell_len(before), max(1, cell_len(marked))
        carets = CARET * length
        if not message or offset + length + 1 + cell_len(message) <= room:
            yield [*under, (" " * (indent + offset), ""), (f"{carets} {message}".rstrip(), style)]
        else:
            yield [*under, (" " * (indent + offset), ""), (carets, style)]
            start = max(0, min(offset, room - cell_len(message)))
            for line in textwrap.wrap(message, room - start, break_on_hyphens=False) or [""]:
                yield [(" " * margin, ""), bar, (" " * (indent + start), ""), (line, style)]


def _cut(code: str, place: Place, room: int, cut: str) -> tuple[str, str, str]:
    """``code`` without indentation as (before, marked, after), at most ``room`` cells wide, ``marked`` kept in sight.

    Lines may be megabytes long (minified code), so only the surroundings of the marked part are looked at.
    """
    start = min(max(place.column - 1, 0), len(code))
    end = len(code) if place.end_line > place.line else min(max(place.end_column - 1, start), len(code))
    head = code[max(0, start - 2 * room) : start]
    if start <= 2 * room:
        head = head.lstrip()
    before = _shown(head)
    marked = _shown(code[start : min(end, start + 2 * room)])
    if place.end_line > place.line:
        marked = marked.rstrip() or marked[:1]
    after = _shown(code[end : end + 2 * room]).rstrip()
    if start <= 2 * room and cell_len(before) + cell_len(marked) + cell_len(after) <= room:
        return before, marked, after
    if start > 2 * room or cell_len(before) + min(cell_len(marked), room // 2) > room:
        before = cut + _last_cells(before, room // 3)
    marked = _first_cells(marked, room - cell_len(before), cut)
    return before, marked, _first_cells(after, room - cell_len(before) - cell_len(marked), cut)


def _shown(code: str) -> str:
    return visible(code.replace("\t", TAB))


def _first_cells(text: str, room: int, cut: str) -> str:
    """The start of ``text`` in at most ``room`` cells, ``cut`` at its end if something is missing."""
    if cell_len(text) <= room:
        return text
    room -= cell_len(cut)
    width = 0
    for index, char in enumerate(text):
        width += cell_len(char)
        if width > room:
            return text[:index] + cut if room >= 0 else ""
    return text


def _last_cells(text: str, room: int) -> str:
    width = 0
    for index in range(len(text) - 1, -1, -1):
        width += cell_len(text[index])
        if width > room:
            return text[index + 1 :]
    return text
