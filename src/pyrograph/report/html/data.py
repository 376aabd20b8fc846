"""The data of the HTML report: findings, and the lines of code near their paths, as JSON.

The JSON stands inside a ``<script>`` element of a type that is not run. It is ASCII and holds no ``<``, ``>`` and ``&``
(they are JSON escapes), so nothing in it can end the element or begin a comment. ``model.js`` reads it.

Texts that repeat are numbered, and a step is a list: a report of 10,000 findings has half a million of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, get_args

from pyrograph.model.finding import Finding, Report, Step, StepKind, Trace
from pyrograph.model.languages import title_of
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.words import origin_of, plural
from pyrograph.report.common import SourceLines, help_for, in_order, request_label, source_label
from pyrograph.report.safe_text import without_surrogates
from pyrograph.report.sentences import cut_line, skipped_line, withheld_lines

CONTEXT: Final = 2  # lines above and below a step; CONTEXT of path.js
MAX_GAP: Final = 3  # lines between two steps that are kept, too; NEAR of path.js
MAX_LINE: Final = 400  # code points of a line; of a longer one, each step has the part around it
BEFORE: Final = 120  # code points of this part that stand before the step
MAX_CODE: Final = 80  # code points of the sink's code in the list
MAX_PROBLEMS: Final = 500
KINDS: Final[tuple[StepKind, ...]] = get_args(StepKind)


def embedded(report: Report) -> Iterator[str]:
    """The JSON in pieces, for the inside of a ``<script>`` element."""
    escapes = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
    for piece in json.JSONEncoder(separators=(",", ":")).iterencode(_Document(report).data()):
        yield piece.translate(escapes)


class _Document:
    """One page in the making: numbers texts and files, and collects the lines that paths need."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.lines = SourceLines(report.sources)
        self.texts: dict[str, int] = {}
        self.files: dict[str, int] = {}
        self.needed: dict[str, set[int]] = {}  # path -> lines

    def data(self) -> dict[str, Any]:
        report = self.report
        findings = in_order(report.findings)
        written = [self.finding(finding) for finding in findings]
        problems = sorted(report.problems, key=lambda problem: (problem.kind == "syntax-error", problem))
        return {
            "kinds": KINDS,
            "findings": written,
            "rules": {finding.rule_id: self.rule(finding) for finding in findings},
            "files": [{"path": without_surrogates(path), "lines": self.code(path)} for path in self.files],
            "texts": list(self.texts),
            "scanned": _scanned(report),
            "hidden": _hidden(report),
            "notes": list(report.notes),
            "problems": [
                [each.kind, without_surrogates(_where(each)), without_surrogates(each.message)]
                for each in problems[:MAX_PROBLEMS]
            ],
            "numProblems": len(problems),
            "cut": cut_line(report),
        }

    def finding(self, finding: Finding) -> dict[str, Any]:
        place, trace = finding.place, finding.trace
        start = trace.steps[0].place if trace.steps else place
        path = without_surrogates(place.path)
        entry = {"path": path, "rule": finding.rule_id}  # lines as ``baseline`` writes them
        return {
            "fingerprint": finding.fingerprint,
            "rule": finding.rule_id,
            "severity": finding.severity,
            "confidence": finding.confidence,
            "doubt": finding.doubt.words if finding.doubt else "",
            "message": finding.message,
            "file": self.file(place.path),
            "line": place.line,
            "column": place.column,
            "function": finding.function,
            "code": (self.lines.text(place) or "").strip()[:MAX_CODE],
            "entry": self.text(
                trace.entries[0].name if trace.entries else f"{origin_of(trace.source_kind)} in {start.path}"
            ),
            "sources": finding.num_sources,
            "calls": len(finding.of_calls),
            "steps": len(trace.steps),
            "baseline": ",\n".join(json.dumps({**entry, "fingerprint": each}) for each in finding.fingerprints),
            "arguments": [each.text for each in finding.arguments],
            "traces": [self.trace(each) for each in finding.traces],
        }

    def trace(self, trace: Trace) -> list[Any]:
        steps = [self.step(step) for step in trace.steps]
        checks = [self.text(f"{each.words} ({where(each.place)})") for each in trace.checks]
        source = source_label(trace)
        if trace.call is not None:
            source += f", {'written' if trace.is_written else 'by the call'} at {where(trace.call)}"
        return [self.text(source), steps, trace.argument, self.text(request_label(trace)), checks]

    def step(self, step: Step) -> list[Any]:
        place = step.place
        line = self.lines.line(place.path, place.line)
        end = place.end_column if place.end_line <= place.line or line is None else len(line) + 1
        numbers = [self.file(place.path), place.line, place.column, end, KINDS.index(step.kind), step.depth]
        written = [*numbers, self.text(step.message)]
        if line is not None and len(line) > MAX_LINE:
            return [*written, _excerpt(line, place)]
        around = range(max(1, place.line - CONTEXT), place.line + CONTEXT + 1)
        self.needed.setdefault(place.path, set()).update(around)
        return written

    def rule(self, finding: Finding) -> dict[str, Any]:
        vulnerability = self.report.vulnerabilities.get(finding.vulnerability)
        if vulnerability is None:
            return {"title": finding.vulnerability, "cwe": [], "help": ""}
        help = help_for(vulnerability.help, finding.rule_id)
        return {"title": vulnerability.title, "cwe": list(vulnerability.cwe), "help": help}

    def code(self, path: str) -> dict[int, str]:
        """The lines near steps by their numbers, and those between two that are close."""
        wanted = sorted(self.needed.get(path, ()))
        numbers: list[int] = []
        for number in wanted:
            if numbers and number - numbers[-1] <= MAX_GAP + 1:
                numbers.extend(range(numbers[-1] + 1, number))
            numbers.append(number)
        found = ((number, self.lines.line(path, number)) for number in numbers)
        return {number: _cut(line) for number, line in found if line is not None}

    def file(self, path: str) -> int:
        return self.files.setdefault(path, len(self.files))

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…"


def _excerpt(line: str, place: Place) -> tuple[str, int]:
    """The part of a long line around a place, and the number of code points before it."""
    start = max(0, place.column - 1 - BEFORE)
    part = line[start : start + MAX_LINE] + ("…" if start + MAX_LINE < len(line) else "")
    return (f"…{part}", start - 1) if start else (part, 0)


def _scanned(report: Report) -> list[str]:
    statistics = report.statistics
    languages = sorted(statistics.files_by_language.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{count:,} {title_of(language) or language}" for language, count in languages)
    return [
        f"{plural(statistics.files, 'file')}, {plural(statistics.lines, 'line')}{f': {named}' if named else ''}",
        f"{plural(statistics.sources, 'source')} and {plural(statistics.sinks, 'sink')} matched",
    ]


def _hidden(report: Report) -> list[str]:
    """What the report leaves out, one line each."""
    lines = []
    hidden = (("comment", "suppressed by comments"), ("baseline", "known to the baseline"), ("triage", "marked false"))
    for by, how in hidden:
        if count := sum(entry.by == by for entry in report.suppressed):
            lines.append(f"{plural(count, 'finding')} {how}")
    lines += withheld_lines(report)
    if skipped := report.statistics.skipped:
        lines.append(skipped_line(skipped))
    return lines


def where(place: Place) -> str:
    return without_surrogates(f"{place.path}:{place.line}")


def _where(problem: Problem) -> str:
    return f"{problem.path}:{problem.line}" if problem.path and problem.line else problem.path
