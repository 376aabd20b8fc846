"""Draw findings from JSON reports, the same ones for the same reports and seed, as a Markdown table to be filled in
by hand.

    python bench/real/sample.py --language python --count 20 --seed 1 wagtail=wagtail.json netbox=netbox.json

Findings are drawn without replacement from those of the language in all reports together, sorted by place first, so
that the order
of the arguments and of the reports does not matter. Nothing of the code is printed.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

Row = tuple[str, str, int, int, str, str]  # repository, path, line, column, rule, confidence


def findings(reports: list[str], language: str) -> list[Row]:
    """All findings of ``language``, sorted; each report is ``name=file``."""
    rows: list[Row] = []
    for report in reports:
        name, _, file = report.partition("=")
        for each in json.loads(Path(file).read_text(encoding="utf-8"))["findings"]:
            if each["rule"].startswith(language + "/"):
                rows.append((name, each["path"], each["line"], each["column"], each["rule"], each["confidence"]))
    return sorted(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw findings to be judged.")
    parser.add_argument(
        "reports", nargs="+", metavar="NAME=FILE", help="JSON reports with the names of their repositories"
    )
    parser.add_argument("--language", required=True, choices=("python", "javascript", "go"))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rows = findings(given.reports, given.language)
    chosen = sorted(random.Random(given.seed).sample(rows, min(given.count, len(rows))))
    print("| repository | place | rule | confidence | verdict | reason |")
    print("|---|---|---|---|---|---|")
    for name, path, line, column, rule, confidence in chosen:
        print(f"| {name} | {path}:{line}:{column} | {rule} | {confidence} | | |")


if __name__ == "__main__":
    main()
