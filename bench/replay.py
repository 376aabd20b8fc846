"""Replay of commits: `pyrograph diff` of each against two full scans of checkouts, finding by finding; and its cost.

    python bench/replay.py REPOSITORY... [--commits N] [--scratch FOLDER]

REPOSITORY is a clone with history, bare or not; it is read only. Replayed are the N latest commits on its first line of
history that change a file which a scan reads, oldest first, each against its first parent. The full scans read a work
tree that git itself checks out, so they share no code with the snapshots of `diff`. For each commit must hold:

* new and moved findings are those of the commit with a fingerprint that the parent's scan does not have;
* unchanged findings are the others;
* fixed and moved findings are as many as those of the parent of which the commit has no fingerprint.

CPU seconds are those of whole processes, with a cache that earlier commits filled, as in CI. Ends with 1 where the
findings differ.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

READ = ("*.py", "*.js", "*.ts", "*.tsx", "*.jsx", "*.go", "*.html", "*.ejs", "*.pug", "*.hbs", "*.njk", "*.tpl")
OPTIONS = ("--jobs", "1", "--isolated", "--exit-zero", "--allow-empty", "--confidence", "low", "--profile", "audit")

Found = dict[str, tuple[str, ...]]  # first fingerprint of each finding -> all of its fingerprints


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def pyrograph(folder: Path, cache: Path, *arguments: str) -> tuple[Any, float]:
    """The report, and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pyrograph", *arguments, *OPTIONS, "--format", "json"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "XDG_CACHE_HOME": str(cache)}, capture_output=True)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def found(findings: list[Any]) -> Found:
    prints = ((each["fingerprint"], *(other["fingerprint"] for other in each["arguments"])) for each in findings)
    return {each[0]: each for each in prints}


def faults(report: Any, before: Found, after: Found) -> Iterator[str]:
    """What does not hold."""
    known = {one for prints in before.values() for one in prints}
    alive = {one for prints in after.values() for one in prints}
    wanted = {first for first, prints in after.items() if not known.issuperset(prints)}
    difference = report["difference"]
    moved = found([each["finding"] for each in difference["moved"]])
    got = found(report["findings"]).keys() | moved.keys()
    if got != wanted:
        yield f"new and moved: {sorted(got ^ wanted)} differ"
    if found(difference["unchanged"]).keys() != after.keys() - wanted:
        yield "unchanged findings differ"
    gone = {first for first, prints in before.items() if alive.isdisjoint(prints)}
    fixed = found(difference["fixed"]).keys()
    if not fixed <= gone or len(gone - fixed) > len(moved):
        yield f"fixed: {sorted(fixed)}, and gone are {sorted(gone)}"


def replay(source: Path, count: int, scratch: Path) -> bool:
    """Replay the commits of one repository; whether all is as it must be."""
    clone, tree = scratch / "clone", scratch / "tree"
    for folder in (clone, tree):
        git(scratch, "clone", "--quiet", "--shared", "--no-checkout", str(source.resolve()), str(folder))
    listed = git(clone, "rev-list", "--first-parent", f"--max-count={count}", "--min-parents=1", "HEAD", "--", *READ)
    costs: list[float] = []
    scans: list[float] = []
    totals = dict.fromkeys(("new", "moved", "fixed", "unchanged"), 0)
    is_right = True
    states: dict[str, Found] = {}

    def state(commit: str) -> Found:
        """The findings of a full scan, with a cache of its own."""
        if commit not in states:
            subprocess.run(
                ["git", "checkout", "--quiet", "--force", commit], cwd=tree, check=False, capture_output=True
            )
            if git(tree, "rev-parse", "HEAD") != commit or git(tree, "status", "--porcelain", "--", *READ):
                git(
                    tree, "read-tree", "--reset", commit
                )  # a large file is missing in some mirrors: all others are there
                if git(tree, "status", "--porcelain", "--", *READ):
                    sys.exit(f"{commit}: git cannot check it out")
            report, cost = pyrograph(tree, scratch / "cache-of-scans", "scan", ".", "--root", ".")
            scans.append(cost)
            states[commit] = found(report["findings"])
        return states[commit]

    for commit in reversed(listed.split()):
        parent = git(clone, "rev-parse", f"{commit}^1")
        report, cost = pyrograph(clone, scratch / "cache", "diff", parent, commit, "--no-merge-base")
        costs.append(cost)
        for name in totals:
            totals[name] += len(report["findings"] if name == "new" else report["difference"][name])
        for fault in faults(report, state(parent), state(commit)):
            is_right = False
            print(f"  {commit}: {fault}", flush=True)
    name = source.resolve().parent.name if source.name in (".git", "repo") else source.name
    summed = ", ".join(f"{number:,} {word}" for word, number in totals.items())
    print(
        f"{name}: {len(costs)} commits: {summed}; CPU of a comparison: median {median(costs):.2f} s, first "
        f"{costs[0]:.2f} s; of a scan: median {median(scans):.2f} s; {'equal' if is_right else 'NOT EQUAL'}",
        flush=True,
    )
    return is_right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--scratch", type=Path)
    given = parser.parse_args()
    results = []
    for repository in given.repositories:
        with tempfile.TemporaryDirectory(dir=given.scratch) as scratch:
            results.append(replay(repository, given.commits, Path(scratch)))
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
