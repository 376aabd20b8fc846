"""Comments that may be addressed to a scanner, each with the lines of code that it speaks for.

They become part of the unit, so that later stages honour suppressions without reading the text again: only the grammar
knows for certain what is a comment and what is text in a string.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from typing import Final

from tree_sitter import Node

from pyrograph.parsers.statements import Statements

OURS: Final = b"pyrograph:"
# What such comments hold; the case does not matter. A file without any of these has no comments to look for.
MARKERS: Final = (OURS, b"nosec", b"nosemgrep")
_OPENER = re.compile(rb"#|//|/\*|<!--|-->")  # in any language
_LINE_END = re.compile(rb"\n")
_BLANKS = re.compile(rb"[ \t\f\r]*")
_NOT_A_LINE_END = re.compile(rb"[^\n]")


def has_marker(text: bytes, markers: tuple[bytes, ...] = MARKERS) -> bool:
    """Whether ``text`` holds one of ``markers``, which are lower-case."""
    lowered = text.lower()
    return any(marker in lowered for marker in markers)


def marked_comments(source: bytes, root: Node, bodies: Collection[str] = ()) -> list[tuple[int, int, int, str]]:
    """The comments with a marker: (line, first and last line that it speaks for, text), in order; lines from 1.

    A comment on a line with code speaks for that line and the statement around it, one that stands alone for the next
    line with code and what begins there; at the end of a file for its own last line. ``bodies``: as in ``Statements``.
    Time linear in the file; nothing is looked for in a file without a marker.
    """
    if not has_marker(source):
        return []
    comments = _comments(source, root)
    code_lines: list[int] | None = None
    found: list[tuple[int, int, int, str]] = []
    statements = Statements(root, bodies)
    starts: list[int] = []  # of the lines
    for start, end, line in comments:
        content = source[start:end]
        if not has_marker(content):
            continue
        if code_lines is None:
            code_lines = _lines_with_code(source, comments)
            starts = [0, *(match.end() for match in _LINE_END.finditer(source))]
        at = bisect_left(code_lines, line)
        if at == len(code_lines) or code_lines[at] != line:
            last = line + content.rstrip(b"\n").count(b"\n")
            at = bisect_left(code_lines, last)
            target = code_lines[at] if at < len(code_lines) else last
            begin = starts[target - 1]
            lines = statements.begun(begin + _indentation(source, begin)) if target != last else None
        else:
            target = line
            before = source[starts[line - 1] : start].rstrip()
            if before:
                lines = statements.around(starts[line - 1] + len(before) - 1)
            else:  # code stands behind the comment
                lines = statements.around(end + _indentation(source, end))
        # Broken code has statements that begin or end anywhere, so the line itself always counts.
        covered = lines if lines is not None and lines[0] <= target <= lines[1] else (target, target)
        found.append((line, *covered, content.decode("utf-8", "replace")))
    return found


def _indentation(source: bytes, at: int) -> int:
    """The number of blanks at ``at``."""
    match = _BLANKS.match(source, at)
    return len(match[0]) if match else 0


def _comments(source: bytes, root: Node) -> list[tuple[int, int, int]]:
    """First byte, end and first line of each comment, in order.

    Only nodes with something that opens a comment are entered. A query would do, but takes time quadratic in the depth.
    """
    openers = [match.start() for match in _OPENER.finditer(source)]
    found: list[tuple[int, int, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        start, end = node.start_byte, node.end_byte
        at = bisect_left(openers, start)
        if at == len(openers) or openers[at] >= end:
            continue
        if node.is_extra and node.type.endswith("comment"):
            found.append((start, end, node.start_point[0] + 1))
        else:
            stack.extend(reversed(node.children))
    return found


def _lines_with_code(source: bytes, comments: list[tuple[int, int, int]]) -> list[int]:
    """The numbers of the lines that hold more than comments; the braces of a JSX comment, {/* ... */}, are not code."""
    pieces, at = [], 0
    for start, end, _ in comments:
        pieces += [source[at:start], _NOT_A_LINE_END.sub(b" ", source[start:end])]
        at = end
    code = b"".join([*pieces, source[at:]]).decode("utf-8", "replace")
    return [
        number for number, line in enumerate(code.split("\n"), start=1) if line.strip() and line.split() != ["{", "}"]
    ]
