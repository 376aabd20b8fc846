"""Parsing with a bound: tree-sitter's time is not always linear, and a parse cannot be interrupted from outside.

The parser reports its progress every hundred operations, and asks for the text piece by piece, again wherever it goes
back. Both together are counted: they measure the time (about 10 microseconds each) and depend on nothing but the text.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Parser, Point, Tree

PIECE: Final = 1_024  # bytes
# A shorter text takes a second or two at worst. The binding never frees the pieces that it is given, so texts that need
# no bound are handed over whole.
SHORT: Final = 30_000  # bytes
# Files of the standard libraries and of large packages take at most 80 steps for each thousand bytes.
STEPS: Final = 20_000  # for any text
STEPS_PER_BYTE: Final = 0.4


def parse(parser: Parser, source: bytes) -> Tree | None:
    """The tree of ``source`` (UTF-8); None if it takes more than ``STEPS`` and ``STEPS_PER_BYTE`` allow, and
    is not short.
    """
    if len(source) <= SHORT:
        return parser.parse(source)
    most = STEPS + int(STEPS_PER_BYTE * len(source))
    steps = 0
    parsed = False  # later, texts of nodes are read in the same way

    def read(at: int, _point: Point) -> bytes:
        nonlocal steps
        steps += 1
        return source[at : at + PIECE] if parsed or steps <= most else b""

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
