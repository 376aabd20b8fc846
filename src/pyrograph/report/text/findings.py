"""The findings of the terminal report: the sink under its message, then the path, then further sources.

A path has two rows a step: the code, and carets that say what happens there. Code inside a call is indented, assumed
steps are marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from rich.cells import cell_len

from pyrograph.model.check import Check
from pyrograph.model.finding import Finding, Step, StepKind, Trace
from pyrograph.model.words import plural
from pyrograph.report.common import confidence_label, request_label, source_label, worst_first
from pyrograph.report.safe_text import visible
from pyrograph.report.text.excerpts import Excerpts
from pyrograph.report.text.layout import Page, Row, line_and_column, where, wrapped

MAX_CHECKS = 3  # of one path that are shown without ``--verbose``
MAX_INDENT = 8  # nested calls that still move code to the right
STEP_STYLES: Mapping[StepKind, str] = {"source": "source", "sink": "sink", "assumed": "assumed"}


def finding_blocks(page: Page) -> Iterator[list[Row]]:
    """All findings, the worst first: a block for the heading of each severity, then one for each finding."""
    excerpts = Excerpts(page)
    for severity, findings in groupby(worst_first(page.report.findings), key=lambda finding: finding.severity):
        group = list(findings)
        yield [_heading(page, f"{severity} severity", plural(len(group), "finding")), []]
        for finding, *others in [[each] for each in group] if page.is_verbose else by_root(group):
            yield list(_finding(page, excerpts, finding, others))


def by_root(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one rule that one piece of data reaches behind the same checks together, in the order of the first of
    each: one place reads it, under one name. One of several sources stands alone.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        trace = finding.trace
        root = finding.rule_id, trace.steps[0].place, trace.parameter, trace.checks
        groups.setdefault(root if finding.num_sources == 1 else (number,), []).append(finding)
    return list(groups.values())


def _heading(page: Page, left: str, right: str) -> Row:
    rule = page.glyphs.rule
    room = page.width - cell_len(left) - cell_len(right) - 8
    return [(rule * 2 + " ", "frame"), (left, "file"), (f" {rule * max(2, room)} ", "frame"), (right, "dim")]


def _finding(page: Page, excerpts: Excerpts, finding: Finding, others: Sequence[Finding]) -> Iterator[Row]:
    """A finding, and below it a row for each of ``others``, which have its rule, its data and its checks."""
    head: Row = [(f" {finding.severity.upper()} ", finding.severity), ("  ", "")]
    head.append((visible(finding.rule_id), "rule"))
    if weakness := _main_weakness(page, finding):
        head.append((f"  {weakness}", "dim"))
    if finding.confidence != "high":
        head.append((f"  {confidence_label(finding)}", "assumed"))
    yield head
    yield from wrapped(page, visible(finding.message), indent=1)
    yield []
    sink: Row = [(" ", ""), (where(finding.place), "place")]
    if finding.function:
        sink.append((f" in {visible(finding.function)}", "dim"))
    yield sink
    yield from excerpts.rows(finding.place, f" {finding.place.line} ", "sink")
    yield []
    for number, trace in enumerate(finding.of_sources[: page.max_paths]):
        if number:
            yield []
        yield from _path(page, excerpts, trace)
        yield from _checks(page, trace)
    yield from _further_sources(page, finding)
    yield from _further_calls(finding)
    yield from _further_places(others)
    yield []


def _main_weakness(page: Page, finding: Finding) -> str:
    vulnerability = page.report.vulnerabilities.get(finding.vulnerability)
    return f"CWE-{vulnerability.cwe[0]}" if vulnerability and vulnerability.cwe else ""


def _path(page: Page, excerpts: Excerpts, trace: Trace) -> Iterator[Row]:
    files = len({step.place.path for step in trace.steps})
    size = plural(len(trace.steps), "step") + (f" in {plural(files, 'file')}" if files > 1 else "")
    start: Row = [(" from ", ""), (source_label(trace), "source")]
    assumed = sum(step.kind == "assumed" for step in trace.steps)
    start.append((f", {size}", "dim"))
    if assumed:
        start.append((f", {assumed} assumed", "assumed"))
    yield start
    if trace.entries:
        yield [("   by ", ""), (visible(request_label(trace)), "dim")]

    # Places stand in the gutter where they fit; else a row names the file and the gutter keeps line and column.
    gutter = max((cell_len(where(step.place)) for step in trace.steps), default=0)
    by_file = gutter > min(36, page.width * 2 // 5)
    if by_file:
        gutter = max(len(line_and_column(step.place)) for step in trace.steps) + 2
    left_out = max(0, len(trace.steps) - page.max_steps)
    first = (page.max_steps + 1) // 2
    path = ""
    excerpts.interrupt()
    for number, step in enumerate(trace.steps):
        if left_out and first <= number < first + left_out:
            if number == first:
                text = f"{plural(left_out, 'further step')}; the json format has all of them"
                yield [(" " * (gutter + 4), ""), (f"{page.glyphs.cut} {text}", "dim")]
                excerpts.interrupt()
            continue
        if by_file and step.place.path != path:
            path = step.place.path
            excerpts.interrupt()
            yield [("   ", ""), (visible(path), "place")]
        at = line_and_column(step.place) if by_file else where(step.place)
        padding = " " * (gutter - cell_len(at))
        label = f"   {padding if by_file else ''}{at}{'' if by_file else padding} "
        yield from _step(excerpts, step, label)


def _checks(page: Page, trace: Trace) -> Iterator[Row]:
    """The checks that the path passes, a row each; the first few unless the page is verbose."""
    checks = trace.checks
    shown = checks if page.is_verbose or len(checks) <= MAX_CHECKS + 1 else checks[:MAX_CHECKS]
    if checks:
        yield [(f" behind {plural(len(checks), 'check')}", "")]
    for check in shown:
        yield from _check(page, check)
    if len(shown) < len(checks):
        text = f"{plural(len(checks) - len(shown), 'further check')}; --verbose lists them"
        yield [(f"   {page.glyphs.cut} {text}", "dim")]


def _check(page: Page, check: Check) -> Iterator[Row]:
    """Place and check in one row if they fit; else the check below its place."""
    place, words = where(check.place), visible(check.words)
    if cell_len(place) + cell_len(words) + 4 <= page.width:
        yield [("   ", ""), (place, "place"), (f" {words}", "")]
        return
    yield [("   ", ""), (place, "place")]
    yield from wrapped(page, words, indent=5)


def _step(excerpts: Excerpts, step: Step, label: str) -> Iterator[Row]:
    message = visible(step.message)
    if step.kind == "assumed":
        message = f"assumed: {message}"
    style = STEP_STYLES.get(step.kind, "step")
    yield from excerpts.rows(step.place, label, style, message, indent=2 * min(max(step.depth, 0), MAX_INDENT))


def _further_sources(page: Page, finding: Finding) -> Iterator[Row]:
    listed = [trace for trace in finding.of_sources[page.max_paths :] if trace.steps]
    more = max(0, finding.num_sources - len(finding.of_sources[: page.max_paths]) - len(listed))
    if not listed and not more:
        return
    label = " also reached from "
    for number, trace in enumerate(listed):
        assumed = ", assumed" if any(step.kind == "assumed" for step in trace.steps) else ""
        yield [
            (label if number == 0 else " " * len(label), "dim"),
            (source_label(trace), "source"),
            (" at ", "dim"),
            (where(trace.steps[0].place), "place"),
            (_end(finding, trace), "dim"),
            (assumed, "assumed"),
        ]
    if more:
        text = f"{more:,} more" if listed else plural(more, "further source")
        yield [((" " * len(label) if listed else label) + text, "dim")]


def _further_calls(finding: Finding) -> Iterator[Row]:
    """Other calls of the function with the sink, and other places of the template: each is a place to mend."""
    before = ""
    for trace in finding.of_calls:
        assert trace.call is not None
        label = " also written at " if trace.is_written else " also reached by the call at "
        yield [
            (label if label != before else " " * len(label), "dim"),
            (where(trace.call), "place"),
            (" from ", "dim"),
            (source_label(trace), "source"),
            (f" at {where(trace.steps[0].place)}", "dim"),
        ]
        before = label


def _further_places(others: Sequence[Finding]) -> Iterator[Row]:
    if others:
        paths = "path" if len(others) == 1 else "paths"
        text = f"the same data reaches {plural(len(others), 'further place')}; --verbose shows the {paths}"
        yield [(f" {text}", "")]
    for other in others:
        around = f" in {visible(other.function)}" if other.function else ""
        sure = "" if other.confidence == "high" else f", {confidence_label(other)}"
        yield [("   ", ""), (where(other.place), "place"), (f" `{visible(other.sink)}`{around}", ""), (sure, "assumed")]


def _end(finding: Finding, trace: Trace) -> str:
    """The argument at which a path ends, where it is not the one that is shown."""
    return f", in `{visible(finding.arguments[trace.argument - 1].text)}`" if trace.argument else ""
