"""Scans of real repositories as Markdown: one row each, and the findings by rule.

    python bench/real/table.py CHECKOUT...

Each checkout is scanned in a process of its own with an empty cache: all languages, tests included. Seconds are
wall-clock; the peak is that of the largest process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

HEAD = (
    "| repository | files | lines | seconds | peak MB | error nodes | unhandled nodes | unresolved calls | limits hit "
    "| sources | sinks | nodes searched | findings (high, medium confidence) |"
)


def scan(checkout: Path) -> tuple[dict[str, Any], float, int]:
    """(report, seconds, peak in MB) of one scan."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pyrograph", "scan", ".", "--isolated", "--exit-zero", "--quiet", "--stats"]
        command += ["--profile", "audit"]
        start = time.perf_counter()
        process = subprocess.Popen(
            [*command, "-f", f"json:{report}"], cwd=checkout, env=os.environ | {"XDG_CACHE_HOME": folder}
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise SystemExit(f"{checkout}: the scan ended with status {os.waitstatus_to_exitcode(status)}")
        return json.loads(report.read_text(encoding="utf-8")), seconds, usage.ru_maxrss // 1024


def main(checkouts: list[Path]) -> None:
    """Print the two tables."""
    by_rule = []
    print(HEAD)
    print("|---" * (HEAD.count("|") - 1) + "|")
    for checkout in checkouts:
        report, seconds, peak = scan(checkout)
        told = report["statistics"]
        nodes = max(told["syntax_nodes"], 1)
        limits = sum(
            int(problem["message"].split(" times")[0].replace(",", ""))
            for problem in report["problems"]
            if problem["kind"] == "limit" and " times" in problem["message"]
        )
        sure = Counter(finding["confidence"] for finding in report["findings"])
        print(
            f"| {checkout.name} | {told['files']:,} | {told['lines']:,} | {seconds:.1f} | {peak:,} "
            f"| {told['error_nodes'] / nodes:.3%} | {told['unhandled_nodes'] / nodes:.3%} "
            f"| {1 - told['resolved_calls'] / max(told['calls'], 1):.0%} | {limits:,} | {told['sources']:,} "
            f"| {told['sinks']:,} | {told['graph_nodes']:,} "
            f"| {len(report['findings'])} ({sure['high']}, {sure['medium']}) |",
            flush=True,
        )
        rules = Counter(finding["rule"] for finding in report["findings"])
        by_rule.append(f"| {checkout.name} | {', '.join(f'{rule} {count}' for rule, count in rules.most_common())} |")
    print("\n| repository | findings by rule |\n|---|---|")
    print("\n".join(by_rule))


if __name__ == "__main__":
    main([Path(argument).resolve() for argument in sys.argv[1:]])
