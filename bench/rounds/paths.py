"""The paths of judged findings, one line each: what ``calibrate.py`` groups.

    pyrograph scan TREE --root TREE --isolated --confidence low --max-sources 50 --exit-zero -f json:REPORTS/NAME.json
    python bench/rounds/paths.py REPORTS bench/rounds/round-3.tsv [ROUND.tsv ...] [--parts PARTS] > paths-3-9.tsv

``REPORTS`` has the report of each application by its name. ``PARTS`` has an application and its part a line. Findings
that are no longer reported, and applications without a report, are left out. A finding is the same when place and rule
are the same, as in ``regression.py``.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from pyrograph.model.finding import Step
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CONFIDENCES
from pyrograph.scanner.explain.brief import brief

COLUMNS: Final = (
    *("part", "round", "application", "place", "rule", "verdict", "confidence", "kind", "source", "named", "sink"),
    *("steps", "files", "calls", "sources"),
)
PLACE: Final = ("path", "line", "column", "end_line", "end_column")


@cache
def findings(report: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return read


def found(report: Path, place: str, rule: str) -> dict[str, Any] | None:
    """The finding of a report at a place ``path:line[:column]``, the surest first; None if there is none."""
    path, line, *column = place.split(":")
    matching = []
    for finding in findings(report):
        before = finding["traces"][0]["steps"][-2:][0]
        for number, each in enumerate((finding, *finding["arguments"], before)):
            if finding["rule"] == rule and each["path"] == path == finding["path"] and str(each["line"]) == line:
                is_same = not column or str(each["column"]) == column[0]
                is_before = number > len(finding["arguments"])
                matching.append((not is_same, is_before, -CONFIDENCES.index(finding["confidence"]), finding))
    return min(matching, key=lambda each: each[:3])[3] if matching else None


def features(finding: dict[str, Any]) -> tuple[str | int, ...]:
    trace = finding["traces"][0]
    steps = [Step(Place(*(each[key] for key in PLACE)), each["kind"], "", each["depth"]) for each in trace["steps"]]
    calls = sum(step.kind == "call" for step in brief(steps))
    files = len({step.place.path for step in steps})
    named = "yes" if trace["parameter"]["name"] else "no"
    source = trace["source"].split(":")[0]
    head = (finding["confidence"], trace["source_kind"], source, named, finding["sink"])
    return (*head, len(steps), files, calls, finding["num_sources"])


def main() -> None:
    parser = argparse.ArgumentParser(description="The paths of judged findings.")
    parser.add_argument("reports", type=Path)
    parser.add_argument("rounds", type=Path, nargs="+")
    parser.add_argument("--parts", type=Path)
    given = parser.parse_args()
    parts = dict(line.split("\t") for line in given.parts.read_text().splitlines()) if given.parts else {}
    written = csv.writer(sys.stdout, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n", quotechar=None)
    written.writerow(COLUMNS)
    for path in given.rounds:
        number = path.stem.removeprefix("round-")
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                name, place, rule = row["application"], row["place"], row["rule"]
                report = given.reports / f"{name}.json"
                finding = found(report, place, rule) if report.exists() else None
                if finding is not None:
                    head = (parts.get(name, ""), number, name, place, rule, row["verdict"])
                    written.writerow((*head, *features(finding)))


if __name__ == "__main__":
    main()
