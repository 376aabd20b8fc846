"""Findings and unused suppressions as diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from lsprotocol import types as lsp

from pyrograph.lsp.positions import Positions
from pyrograph.model.finding import Finding, Report
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity, Vulnerability
from pyrograph.model.words import plural
from pyrograph.policy.limits.editor import MAX_RELATED
from pyrograph.report.common import in_order, source_label
from pyrograph.report.safe_text import visible

SOURCE: Final = "pyrograph"
LEVELS: Final[Mapping[Severity, lsp.DiagnosticSeverity]] = {  # as ``report.sarif`` rates them
    "critical": lsp.DiagnosticSeverity.Error,
    "high": lsp.DiagnosticSeverity.Error,
    "medium": lsp.DiagnosticSeverity.Warning,
    "low": lsp.DiagnosticSeverity.Information,
}

Locate = Callable[[Place], lsp.Location | None]  # None: the text of the file is not known
T = TypeVar("T")


def diagnostics(
    report: Report, positions: Callable[[str], Positions | None], locate: Locate
) -> dict[str, list[lsp.Diagnostic]]:
    """The diagnostics of each file that has some, by path, in order of places."""
    found: dict[str, list[lsp.Diagnostic]] = {}
    for finding in in_order(report.findings):
        place = finding.place
        if (text := positions(place.path)) is not None:
            vulnerability = report.vulnerabilities.get(finding.vulnerability)
            found.setdefault(place.path, []).append(_finding(finding, text.range(place), vulnerability, locate))
    for problem in report.problems:
        if problem.kind == "suppression" and (text := positions(problem.path)) is not None:
            found.setdefault(problem.path, []).append(_suppression(problem, text))
    return found


def _finding(finding: Finding, where: lsp.Range, vulnerability: Vulnerability | None, locate: Locate) -> lsp.Diagnostic:
    sure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
    link = None
    if vulnerability is not None and vulnerability.cwe:
        link = lsp.CodeDescription(f"https://cwe.mitre.org/data/definitions/{vulnerability.cwe[0]}.html")
    return lsp.Diagnostic(
        where,
        visible(finding.message) + sure,
        severity=LEVELS[finding.severity],
        code=finding.rule_id,
        code_description=link,
        source=SOURCE,
        related_information=_related(finding, locate) or None,
        data={"fingerprint": finding.fingerprint},
    )


def _related(finding: Finding, locate: Locate) -> list[lsp.DiagnosticRelatedInformation]:
    """The first path, step by step, then the sources of the others, and further arguments."""
    related = []
    steps = [(step.place, step.message) for step in finding.trace.steps]
    others = [(each.steps[0].place, f"also from {source_label(each)}") for each in finding.of_sources[1:] if each.steps]
    others += [(each.call, "untrusted data reaches this call, too") for each in finding.of_calls if each.call]
    others += [(each.place, f"untrusted data reaches `{each.text}`, too") for each in finding.arguments]
    for place, message in [*without_middle(steps, MAX_RELATED), *others[:MAX_RELATED]]:
        if (location := locate(place)) is not None:
            related.append(lsp.DiagnosticRelatedInformation(location, visible(message)))
    unlisted = finding.num_sources - len(finding.of_sources)
    if unlisted > 0 and related:
        related[-1].message += f", and {plural(unlisted, 'source')} more"
    return related


def without_middle(items: Sequence[T], limit: int) -> list[T]:
    """At most ``limit`` items: the first and the last ones."""
    if len(items) <= limit:
        return list(items)
    return [*items[: limit // 2], *items[len(items) - (limit - limit // 2) :]]


def _suppression(problem: Problem, text: Positions) -> lsp.Diagnostic:
    start = text.offset(problem.line, 1)
    end = text.text.find("\n", start)
    line = text.text[start : len(text.text) if end < 0 else end]
    blanks = len(line) - len(line.lstrip())
    where = lsp.Range(text.position(start + blanks), text.position(start + max(blanks, len(line.rstrip()))))
    unused = "matches no finding" in problem.message
    return lsp.Diagnostic(
        where,
        visible(problem.message),
        severity=lsp.DiagnosticSeverity.Information,
        code="suppression",
        source=SOURCE,
        tags=[lsp.DiagnosticTag.Unnecessary] if unused else None,
    )
