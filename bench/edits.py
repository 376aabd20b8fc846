"""Scans after edits of comments and blank lines: how many come from the cache, what they cost, if they are right.

    python bench/edits.py DIRECTORY [EDITS] [SEED]

Works on a copy. Each edit inserts a comment or a blank line above a random line of a random source file. In a string,
it changes the program; in a text that a stage reads, it may. A scan follows each edit. After the last one, the report
is compared with that of a scan without a cache, in three formats. CPU seconds are those of whole processes. Ends with
1 where the reports differ.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

FORMATS = ("json", "sarif", "text")
MARKS = {".py": "#", ".js": "//", ".ts": "//", ".go": "//"}


class Scans:
    """Scans of one tree with one cache."""

    def __init__(self, tree: Path, scratch: Path) -> None:
        self.tree = tree
        self.scratch = scratch

    def run(self, *more: str) -> tuple[bytes, float, bool]:
        """The reports, CPU seconds, and whether they come from the cache."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        outputs = [word for form in FORMATS for word in ("--format", f"{form}:{self.scratch / form}")]
        command = [sys.executable, "-m", "pyrograph", "scan", str(self.tree), "--root", str(self.tree), "--isolated"]
        command += ["--jobs", "1", "--quiet", "--verbose", "--exit-zero", *outputs, *more]
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.scratch / "cache")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        reports = b"".join([(self.scratch / form).read_bytes() for form in FORMATS])
        return reports, cost, "from the cache" in done.stderr


def edit(file: Path, chance: random.Random) -> None:
    """Insert a comment or a blank line."""
    lines = file.read_bytes().split(b"\n")
    place = chance.randrange(len(lines))
    indentation = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    lines.insert(place, chance.choice([b"", indentation + MARKS[file.suffix].encode() + b" a remark"]))
    file.write_bytes(b"\n".join(lines))


def measure(directory: Path, edits: int, seed: int, scratch: Path) -> bool:
    """Print what the scans cost; whether the last report is right."""
    chance = random.Random(seed)
    tree = scratch / "tree"
    shutil.copytree(directory, tree, symlinks=True)
    files = [path for path in sorted(tree.rglob("*")) if path.suffix in MARKS and path.is_file()]
    files = [path for path in files if not path.is_symlink()]
    scans = Scans(tree, scratch)
    report, cold, _ = scans.run()
    hits: list[float] = []
    others: list[float] = []
    for _ in range(edits):
        edit(chance.choice(files), chance)
        report, cost, is_hit = scans.run()
        (hits if is_hit else others).append(cost)
    is_right = report == scans.run("--no-cache")[0]
    print(f"{directory.name}: cold {cold:.2f} s of CPU; after {edits} edits, each scanned:")
    for name, costs in (("from the cache", hits), ("all stages", others)):
        if costs:
            print(f"  {len(costs):3} {name:<15} median {median(costs):6.2f} s, {median(costs) / cold:.3f} of cold")
    print(f"  the last report is {'equal to' if is_right else 'DIFFERENT from'} a fresh one", flush=True)
    return is_right


if __name__ == "__main__":
    number, start = [*(int(word) for word in sys.argv[2:]), *(20, 1)[len(sys.argv) - 2 :]]
    with tempfile.TemporaryDirectory() as folder:
        right = measure(Path(sys.argv[1]).resolve(), number, start, Path(folder))
    sys.exit(not right)
