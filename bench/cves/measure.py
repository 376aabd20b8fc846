"""Scan programs before and after the fix of a known vulnerability: found by default, found with more, still reported.

    python bench/cves/measure.py TREES [--cases FILE] [--only CASE ...] [--language LANGUAGE] [--confidence LEVEL]
        [--write FILE]

``TREES`` holds a folder for each case of ``FILE`` (``cases.tsv`` of this folder) with the trees ``before`` and
``after``. README.md of this folder states when a case counts as found and as still reported. A tree is scanned once
for each set of options.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

MARGIN = 3  # lines between the named line and a step of the path; a statement and its operands span this much
LIMIT = 120  # seconds of wall time for one scan
WIDE = ("--profile", "audit", "--confidence", "low", "--threat-model", "all")

Row = dict[str, str]
Finding = tuple[str, frozenset[tuple[str, int]]]  # vulnerability, and file and line of the sink and of all steps


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one scan, or the reason why there are none."""

    findings: list[Finding]
    failure: str  # "" if the scan wrote a report
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    found: str  # "default", "wide", "not", or the reason of a failed scan
    after: str  # with the options that found it: "reported", "gone", "failed", "" if it was not found
    seconds: float  # of the scan with default options


class Scans:
    """Reports by tree and options. Cases of one commit share a tree through links."""

    def __init__(self) -> None:
        self.reports: dict[tuple[Path, tuple[str, ...]], Report] = {}

    def report(self, tree: Path, options: tuple[str, ...]) -> Report:
        key = tree.resolve(), options
        if key not in self.reports:
            self.reports[key] = scan(key[0], options)
        return self.reports[key]


def scan(tree: Path, options: tuple[str, ...]) -> Report:
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        given = ["--root", str(tree), "--isolated", "--exit-zero", "-q", "--max-sources", "50", *options]
        command = [sys.executable, "-m", "pyrograph", "scan", str(tree), *given, "-f", f"json:{report}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return Report([], "timeout", time.monotonic() - start)
        if not report.exists():
            lines = done.stderr.strip().splitlines()
            return Report([], f"failed: {lines[-1][:80] if lines else done.returncode}", time.monotonic() - start)
        found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return Report([read(finding) for finding in found], "", time.monotonic() - start)


def read(finding: dict[str, object]) -> Finding:
    places = {(str(finding["path"]), int(str(finding["line"])))}
    traces = finding["traces"]
    assert isinstance(traces, list)
    places |= {(step["path"], step["line"]) for trace in traces for step in trace["steps"]}
    return str(finding["vulnerability"]), frozenset(places)


def matches(report: Report, case: Row, lines: range) -> bool:
    """Whether a finding of an accepted class has its sink or a step on one of ``lines`` of the case's file."""
    classes = case["class"].split()
    return any(
        vulnerability in classes and any(path == case["file"] and line in lines for path, line in places)
        for vulnerability, places in report.findings
    )


def around(first: int, last: int) -> range:
    return range(first - MARGIN, last + MARGIN + 1)


def moved(before: Path, after: Path, line: int) -> range:
    """The lines of ``after`` that stand where ``line`` stood in ``before``: empty if the file is gone."""
    if not after.is_file():
        return range(0)
    old, new = (path.read_text(encoding="utf-8", errors="replace").splitlines() for path in (before, after))
    for _, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if old_start < line <= old_end:
            if old_end - old_start == new_end - new_start:
                return around(line - old_start + new_start, line - old_start + new_start)
            return around(new_start + 1, max(new_end, new_start + 1))
    return range(0)


def measure(case: Row, trees: Path, scans: Scans, first: tuple[str, ...]) -> Outcome:
    before, after = (trees / case["case"] / side for side in ("before", "after"))
    line = int(case["line"])
    default = scans.report(before, first)
    for name, options in (("default", first), ("wide", WIDE)):
        report = scans.report(before, options)
        if matches(report, case, around(line, line)):
            later = scans.report(after, options)
            kept = matches(later, case, moved(before / case["file"], after / case["file"], line))
            return Outcome(name, "failed" if later.failure else "reported" if kept else "gone", default.seconds)
    return Outcome(default.failure or "not", "", default.seconds)


def table(title: str, rows: list[tuple[Row, Outcome]], key: Callable[[Row], str]) -> str:
    head = f"| {title} | cases | found by default | only with more | not found | failed | still reported, of default |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    for name in sorted({key(case) for case, _ in rows}):
        chosen = [outcome for case, outcome in rows if key(case) == name]
        counts = Counter(outcome.found for outcome in chosen)
        default = [outcome for outcome in chosen if outcome.found == "default"]
        kept = sum(outcome.after == "reported" for outcome in default)
        share = 100 * counts["default"] / len(chosen)
        failed = len(chosen) - counts["default"] - counts["wide"] - counts["not"]
        cells = [str(counts["wide"]), str(counts["not"]), str(failed), f"{kept} of {len(default)}"]
        lines.append(f"| {name} | {len(chosen)} | {counts['default']} ({share:.0f} %) | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Known vulnerabilities: found before the fix, reported after it.")
    parser.add_argument("trees", type=Path)
    parser.add_argument("--cases", type=Path, default=Path(__file__).with_name("cases.tsv"))
    parser.add_argument("--only", nargs="+", default=[], metavar="CASE")
    parser.add_argument("--language", choices=["python", "javascript", "go"])
    parser.add_argument(
        "--confidence", choices=["low", "medium", "high"], help="of the first scan (default: that of a scan)"
    )
    parser.add_argument("--write", type=Path, help="append one line a case to this file")
    given = parser.parse_args()
    with given.cases.open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    cases = [case for case in cases if given.language in (None, case["language"])]
    cases = [case for case in cases if not given.only or case["case"] in given.only]
    first = ("--confidence", given.confidence) if given.confidence else ()
    scans = Scans()
    rows: list[tuple[Row, Outcome]] = []
    for case in cases:
        outcome = measure(case, given.trees, scans, first)
        rows.append((case, outcome))
        line = "\t".join([case["case"], outcome.found, outcome.after, f"{outcome.seconds:.0f}"])
        print(line, file=sys.stderr, flush=True)
        if given.write:
            with given.write.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
    print(table("language", rows, lambda case: case["language"]))
    print()
    print(table("class", rows, lambda case: f"{case['language']}, {case['class'].split()[0]}"))


if __name__ == "__main__":
    main()
