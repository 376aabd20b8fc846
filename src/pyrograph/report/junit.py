"""JUnit XML, for CI servers that show test results: a failed test for each finding, a suite for each file.

A scan without findings is one passed test: servers take a file without tests for a broken job. What was not analysed
is a skipped test, so that it is seen. Only elements and attributes that the common schemas share are written (that of
Jenkins' plugin among them), and no times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from pyrograph.model.finding import Finding, Report
from pyrograph.model.problem import Problem
from pyrograph.report.common import confidence_label, in_order, source_label
from pyrograph.report.safe_text import visible

SCAN = "pyrograph"  # the suite and the class of what belongs to no file


@dataclass(frozen=True, slots=True)
class Case:
    """One test: passed where it has no result."""

    name: str
    result: str = ""  # the element inside, as XML
    skipped: bool = False


def render(report: Report, stream: TextIO) -> None:
    """Write ``report``; suites by path, then one for what was not analysed, or one for a clean scan."""
    suites = [
        (path, [_failure(finding) for finding in group])
        for path, group in groupby(in_order(report.findings), key=lambda finding: finding.place.path)
    ]
    incomplete = [_skipped(problem) for problem in sorted(report.problems) if problem.incomplete]
    clean = [] if report.findings else [Case("no findings")]
    if clean or incomplete:
        suites.append((SCAN, [*clean, *incomplete]))
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    stream.write(f"<testsuites name={_attribute(SCAN)} {_counts(case for _, cases in suites for case in cases)}>\n")
    for path, cases in suites:
        stream.writelines(_suite(path, cases))
    stream.write("</testsuites>\n")


def _suite(path: str, cases: list[Case]) -> Iterator[str]:
    skipped = sum(case.skipped for case in cases)
    yield f'  <testsuite name={_attribute(path)} {_counts(cases)} skipped="{skipped}">\n'
    for case in cases:
        start = f"    <testcase name={_attribute(case.name)} classname={_attribute(path)}"
        yield f"{start}>\n      {case.result}\n    </testcase>\n" if case.result else f"{start}/>\n"
    yield "  </testsuite>\n"


def _counts(cases: Iterable[Case]) -> str:
    known = list(cases)
    failures = sum(bool(case.result) and not case.skipped for case in known)
    return f'tests="{len(known)}" failures="{failures}" errors="0"'


def _failure(finding: Finding) -> Case:
    place = finding.place
    rows = [f"{step.place.path}:{step.place.line}:{step.place.column}: {step.message}" for step in finding.trace.steps]
    rows.insert(0, f"{finding.severity} severity, {confidence_label(finding)}, from {source_label(finding.trace)}")
    rows.append(f"fingerprint {finding.fingerprint}")
    text = "\n".join(map(_text, rows))
    head = f"<failure message={_attribute(finding.message)} type={_attribute(finding.rule_id)}>"
    return Case(f"{finding.rule_id} at {place.path}:{place.line}:{place.column}", f"{head}{text}</failure>")


def _skipped(problem: Problem) -> Case:
    line = f":{problem.line}" if problem.line else ""
    where = f" in {problem.path}{line}" if problem.path else ""
    return Case(f"{problem.kind}{where}", f"<skipped message={_attribute(problem.message)}/>", skipped=True)


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _text(text: str) -> str:
    return escape(_legal(text))


def _legal(text: str) -> str:
    """``text`` of characters that XML 1.0 may hold: all but U+FFFE, U+FFFF and those that ``visible`` escapes."""
    return visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
