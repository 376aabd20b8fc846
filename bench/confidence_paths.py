"""What the paths of judged findings are like, one finding a line: what ``confidence_doubts.py`` counts.

    python bench/confidence_paths.py TREES bench/rounds/round-10.tsv [ROUND.tsv ...] > bench/rounds/paths-1-13.tsv

``TREES`` has the tree of each application, named ``<application>`` or ``<owner>+<application>``; those without a tree
are left out, and so are findings that are no longer reported. A finding is the same when place and rule are
(``rounds/paths.py``).
The time is that of a scan of each tree with low confidence.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import ClassVar, Final

from pyrograph import scanner
from pyrograph.model.finding import Finding, Trace
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.assemble import Kind
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.brief import brief
from pyrograph.scanner.explain.findings import Explainer
from pyrograph.scanner.options import ScanOptions

COLUMNS: Final = (
    *("round", "application", "place", "rule", "verdict", "confidence", "doubt", "kind", "named", "several", "stores"),
    *("functions", "steps", "calls", "sources"),
)
Place = tuple[str, int, int]
Features = tuple[str | int, ...]


class Recording(Explainer):
    """An explainer that keeps what the first path of each finding is like, by rule and place."""

    seen: ClassVar[dict[tuple[str, Place], Features]] = {}

    def trace(self, hit: Hit, before: int) -> Trace:
        trace = super().trace(hit, before)
        steps, labels = self.steps, self.labels
        source, sink = labels.sources[hit.source_role], labels.sinks[hit.sink_role]
        edges = steps.edges(hit)
        name = self.rater.entries.parameter(source, steps.member_read(hit)).name or steps.parameter_name(source.value)
        functions = {int(steps.function[steps.flow.value[edge.target]]) for edge in edges}
        stores = sum(steps.kind[edge.row] == Kind.STORE for edge in edges)
        several = "yes" if self.rater.ways.is_any_of_several(edges) else "no"
        place = trace.steps[-1].place
        key = labels.vulnerabilities[sink.vulnerability], (place.path, place.line, place.column)
        self.seen.setdefault(key, (source.kind, name, several, stores, len(functions) or 1))
        return trace


def findings_of(tree: Path) -> tuple[Finding, ...]:
    options = ScanOptions(paths=(tree,), root=tree, confidence="low", jobs=1, device="cpu")
    return tuple(scanner.scan(options, load_rules(None, ())).findings)


def found(findings: tuple[Finding, ...], place: str, rule: str) -> Finding | None:
    """The finding at a place ``path:line[:column]``, the surest first; None if there is none."""
    path, line, *column = place.split(":")
    matching = []
    for finding in findings:
        before = finding.traces[0].steps[-2:][0].place
        for number, each in enumerate((finding.place, *(other.place for other in finding.arguments), before)):
            if finding.rule_id == rule and each.path == path == finding.place.path and str(each.line) == line:
                is_same = not column or str(each.column) == column[0]
                level = ("high", "medium", "low").index(finding.confidence)
                matching.append((not is_same, number > len(finding.arguments), level, finding))
    return min(matching, key=lambda each: each[:3])[3] if matching else None


def main() -> None:
    parser = argparse.ArgumentParser(description="What the paths of judged findings are like.")
    parser.add_argument("trees", type=Path)
    parser.add_argument("rounds", type=Path, nargs="+")
    given = parser.parse_args()
    trees = {each.name.rpartition("+")[2]: each for each in sorted(given.trees.iterdir()) if each.is_dir()}
    scanner.explain.findings.Explainer = Recording  # type: ignore[misc]
    written = csv.writer(sys.stdout, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n", quotechar=None)
    written.writerow(COLUMNS)
    for path in given.rounds:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        for application in dict.fromkeys(row["application"] for row in rows):
            if application not in trees:
                continue
            Recording.seen.clear()
            findings = findings_of(trees[application])
            for row in (row for row in rows if row["application"] == application):
                finding = found(findings, row["place"], row["rule"])
                if finding is None:
                    continue
                place = finding.place.path, finding.place.line, finding.place.column
                kind, name, several, stores, functions = Recording.seen[finding.vulnerability, place]
                steps = finding.traces[0].steps
                calls = sum(step.kind == "call" for step in brief(steps))
                head = (path.stem.removeprefix("round-"), application, row["place"], row["rule"], row["verdict"])
                doubt = finding.doubt.name if finding.doubt else ""
                rated = (finding.confidence, doubt, kind, name, several, stores, functions)
                written.writerow((*head, *rated, len(steps), calls, finding.num_sources))


if __name__ == "__main__":
    main()
