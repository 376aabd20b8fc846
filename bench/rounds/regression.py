"""Scan the programs of an old round again: which true findings are kept, which false ones are gone.

    python bench/rounds/regression.py bench/rounds/round-1.tsv TREES [APPLICATION ...] [--list] [-- OPTION ...]

``TREES`` holds one folder for each application, named as in the file of verdicts, with the commit that is named there.
A finding is the same when place and rule are the same: file and line of the sink, or of the step before it in that
file, since the call that makes a request was the sink before the one that sends it. Options after ``--`` are passed to
``pyrograph scan``. The exit code is 1 if a true finding is no longer reported. This is a regression test: the figures
of a round are those of its first look.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

Key = tuple[str, str]


def scan(tree: Path, options: list[str]) -> tuple[set[Key], int]:
    """Place and rule of each finding of one tree, and the number of findings."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = ["-m", "pyrograph", "scan", str(tree), "--root", str(tree), "-q", "-f", f"json:{report}", *options]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        if not report.exists():
            raise SystemExit(f"{tree}: the scan wrote no report (exit code {done.returncode}): {done.stderr.strip()}")
        findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
    arguments = [(each, found["rule"]) for found in findings for each in (found, *found["arguments"])]
    for found in findings:
        before = found["traces"][0]["steps"][-2:][0]
        if before["path"] == found["path"]:
            arguments.append((before, found["rule"]))
    return {(f"{each['path']}:{each['line']}", rule) for each, rule in arguments}, len(findings)


def main() -> None:
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description="Scan the programs of an old round again.")
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("trees", type=Path)
    parser.add_argument("applications", nargs="*", help="only these (default: all)")
    parser.add_argument("--list", action="store_true", help="name true ones that are gone, false ones that stay")
    given = parser.parse_args(sys.argv[1:split])
    with given.verdicts.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = list(dict.fromkeys(row["application"] for row in rows))
    chosen = [name for name in names if not given.applications or name in given.applications]
    outcome: Counter[tuple[str, str]] = Counter()
    by_cause: Counter[str] = Counter()
    total = 0
    for name in chosen:
        reported, number = scan(given.trees / name, sys.argv[split + 1 :])
        total += number
        for row in rows:
            if row["application"] != name:
                continue
            place = ":".join(row["place"].split(":")[:2])  # some rows name the column, too
            found = (place, row["rule"]) in reported
            outcome[row["verdict"], "reported" if found else "gone"] += 1
            by_cause[row["cause"]] += found and row["verdict"] == "false"
            if given.list and found == (row["verdict"] == "false"):
                state = "reported" if found else "gone"
                print(
                    f"{row['verdict']}, {state}: {name} {row['place']} {row['rule']} ({row['cause'] or row['reason']})"
                )
    for verdict in ("true", "unclear", "false"):
        print(f"{verdict}: {outcome[verdict, 'reported']} reported, {outcome[verdict, 'gone']} gone")
    print(f"findings in all: {total}")
    for cause, left in by_cause.most_common():
        if left:
            print(f"  {cause}: {left} false findings still reported")
    if outcome["true", "gone"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
