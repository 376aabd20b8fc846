"""The report as JSON: the schema of docs/json-schema.md, whose version is ``SCHEMA_VERSION``.

Equal input gives equal bytes: findings are sorted, keys have one order, all text is ASCII with JSON escapes, and there
are no times, no absolute paths and nothing of the machine. The text ends with a line feed.
"""

from __future__ import annotations

from typing import Any, TextIO

from pyrograph import __version__
from pyrograph.model.check import Check
from pyrograph.model.finding import Difference, Finding, Report, Statistics, Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.report.common import in_order
from pyrograph.report.jsontext import write_json
from pyrograph.report.routes import entry_point, parameter
from pyrograph.report.safe_text import without_surrogates

# The first number changes when a reader must change, the second when something is added.
SCHEMA_VERSION = "1.8"


def render(report: Report, stream: TextIO) -> None:
    """Write ``report`` as one JSON object. Time and space linear in the report."""
    write_json(_document(report), stream)
    stream.write("\n")


def _document(report: Report) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pyrograph", "version": __version__},
        "complete": not any(problem.incomplete for problem in report.problems),
        "nothing_left_out": not any(problem.leaves_out for problem in report.problems),
        "findings": [_finding(finding, report) for finding in in_order(report.findings)],
        "suppressed": [
            {"by": entry.by, "reason": _text(entry.reason), "finding": _finding(entry.finding, report)}
            for entry in sorted(report.suppressed, key=lambda s: (s.finding.place, s.finding.rule_id, s.by, s.reason))
        ],
        "withheld": [
            {"rule": _text(each.rule_id), "severity": each.severity, "options": list(each.options), "count": each.count}
            for each in report.withheld
        ],
        "problems": [_problem(problem) for problem in sorted(report.problems)],
        "notes": [_text(note) for note in report.notes],
        "vulnerabilities": {
            id: {
                "title": _text(vulnerability.title),
                "cwes": list(vulnerability.cwe),
                "severity": vulnerability.severity,
                "security_severity": vulnerability.security_severity,
                "precision": vulnerability.precision,
                "profile": vulnerability.profile,
            }
            for id, vulnerability in sorted(report.vulnerabilities.items())
        },
        "statistics": _statistics(report.statistics),
        **({"difference": _difference(report.difference, report)} if report.difference else {}),
    }


def _difference(difference: Difference, report: Report) -> dict[str, Any]:
    return {
        "base": _text(difference.base),
        "commit": difference.commit,
        "head": _text(difference.head),
        "unchanged": [_finding(finding, report) for finding in in_order(difference.unchanged)],
        "moved": [
            {"before": _place(each.before), "finding": _finding(each.finding, report)} for each in difference.moved
        ],
        "fixed": [_finding(finding, report) for finding in in_order(difference.fixed)],
    }


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    vulnerability = report.vulnerabilities.get(finding.vulnerability)
    return {
        "rule": _text(finding.rule_id),
        "vulnerability": finding.vulnerability,
        "cwes": list(vulnerability.cwe) if vulnerability else [],
        "severity": finding.severity,
        "confidence": finding.confidence,
        "doubt": finding.doubt.name if finding.doubt else "",
        "doubt_text": finding.doubt.words if finding.doubt else "",
        "message": _text(finding.message),
        **_place(finding.place),
        "function": _text(finding.function),
        "sink": _text(finding.sink),
        "fingerprint": finding.fingerprint,
        "likeness": finding.likeness,
        "arguments": [
            {**_place(each.place), "text": _text(each.text), "fingerprint": each.fingerprint}
            for each in finding.arguments
        ],
        "num_sources": finding.num_sources,
        "traces": [_trace(trace) for trace in finding.traces],
        **_fix(finding, report),
    }


def _fix(finding: Finding, report: Report) -> dict[str, Any]:
    """The key ``fix``, where the report has one for the finding."""
    fix = report.fixes.get(finding.fingerprint)
    if fix is None:
        return {}
    return {
        "fix": {
            "title": _text(fix.title),
            "requires": list(fix.requires),
            "replacements": [{**_place(each.place), "text": _text(each.text)} for each in fix.replacements],
        }
    }


def _trace(trace: Trace) -> dict[str, Any]:
    return {
        "source_kind": trace.source_kind,
        "source": _text(trace.source),
        "argument": trace.argument,
        "entry_points": [entry_point(each) for each in trace.entries],
        "parameter": parameter(trace.parameter),
        "checks": [_check(each) for each in trace.checks],
        "steps": [_step(step) for step in trace.steps],
        **({"call": _place(trace.call)} if trace.call is not None else {}),
    }


def _check(check: Check) -> dict[str, Any]:
    text, remark = _text(check.text), _text(check.remark)
    return {**_place(check.place), "text": text, "outcome": check.outcome, "remark": remark}


def _step(step: Step) -> dict[str, Any]:
    return {**_place(step.place), "kind": step.kind, "depth": step.depth, "message": _text(step.message)}


def _place(place: Place) -> dict[str, Any]:
    return {
        "path": _text(place.path),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "kind": problem.kind,
        "path": _text(problem.path),
        "line": problem.line,
        "message": _text(problem.message),
        "incomplete": problem.incomplete,
        "precision": problem.precision,
    }


def _statistics(statistics: Statistics) -> dict[str, Any]:
    # Written out field by field: a new field must not enter the schema unseen, and ``stages`` holds times.
    return {
        "files": statistics.files,
        "lines": statistics.lines,
        "files_by_language": dict(sorted(statistics.files_by_language.items())),
        "skipped": {_text(reason): count for reason, count in sorted(statistics.skipped.items())},
        "values": statistics.values,
        "flow_edges": statistics.flow_edges,
        "calls": statistics.calls,
        "resolved_calls": statistics.resolved_calls,
        "sources": statistics.sources,
        "sinks": statistics.sinks,
        "graph_nodes": statistics.graph_nodes,
        "graph_edges": statistics.graph_edges,
        "syntax_nodes": statistics.syntax_nodes,
        "error_nodes": statistics.error_nodes,
        "unhandled_nodes": statistics.unhandled_nodes,
    }


_text = without_surrogates  # a lone surrogate is legal in a JSON escape, but many readers refuse it
