"""GitLab's Code Quality report, for ``artifacts:reports:codequality``: a JSON list that every tier shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TextIO

from pyrograph.model.finding import Finding, Report
from pyrograph.model.vulnerability import Severity
from pyrograph.report.common import in_order
from pyrograph.report.jsontext import write_json
from pyrograph.report.safe_text import joined, visible, without_surrogates

SEVERITIES: Mapping[Severity, str] = {"critical": "blocker", "high": "critical", "medium": "major", "low": "minor"}


def render(report: Report, stream: TextIO, *, prefix: str = "") -> None:
    """Write the findings of ``report``; ``prefix`` is the scan root's folder, relative to the repository root."""
    write_json([_entry(finding, prefix) for finding in in_order(report.findings)], stream)
    stream.write("\n")


def _entry(finding: Finding, prefix: str) -> dict[str, Any]:
    return {
        "description": visible(finding.message),
        "check_name": visible(finding.rule_id),
        "fingerprint": finding.fingerprint,
        "severity": SEVERITIES[finding.severity],
        "location": {
            "path": without_surrogates(joined(prefix, finding.place.path)),
            "lines": {"begin": finding.place.line, "end": max(finding.place.line, finding.place.end_line)},
        },
    }
