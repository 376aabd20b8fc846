"""The stream of the text report: a terminal, a job's log or a file; hence its colours, width and characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TextIO

from rich.console import Console

Color = Literal["auto", "always", "never"]

DEFAULT_WIDTH = 100  # cells, where there is no terminal to ask
GITHUB_WIDTH = 130  # what a job's log shows without wrapping
MAX_WIDTH = 160  # longer rows are hard to follow with the eye


def console_for(stream: TextIO, color: Color, environ: Mapping[str, str]) -> Console:
    """A console that only turns styles into what the terminal understands; decisions are made here."""
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    if color == "auto":
        # An empty variable counts as not set (no-color.org, force-color.org).
        if environ.get("NO_COLOR"):
            colored = False
        elif environ.get("FORCE_COLOR") or environ.get("GITHUB_ACTIONS"):
            colored = True
        else:
            colored = terminal and environ.get("TERM") != "dumb"
    else:
        colored = color == "always"
    return Console(
        file=stream,
        force_terminal=terminal or colored,
        color_system="standard" if colored else None,  # the 16 colours that follow the terminal's theme
        legacy_windows=None if terminal else False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},
    )


def width_for(width: int | None, console: Console, environ: Mapping[str, str]) -> int:
    """Cells of a row, within what is readable: ``width``, or COLUMNS, or what the stream is made for."""
    if width is None:
        columns = environ.get("COLUMNS", "")
        if columns.isdecimal() and int(columns) > 0:
            width = int(columns)
        elif environ.get("GITHUB_ACTIONS"):
            width = GITHUB_WIDTH
        elif getattr(console.file, "isatty", lambda: False)():
            width = console.width
        else:
            width = DEFAULT_WIDTH
    return max(40, min(width, MAX_WIDTH))


def encodable(text: str, encoding: str) -> bool:
    """Whether a stream of this encoding can write ``text``."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def encoded(text: str, encoding: str) -> str:
    """``text`` with characters that the stream cannot write as escapes: a report must not fail on a name."""
    if text.isascii() or encodable(text, encoding):
        return text
    return text.encode("ascii", "backslashreplace").decode("ascii")
