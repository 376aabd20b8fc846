"""The paths of a finding as data for clients that show them: steps with locations."""

from __future__ import annotations

from typing import Any

from pyrograph.lsp.diagnostics import Locate
from pyrograph.model.finding import Finding, Report
from pyrograph.model.place import Place
from pyrograph.report.common import SourceLines, request_label, source_label
from pyrograph.report.safe_text import visible


def paths_of(finding: Finding, report: Report, locate: Locate) -> dict[str, Any]:
    """JSON: the finding, and each path with its steps, source first. Steps in files without a text are left out."""
    lines = SourceLines(report.sources)
    vulnerability = report.vulnerabilities.get(finding.vulnerability)
    return {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule_id,
        "title": vulnerability.title if vulnerability else finding.vulnerability,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "message": visible(finding.message),
        "paths": [
            {
                "source": source_label(trace),
                "request": visible(request_label(trace)),
                "steps": [
                    {
                        "location": location,
                        "path": visible(step.place.path),
                        "line": step.place.line,
                        "kind": step.kind,
                        "message": visible(step.message),
                        "depth": step.depth,
                        "code": visible((lines.line(step.place.path, step.place.line) or "").strip()),
                    }
                    for step in trace.steps
                    if (location := _location(step.place, locate)) is not None
                ],
            }
            for trace in finding.traces
        ],
    }


def _location(place: Place, locate: Locate) -> dict[str, Any] | None:
    found = locate(place)
    if found is None:
        return None
    start, end = found.range.start, found.range.end
    return {
        "uri": found.uri,
        "range": {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        },
    }
