"""The text at a sink: what is wrong, the path in short, why it matters and how to fix it."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.lsp.diagnostics import without_middle
from pyrograph.model.finding import Finding, Report
from pyrograph.model.words import plural
from pyrograph.policy.limits.editor import MAX_SHORT_CHECKS, MAX_SHORT_STEPS
from pyrograph.report.common import help_for, request_label, source_label
from pyrograph.report.safe_text import visible

_SPECIAL: Final = re.compile(r"([\\*_{}\[\]()#+!|<>~&])")


def hover_text(finding: Finding, report: Report) -> str:
    """Markdown. Text that comes from scanned code is escaped: it makes no links, images or headings."""
    vulnerability = report.vulnerabilities.get(finding.vulnerability)
    title = vulnerability.title if vulnerability else finding.vulnerability
    cwe = f" · CWE-{vulnerability.cwe[0]}" if vulnerability and vulnerability.cwe else ""
    sure = "" if finding.confidence == "high" else f" · {finding.confidence} confidence"
    parts = [
        f"**{title}** · {finding.severity}{sure} · `{finding.rule_id}`{cwe}",
        escaped(finding.message),
        _path(finding),
        *_checks(finding),
    ]
    if vulnerability:
        help = help_for(vulnerability.help, finding.rule_id)
        parts += ["---", re.sub(r"(?m)^#{1,3} ", "#### ", help).strip()]
    return "\n\n".join(parts) + "\n"


def _path(finding: Finding) -> str:
    trace = finding.trace
    head = f"From {escaped(source_label(trace))}"
    if request := request_label(trace):
        head += f", by {escaped(request)}"
    lines = [f"{head}:", ""]
    steps = list(enumerate(trace.steps, start=1))
    shown = without_middle(steps, MAX_SHORT_STEPS)
    before = 0
    for number, step in shown:
        if number != before + 1:
            lines.append(f"   … {number - before - 1} more\n")
        where = f"{step.place.path}:{step.place.line}"
        lines.append(f"{number}. {escaped(step.message)} ({escaped(where)})")
        before = number
    return "\n".join(lines)


def _checks(finding: Finding) -> list[str]:
    """The checks that the path passes, as one paragraph; none where there are none."""
    checks = finding.trace.checks
    if not checks:
        return []
    lines = [f"Behind {plural(len(checks), 'check')}:", ""]
    lines += [
        f"* {escaped(each.words)} ({escaped(f'{each.place.path}:{each.place.line}')})"
        for each in checks[:MAX_SHORT_CHECKS]
    ]
    if len(checks) > MAX_SHORT_CHECKS:
        lines.append(f"* … {len(checks) - MAX_SHORT_CHECKS} more")
    return ["\n".join(lines)]


def escaped(text: str) -> str:
    """Text as Markdown shows it; what stands in backquotes stays code.

    >>> escaped("passed to `f_x` by [a](b)")
    'passed to `f_x` by \\\\[a\\\\]\\\\(b\\\\)'
    """
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:
        return _SPECIAL.sub(r"\\\1", "'".join(parts))
    return "`".join(part if number % 2 else _SPECIAL.sub(r"\\\1", part) for number, part in enumerate(parts))
