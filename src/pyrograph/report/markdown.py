"""The report as a Markdown page: a table of findings, then each with its path. For job summaries and comments.

Names and code from scanned files are written as code spans or with Markdown's own escapes, so they format nothing. The
page stays under a size that the reader accepts; findings that do not fit are counted.
"""

from __future__ import annotations

import re
from typing import TextIO

from pyrograph.model.check import OUTCOME_WORDS
from pyrograph.model.finding import Difference, Finding, Report
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.model.words import plural
from pyrograph.report.common import SourceLines, confidence_label, source_label, worst_first
from pyrograph.report.safe_text import visible
from pyrograph.report.sentences import cut_line, withheld_lines

MAX_BYTES = 1_000_000  # GitHub refuses job summaries above 1 MiB
MAX_COMMENT = 60_000  # GitHub refuses comments above 65,536 characters; what posts it may add some
MAX_ROWS = 50  # findings that a list of moved or fixed ones names
_CODE_WIDTH = 160  # code points of a line of code that are shown


def render(report: Report, stream: TextIO, *, max_bytes: int | None = None) -> None:
    """Write ``report`` as Markdown (GitHub's dialect: tables and ``<details>``).

    Args:
        report: What to write; the worst findings come first.
        stream: Where to.
        max_bytes: Size in UTF-8 that is not exceeded, save for the summary, which is always whole. Not given:
            ``MAX_COMMENT`` where two states were compared, because that page is a comment; else ``MAX_BYTES``.
    """
    if max_bytes is None:
        max_bytes = MAX_BYTES if report.difference is None else MAX_COMMENT
    summary = _summary(report)
    tail = "" if report.difference is None else _rest(report.difference)
    tail_room = 200 + len(tail.encode("utf-8", "replace"))
    room = max_bytes - len(summary.encode("utf-8", "replace")) - tail_room
    stream.write(summary)
    lines = SourceLines(report.sources)
    ordered = worst_first(report.findings)
    for number, finding in enumerate(ordered):
        section = _finding(finding, report, lines)
        room -= len(section.encode("utf-8", "replace"))
        if room < 0:
            stream.write(f"\n{plural(len(ordered) - number, 'further finding')} not shown: this page is full.\n")
            break
        stream.write(section)
    stream.write(tail)


def _summary(report: Report) -> str:
    statistics = report.statistics
    counts = [(severity, sum(f.severity == severity for f in report.findings)) for severity in reversed(SEVERITIES)]
    new = "" if report.difference is None else "new "
    verdict = plural(len(report.findings), f"{new}finding") if report.findings else f"No {new}findings"
    rows = ["## pyrograph", ""]
    by_severity = ", ".join(f"{count:,} {severity}" for severity, count in counts if count)
    rows.append(f"**{verdict}**" + (f": {by_severity}" if by_severity else ""))
    where = "in"
    if report.difference is not None:
        where = "In"
        unchanged, moved, fixed = report.difference.counts
        since = f"since {code(report.difference.base)}"
        rows += [f"{since}; {fixed:,} fixed, {moved:,} moved, {unchanged:,} unchanged.", ""]
    rows.append(
        f"{where} {plural(statistics.files, 'file')} with {plural(statistics.lines, 'line')}; "
        f"{plural(statistics.sources, 'source')} and {plural(statistics.sinks, 'sink')} matched."
    )
    if statistics.files and not statistics.sources:
        rows += ["", "No source matched; `--threat-model` selects which data is untrusted."]
    if report.suppressed:
        rows += ["", f"{plural(len(report.suppressed), 'finding')} suppressed by comments or the baseline."]
    rows += [row for line in withheld_lines(report) for row in ("", f"{escaped(line)}.")]
    if cut := cut_line(report):
        rows += ["", cut]
    return "\n".join([*rows, ""])


def _finding(finding: Finding, report: Report, lines: SourceLines) -> str:
    vulnerability = report.vulnerabilities.get(finding.vulnerability)
    cwes = ", ".join(f"CWE-{number}" for number in vulnerability.cwe) if vulnerability else ""
    confidence = "" if finding.confidence == "high" else f", {escaped(confidence_label(finding))}"
    rows = [
        "",
        f"### {finding.severity.capitalize()}: {escaped(finding.message)}",
        "",
        f"{code(finding.rule_id)}{f' ({cwes})' if cwes else ''}{confidence}, {code(_where(finding.place))}",
        "",
    ]
    sink = lines.line(finding.place.path, finding.place.line)
    if sink is not None:
        rows += [_block(sink), ""]
    trace = finding.trace
    title = f"{plural(len(trace.steps), 'step')} from {source_label(trace)}"
    rows += [f"<details><summary>{_html(title)}</summary>", "", "| | where | what | code |", "|-|-|-|-|"]
    for number, step in enumerate(trace.steps, start=1):
        line = lines.line(step.place.path, step.place.line)
        excerpt = _cell(code(line.strip()[:_CODE_WIDTH])) if line and line.strip() else ""
        message = f"assumed: {step.message}" if step.kind == "assumed" else step.message
        rows.append(f"| {number} | {_cell(code(_where(step.place)))} | {_cell(escaped(message))} | {excerpt} |")
    rows.append("")
    for check in trace.checks:
        remark = f": {escaped(check.remark)}" if check.remark else ""
        rows.append(
            f"* behind {code(check.text)}, which {OUTCOME_WORDS[check.outcome]}{remark}, {code(_where(check.place))}"
        )
    if trace.checks:
        rows.append("")
    if finding.num_sources > 1:
        others = ", ".join(code(_where(other.steps[0].place)) for other in finding.of_sources[1:] if other.steps)
        rows += [
            f"{plural(finding.num_sources - 1, 'further source')}{f', among them {others}' if others else ''}.",
            "",
        ]
    if finding.of_calls:
        calls = ", ".join(code(_where(other.call)) for other in finding.of_calls if other.call)
        rows += [f"Also by {plural(len(finding.of_calls), 'further call')}: {calls}.", ""]
    return "\n".join([*rows, "</details>", ""])


def _rest(difference: Difference) -> str:
    """The fixed and the moved findings, folded: a row each."""
    fixed = [(each, _where(each.place)) for each in worst_first(difference.fixed)]
    moved_from = {each.finding: each.before for each in difference.moved}
    moved = [
        (each, f"{_where(moved_from[each])} to {_where(each.place)}")
        for each in worst_first(each.finding for each in difference.moved)
    ]
    rows = []
    for listed, word in ((fixed, "fixed finding"), (moved, "moved finding")):
        if not listed:
            continue
        rows += [
            "",
            f"<details><summary>{plural(len(listed), word)}</summary>",
            "",
            "| severity | rule | where |",
            "|-|-|-|",
        ]
        rows += [
            f"| {finding.severity} | {_cell(code(finding.rule_id))} | {_cell(code(place[:_CODE_WIDTH]))} |"
            for finding, place in listed[:MAX_ROWS]
        ]
        if len(listed) > MAX_ROWS:
            rows += ["", f"{len(listed) - MAX_ROWS:,} more."]
        rows += ["", "</details>"]
    return "\n".join([*rows, ""]) if rows else ""


def escaped(text: str) -> str:
    """``text`` as plain words in Markdown: no markup, no HTML, no mention of people, on one line."""
    text = re.sub(r"([\\`*_{}\[\]()#+!|~$])", r"\\\1", visible(text))
    return _html(text).replace("@", "&#64;")


def code(text: str) -> str:
    """``text`` as a code span; its fence is longer than any run of backticks in it."""
    text = visible(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _block(line: str) -> str:
    text = visible(line.replace("\t", "    ")).strip()[:_CODE_WIDTH]
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _cell(text: str) -> str:
    # In a table a pipe ends the cell even within a code span, unless it is escaped.
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _html(text: str) -> str:
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _where(place: Place) -> str:
    return f"{place.path}:{place.line}:{place.column}"
