"""Edits as a unified diff. The edits say which lines change, so nothing is compared: linear in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pyrograph.model.edit import Edit, edited

_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")


class _Change(NamedTuple):
    """Lines ``first`` to ``last`` (exclusive, from 0) become ``new``."""

    first: int
    last: int
    new: list[bytes]


def unified(path: str, text: bytes, edits: Sequence[Edit], context: int = 3) -> Iterator[str]:
    """The lines of a diff, each with its line end.

    ``edits``: in order, without overlaps. ``context``: lines that are shown around a change.
    """
    lines = _LINE.findall(text)
    changes = list(_changes(text, lines, edits))
    if not changes:
        return
    yield f"--- a/{path}\n"
    yield f"+++ b/{path}\n"
    more = 0  # lines that earlier hunks added
    while changes:
        size = 1
        while size < len(changes) and changes[size].first - changes[size - 1].last <= 2 * context:
            size += 1
        hunk, changes = changes[:size], changes[size:]
        start, end = max(0, hunk[0].first - context), min(len(lines), hunk[-1].last + context)
        added = sum(len(each.new) - (each.last - each.first) for each in hunk)
        yield f"@@ -{_range(start, end - start)} +{_range(start + more, end - start + added)} @@\n"
        more += added
        at = start
        for each in hunk:
            yield from _shown(" ", lines[at : each.first])
            yield from _shown("-", lines[each.first : each.last])
            yield from _shown("+", each.new)
            at = each.last
        yield from _shown(" ", lines[at:end])


def _changes(text: bytes, lines: Sequence[bytes], edits: Sequence[Edit]) -> Iterator[_Change]:
    """The lines that change, in order; none stands next to the next one."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    waiting = list(edits)
    while waiting:
        size, first = 1, bisect_right(starts, waiting[0].start, hi=max(1, len(lines))) - 1
        last = _line_behind(starts, waiting[0].end)
        while size < len(waiting) and waiting[size].start <= starts[last]:
            last = max(last, _line_behind(starts, waiting[size].end))
            size += 1
        begin, end = starts[first], starts[last]
        own = [Edit(each.start - begin, each.end - begin, each.text) for each in waiting[:size]]
        old, new = lines[first:last], _LINE.findall(edited(text[begin:end], own))
        waiting = waiting[size:]
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        behind = 0
        while behind < min(len(old), len(new)) - same and old[~behind] == new[~behind]:
            behind += 1
        if old != new:
            yield _Change(first + same, last - behind, new[same : len(new) - behind])


def _line_behind(starts: Sequence[int], at: int) -> int:
    """The number of the line behind the one that holds an offset."""
    return min(bisect_right(starts, at), len(starts) - 1)


def _range(start: int, count: int) -> str:
    """Lines of a hunk as its head has them; a single one without its count, none behind the line before."""
    return f"{start + (count > 0)}" if count == 1 else f"{start + (count > 0)},{count}"


def _shown(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        row = f"{mark}{line.decode('utf-8', 'replace')}"
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
