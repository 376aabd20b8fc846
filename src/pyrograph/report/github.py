"""Annotations for a GitHub Actions job: workflow commands on standard output, one line a finding.

A job shows at most 10 errors, 10 warnings and 10 notices of a step, so the worst findings of each level are written and
the others counted in a plain line. ``summary`` is the page for the file that ``GITHUB_STEP_SUMMARY`` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from pyrograph.model.finding import Finding, Report
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity
from pyrograph.model.words import plural
from pyrograph.report import markdown
from pyrograph.report.common import source_label, worst_first
from pyrograph.report.safe_text import joined, visible, without_surrogates

PER_LEVEL = 10
COMMANDS: Mapping[Severity, str] = {"critical": "error", "high": "error", "medium": "warning", "low": "notice"}


def render(report: Report, stream: TextIO, *, prefix: str = "", per_level: int = PER_LEVEL) -> None:
    """Write annotations for ``report``.

    Args:
        report: What to write. Problems share the warnings' limit and come after the findings.
        stream: Standard output of the step.
        prefix: Folder of the scan root, relative to the repository root.
        per_level: How many errors, warnings and notices are written.
    """
    commands: list[tuple[str, str]] = [
        (COMMANDS[f.severity], _finding(f, prefix)) for f in worst_first(report.findings)
    ]
    commands += [("warning" if p.incomplete else "notice", _problem(p, prefix)) for p in sorted(report.problems)]
    written = dict.fromkeys(("error", "warning", "notice"), 0)
    left_out = 0
    for command, rest in commands:
        if written[command] < per_level:
            written[command] += 1
            stream.write(f"::{command} {rest}\n")
        else:
            left_out += 1
    if left_out:
        stream.write(
            f"pyrograph: {plural(left_out, 'further annotation')} omitted; GitHub shows {per_level} per level\n"
        )


def summary(report: Report, stream: TextIO) -> None:
    """Write the Markdown page of the job summary, within its limit of 1 MiB."""
    markdown.render(report, stream)


def _finding(finding: Finding, prefix: str) -> str:
    place = finding.place
    vulnerability = finding.vulnerability.replace("-", " ")
    trace = finding.trace
    lines = [finding.message]
    if trace.steps:
        start = trace.steps[0].place
        more = f" and {plural(finding.num_sources - 1, 'other source')}" if finding.num_sources > 1 else ""
        lines.append(f"From {source_label(trace)} at {joined(prefix, start.path)}:{start.line}{more}")
    properties = {
        "file": joined(prefix, place.path),
        "line": place.line,
        "endLine": max(place.line, place.end_line),
        "col": place.column,
        "title": f"{finding.rule_id} ({finding.severity} {vulnerability})",
    }
    if place.end_line == place.line and place.end_column > place.column:
        properties["endColumn"] = place.end_column
    return _command(properties, *lines)


def _problem(problem: Problem, prefix: str) -> str:
    properties: dict[str, object] = {"title": f"pyrograph: {problem.kind}"}
    if problem.path:
        properties = {"file": joined(prefix, problem.path), "line": max(1, problem.line), **properties}
    return _command(properties, problem.message)


def _command(properties: Mapping[str, object], *lines: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    message = "%0A".join(_data(visible(line)) for line in lines)
    return f"{listed}::{message}"


def _data(text: str) -> str:
    return without_surrogates(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # Not ``visible``: a file's name must stay its name. What could end the property or the line is escaped.
    escaped = _data(text).replace(":", "%3A").replace(",", "%2C")
    return "".join(visible(char) for char in escaped)
