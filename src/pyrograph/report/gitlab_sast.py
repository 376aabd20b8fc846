"""GitLab's SAST report, for ``artifacts:reports:sast`` (schema 15 of GitLab's security report schemas; not SARIF).

The schema wants the times at which a scan began and ended. They are settings here, so that the report itself stays a
function of the findings: without them both are the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TextIO

from pyrograph import __version__
from pyrograph.model.finding import Finding, Report, Step
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity
from pyrograph.model.words import plural
from pyrograph.report.common import help_for, in_order, source_label
from pyrograph.report.jsontext import write_json
from pyrograph.report.safe_text import joined, visible, without_surrogates

SCHEMA_VERSION = "15.0.7"
EPOCH = "1970-01-01T00:00:00"
SEVERITIES: Mapping[Severity, str] = {"critical": "Critical", "high": "High", "medium": "Medium", "low": "Low"}
MAX_NAME = 255
MAX_DESCRIPTION = 1_048_576
MAX_SOLUTION = 7_000


def render(report: Report, stream: TextIO, *, prefix: str = "", start_time: str = EPOCH, end_time: str = EPOCH) -> None:
    """Write ``report`` as a SAST report.

    Args:
        report: What to write; suppressed findings are left out.
        stream: Where to; all text is ASCII.
        prefix: Folder of the scan root, relative to the repository root.
        start_time: UTC, as ``yyyy-mm-ddThh:mm:ss``.
        end_time: The same.
    """
    tool = {"id": "pyrograph", "name": "pyrograph", "version": __version__, "vendor": {"name": "pyrograph"}}
    document = {
        "version": SCHEMA_VERSION,
        "scan": {
            "analyzer": tool,
            "scanner": tool,
            "type": "sast",
            "status": "success",
            "start_time": start_time,
            "end_time": end_time,
            "messages": [_message(problem) for problem in sorted(report.problems)],
        },
        "vulnerabilities": [_vulnerability(finding, report, prefix) for finding in in_order(report.findings)],
    }
    write_json(document, stream)
    stream.write("\n")


def _vulnerability(finding: Finding, report: Report, prefix: str) -> dict[str, Any]:
    vulnerability = report.vulnerabilities.get(finding.vulnerability)
    rule_id = visible(finding.rule_id)
    location: dict[str, Any] = {
        "file": without_surrogates(joined(prefix, finding.place.path)),
        "start_line": finding.place.line,
        "end_line": max(finding.place.line, finding.place.end_line),
    }
    if finding.function:
        location["method"] = visible(finding.function)
    identifiers: list[dict[str, Any]] = [{"type": "pyrograph", "name": rule_id, "value": rule_id}]
    written: dict[str, Any] = {
        "id": finding.fingerprint,
        "name": visible(vulnerability.title if vulnerability else rule_id)[:MAX_NAME],
        "description": _description(finding, prefix)[:MAX_DESCRIPTION],
        "severity": SEVERITIES[finding.severity],
        "location": location,
        "identifiers": identifiers,
        "tracking": {
            "type": "source",
            "items": [
                {
                    "file": location["file"],
                    "start_line": location["start_line"],
                    "end_line": location["end_line"],
                    # "hash" is the one of GitLab's algorithms whose value is the analyser's own.
                    "signatures": [{"algorithm": "hash", "value": finding.fingerprint}],
                }
            ],
        },
        "details": {
            "confidence": {"name": "Confidence", "type": "text", "value": finding.confidence},
            **({"doubt": {"name": "Doubt", "type": "text", "value": finding.doubt.words}} if finding.doubt else {}),
            "source": {"name": "Source", "type": "code", "value": source_label(finding.trace)},
            "sink": {"name": "Sink", "type": "code", "value": visible(finding.sink)},
            "path": {
                "name": f"Path from {source_label(finding.trace)}",
                "type": "list",
                "items": [_file_location(step, prefix) for step in finding.trace.steps],
            },
        },
    }
    if vulnerability is not None:
        written["solution"] = help_for(vulnerability.help, finding.rule_id)[:MAX_SOLUTION]
        identifiers += [
            {
                "type": "cwe",
                "name": f"CWE-{number}",
                "value": str(number),
                "url": f"https://cwe.mitre.org/data/definitions/{number}.html",
            }
            for number in vulnerability.cwe
        ]
    return written


def _description(finding: Finding, prefix: str) -> str:
    rows = [visible(finding.message)]
    for number, step in enumerate(finding.trace.steps, start=1):
        assumed = "assumed: " if step.kind == "assumed" else ""
        where = f"{visible(joined(prefix, step.place.path))}:{step.place.line}"
        rows.append(f"{number}. {where}: {assumed}{visible(step.message)}")
    if finding.num_sources > 1:
        rows.append(f"Also reached from {plural(finding.num_sources - 1, 'other source')}.")
    return "\n".join(rows)


def _file_location(step: Step, prefix: str) -> dict[str, Any]:
    return {
        "type": "file-location",
        "file_name": without_surrogates(joined(prefix, step.place.path)),
        "line_start": step.place.line,
        "line_end": max(step.place.line, step.place.end_line),  # the schema does without, GitLab's pages do not
    }


def _message(problem: Problem) -> dict[str, str]:
    where = f"{visible(problem.path)}:{problem.line}: " if problem.path else ""
    return {"level": "warn" if problem.incomplete else "info", "value": f"{where}{visible(problem.message)}"}
