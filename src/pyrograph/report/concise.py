"""One line a finding, for the error lists of editors: ``file:line:column: severity rule message``.

``errorformat`` of Vim, ``compilation-mode`` of Emacs and the problem matchers of other editors read this form. Paths
are relative to the scan root. Problems and counts are not part of it: an editor would take them for places in code.
"""

from __future__ import annotations

from typing import TextIO

from pyrograph.model.finding import Finding, Report
from pyrograph.report.common import in_order
from pyrograph.report.safe_text import visible


def render(report: Report, stream: TextIO) -> None:
    """Write the findings of ``report`` by place; nothing if there are none."""
    for finding in in_order(report.findings):
        stream.write(f"{_line(finding)}\n")


def _line(finding: Finding) -> str:
    place = finding.place
    # A finding without high confidence says so, because nothing else in the line does.
    sure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
    where = f"{visible(place.path)}:{place.line}:{place.column}"
    return f"{where}: {finding.severity} {visible(finding.rule_id)} {visible(finding.message)}{sure}"
