"""Parsing with a bound: tree-sitter's time is not always linear, and a parse cannot be interrupted from outside.

The parser reports its progress every hundred operations, and asks for the text piece by piece, again wherever it goes
back. Both together are counted: they measure the time (about 10 microseconds each) and depend on nothing but the text.
"""

from __future__ import annotations

from tree_sitter import Parser, Point, Tree

from pyrograph.policy.limits.parsing import PARSE_PIECE, PARSE_STEPS, PARSE_STEPS_PER_BYTE, UNBOUNDED_PARSE


def parse(parser: Parser, source: bytes) -> Tree | None:
    """Parse ``source`` (UTF-8); None if it is not short and takes more than ``PARSE_STEPS`` and
    ``PARSE_STEPS_PER_BYTE`` allow.
    """
    if len(source) <= UNBOUNDED_PARSE:
        return parser.parse(source)
    most = PARSE_STEPS + int(PARSE_STEPS_PER_BYTE * len(source))
    steps = 0
    parsed = False  # later, texts of nodes are read in the same way

    def read(at: int, _point: Point) -> bytes:
        nonlocal steps
        steps += 1
        return source[at : at + PARSE_PIECE] if parsed or steps <= most else b""

    def stop(_at: int, _has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > most

    try:
        tree = parser.parse(read, progress_callback=stop)
    except ValueError:  # it was stopped
        parser.reset()
        return None
    parsed = steps <= most
    return tree if parsed else None
