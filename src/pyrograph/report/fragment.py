"""A piece of HTML for notebooks: a table of findings, each with its path, folded. No script, no style sheet, no links.

Names, messages and code are escaped, and control characters are shown as escapes.
"""

from __future__ import annotations

from html import escape

from pyrograph.model.finding import Finding, Report
from pyrograph.model.words import plural
from pyrograph.report.common import SourceLines, source_label, worst_first
from pyrograph.report.safe_text import visible
from pyrograph.report.sentences import cut_line

MAX_ROWS = 200  # a notebook keeps its output; the other formats have all findings
_CODE_WIDTH = 160  # code points of a line of code that are shown


def fragment(report: Report) -> str:
    """The piece of HTML."""
    new = "" if report.difference is None else "new "
    title = f"{plural(len(report.findings), f'{new}finding')} in {plural(report.statistics.files, 'file')}"
    rows = [f"<p><strong>pyrograph</strong>: {title}</p>"]
    lines = SourceLines(report.sources)
    ordered = worst_first(report.findings)
    if ordered:
        rows.append("<table><thead><tr><th>severity</th><th>rule</th><th>where</th><th>what</th></tr></thead><tbody>")
        rows += [_row(finding, lines) for finding in ordered[:MAX_ROWS]]
        rows.append("</tbody></table>")
    if len(ordered) > MAX_ROWS:
        rows.append(f"<p>{len(ordered) - MAX_ROWS:,} more</p>")
    if cut := cut_line(report):
        rows.append(f"<p>{cut}</p>")
    rows += [f"<p>{_text(note)}</p>" for note in report.notes]
    return "\n".join(rows)


def _row(finding: Finding, lines: SourceLines) -> str:
    steps = []
    for step in finding.trace.steps:
        line = (lines.line(step.place.path, step.place.line) or "").strip()[:_CODE_WIDTH]
        message = f"assumed: {step.message}" if step.kind == "assumed" else step.message
        at = _text(f"{step.place.path}:{step.place.line}")
        steps.append(f"<li><code>{at}</code> {_text(message)}<br><code>{_text(line)}</code></li>")
    label = f"{plural(len(steps), 'step')} from {source_label(finding.trace)}"
    path = f"<details><summary>{_text(label)}</summary><ol>{''.join(steps)}</ol></details>"
    where = f"{finding.place.path}:{finding.place.line}:{finding.place.column}"
    cells = (finding.severity, f"<code>{_text(finding.rule_id)}</code>", f"<code>{_text(where)}</code>")
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in (*cells, _text(finding.message) + path))}</tr>"


def _text(text: str) -> str:
    return escape(visible(text))
