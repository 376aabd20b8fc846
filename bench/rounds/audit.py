"""Of vulnerabilities that readers found in programs: how many does a scan report?

    python bench/rounds/audit.py AUDIT DEFAULT WIDE [--missed]

``AUDIT`` (``audit-40.tsv``) has one vulnerability a line, found by reading before the program was scanned. ``DEFAULT``
and ``WIDE`` are folders with one JSON report for each program (``APPLICATION.json``): of scans with default options,
and with ``--profile audit --confidence low --threat-model all``. A vulnerability is found if a finding of an accepted
class has its sink, or a step of its paths, within ``MARGIN`` lines of the sink that the reader named, as for the known
vulnerabilities (``bench/cves/measure.py``). ``--missed`` prints those that are not found by default.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from pathlib import Path
from typing import Final

MARGIN: Final = 3  # lines
FOUND: Final = ("default", "wide", "not")

Row = dict[str, str]
Finding = tuple[str, frozenset[tuple[str, int]]]  # vulnerability; file and line of its sink and of all steps


def findings(folder: Path, application: str) -> list[Finding]:
    """The findings of a report; paths are below the root that was scanned."""
    report = json.loads((folder / f"{application}.json").read_text(encoding="utf-8"))
    found: list[Finding] = []
    for each in report["findings"]:
        steps = [step for trace in each["traces"] for step in trace["steps"]]
        found.append((each["vulnerability"], frozenset((place["path"], place["line"]) for place in (each, *steps))))
    return found


def is_found(row: Row, reported: list[Finding]) -> bool:
    path, _, line = row["sink"].rpartition(":")
    accepted = row["class"].split()
    return any(
        vulnerability in accepted and any(at == path and abs(number - int(line)) <= MARGIN for at, number in places)
        for vulnerability, places in reported
    )


def table(title: str, rows: list[tuple[Row, str]], column: str) -> str:
    lines = [f"| {title} | vulnerabilities | by default | only with all options | not |", "|---|---|---|---|---|"]
    counts: dict[str, Counter[str]] = {}
    for row, outcome in rows:
        for name in (row[column].split()[0], "all"):
            counts.setdefault(name, Counter())[outcome] += 1
    for name, found in sorted(counts.items(), key=lambda each: (each[0] == "all", -each[1].total(), each[0])):
        default, wide, missed = (found[outcome] for outcome in FOUND)
        share = 100 * default / found.total()
        lines.append(f"| {name} | {found.total()} | {default} ({share:.0f} %) | {wide} | {missed} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Vulnerabilities that readers found: how many a scan reports.")
    parser.add_argument("audit", type=Path)
    parser.add_argument("default", type=Path)
    parser.add_argument("wide", type=Path)
    parser.add_argument("--missed", action="store_true")
    given = parser.parse_args()
    with given.audit.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["verdict"] == "true"]
    names = {row["application"] for row in rows}
    by_default, widely = ({name: findings(folder, name) for name in names} for folder in (given.default, given.wide))
    outcomes: list[tuple[Row, str]] = []
    for row in rows:
        name = row["application"]
        outcomes.append(
            (
                row,
                FOUND[0] if is_found(row, by_default[name]) else FOUND[1] if is_found(row, widely[name]) else FOUND[2],
            )
        )
    for title, column in (("language", "language"), ("class", "class"), ("program", "application")):
        print(table(title, outcomes, column), end="\n\n")
    if given.missed:
        for row, outcome in outcomes:
            if outcome != FOUND[0]:
                print(outcome, *(row[column] for column in ("application", "class", "sink", "way")), sep="\t")


if __name__ == "__main__":
    main()
