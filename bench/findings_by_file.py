"""The file of each program whose findings take most work: what ``MAX_FINDINGS`` and ``MAX_WALKED`` are compared with.

    python bench/findings_by_file.py PROGRAM...

All rules, low confidence and all threat models. One line for each program: edges of the paths to the sinks of the file
that needs most, and its name; findings of the file that has most, and its name.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from pyrograph.rules import Rules, load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.explained import Explained
from pyrograph.scanner.explain.findings import Explainer
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.settings import kinds_of

Largest = tuple[int, str]  # number, file

original = Explainer.findings


def main(roots: Sequence[Path]) -> None:
    rules = load_rules(None, [])
    for root in roots:
        edges, findings = largest(root, rules)
        print(f"{root.name}\t{edges[0]:,}\t{edges[1]}\t{findings[0]:,}\t{findings[1]}", flush=True)


def largest(root: Path, rules: Rules) -> tuple[Largest, Largest]:
    """The file with the most edges, and the one with the most findings; (0, "") without findings."""
    walked: Counter[str] = Counter()

    def counted(explainer: Explainer, hits: Sequence[Hit]) -> Explained:
        found = original(explainer, hits)
        walked.update({explainer.program.files[file].path: edges for file, edges in explainer.spent.items()})
        return found

    options = ScanOptions(paths=(root,), root=root, jobs=1).asking_everything(kinds_of(("all",)))
    with patch.object(Explainer, "findings", counted):
        report = pipeline.scan(options, rules)
    found = Counter(finding.place.path for finding in report.findings)
    return top(walked), top(found)


def top(counts: Counter[str]) -> Largest:
    [(path, number)] = counts.most_common(1) or [("", 0)]
    return number, path


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]])
