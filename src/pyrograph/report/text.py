"""The report for a terminal: what, where, and the way the data takes, in as few lines as that needs.

Findings are grouped by file. Each shows its sink under the message, then the path: two rows a step, the code and a row
of carets that says what happens there; code inside a call is indented. Assumed steps are marked. The summary comes
last, where the prompt appears.

Everything from scanned files passes through ``visible``, so nothing in it steers the terminal or forms a command for
the job runner that reads the log. A code row never wraps: it is cut to the width around its carets. Where the
stream's encoding lacks box characters, ASCII ones are used.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Literal, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style

from pyrograph.model.finding import Finding, Report, Statistics, Step, StepKind, Trace
from pyrograph.model.languages import title_of
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.report.common import SourceLines, in_order, plural, source_label, visible, withheld_lines

Color = Literal["auto", "always", "never"]

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
DEFAULT_WIDTH = 100  # cells, where there is no terminal to ask
GITHUB_WIDTH = 130  # what a job's log shows without wrapping
MAX_WIDTH = 160  # longer rows are hard to follow with the eye
MAX_STEPS = 40  # of one path; the middle of a longer one is counted
MAX_INDENT = 8  # nested calls that still move code to the right
TAB = "    "
CARET = "^"

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
STEP_STYLES: Mapping[StepKind, str] = {"source": "source", "sink": "sink", "assumed": "assumed"}

Part = tuple[str, str]  # text that is already harmless, name of its style


@dataclass(frozen=True, slots=True)
class Glyphs:
    bar: str
    rule: str
    cut: str
    dot: str
    block: str


UNICODE = Glyphs(bar="│", rule="─", cut="…", dot="·", block="█")
ASCII = Glyphs(bar="|", rule="-", cut="...", dot="-", block="#")


def render(
    report: Report,
    stream: TextIO,
    *,
    color: Color = "auto",
    width: int | None = None,
    stats: bool = False,
    max_steps: int = MAX_STEPS,
    max_paths: int = 1,
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
        environ: Environment variables: NO_COLOR, FORCE_COLOR, GITHUB_ACTIONS, TERM and COLUMNS are looked up.
    """
    console = _console(stream, color, environ)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    glyphs = UNICODE if _encodable("│─…·█", encoding) else ASCII
    page = _Page(report, _width(width, console, environ), glyphs, max(2, max_steps), max(1, max_paths))
    for rows in page.blocks(stats):
        parts = (part for row in rows for part in (*row, ("\n", "")))
        segments = [Segment(_encoded(text, encoding).replace("##[", "# #["), STYLES[style]) for text, style in parts]
        console.print(Segments(segments), soft_wrap=True, end="")


def _console(stream: TextIO, color: Color, environ: Mapping[str, str]) -> Console:
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


def _width(width: int | None, console: Console, environ: Mapping[str, str]) -> int:
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


def _encodable(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _encoded(text: str, encoding: str) -> str:
    """``text`` with characters that the stream cannot write as escapes: a report must not fail on a name."""
    if text.isascii() or _encodable(text, encoding):
        return text
    return text.encode("ascii", "backslashreplace").decode("ascii")


class _Page:
    """Lays out one report as blocks of rows; a row is a list of styled parts without its line end."""

    def __init__(self, report: Report, width: int, glyphs: Glyphs, max_steps: int, max_paths: int) -> None:
        self.report = report
        self.width = width
        self.glyphs = glyphs
        self.max_steps = max_steps
        self.max_paths = max_paths
        self.lines = SourceLines(report.sources)
        self.code_above: tuple[str, int, int, str] | None = None  # the code row that carets may still refer to

    def blocks(self, stats: bool) -> Iterator[list[list[Part]]]:
        for path, findings in groupby(in_order(self.report.findings), key=lambda finding: finding.place.path):
            group = list(findings)
            yield [self.heading(visible(path), plural(len(group), "finding")), []]
            for finding in group:
                yield list(self.finding(finding))
        yield list(self.summary())
        if stats:
            yield list(self.stages(self.report.statistics))

    # -- findings

    def heading(self, left: str, right: str) -> list[Part]:
        rule = self.glyphs.rule
        room = self.width - cell_len(left) - cell_len(right) - 8
        return [(rule * 2 + " ", "frame"), (left, "file"), (f" {rule * max(2, room)} ", "frame"), (right, "dim")]

    def finding(self, finding: Finding) -> Iterator[list[Part]]:
        head: list[Part] = [(f" {finding.severity.upper()} ", finding.severity), ("  ", "")]
        head.append((visible(finding.rule_id), "rule"))
        if weakness := self.main_weakness(finding):
            head.append((f"  {weakness}", "dim"))
        if finding.confidence != "high":
            head.append((f"  {finding.confidence} confidence", "assumed"))
        yield head
        yield from self.wrapped(visible(finding.message), indent=1)
        yield []
        where: list[Part] = [(" ", ""), (_where(finding.place), "place")]
        if finding.function:
            where.append((f" in {visible(finding.function)}", "dim"))
        yield where
        yield from self.excerpt(finding.place, f" {finding.place.line} ", "sink")
        yield []
        for number, trace in enumerate(finding.traces[: self.max_paths]):
            if number:
                yield []
            yield from self.path(trace)
        yield from self.further_sources(finding)
        yield []

    def main_weakness(self, finding: Finding) -> str:
        vulnerability = self.report.vulnerabilities.get(finding.vulnerability)
        return f"CWE-{vulnerability.cwe[0]}" if vulnerability and vulnerability.cwe else ""

    def path(self, trace: Trace) -> Iterator[list[Part]]:
        files = len({step.place.path for step in trace.steps})
        size = plural(len(trace.steps), "step") + (f" in {plural(files, 'file')}" if files > 1 else "")
        start: list[Part] = [(" from ", ""), (source_label(trace), "source")]
        if trace.source_kind and trace.source_kind != trace.source:
            start.append((f" ({visible(trace.source_kind)})", "dim"))
        assumed = sum(step.kind == "assumed" for step in trace.steps)
        start.append((f", {size}", "dim"))
        if assumed:
            start.append((f", {assumed} assumed", "assumed"))
        yield start

        # Places stand in the gutter where they fit; else a row names the file and the gutter keeps line and column.
        gutter = max((cell_len(_where(step.place)) for step in trace.steps), default=0)
        by_file = gutter > min(36, self.width * 2 // 5)
        if by_file:
            gutter = max(len(_line_and_column(step.place)) for step in trace.steps) + 2
        left_out = max(0, len(trace.steps) - self.max_steps)
        first = (self.max_steps + 1) // 2
        path = ""
        self.code_above = None
        for number, step in enumerate(trace.steps):
            if left_out and first <= number < first + left_out:
                if number == first:
                    text = f"{plural(left_out, 'further step')}; the json format has all of them"
                    yield [(" " * (gutter + 4), ""), (f"{self.glyphs.cut} {text}", "dim")]
                    self.code_above = None
                continue
            if by_file and step.place.path != path:
                path = step.place.path
                self.code_above = None
                yield [("   ", ""), (visible(path), "place")]
            where = _line_and_column(step.place) if by_file else _where(step.place)
            padding = " " * (gutter - cell_len(where))
            label = f"   {padding if by_file else ''}{where}{'' if by_file else padding} "
            yield from self.step(step, label)

    def step(self, step: Step, label: str) -> Iterator[list[Part]]:
        message = visible(step.message)
        if step.kind == "assumed":
            message = f"assumed: {message}"
        style = STEP_STYLES.get(step.kind, "step")
        yield from self.excerpt(step.place, label, style, message, indent=2 * min(max(step.depth, 0), MAX_INDENT))

    def excerpt(self, place: Place, label: str, style: str, message: str = "", indent: int = 0) -> Iterator[list[Part]]:
        """The line of ``place`` beside ``label``, then carets under it and what they mean."""
        bar: Part = (f"{self.glyphs.bar} ", "frame")
        margin = cell_len(label)
        above, self.code_above = self.code_above, None
        code = self.lines.line(place.path, place.line)
        if code is None:
            yield [(label, "place"), bar, (" " * indent, ""), (message or "(source not available)", style)]
            return
        room = max(20, self.width - margin - 2 - indent)
        before, marked, after = _cut(code, place, room, self.glyphs.cut)
        under: list[Part] = [(" " * margin, ""), bar]
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

    def further_sources(self, finding: Finding) -> Iterator[list[Part]]:
        listed = [trace for trace in finding.traces[self.max_paths :] if trace.steps]
        more = max(0, finding.num_sources - len(finding.traces[: self.max_paths]) - len(listed))
        if not listed and not more:
            return
        label = " also reached from "
        for number, trace in enumerate(listed):
            assumed = ", assumed" if any(step.kind == "assumed" for step in trace.steps) else ""
            yield [
                (label if number == 0 else " " * len(label), "dim"),
                (source_label(trace), "source"),
                (" at ", "dim"),
                (_where(trace.steps[0].place), "place"),
                (assumed, "assumed"),
            ]
        if more:
            text = f"{more:,} more" if listed else plural(more, "further source")
            yield [((" " * len(label) if listed else label) + text, "dim")]

    # -- summary

    def summary(self) -> Iterator[list[Part]]:
        report, statistics = self.report, self.report.statistics
        yield [(self.glyphs.rule * self.width, "frame")]
        yield self.verdict()
        yield self.scanned(statistics)
        yield from self.matched(statistics)
        if statistics.skipped:
            total = sum(statistics.skipped.values())
            reasons = ", ".join(
                f"{count:,} {visible(reason)}"
                for reason, count in sorted(statistics.skipped.items(), key=lambda item: (-item[1], item[0]))
            )
            yield from self.wrapped(f"{plural(total, 'file')} skipped: {reasons}", indent=1, style="dim")
        if report.suppressed:
            by = {"comment": "by comment", "baseline": "by baseline"}
            counts = {who: sum(entry.by == who for entry in report.suppressed) for who in by}
            parts = ", ".join(f"{count:,} {by[who]}" for who, count in counts.items() if count)
            yield [(f" {plural(len(report.suppressed), 'finding')} not shown: {parts}", "dim")]
        for line in withheld_lines(report):
            yield from self.wrapped(line, indent=1, style="dim", hang=2)
        for note in report.notes:
            yield from self.wrapped(f"note: {visible(note)}", indent=1, style="dim", hang=6)
        if report.findings:
            yield [(" `pyrograph rules show RULE` explains why it matters and how to fix it", "dim")]
        yield from self.problems()

    def verdict(self) -> list[Part]:
        findings = self.report.findings
        if not findings:
            return [(" No findings", "good")]
        files = len({finding.place.path for finding in findings})
        row: list[Part] = [(f" {plural(len(findings), 'finding')}", "rule"), (f" in {plural(files, 'file')}: ", "")]
        counts = [(severity, sum(f.severity == severity for f in findings)) for severity in reversed(SEVERITIES)]
        for number, (severity, count) in enumerate((s, c) for s, c in counts if c):
            row += [(f" {self.glyphs.dot} " if number else "", "frame"), (f"{count:,} {severity}", severity)]
        return row

    def scanned(self, statistics: Statistics) -> list[Part]:
        languages = ", ".join(
            f"{count:,} {title_of(language) or visible(language)}"
            for language, count in sorted(statistics.files_by_language.items(), key=lambda item: (-item[1], item[0]))
        )
        text = f" {plural(statistics.files, 'file')}, {plural(statistics.lines, 'line')}"
        return [(text + (f": {languages}" if languages else ""), "")]

    def matched(self, statistics: Statistics) -> Iterator[list[Part]]:
        yield [(f" {plural(statistics.sources, 'source')} and {plural(statistics.sinks, 'sink')} matched", "")]
        if statistics.files and not statistics.sources:
            yield from self.wrapped(
                "No source matched: no code reads data that the selected threat models treat as untrusted. Select more "
                "with --threat-model (cli, env, file, db, library, ...), or add rules for your framework with --rules.",
                indent=1,
                style="warning",
            )
        elif statistics.files and not statistics.sinks:
            yield from self.wrapped(
                "No sink matched: the rules list none of the calls as dangerous. Add rules of your own with "
                "--rules; --threat-model only changes what counts as a source.",
                indent=1,
                style="warning",
            )

    def problems(self) -> Iterator[list[Part]]:
        problems = sorted(self.report.problems)
        if not problems:
            return
        incomplete = sum(problem.incomplete for problem in problems)
        yield []
        title = plural(len(problems), "problem")
        if incomplete:
            title += f"; because of {incomplete:,}, something was not analysed"
        yield [(f" {title}", "warning")]
        for problem in problems:
            where = visible(problem.path) + (f":{problem.line}" if problem.path and problem.line else "")
            text = f"{problem.kind}: {visible(problem.message)}"
            yield from self.wrapped(f"{where}: {text}" if where else text, indent=3, hang=2)

    def stages(self, statistics: Statistics) -> Iterator[list[Part]]:
        """Times, and the sizes of what was built; the only place where a report tells the time."""
        yield []
        total = sum(stage.seconds for stage in statistics.stages)
        rate = f", {statistics.lines / total:,.0f} lines per second" if total > 0 else ""
        yield [(f" {total:.3f} s{rate}", "rule")]
        widest = max((cell_len(visible(stage.name)) for stage in statistics.stages), default=0)
        for stage in statistics.stages:
            share = stage.seconds / total if total > 0 else 0.0
            name = visible(stage.name)
            yield [
                (f"   {name}{' ' * (widest - cell_len(name))}  {stage.seconds:9.3f} s  {share:4.0%}  ", ""),
                (self.glyphs.block * round(share * 30), "step"),
            ]
        for text in (
            f"{statistics.syntax_nodes:,} syntax nodes: {statistics.error_nodes:,} in errors, "
            f"{statistics.unhandled_nodes:,} treated as derived from their parts",
            f"{statistics.values:,} values, {statistics.flow_edges:,} flow edges",
            f"{statistics.calls:,} calls, {statistics.resolved_calls:,} resolved",
            f"{statistics.graph_nodes:,} nodes and {statistics.graph_edges:,} edges searched",
        ):
            yield [(f"   {text}", "dim")]
        for launch in statistics.launches:
            yield [(f"   on the device: {visible(launch.name)}, {launch.seconds * 1e3:,.1f} ms", "dim")]

    def wrapped(self, text: str, *, indent: int, style: str = "", hang: int = 0) -> Iterable[list[Part]]:
        lines = textwrap.wrap(
            text, self.width - indent, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
        )
        # A row that starts with "::" is a command to GitHub's runner, and one with "##[" anywhere may be.
        return [[(" " * indent + re.sub(r"^(\s*)::", r"\1: :", line), style)] for line in lines]


def _where(place: Place) -> str:
    return f"{visible(place.path)}:{place.line}:{place.column}"


def _line_and_column(place: Place) -> str:
    return f"{place.line}:{place.column}"


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
