"""The report for a terminal: what, where, and the way the data takes, in as few lines as that needs.

Findings are sorted by severity, then confidence, then place. Each shows its sink under the message, then the path: two
rows a step, the code and a row of carets that says what happens there; code inside a call is indented. Assumed steps
are marked. The summary comes last, where the prompt appears.

Everything from scanned files passes through ``visible``, so nothing in it steers the terminal or forms a command for
the job runner that reads the log. A code row never wraps: it is cut to the width around its carets. Where the
stream's encoding lacks box characters, ASCII ones are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import TextIO

from rich.segment import Segment, Segments

from pyrograph.model.finding import Report
from pyrograph.report.text.findings import finding_blocks
from pyrograph.report.text.layout import ASCII, STYLES, UNICODE, Page
from pyrograph.report.text.summary import stages, summary
from pyrograph.report.text.terminal import Color, console_for, encodable, encoded, width_for

__all__ = ["Color", "render"]

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
MAX_STEPS = 40  # of one path; the middle of a longer one is counted


def render(
    report: Report,
    stream: TextIO,
    *,
    color: Color = "auto",
    width: int | None = None,
    stats: bool = False,
    max_steps: int = MAX_STEPS,
    max_paths: int = 1,
    verbose: bool = False,
    environ: Mapping[str, str] = NO_VARIABLES,
) -> None:
    """Write ``report`` for a reader at a terminal, in a job's log or in a file.

    Args:
        report: What to write. Code is shown where ``report.sources`` has the file.
        stream: Where to. Its encoding decides between box characters and ASCII.
        color: ``auto`` obeys NO_COLOR, then FORCE_COLOR, then GITHUB_ACTIONS, then asks whether this is a terminal.
        width: Cells in a row; None takes COLUMNS, else that of a job's log or of the terminal, else a default.
        stats: Also the time of each stage, lines per second, and the sizes of what was built.
        max_steps: Steps of one path that are shown; the rest is counted.
        max_paths: Paths of one finding that are shown, a source each; further sources are named.
        verbose: List the parts that did not parse, and all checks of a path; otherwise they are counted.
        environ: Environment variables: NO_COLOR, FORCE_COLOR, GITHUB_ACTIONS, TERM and COLUMNS are looked up.
    """
    console = console_for(stream, color, environ)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    glyphs = UNICODE if encodable("│─…·█", encoding) else ASCII
    page = Page(report, width_for(width, console, environ), glyphs, max(2, max_steps), max(1, max_paths), verbose)
    blocks = chain(finding_blocks(page), [list(summary(page))], [list(stages(page))] if stats else [])
    is_plain = console.color_system is None and not console.is_terminal
    for rows in blocks:
        if is_plain:  # most reports, and the large ones
            block = "\n".join(["".join([text for text, _style in row]) for row in rows] + [""])
            if "##[" not in block and (block.isascii() or encodable(block, encoding)):
                stream.write(block)
                continue
        parts = (part for row in rows for part in (*row, ("\n", "")))
        segments = [Segment(encoded(text, encoding).replace("##[", "# #["), STYLES[style]) for text, style in parts]
        console.print(Segments(segments), soft_wrap=True, end="")
