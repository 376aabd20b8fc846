"""The end of the terminal report, where the prompt appears: counts, hidden findings, notes, problems, and times.

Times appear here only, and only where they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from pyrograph.model.finding import Difference, Statistics
from pyrograph.model.languages import title_of
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.model.words import plural
from pyrograph.report.common import worst_first
from pyrograph.report.safe_text import visible
from pyrograph.report.sentences import skipped_line, withheld_lines
from pyrograph.report.text.layout import Page, Row, where, wrapped


def summary(page: Page) -> Iterator[Row]:
    """The block below the findings."""
    report, statistics = page.report, page.report.statistics
    yield [(page.glyphs.rule * page.width, "frame")]
    yield _verdict(page)
    yield _scanned(statistics)
    yield from _matched(page, statistics)
    if statistics.skipped:
        yield from wrapped(page, skipped_line(statistics.skipped), indent=1, style="dim")
    if report.suppressed:
        by = {"comment": "by comment", "baseline": "by baseline", "triage": "marked false"}
        counts = {who: sum(entry.by == who for entry in report.suppressed) for who in by}
        parts = ", ".join(f"{count:,} {by[who]}" for who, count in counts.items() if count)
        yield [(f" {plural(len(report.suppressed), 'finding')} not shown: {parts}", "dim")]
    if report.difference is not None:
        yield from _other_findings(page, report.difference)
    for line in withheld_lines(report):
        yield from wrapped(page, line, indent=1, style="dim", hang=2)
    for note in report.notes:
        yield from wrapped(page, f"note: {visible(note)}", indent=1, style="dim", hang=6)
    if report.findings:
        worst = worst_first(report.findings)[0].rule_id
        yield [(f" `pyrograph rules show {worst}` explains why it matters and how to fix it", "dim")]
    yield from _problems(page)


def _other_findings(page: Page, difference: Difference) -> Iterator[Row]:
    """A row for each fixed and each moved finding."""
    for finding in worst_first(difference.fixed):
        yield from wrapped(page, f"fixed: {where(finding.place)} {visible(finding.rule_id)}", indent=1, style="good")
    for each in difference.moved:
        text = f"moved: {where(each.before)} to {where(each.finding.place)} {visible(each.finding.rule_id)}"
        yield from wrapped(page, text, indent=1, style="dim", hang=7)


def _verdict(page: Page) -> Row:
    findings = page.report.findings
    new = "" if page.report.difference is None else "new "
    if not findings:
        return [(f" No {new}findings", "good")]
    files = len({finding.place.path for finding in findings})
    row: Row = [(f" {plural(len(findings), f'{new}finding')}", "rule"), (f" in {plural(files, 'file')}: ", "")]
    counts = [(severity, sum(f.severity == severity for f in findings)) for severity in reversed(SEVERITIES)]
    for number, (severity, count) in enumerate((s, c) for s, c in counts if c):
        row += [(f" {page.glyphs.dot} " if number else "", "frame"), (f"{count:,} {severity}", severity)]
    return row


def _scanned(statistics: Statistics) -> Row:
    languages = ", ".join(
        f"{count:,} {title_of(language) or visible(language)}"
        for language, count in sorted(statistics.files_by_language.items(), key=lambda item: (-item[1], item[0]))
    )
    text = f" {plural(statistics.files, 'file')}, {plural(statistics.lines, 'line')}"
    return [(text + (f": {languages}" if languages else ""), "")]


def _matched(page: Page, statistics: Statistics) -> Iterator[Row]:
    yield [(f" {plural(statistics.sources, 'source')} and {plural(statistics.sinks, 'sink')} matched", "")]
    if statistics.files and not statistics.sources:
        yield from wrapped(
            page,
            "No source matched: no code reads data that the selected threat models treat as untrusted. Select more "
            "with --threat-model (cli, env, file, db, library, ...), or add rules for your framework with --rules.",
            indent=1,
            style="warning",
        )
    elif statistics.files and not statistics.sinks:
        yield from wrapped(
            page,
            "No sink matched: the selected rules list none of the calls as dangerous. Add rules of your own with "
            "--rules; --threat-model only changes what counts as a source.",
            indent=1,
            style="warning",
        )


def _problems(page: Page) -> Iterator[Row]:
    problems = sorted(page.report.problems)
    if not problems:
        return
    incomplete = sum(problem.leaves_out for problem in problems)
    yield []
    title = plural(len(problems), "problem")
    if all(problem.precision for problem in problems):
        limits = plural(len(problems), "limit")
        title = f"{limits} of precision reached: all code that was read was analysed; flows there may be missed"
    elif all(problem.kind == "limit" for problem in problems):
        title = f"{plural(len(problems), 'limit')} reached; flows there may be missed"
    elif incomplete:
        title += f"; because of {incomplete:,}, something was not analysed"
    elif imprecise := sum(problem.precision for problem in problems):
        title += f"; {plural(imprecise, 'limit')} of precision reached: flows there may be missed"
    yield [(f" {title}", "warning")]
    counted = [] if page.is_verbose else [problem for problem in problems if problem.kind == "syntax-error"]
    if counted:
        problems = [problem for problem in problems if problem.kind != "syntax-error"]
    for problem in problems:
        at = visible(problem.path) + (f":{problem.line}" if problem.path and problem.line else "")
        text = f"{problem.kind}: {visible(problem.message)}"
        yield from wrapped(page, f"{at}: {text}" if at else text, indent=3, hang=2)
    yield from _syntax(page, counted)


def _syntax(page: Page, problems: Sequence[Problem]) -> Iterator[Row]:
    """Parts that did not parse, as a count: a list would bury the findings above it."""
    if not problems:
        return
    paths = {problem.path for problem in problems}
    at = visible(problems[0].path) if len(paths) == 1 else plural(len(paths), "file")
    them = "it" if len(problems) == 1 else "them"
    text = f"syntax-error: {plural(len(problems), 'part')} in {at} did not parse; --verbose lists {them}"
    yield from wrapped(page, text, indent=3, hang=2)


def stages(page: Page) -> Iterator[Row]:
    """Times, and the sizes of what was built; the only place where a report states times."""
    statistics = page.report.statistics
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
            (page.glyphs.block * round(share * 30), "step"),
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
