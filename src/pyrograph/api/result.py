"""The result of a scan: immutable data, and the report in every format."""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyrograph.model.finding import Difference, Finding, Report, Statistics, Suppressed
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import SEVERITIES, Severity
from pyrograph.report import FORMATS, render


@dataclass(frozen=True, slots=True)
class Result:
    """What ``scan`` and ``diff`` found. Equal input gives equal results, in any order of work."""

    report: Report  # everything, as formats get it

    @property
    def findings(self) -> tuple[Finding, ...]:
        """By place. After a comparison, the new ones."""
        return self.report.findings

    @property
    def suppressed(self) -> tuple[Suppressed, ...]:
        """Findings that comments or the baseline hide, and why."""
        return self.report.suppressed

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be analysed or used; never an exception."""
        return self.report.problems

    @property
    def notes(self) -> tuple[str, ...]:
        """What hides findings: the configuration, a baseline, the state that was compared with."""
        return self.report.notes

    @property
    def statistics(self) -> Statistics:
        """Counts of files, lines, calls, sources and sinks."""
        return self.report.statistics

    @property
    def difference(self) -> Difference | None:
        """After a comparison, the findings that are unchanged, moved and fixed; else None."""
        return self.report.difference

    @property
    def is_complete(self) -> bool:
        """Whether everything that could hold a finding was analysed."""
        return not any(problem.incomplete for problem in self.problems)

    @property
    def left_nothing_out(self) -> bool:
        """Whether no file, function, path or finding was left out, apart from what ``statistics.skipped`` counts.

        Limits of precision may have been reached.
        """
        return not any(problem.leaves_out for problem in self.problems)

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of this severity and above.

        Raises:
            ValueError: There is no such severity.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"unknown severity {severity!r}; choose one of {', '.join(SEVERITIES)}")
        limit = SEVERITIES.index(severity)
        return tuple(finding for finding in self.findings if SEVERITIES.index(finding.severity) >= limit)

    def to(self, format: str, **settings: object) -> str:
        """The report in a format of the command line: "text", "json", "sarif", "markdown", "html", ...

        ``settings``: keyword arguments of the format's ``render``, such as ``prefix="backend"`` for SARIF.

        Raises:
            ValueError: There is no such format.
            TypeError: No format has such a setting.
        """
        stream = io.StringIO()
        render(format, self.report, stream, **settings)
        return stream.getvalue()

    def to_json(self) -> dict[str, Any]:
        """The JSON report (docs/json-schema.md) as Python data; ``to("json")`` is its text."""
        document: dict[str, Any] = json.loads(self.to("json"))
        return document

    def to_sarif(self, **settings: object) -> dict[str, Any]:
        """The SARIF log as Python data; ``to("sarif")`` is its text."""
        document: dict[str, Any] = json.loads(self.to("sarif", **settings))
        return document

    def save(self, path: str | os.PathLike[str], format: str = "") -> None:
        """Write the report to a file; the format that the suffix names where none is given.

        Raises:
            ValueError: There is no such format, or the suffix names none.
            OSError: The file cannot be written.
        """
        known = {"md": "markdown", "txt": "text"} | {name: name for name in FORMATS}
        form = format or known.get(Path(path).suffix[1:].lower(), "")
        if not form:
            raise ValueError(f"{path}: the suffix names no format; give one of {', '.join(FORMATS)}")
        Path(path).write_text(self.to(form), encoding="utf-8", newline="\n")

    def __repr__(self) -> str:
        files, problems = self.statistics.files, len(self.problems)
        return f"<pyrograph.Result: {len(self.findings)} findings, {problems} problems, {files} files>"

    def _repr_html_(self) -> str:
        """A table for notebooks; the paths are folded."""
        from pyrograph.report.fragment import fragment

        return fragment(self.report)
