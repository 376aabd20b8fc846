"""The share of true findings by reason of doubt in rounds of first looks, and its cost in known vulnerabilities.

    python bench/rounds/calibrate.py

``paths.tsv`` of this folder has one judged finding a line: round, application, place, rule, verdict, and of its best
path, as the scanner of that round reported it: confidence, kind of source, steps, files, calls, returns (calls whose
result the path goes through), sources (of the finding). ``../cves/paths.tsv`` has one known vulnerability a line with
the same columns of the best path that finds it. Rules of the audit profile are left out.

A reason of doubt is fitted on the first round; the second round and the known vulnerabilities check it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Final

Row = dict[str, str]
AUDIT: Final = frozenset({"log-injection", "trust-boundary", "mass-assignment", "prompt-injection"})
REASONS: Final[dict[str, Callable[[Row], bool]]] = {
    "confidence medium (a step is assumed, or the path is far)": lambda row: row["confidence"] != "high",
    "more than 14 steps": lambda row: int(row["steps"]) > 14,
    "more than 12 steps": lambda row: int(row["steps"]) > 12,
    "more than 11 steps": lambda row: int(row["steps"]) > 11,
    "more than 3 files": lambda row: int(row["files"]) > 3,
    "more than 2 files": lambda row: int(row["files"]) > 2,
    "more than 1 return": lambda row: int(row["returns"]) > 1,
    "more than 3 calls": lambda row: int(row["calls"]) > 3,
    "more than 2 sources": lambda row: int(row["sources"]) > 2,
    "kind `dom`": lambda row: row["kind"] == "dom",
    "kind `header`": lambda row: row["kind"] == "header",
    "kind `upload`": lambda row: row["kind"] == "upload",
    "kind `archive`": lambda row: row["kind"] == "archive",
    "medium, more than 14 steps, 3 files or 1 return": lambda row: (
        row["confidence"] != "high" or int(row["steps"]) > 14 or int(row["files"]) > 3 or int(row["returns"]) > 1
    ),
}


def rows_of(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def share(rows: list[Row]) -> str:
    return f"{sum(row['verdict'] == 'true' for row in rows)} of {len(rows)}"


def main() -> None:
    folder = Path(__file__).parent
    judged = [row for row in rows_of(folder / "paths.tsv") if row["rule"].split("/")[1] not in AUDIT]
    known = rows_of(folder.parent / "cves" / "paths.tsv")
    first, second = ([row for row in judged if row["round"] == number] for number in ("1", "2"))
    print(f"all: round 1 {share(first)}, round 2 {share(second)}; {len(known)} known vulnerabilities\n")
    print("| reason of doubt | true in round 1 | true in round 2 | round 2 without | known vulnerabilities lost |")
    print("|---|---|---|---|---|")
    for name, doubts in REASONS.items():
        kept = [row for row in second if not doubts(row)]
        cells = share(list(filter(doubts, first))), share(list(filter(doubts, second))), share(kept)
        print(f"| {name} | {' | '.join(cells)} | {sum(map(doubts, known))} of {len(known)} |")


if __name__ == "__main__":
    main()
