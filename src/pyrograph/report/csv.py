"""The findings as comma-separated values (RFC 4180), for spreadsheets and databases: a header, then a row a finding.

Spreadsheets run a cell that begins like a formula. Names, paths and messages come from scanned files, so such a cell
begins with an apostrophe, which spreadsheets do not show. Control characters are written as escapes: no cell has more
than one line.
"""

from __future__ import annotations

import csv
import re
from typing import TextIO

from pyrograph.model.finding import Finding, Report
from pyrograph.report.common import in_order
from pyrograph.report.safe_text import visible

COLUMNS = (
    *("severity", "confidence", "rule", "cwe", "path", "line", "column", "end_line", "end_column", "function"),
    *("message", "sink", "source", "source_kind", "source_path", "source_line", "sources", "steps", "fingerprint"),
)
# What starts a formula in some spreadsheet, also after blanks, also in its full-width form.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def render(report: Report, stream: TextIO) -> None:
    """Write the findings of ``report`` by place; lines end with CR LF, as the RFC asks."""
    rows = csv.writer(stream, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for finding in in_order(report.findings):
        rows.writerow([cell if isinstance(cell, int) else _harmless(cell) for cell in _row(finding, report)])


def _row(finding: Finding, report: Report) -> list[str | int]:
    vulnerability = report.vulnerabilities.get(finding.vulnerability)
    place, trace = finding.place, finding.trace
    start = trace.steps[0].place if trace.steps else place
    return [
        *(finding.severity, finding.confidence, finding.rule_id),
        f"CWE-{vulnerability.cwe[0]}" if vulnerability and vulnerability.cwe else "",
        *(place.path, place.line, place.column, place.end_line, place.end_column, finding.function),
        *(finding.message, finding.sink, trace.source, trace.source_kind, start.path, start.line),
        *(finding.num_sources, len(trace.steps), finding.fingerprint),
    ]


def _harmless(cell: str) -> str:
    text = visible(cell)
    return f"'{text}" if _FORMULA.match(text) else text
