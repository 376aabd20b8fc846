"""Tables of a round of first looks: verdicts by language, rule, confidence and cause.

    python bench/rounds/table.py bench/rounds/round-1.tsv

The file has one judged finding a line, tab-separated under a header: application, commit, place, rule, confidence,
verdict (``true``, ``false``, ``unclear``), cause (of false ones), reason. The language of a finding is that of its
rule. The share of true findings counts unclear ones as not true.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

Row = dict[str, str]
VERDICTS = ("true", "unclear", "false")


def shares(rows: list[Row], key: Callable[[Row], str]) -> list[str]:
    """One line of Markdown a group: numbers of each verdict, and the share of true ones in percent."""
    groups: dict[str, Counter[str]] = {}
    for row in rows:
        groups.setdefault(key(row), Counter())[row["verdict"]] += 1
    lines = []
    for name, counts in sorted(groups.items(), key=lambda group: (-group[1].total(), group[0])):
        share = 100 * counts["true"] / counts.total()
        lines.append(f"| {name} | {' | '.join(str(counts[verdict]) for verdict in VERDICTS)} | {share:.0f} % |")
    return lines


def table(title: str, lines: list[str]) -> str:
    return "\n".join([f"| {title} | true | unclear | false | true |", "|---|---|---|---|---|", *lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Tables of a round of first looks.")
    parser.add_argument("verdicts", type=Path)
    with parser.parse_args().verdicts.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    wrong = [row for row in rows if row["verdict"] not in VERDICTS or (row["verdict"] == "false") != bool(row["cause"])]
    if wrong:
        parser.error(f"not a verdict with a cause where it is false: {wrong[0]}")
    print(table("all", shares(rows, lambda row: "all")))
    print(table("language", shares(rows, lambda row: row["rule"].split("/")[0])))
    print(table("confidence", shares(rows, lambda row: row["confidence"])))
    print(table("rule", shares(rows, lambda row: row["rule"].split("/")[1])))
    print("| cause of false findings | findings |\n|---|---|")
    for cause, number in Counter(row["cause"] for row in rows if row["cause"]).most_common():
        print(f"| {cause} | {number} |")


if __name__ == "__main__":
    main()
