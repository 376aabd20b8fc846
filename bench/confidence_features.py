"""Features of judged findings that are still reported: of which are few findings true?

    python bench/confidence_features.py REPORTS VERDICTS... [--least 8] [--programs 4] [--share 0.25]

``REPORTS`` holds one JSON report for each program, ``ROUND-APPLICATION.json`` or ``APPLICATION.json``; ``VERDICTS`` are
files of verdicts, ``round-N.tsv``. Findings of high confidence count, each judged one once. A line has the number of
true findings and of all, the same of programs, and the same by round: a feature that holds in all rounds but one was
found by looking at that one.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COUNTED = ("call", "return", "store", "load")
Judged = tuple[str, str, bool, frozenset[str]]  # round, application, whether it is true, its features


def places_of(finding: dict[str, Any]) -> set[tuple[str, str]]:
    """Place and rule of a finding as ``rounds/regression.py`` compares them."""
    found = {(f"{each['path']}:{each['line']}", finding["rule"]) for each in (finding, *finding["arguments"])}
    before = finding["traces"][0]["steps"][-2:][0]
    return found | (
        {(f"{before['path']}:{before['line']}", finding["rule"])} if before["path"] == finding["path"] else set()
    )


def bucket(number: int) -> str:
    """A class of numbers.

    >>> [bucket(each) for each in (0, 2, 5, 9)]
    ['0', '1-2', '3-5', '6+']
    """
    return "0" if not number else "1-2" if number < 3 else "3-5" if number < 6 else "6+"


def features(finding: dict[str, Any]) -> frozenset[str]:
    trace = finding["traces"][0]
    steps, entries = trace["steps"], trace["entry_points"]
    kinds = Counter(step["kind"] for step in steps)
    harm = finding["vulnerability"]
    found = {
        f"rule {finding['rule']}",
        f"harm {harm}",
        f"kind {trace['source_kind']}",
        f"{harm} by {trace['source_kind']}",
    }
    found |= {f"sink {finding['sink']}", f"source {trace['source']}", f"language {finding['rule'].partition('/')[0]}"}
    found |= {f"{kind}s {bucket(kinds[kind])}" for kind in COUNTED}
    found |= {f"steps {'16+' if len(steps) > 15 else bucket(len(steps))}", f"sources {bucket(finding['num_sources'])}"}
    found |= {
        f"files {min(3, len({step['path'] for step in steps}))}",
        f"depth {min(4, max(s['depth'] for s in steps))}",
    }
    found |= {f"access {each['access']}" for each in entries} | {f"entries {bucket(len(entries))}"}
    found |= {f"checks {bucket(len(trace['checks']))}", f"part {trace['parameter']['where'] or 'unknown'}"}
    found |= {f"{harm} without a name"} if not trace["parameter"]["name"] else set()
    found |= (
        {"checks a type"} if any("typeof" in c["text"] or "isinstance" in c["text"] for c in trace["checks"]) else set()
    )
    found |= {"3 calls, 1 store"} if kinds["call"] > 2 and kinds["store"] else set()
    return frozenset(found)


def judged(reports: Path, verdicts: list[Path]) -> Iterator[Judged]:
    for file in verdicts:
        number = file.stem.rpartition("-")[2]
        with file.open(encoding="utf-8", newline="") as opened:
            rows = list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
        for name in dict.fromkeys(row["application"] for row in rows):
            known = [path for path in (reports / f"{number}-{name}.json", reports / f"{name}.json") if path.exists()]
            if not known:
                continue
            at: dict[tuple[str, str], dict[str, Any]] = {}
            for finding in json.loads(known[0].read_text(encoding="utf-8"))["findings"]:
                if finding["confidence"] == "high":
                    at |= {place: finding for place in places_of(finding) if place not in at}
            for row in rows:
                finding = at.get((":".join(row["place"].split(":")[:2]), row["rule"]))
                if row["application"] == name and finding is not None and row["verdict"] != "unclear":
                    yield number, name, row["verdict"] == "true", features(finding)


def main() -> None:
    parser = argparse.ArgumentParser(description="Features of which few judged findings are true.")
    parser.add_argument("reports", type=Path)
    parser.add_argument("verdicts", type=Path, nargs="+")
    parser.add_argument("--least", type=int, default=8, help="findings")
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--share", type=float, default=0.25, help="of true ones, at most")
    given = parser.parse_args()
    rows = list(judged(given.reports, given.verdicts))
    print(f"{sum(row[2] for row in rows)} of {len(rows)} are true")
    for feature in sorted({feature for row in rows for feature in row[3]}):
        having = [row for row in rows if feature in row[3]]
        programs, true = {row[1] for row in having}, [row for row in having if row[2]]
        if len(having) < given.least or len(programs) < given.programs or len(true) > given.share * len(having):
            continue
        by_round = " ".join(
            f"{number}: {sum(row[0] == number for row in true)}/{sum(row[0] == number for row in having)}"
            for number in sorted({row[0] for row in having}, key=int)
        )
        print(f"{len(true)}/{len(having)}  {len({row[1] for row in true})}/{len(programs)}  {feature}  ({by_round})")


if __name__ == "__main__":
    main()
