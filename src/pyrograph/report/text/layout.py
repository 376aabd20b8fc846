"""The parts of a page of the terminal report: rows of styled parts, the page's width, and its characters.

A row is a list of parts without its line end. The text of a part is harmless already: whoever makes a part from
scanned names, messages or code passes it through ``visible``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from rich.style import Style

from pyrograph.model.finding import Report
from pyrograph.model.place import Place
from pyrograph.report.safe_text import visible

Part = tuple[str, str]  # text that is already harmless, name of its style
Row = list[Part]

STYLES: Mapping[str, Style] = {
    name: Style.parse(definition)
    for name, definition in {
        "": "none",
        "critical": "bold white on red",
        "high": "bold red",
        "medium": "bold yellow",
        "low": "bold blue",
        "file": "bold",
        "rule": "bold",
        "place": "cyan",
        "frame": "dim",
        "dim": "dim",
        "source": "bold green",
        "step": "cyan",
        "assumed": "bold yellow",
        "sink": "bold red",
        "good": "bold green",
        "warning": "yellow",
    }.items()
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Characters that the stream's encoding decides."""

    bar: str
    rule: str
    cut: str
    dot: str
    block: str


UNICODE = Glyphs(bar="│", rule="─", cut="…", dot="·", block="█")
ASCII = Glyphs(bar="|", rule="-", cut="...", dot="-", block="#")


@dataclass(frozen=True, slots=True)
class Page:
    """A report, and the settings that its layout depends on."""

    report: Report
    width: int  # cells of a row
    glyphs: Glyphs
    max_steps: int  # of one path that are shown; at least 2
    max_paths: int  # of one finding that are shown; at least 1
    is_verbose: bool  # each syntax problem in a row of its own, instead of their number; all checks of a path


def wrapped(page: Page, text: str, *, indent: int, style: str = "", hang: int = 0) -> list[Row]:
    """``text`` in rows of the page's width; all but the first are ``hang`` cells further to the right."""
    lines = textwrap.wrap(
        text, page.width - indent, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )
    # A row that starts with "::" is a command to GitHub's runner, and one with "##[" anywhere may be.
    return [[(" " * indent + re.sub(r"^(\s*)::", r"\1: :", line), style)] for line in lines]


def where(place: Place) -> str:
    return f"{visible(place.path)}:{place.line}:{place.column}"


def line_and_column(place: Place) -> str:
    return f"{place.line}:{place.column}"
